package scheduler

import "math"

// scoreCells finds what is to be added to the entries in each cell.
func (s *Scheduler) scoreCells(c *class, r *row) {
	if !c.statics.uniform {
		s.cellStatics(c, r)
	}
	if len(c.soft) > 0 && s.rules.weights.spread > 0 {
		s.cellSpread(c, r)
	}
	if s.rules.weights.pods > 0 && s.anyCounted(c.preferred) {
		s.cellPods(c, r)
	}
}

func (s *Scheduler) cellStatics(c *class, r *row) {
	var dislikes, preferred int64
	for _, i := range s.met {
		g := c.statics.of(r.cells[i].node)
		dislikes, preferred = max(dislikes, g.preferNoSchedule), max(preferred, g.preferred)
	}
	for _, i := range s.met {
		g := c.statics.of(r.cells[i].node)
		r.cells[i].score += s.rules.staticScore(g, dislikes, preferred)
	}
}

func (s *Scheduler) cellPods(c *class, r *row) {
	least, most := int64(math.MaxInt64), int64(math.MinInt64)
	for _, i := range s.met {
		k := &r.cells[i]
		k.raw = 0
		for j, number := range c.preferred {
			counter := &s.counters[number]
			if local := c.index.preferred[j]; local >= 0 {
				k.raw += int64(k.local[local])
			} else if d := counter.of[k.node]; d >= 0 {
				k.raw += int64(counter.count[d])
			}
		}
		least, most = min(least, k.raw), max(most, k.raw)
	}
	for _, i := range s.met {
		r.cells[i].score += s.rules.weights.pods * stretched(r.cells[i].raw, least, most)
	}
}

func (s *Scheduler) cellSpread(c *class, r *row) {
	s.weighCells(c, r)
	least, most := int64(math.MaxInt64), int64(0)
	for _, i := range s.met {
		k := &r.cells[i]
		if k.raw < 0 {
			continue
		}
		sum := 0.0
		for j := range c.soft {
			soft := &c.soft[j]
			if soft.domain[k.node] < 0 {
				continue
			}
			counter := &s.counters[soft.counter]
			count := k.counted(c.index.soft[j], counter, soft.domain[k.node])
			sum += float64(count)*s.spreadWeights[j] + float64(soft.maxSkew-1)
		}
		k.raw = int64(math.Round(sum))
		least, most = min(least, k.raw), max(most, k.raw)
	}
	for _, i := range s.met {
		r.cells[i].score += s.rules.weights.spread * spreadScore(r.cells[i].raw, least, most)
	}
}

// weighCells finds the weight of each soft constraint, and sets raw to -1 where a
// cell is ignored and to 0 elsewhere.
func (s *Scheduler) weighCells(c *class, r *row) {
	scored := 0
	for _, i := range s.met {
		k := &r.cells[i]
		k.raw = 0
		if c.strict && !c.labelled(k.node) {
			k.raw = -1
			continue
		}
		scored += int(k.count)
	}
	s.spreadWeights = s.spreadWeights[:0]
	for j := range c.soft {
		size := scored
		if !c.soft[j].perNode {
			size = s.cellPlaces(&c.soft[j], r)
		}
		s.spreadWeights = append(s.spreadWeights, s.logarithm(size+2))
	}
}

func (s *Scheduler) cellPlaces(soft *topologySpread, r *row) int {
	s.epoch++
	count := 0
	for _, i := range s.met {
		if k := &r.cells[i]; k.raw >= 0 && s.newPlace(soft.places[k.node]) {
			count++
		}
	}
	return count
}
