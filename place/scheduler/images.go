package scheduler

// Sizes of images between which ImageLocality's score rises
// (plugins/imagelocality/image_locality.go).
const (
	leastImage = 23 << 20
	mostImage  = 1000 << 20 // times the number of containers
)

// imageScores are ImageLocality's scores of all nodes for a class, nil when none
// has an image of it. An image counts with the share of the nodes that have it. The
// scheduler, too, goes on with the shares that were when a node last changed.
func (s *Scheduler) imageScores(c *PodClass) []int64 {
	if len(c.Images)+len(c.ImageVolumes) == 0 || s.rules.weights.images == 0 {
		return nil
	}
	sums := make([]int64, len(s.nodes))
	for _, list := range [][]string{c.Images, c.ImageVolumes} {
		for _, name := range list {
			size, having := int64(-1), []int{}
			for i := range s.nodes {
				if n, ok := s.nodes[i].Images[name]; ok {
					having = append(having, i)
					if size < 0 {
						size = n // of the node that came first
					}
				}
			}
			share := float64(len(having)) / float64(len(s.nodes))
			for _, i := range having {
				sums[i] += int64(float64(size) * share)
			}
		}
	}
	most := int64(mostImage * len(c.Images))
	for i, sum := range sums {
		sums[i] = maxScore * (min(max(sum, leastImage), most) - leastImage) / (most - leastImage)
	}
	return sums
}
