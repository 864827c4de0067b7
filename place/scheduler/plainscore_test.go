package scheduler

import (
	"math"
	"slices"
)

// best is the index of the winner among feasible nodes.
func (t *plain) best(c *PodClass, feasible []*plainNode) int {
	if len(feasible) == 1 {
		return 0
	}
	total := make([]int64, len(feasible))
	for _, p := range t.scores(c, feasible) {
		for i := range total {
			total[i] += p.weight * p.scores[i]
		}
	}
	top := slices.Max(total)
	if !t.rules.random {
		return heapFirst(total, 0, top)
	}
	var ties []int
	for i, score := range total {
		if score == top {
			ties = append(ties, i)
		}
	}
	if len(ties) == 1 {
		return ties[0]
	}
	return ties[t.draw.IntN(len(ties))]
}

// heapFirst is the first index with the score in pre-order of the heap below i:
// it is the root that container/heap's Init leaves.
func heapFirst(total []int64, i int, score int64) int {
	if i >= len(total) {
		return -1
	}
	if total[i] == score {
		return i
	}
	if found := heapFirst(total, 2*i+1, score); found >= 0 {
		return found
	}
	return heapFirst(total, 2*i+2, score)
}

type pluginScores struct {
	name   string
	weight int64
	scores []int64
}

func (t *plain) scores(c *PodClass, nodes []*plainNode) []pluginScores {
	w := t.rules.weights
	each := func(f func(*plainNode) int64) []int64 {
		out := make([]int64, len(nodes))
		for i, n := range nodes {
			out[i] = f(n)
		}
		return out
	}
	out := []pluginScores{
		{pluginFit, w.fit, each(func(n *plainNode) int64 { return t.rules.strategy.plainFit(c, n) })},
		{pluginTaints, w.taints, plainNormal(each(func(n *plainNode) int64 { return c.dislikes(n.Taints) }), true)},
		{pluginSpread, w.spread, t.spreadScores(c, nodes)},
		{pluginPods, w.pods, t.podScores(c, nodes)},
	}
	if t.rules.mustBalance(c) {
		out = append(out, pluginScores{pluginBalanced, w.balanced,
			each(func(n *plainNode) int64 { return plainBalanced(c, n, t.rules.improving) })})
	}
	if len(c.preferredNodes()) > 0 {
		out = append(out, pluginScores{pluginNodes, w.nodes,
			plainNormal(each(func(n *plainNode) int64 { return c.prefers(&n.Node) }), false)})
	}
	return out
}

// plainNormal stretches scores to 0..100 by the highest one (DefaultNormalizeScore).
func plainNormal(scores []int64, reverse bool) []int64 {
	top := slices.Max(scores)
	for i := range scores {
		if top > 0 {
			scores[i] = maxScore * scores[i] / top
		}
		if reverse {
			scores[i] = maxScore - scores[i]
		}
	}
	return scores
}

func (s *strategy) plainFit(c *PodClass, n *plainNode) int64 {
	sum, weights := int64(0), int64(0)
	for _, r := range s.resources {
		want, capacity := asked(c, r.name, true), amount(&n.Allocatable, r.name)
		if capacity == 0 || want == 0 && !native(r.name) {
			continue
		}
		requested := n.used(r.name, true) + want
		score := int64(0)
		switch {
		case s.kind == leastAllocated && requested <= capacity:
			score = (capacity - requested) * maxScore / capacity
		case s.kind == mostAllocated:
			score = min(requested, capacity) * maxScore / capacity
		case s.kind == capacityRatio:
			score = s.plainShape(min(requested, capacity) * maxScore / capacity)
			if score == 0 {
				continue
			}
		}
		sum += score * r.weight
		weights += r.weight
	}
	if weights == 0 {
		return 0
	}
	if s.kind == capacityRatio {
		return int64(math.Round(float64(sum) / float64(weights)))
	}
	return sum / weights
}

func (s *strategy) plainShape(utilization int64) int64 {
	for i, p := range s.shape {
		x, y := int64(p.Utilization), int64(p.Score)
		if utilization > x {
			continue
		}
		if i == 0 {
			return y
		}
		x0, y0 := int64(s.shape[i-1].Utilization), int64(s.shape[i-1].Score)
		return y0 + (y-y0)*(utilization-x0)/(x-x0)
	}
	return int64(s.shape[len(s.shape)-1].Score)
}

