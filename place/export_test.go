package place

import "plimsoll.dev/place/cluster"

// Losses places the pods of a cluster. Of nodes that fail it returns the pods that find no place
// where each loss is taken back, and where each has a copy of its own.
func Losses(c *cluster.Cluster, order string) (takenBack, apart func(nodes []int) []int, err error) {
	r, err := newRun(c)
	if err != nil {
		return nil, nil, err
	}
	r.trial = true
	r.all(cluster.Arrivals(c, order, 0))
	l := losing{r: r}
	return l.of, func(nodes []int) []int { return r.clone().fail(nodes) }, nil
}
