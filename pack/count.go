package pack

import "fmt"

// recount checks a solution with nothing but the problem: each pattern against
// capacity, MaxPerNode, On and conflicts; the patterns' sums against demand,
// stock, Nodes and Cost; the spares against the patterns that they stand in for.
// A fault is one of the solver's own.
func (p *Problem) recount(s *Solution) error {
	held := make([]int64, len(p.Items))
	nodes := p.bought(s.Patterns, s.Together)
	idle := p.standIns(nodes, s.Patterns, s.Together)
	for j, t := range s.Patterns {
		if why := p.misfit(t.Node, t.Items); why != "" {
			return fmt.Errorf("patterns[%d]: %s", j, why)
		}
		if p.spares(t, s.Spares)+p.spares(t, idle) < int64(p.Spares) {
			return fmt.Errorf("patterns[%d]: fewer than %d spares can take its place", j, p.Spares)
		}
		for _, st := range t.Items {
			held[st.Item] += st.Count * t.Copies
		}
	}
	cost := int64(0)
	for k, n := range nodes {
		if s.Spares != nil {
			n += s.Spares[k]
		}
		cost += n * p.Nodes[k].Cost
		if n != s.Nodes[k] || p.Nodes[k].Stock >= 0 && n > p.Nodes[k].Stock {
			return fmt.Errorf("nodes[%d]: %d, where patterns and spares have %d of a stock of %d", k, s.Nodes[k], n,
				p.Nodes[k].Stock)
		}
	}
	if cost != s.Cost || cost < s.Bound.Cost {
		return fmt.Errorf("cost: %d, where the nodes cost %d, and the bound is %d", s.Cost, cost, s.Bound.Cost)
	}
	for i, it := range p.Items {
		if want := p.room(it.Count-s.leftOf(i), s.Together); held[i] != want {
			return fmt.Errorf("items[%d]: there is room for %d, not for %d", i, held[i], want)
		}
	}
	return nil
}

func (s *Solution) leftOf(i int) int64 {
	if len(s.Left) == 0 {
		return 0
	}
	return s.Left[i]
}

// misfit says why a node of kind k can't hold the items; "" when it can.
func (p *Problem) misfit(k int, items []Stack) string {
	has := map[int]bool{}
	for _, st := range items {
		it := &p.Items[st.Item]
		switch {
		case has[st.Item]:
			return fmt.Sprintf("item %d is there twice", st.Item)
		case st.Count < 1 || it.MaxPerNode > 0 && st.Count > it.MaxPerNode:
			return fmt.Sprintf("%d of item %d", st.Count, st.Item)
		case it.On != nil && !it.On[k]:
			return fmt.Sprintf("item %d on kind %d", st.Item, k)
		}
		has[st.Item] = true
	}
	for d, room := range p.Nodes[k].Capacity {
		sum := wide{}
		for _, st := range items {
			sum = sum.add(product(p.Items[st.Item].Need[d], st.Count))
		}
		if product(room, 1).less(sum) {
			return fmt.Sprintf("dimension %d of kind %d is exceeded", d, k)
		}
	}
	for _, c := range p.Conflicts {
		if has[c[0]] && has[c[1]] {
			return fmt.Sprintf("items %d and %d exclude each other", c[0], c[1])
		}
	}
	return ""
}

// spares is how many of the spare nodes can take the place of one of the pattern.
func (p *Problem) spares(t Pattern, spares []int64) int64 {
	able := int64(0)
	for k, n := range spares {
		if n > 0 && p.misfit(k, t.Items) == "" {
			able += n
		}
	}
	return able
}

// bought is the nodes of all zones, by kind, without spares: those of the patterns; or, where
// these are together in all zones but one, as many in each as hold them.
func (p *Problem) bought(patterns []Pattern, together bool) []int64 {
	out := make([]int64, len(p.Nodes))
	for _, t := range patterns {
		out[t.Node] += t.Copies
	}
	if together {
		for k, n := range out {
			out[k] = roundUp(n, p.serving()) / p.serving() * int64(p.Zones)
		}
	}
	return out
}

// standIns are those of the nodes, beside the spares, that can take the place of nodes that fail where a
// zone may be lost: the nodes of one zone, as the others hold everything; or, of zones packed
// together, all that no pattern is on. None where no zone may be lost.
func (p *Problem) standIns(nodes []int64, patterns []Pattern, together bool) []int64 {
	out := make([]int64, len(p.Nodes))
	if together {
		copy(out, nodes)
		for _, t := range patterns {
			out[t.Node] -= t.Copies
		}
	} else if p.SurviveZoneLoss {
		for k, n := range nodes {
			out[k] = n / int64(p.Zones)
		}
	}
	return out
}

// serving is how many zones share the items: all, or all but the one that is lost.
func (p *Problem) serving() int64 {
	zones := max(int64(p.Zones), 1)
	if p.SurviveZoneLoss && zones > 1 {
		zones--
	}
	return zones
}

// room is for how many of count items the patterns have room: in each zone for its
// share, or for one among the zones that remain when one is lost; or together for all.
func (p *Problem) room(count int64, together bool) int64 {
	if together {
		return count
	}
	return roundUp(count, p.serving()) / p.serving() * max(int64(p.Zones), 1)
}
