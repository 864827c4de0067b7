package scheduler

import "math"

// candidate is a feasible node, and what the plug-ins give it.
type candidate struct {
	node        int32
	total       int64
	spread      int64 // of PodTopologySpread before it is normalized, -1: ignored
	podAffinity int64 // of InterPodAffinity before it is normalized
}

// byNodeOnly reports whether nodes differ by their own state only, for the class now.
func (s *Scheduler) byNodeOnly(c *class) bool {
	return len(c.hard) == 0 && len(c.soft) == 0 && len(c.affinity) == 0 && c.statics.uniform &&
		!s.anyCounted(c.index.antiAffinityElsewhere) && !s.anyCounted(c.preferred)
}

func (s *Scheduler) anyCounted(counters []int32) bool {
	for _, i := range counters {
		if s.counters[i].live != 0 {
			return true
		}
	}
	return false
}

// mixed decides about a class for which other nodes matter too: constraints,
// affinity, and scores that are normalized over the feasible nodes. The list has
// the nodes that are looked at, in order. It returns the node, or -1, and how many
// were looked at.
func (s *Scheduler) mixed(c *class, list []int32) (node int32, looked int) {
	if len(list) == 0 {
		return -1, 0
	}
	looked = s.rate(c, list)
	switch len(s.found) {
	case 0:
		return -1, looked
	case 1:
		return s.found[0].node, looked
	}
	return s.found[s.pick()].node, looked
}

// rate fills s.found with the feasible nodes and their scores, and returns how
// many nodes were looked at.
func (s *Scheduler) rate(c *class, list []int32) (looked int) {
	looked = s.collect(c, list)
	if len(s.found) < 2 {
		return looked
	}
	if !c.statics.uniform {
		s.scoreStatics(c)
	}
	if len(c.soft) > 0 && s.rules.weights.spread > 0 {
		s.scoreSpread(c)
	}
	if s.anyCounted(c.preferred) && s.rules.weights.pods > 0 {
		s.scorePods(c)
	}
	return looked
}

// collect fills s.found with the feasible nodes in order, as many as are wanted.
func (s *Scheduler) collect(c *class, list []int32) (looked int) {
	r := s.current(c)
	want := s.rules.sample(len(list))
	s.found = s.found[:0]
	check := s.restricted(c)
	p := s.start % len(list)
	for range list {
		node := list[p]
		if e := s.at(c, r, s.position[node]); e != refused && (!check || s.allowed(c, node)) {
			if len(s.found) == want {
				return looked
			}
			s.found = append(s.found, candidate{node: node, total: int64(e)})
		}
		looked++
		if p++; p == len(list) {
			p = 0
		}
	}
	return looked
}

// restricted reports whether constraints or affinity may rule nodes out now.
func (s *Scheduler) restricted(c *class) bool {
	return len(c.hard) > 0 || len(c.affinity) > 0 || s.anyCounted(c.index.antiAffinityElsewhere)
}

// allowed reports whether hard constraints and pod affinity let the class's pods run
// on a node.
func (s *Scheduler) allowed(c *class, node int32) bool {
	for i := range c.hard {
		if ok, _ := s.withinSkew(&c.hard[i], node); !ok {
			return false
		}
	}
	return (len(c.affinity) == 0 || s.affinityMet(c, node)) && !s.counted(c.index.antiAffinityElsewhere, node)
}

// withinSkew reports whether a hard constraint lets another pod run on the node, and
// whether the node has the label at all.
func (s *Scheduler) withinSkew(h *topologySpread, node int32) (ok, labelled bool) {
	d := h.domain[node]
	if d < 0 {
		return false, false
	}
	c := &s.counters[h.counter]
	return h.fits(c, c.count[d]), true
}

// fits reports whether another pod may run in a domain with the count, as kube-scheduler
// has it: matching pods + 1 if the pod matches itself - the least of any domain <= maxSkew.
// With fewer domains than minDomains the least is 0.
func (h *topologySpread) fits(c *counter, count int32) bool {
	least := int32(0)
	if c.minimum.domains >= h.minDomains {
		least = c.minimum.least
	}
	return int64(count-least)+h.selfMatch <= h.maxSkew
}

// affinityMet reports whether required affinity lets the pods run on the node: matching
// pods run in each of the domains, or nowhere at all and the pods match their own terms.
func (s *Scheduler) affinityMet(c *class, node int32) bool {
	everywhere, anywhere := true, false
	for _, i := range c.affinity {
		counter := &s.counters[i]
		d := counter.of[node]
		if d < 0 {
			return false
		}
		everywhere = everywhere && counter.count[d] > 0
		anywhere = anywhere || counter.live > 0
	}
	return everywhere || !anywhere && c.selfMatch
}

// counted reports whether one of the counters is above zero where the node is.
func (s *Scheduler) counted(counters []int32, node int32) bool {
	for _, i := range counters {
		counter := &s.counters[i]
		if d := counter.of[node]; d >= 0 && counter.count[d] > 0 {
			return true
		}
	}
	return false
}

// scoreStatics adds the scores by taints and preferred node affinity, in per cent
// of the highest among the feasible nodes.
func (s *Scheduler) scoreStatics(c *class) {
	var dislikes, preferred int64
	for i := range s.found {
		g := c.statics.of(s.found[i].node)
		dislikes, preferred = max(dislikes, g.preferNoSchedule), max(preferred, g.preferred)
	}
	for i := range s.found {
		s.found[i].total += s.rules.staticScore(c.statics.of(s.found[i].node), dislikes, preferred)
	}
}

