package scheduler

import "math"

// refused is a row's entry for a node that a filter of its own rules out; other
// entries are the score of the node's resources and 1.
const refused = 0

// entry decides what a node's own state says about a class: filters by taints,
// labels, ports and resources, and the scores of resources.
func (s *Scheduler) entry(c *class, node int32) uint16 {
	n := &s.state[node]
	if s.refuses(c, n, node) {
		return refused
	}
	score := s.rules.weights.fit * s.fitScore(c, n, node)
	if c.balanced {
		score += s.rules.weights.balanced * s.balanceScore(c, n)
	}
	return uint16(score + 1)
}

// refuses reports whether a filter of the node's own rules it out.
func (s *Scheduler) refuses(c *class, n *nodeState, node int32) bool {
	return n.pods >= n.maxPods ||
		n.cpu-n.usedCPU < c.cpu && c.cpu > 0 || n.memory-n.usedMemory < c.memory && c.memory > 0 ||
		(n.cordoned || n.tainted) && !c.ignoresCordon || c.filters && s.filtered(c, node)
}

// filtered reports whether the class's selectors, tolerations, ports, resources other
// than cpu and memory, or pods on the node itself refuse it.
func (s *Scheduler) filtered(c *class, node int32) bool {
	if c.statics.of(node).ruledOut || s.portsTaken(c, node) || s.counted(c.index.antiAffinityOnNode, node) {
		return true
	}
	for _, o := range c.otherRequests {
		if o.amount > s.columns[o.column].free[node] {
			return true
		}
	}
	return false
}

// fitScore is NodeResourcesFit's score by the profile's strategy.
func (s *Scheduler) fitScore(c *class, n *nodeState, node int32) int64 {
	if s.usual {
		sum := leastScore(n.nonZeroCPU+c.scoredCPU, n.cpu) + leastScore(n.nonZeroMemory+c.scoredMemory, n.memory)
		if n.cpu == 0 || n.memory == 0 {
			return sum
		}
		return sum >> 1
	}
	sum, weights := int64(0), int64(0)
	for i, r := range s.rules.strategy.resources {
		requested, capacity := s.requested(n, node, i)
		if capacity == 0 || c.requests[i] == 0 && !native(r.name) {
			continue
		}
		score := s.rules.strategy.score(requested+c.requests[i], capacity)
		if score == 0 && s.rules.strategy.kind == capacityRatio {
			continue
		}
		sum += score * r.weight
		weights += r.weight
	}
	if weights == 0 {
		return 0
	}
	if s.rules.strategy.kind == capacityRatio {
		return int64(math.Round(float64(sum) / float64(weights)))
	}
	return sum / weights
}

// requested is how much the pods of a node want of the strategy's resource, and
// how much there is.
func (s *Scheduler) requested(n *nodeState, node int32, resource int) (requested, capacity int64) {
	switch s.rules.strategy.resources[resource].name {
	case cpu:
		return n.nonZeroCPU, n.cpu
	case memory:
		return n.nonZeroMemory, n.memory
	}
	column := &s.columns[s.weighedColumns[resource]]
	return column.total[node] - column.free[node], column.total[node]
}

func leastScore(requested, capacity int64) int64 {
	if requested > capacity || capacity == 0 {
		return 0
	}
	return (capacity - requested) * maxScore / capacity
}

// score of one resource, from 0 to 100; capacity is not 0.
func (s *strategy) score(requested, capacity int64) int64 {
	switch s.kind {
	case leastAllocated:
		return leastScore(requested, capacity)
	case mostAllocated:
		return min(requested, capacity) * maxScore / capacity
	}
	return s.onShape(min(requested, capacity) * maxScore / capacity)
}

// onShape is the shape's score at a utilization in per cent, on straight lines
// between its points.
func (s *strategy) onShape(utilization int64) int64 {
	for i := range s.shape {
		x, y := int64(s.shape[i].Utilization), int64(s.shape[i].Score)
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

// balanceScore is NodeResourcesBalancedAllocation's score: up to 1.35 how balanced
// the node is with the pod, from 1.36 on how much the pod improves it.
func (s *Scheduler) balanceScore(c *class, n *nodeState) int64 {
	with := int64(balance(n, n.usedCPU+c.cpu, n.usedMemory+c.memory))
	if !s.rules.improving {
		return with
	}
	return maxScore/2 + (maxScore/2+with-int64(n.balance))/2
}

// balance is how alike the used fractions of cpu and memory are, from 50 to 100,
// in the floats of plugins/noderesources/balanced_allocation.go.
func balance(n *nodeState, cpu, memory int64) int8 {
	if n.cpu == 0 || n.memory == 0 {
		return maxScore
	}
	a, b := float64(cpu)/float64(n.cpu), float64(memory)/float64(n.memory)
	if a > 1 {
		a = 1
	}
	if b > 1 {
		b = 1
	}
	return int8((1 - math.Abs((a-b)/2)) * maxScore)
}