func plainBalanced(c *PodClass, n *plainNode, improving bool) int64 {
	balance := func(cpu, memory int64) int64 {
		var fractions []float64
		if n.Allocatable.CPU != 0 {
			fractions = append(fractions, min(1, float64(cpu)/float64(n.Allocatable.CPU)))
		}
		if n.Allocatable.Memory != 0 {
			fractions = append(fractions, min(1, float64(memory)/float64(n.Allocatable.Memory)))
		}
		deviation := 0.0
		if len(fractions) == 2 {
			deviation = math.Abs((fractions[0] - fractions[1]) / 2)
		}
		return int64((1 - deviation) * maxScore)
	}
	cpu, memory := n.used("cpu", false), n.used("memory", false)
	with := balance(cpu+c.Request.CPU, memory+c.Request.Memory)
	if !improving {
		return with
	}
	return maxScore/2 + (maxScore/2+with-balance(cpu, memory))/2
}

func (t *plain) spreadScores(c *PodClass, nodes []*plainNode) []int64 {
	out := make([]int64, len(nodes))
	soft, strict := softSpread(c)
	if len(soft) == 0 {
		return out
	}
	ignored := func(n *plainNode) bool { return strict && !hasAll(soft, &n.Node) }
	scored := 0
	for _, n := range nodes {
		if !ignored(n) {
			scored++
		}
	}
	raw := make([]float64, len(nodes))
	for _, s := range soft {
		counts := t.softCounts(c, s, nodes, ignored)
		size := len(counts)
		if s.key == HostnameLabel {
			size = scored
		}
		for i, n := range nodes {
			value, ok := n.Labels[s.key]
			if !ok {
				continue
			}
			count := counts[value]
			if s.key == HostnameLabel {
				count = n.count(func(e *PodClass) bool { return s.counts(c, e) })
			}
			raw[i] += float64(count)*math.Log(float64(size+2)) + float64(s.maxSkew-1)
		}
	}
	least, most := int64(math.MaxInt64), int64(0)
	for i, n := range nodes {
		out[i] = int64(math.Round(raw[i]))
		if !ignored(n) {
			least, most = min(least, out[i]), max(most, out[i])
		}
	}
	for i, n := range nodes {
		switch {
		case ignored(n):
			out[i] = 0
		case most == 0:
			out[i] = maxScore
		default:
			out[i] = maxScore * (most + least - out[i]) / most
		}
	}
	return out
}

// softCounts are the matching pods by the values that the nodes have.
func (t *plain) softCounts(c *PodClass, s constraint, nodes []*plainNode,
	ignored func(*plainNode) bool) map[string]int {
	counts := map[string]int{}
	for _, n := range nodes {
		if !ignored(n) {
			counts[n.Labels[s.key]] = 0
		}
	}
	for _, n := range t.all() {
		if ignored(n) || !s.includes(c, &n.Node) {
			continue
		}
		if _, ok := counts[n.Labels[s.key]]; ok {
			counts[n.Labels[s.key]] += n.count(func(e *PodClass) bool { return s.counts(c, e) })
		}
	}
	return counts
}

func (t *plain) podScores(c *PodClass, nodes []*plainNode) []int64 {
	counts := map[pair]int{}
	for _, n := range t.all() {
		for _, e := range n.pods {
			for _, a := range newPreferences(c) {
				if a.incomingMatches(e.PodClass, t.known()) {
					n.tally(counts, a.key, int(a.weight))
				}
			}
			for _, a := range newPreferences(e.PodClass) {
				if a.runningMatches(c, t.known()) {
					n.tally(counts, a.key, int(a.weight))
				}
			}
			for _, a := range newTerms(e.podAffinity(), e.PodClass) {
				if a.runningMatches(c, t.known()) {
					n.tally(counts, a.key, hardWeight)
				}
			}
		}
	}
	out := make([]int64, len(nodes))
	for i, n := range nodes {
		for key, value := range n.Labels {
			out[i] += int64(counts[pair{key, value}])
		}
	}
	least, most := slices.Min(out), slices.Max(out)
	for i := range out {
		score := 0.0
		if most > least {
			score = maxScore * (float64(out[i]-least) / float64(most-least))
		}
		out[i] = int64(score)
	}
	return out
}