// staticScore is what taints and preferred node affinity give, when the most among
// the feasible nodes is known. What all nodes get is left out.
func (r *rules) staticScore(g *group, dislikes, preferred int64) int64 {
	score := r.weights.images * g.images
	if dislikes > 0 {
		score += r.weights.taints * (maxScore - maxScore*g.preferNoSchedule/dislikes)
	}
	if preferred > 0 {
		score += r.weights.nodes * (maxScore * g.preferred / preferred)
	}
	return score
}

// scorePods adds InterPodAffinity's scores: the weights of the places that the
// node is in, stretched to 0..100.
func (s *Scheduler) scorePods(c *class) {
	least, most := int64(math.MaxInt64), int64(math.MinInt64)
	for i := range s.found {
		sum := int64(0)
		for _, k := range c.preferred {
			counter := &s.counters[k]
			if d := counter.of[s.found[i].node]; d >= 0 {
				sum += int64(counter.count[d])
			}
		}
		s.found[i].podAffinity = sum
		least, most = min(least, sum), max(most, sum)
	}
	for i := range s.found {
		s.found[i].total += s.rules.weights.pods * stretched(s.found[i].podAffinity, least, most)
	}
}

// stretched is a sum of weights as a score from 0 to 100, in the floats of
// plugins/interpodaffinity/scoring.go.
func stretched(sum, least, most int64) int64 {
	if most == least {
		return 0
	}
	return int64(maxScore * (float64(sum-least) / float64(most-least)))
}

// scoreSpread adds PodTopologySpread's scores: the fewer matching pods where the
// node is, the higher; small sets of places weigh less.
func (s *Scheduler) scoreSpread(c *class) {
	s.weighSpread(c)
	least, most := int64(math.MaxInt64), int64(0)
	for i := range s.found {
		f := &s.found[i]
		if f.spread < 0 {
			continue
		}
		raw := 0.0
		for k := range c.soft {
			if soft := &c.soft[k]; soft.domain[f.node] >= 0 {
				counter := &s.counters[soft.counter]
				raw += float64(counter.count[counter.of[f.node]])*s.spreadWeights[k] + float64(soft.maxSkew-1)
			}
		}
		f.spread = int64(math.Round(raw))
		least, most = min(least, f.spread), max(most, f.spread)
	}
	for i := range s.found {
		s.found[i].total += s.rules.weights.spread * spreadScore(s.found[i].spread, least, most)
	}
}

// spreadScore turns a count into a score from 0 to 100, the higher the fewer; -1,
// of an ignored node, gives 0.
func spreadScore(raw, least, most int64) int64 {
	switch {
	case raw < 0:
		return 0
	case most == 0:
		return maxScore
	}
	return maxScore * (most + least - raw) / most
}

// weighSpread finds the weight of each soft constraint, by the number of places
// that the feasible nodes are in, and marks the nodes that are ignored.
func (s *Scheduler) weighSpread(c *class) {
	scored := 0
	for i := range s.found {
		f := &s.found[i]
		f.spread = 0
		if c.strict && !c.labelled(f.node) {
			f.spread = -1
			continue
		}
		scored++
	}
	s.spreadWeights = s.spreadWeights[:0]
	for k := range c.soft {
		size := scored
		if !c.soft[k].perNode {
			size = s.places(&c.soft[k])
		}
		s.spreadWeights = append(s.spreadWeights, s.logarithm(size+2))
	}
}

// places counts the different places of the feasible nodes that are not ignored.
func (s *Scheduler) places(soft *topologySpread) int {
	s.epoch++
	count := 0
	for i := range s.found {
		if s.found[i].spread < 0 {
			continue
		}
		if s.newPlace(soft.places[s.found[i].node]) {
			count++
		}
	}
	return count
}

// newPlace reports whether a place was not yet seen in this epoch.
func (s *Scheduler) newPlace(place int32) bool {
	is := s.seen[place] != s.epoch
	s.seen[place] = s.epoch
	return is
}

// labelled reports whether a node has the labels of all soft constraints.
func (c *class) labelled(node int32) bool {
	for i := range c.soft {
		if c.soft[i].domain[node] < 0 {
			return false
		}
	}
	return true
}

// logarithm is math.Log of a whole number, remembered.
func (s *Scheduler) logarithm(n int) float64 {
	for len(s.logarithms) <= n {
		s.logarithms = append(s.logarithms, math.Log(float64(len(s.logarithms))))
	}
	return s.logarithms[n]
}

// pick is the index of the winner in s.found.
func (s *Scheduler) pick() int {
	best, top, level, ties := 0, int64(math.MinInt64), 0, 0
	for i := range s.found {
		switch total := s.found[i].total; {
		case total > top:
			best, top, level, ties = i, total, nextLevel(i), 1
		case total == top:
			ties++
			if i >= level {
				level = nextLevel(i)
				if !s.rules.random && before(i, best) {
					best = i
				}
			}
		}
	}
	if !s.rules.random || ties == 1 {
		return best
	}
	nth := s.draw.IntN(ties)
	for i := range s.found {
		if s.found[i].total == top {
			if nth == 0 {
				return i
			}
			nth--
		}
	}
	return best
}
