package scheduler

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
)

// Clone returns an independent copy for a what-if. It costs about as much as
// copying the counts of nodes and pods; nothing is decided anew.
func (s *Scheduler) Clone() *Scheduler {
	out := *s
	out.state = slices.Clone(s.state)
	out.position = slices.Clone(s.position)
	out.tree = s.tree.clone()
	out.columns = slices.Clone(s.columns)
	for i := range out.columns {
		out.columns[i].free = slices.Clone(s.columns[i].free)
	}
	out.ports = slices.Clone(s.ports)
	for i := range out.ports {
		out.ports[i].taken = slices.Clone(s.ports[i].taken)
	}
	out.domains, out.heeding = slices.Clip(s.domains), slices.Clip(s.heeding)
	out.counters = make([]counter, len(s.counters))
	for i := range s.counters {
		out.counters[i] = s.counters[i].clone()
	}
	out.kin = kinship{} // made anew where a class is added
	out.classes = make([]*class, len(s.classes))
	for i, c := range s.classes {
		s.indexCounters(c) // once, not in each clone
		s.movers(&c.index)
		out.classes[i] = c.clone()
	}
	out.pods, out.taken = slices.Clone(s.pods), maps.Clone(s.taken)
	out.log = newChanges(len(s.order))
	source := *s.source
	out.source, out.draw = &source, rand.New(&source)
	out.found, out.spreadWeights, out.logarithms = nil, nil, slices.Clip(s.logarithms)
	out.seen, out.epoch = make([]uint32, len(s.seen)), 0
	out.met = nil
	return &out
}

// clone shares what is never changed in place.
func (c *class) clone() *class {
	out := *c
	out.effects = slices.Clone(c.effects)
	out.portConflicts, out.preferred = slices.Clip(c.portConflicts), slices.Clip(c.preferred)
	out.existingAntiAffinity = slices.Clip(c.existingAntiAffinity)
	out.row = nil
	return &out
}

// AddNodes adds nodes behind those of their zones, as the scheduler does with
// nodes that join; their indexes follow the present ones. Everything that was
// worked out for the nodes is worked out again, so add many at once.
func (s *Scheduler) AddNodes(nodes ...Node) error {
	present := make([]Node, 0, len(s.order))
	for _, node := range s.order {
		present = append(present, s.nodes[node])
	}
	if err := checkNodes(append(present, nodes...)); err != nil {
		return err
	}
	out := &Scheduler{rules: s.rules, usual: s.usual, namespaces: s.namespaces, weighedColumns: s.weighedColumns,
		freePod: -1, source: s.source, draw: s.draw, start: s.start, tree: s.tree.clone()}
	out.setNodes(append(slices.Clip(s.nodes), nodes...), len(s.nodes))
	for i, old := range s.state {
		out.state[i].cordoned, out.state[i].tainted = old.cordoned, old.tainted
	}
	for _, c := range s.columns {
		out.column(c.name)
	}
	for _, c := range s.classes {
		out.addClass(c.spec)
	}
	for _, p := range s.inOrder() {
		out.bind(p.class, p.node)
	}
	*s = *out
	return nil
}

// bound is a pod and its node.
type bound struct {
	running
	node int32
}

// inOrder are the pods in the order in which they were bound.
func (s *Scheduler) inOrder() []bound {
	var out []bound
	for node := range s.state {
		s.podsOf(int32(node), func(p *running) { out = append(out, bound{*p, int32(node)}) })
	}
	slices.SortFunc(out, func(a, b bound) int { return cmp.Compare(a.since, b.since) })
	return out
}

// RemoveNodes takes nodes away, with the pods on them; the indexes of the others
// stay. As in the scheduler, the remaining nodes are put in order anew, one zone
// after the other, while the start of the next search keeps its number, so that
// it may point to another node.
func (s *Scheduler) RemoveNodes(nodes ...int) {
	for _, node := range nodes {
		if s.position[node] < 0 {
			continue
		}
		n := int32(node)
		for s.state[n].last >= 0 {
			s.mustUnbind(s.pods[s.state[n].last].class, n)
		}
		for _, c := range s.classes {
			for i := range c.hard {
				s.counters[c.hard[i].counter].leave(n)
			}
		}
		s.tree.remove(zoneOf(&s.nodes[n]), n)
		s.position[n] = -1
	}
	s.reposition()
}

// SetUnschedulable cordons a node or takes that back: what kubectl cordon writes,
// and the taint that the node controller then adds.
func (s *Scheduler) SetUnschedulable(node int, on bool) {
	n := int32(node)
	for _, id := range s.heeding {
		c := s.classes[id]
		for i := range c.hard {
			s.recordTaint(c, &c.hard[i], n, on)
		}
		for i := range c.soft {
			s.recordTaint(c, &c.soft[i], n, on)
		}
	}
	s.state[n].cordoned, s.state[n].tainted = on, on
	if s.position[n] >= 0 {
		s.changed(n, anyClass)
	}
}

// recordTaint lets a node count for a constraint no more, or again, where the
// constraint looks at taints.
func (s *Scheduler) recordTaint(c *class, k *topologySpread, node int32, on bool) {
	counter := &s.counters[k.counter]
	if !k.taints || c.ignoresCordon || k.perNode && counter.minimum == nil || s.state[node].tainted == on {
		return
	}
	recount := func(sign int32) {
		s.podsOf(node, func(p *running) {
			for _, e := range s.classes[p.class].effects {
				if e.counter == k.counter {
					counter.add(node, e.delta, sign)
				}
			}
		})
	}
	if on {
		recount(-1)
		counter.leave(node)
		counter.of = slices.Clone(counter.of)
		counter.of[node] = -1
		return
	}
	n := &s.nodes[node]
	if s.position[node] < 0 || !hasAll(k.with, n) || k.affinity && !c.spec.selects(n) || s.onTaints(c, node).repelled {
		return
	}
	counter.of = slices.Clone(counter.of)
	counter.of[node] = k.domain[node]
	counter.join(node)
	recount(1)
}
