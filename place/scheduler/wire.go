package scheduler

import "slices"

// wire makes the counters of a class that is being added, the last one, and says
// what pods of each class do to the counters of the others.
func (s *Scheduler) wire(c *class) {
	first := len(s.counters)
	s.wireSpread(c)
	s.wireTerms(c)
	for _, id := range s.kin.of(s.classes) {
		e := s.classes[id]
		s.relate(c, e)
		if e != c {
			s.relate(e, c)
		}
	}
	if len(s.counters) > first {
		s.recount(int32(first))
	}
}

// wireSpread makes the counters of spread constraints.
func (s *Scheduler) wireSpread(c *class) {
	hard := hardSpread(c.spec)
	for i := range hard {
		at := s.domainsOf(hard[i].key, false)
		c.hard = append(c.hard, s.topologySpread(c, &hard[i], at, s.including(c, &hard[i], at, hard)))
		c.hard[i].with = hard
		s.counters[c.hard[i].counter].keepMinimum()
	}
	soft, strict := softSpread(c.spec)
	c.strict = strict
	for i := range soft {
		at := s.domainsOf(soft[i].key, false)
		places := at
		required := soft
		if !strict {
			places, required = s.domainsOf(soft[i].key, true), nil
		}
		if soft[i].key == HostnameLabel {
			c.soft = append(c.soft, s.topologySpread(c, &soft[i], at, s.own))
			counter := &s.counters[c.soft[i].counter]
			counter.count, counter.single = make([]int32, len(s.nodes)), true
			c.soft[i].perNode = true
		} else {
			c.soft = append(c.soft, s.topologySpread(c, &soft[i], at, s.including(c, &soft[i], at, required)))
			s.counters[c.soft[i].counter].single = false
		}
		c.soft[i].places, c.soft[i].with = places.of, required
		s.seen = grow(s.seen, len(places.values))
	}
}

// grow makes a list at least as long as n, with zeros.
func grow[T any](list []T, n int) []T {
	return append(list, make([]T, max(0, n-len(list)))...)
}

func (s *Scheduler) topologySpread(c *class, k *constraint, at *domains, of []int32) topologySpread {
	out := topologySpread{constraint: *k, domain: at.of}
	if k.pods.matches(c.spec.Labels) {
		out.selfMatch = 1
	}
	out.counter = s.newCounter(k.key, of, len(at.values), at.single)
	return out
}

// including are the domains of the nodes that count for a constraint: those with
// the labels of all constraints that the policies let count.
func (s *Scheduler) including(c *class, k *constraint, at *domains, all []constraint) []int32 {
	out := make([]int32, len(s.nodes))
	for i := range s.nodes {
		out[i] = -1
		if s.position[i] >= 0 && hasAll(all, &s.nodes[i]) && s.includes(c, k, int32(i)) {
			out[i] = at.of[i]
		}
	}
	return out
}

// includes reports whether the constraint's policies let a node count.
func (s *Scheduler) includes(c *class, k *constraint, node int32) bool {
	n := &s.nodes[node]
	if k.affinity && !c.spec.selects(n) {
		return false
	}
	return !k.taints || !s.onTaints(c, node).repelled && (c.ignoresCordon || !s.state[node].tainted)
}

// wireTerms makes the counters of the class's own terms; those of preferences
// are made when a class matches.
func (s *Scheduler) wireTerms(c *class) {
	c.affinityTerms = newTerms(c.spec.podAffinity(), c.spec)
	c.antiAffinityTerms = newTerms(c.spec.podAntiAffinity(), c.spec)
	c.preferredTerms = newPreferences(c.spec)
	for i := range c.affinityTerms {
		c.affinity = append(c.affinity, s.labelCounter(c.affinityTerms[i].key))
	}
	for i := range c.antiAffinityTerms {
		c.antiAffinity = append(c.antiAffinity, s.labelCounter(c.antiAffinityTerms[i].key))
	}
	c.selfMatch = s.matchesAll(c, c)
}

// matchesAll reports whether pods of e match all required affinity terms of c.
func (s *Scheduler) matchesAll(c, e *class) bool {
	unmatched := func(t term) bool { return !t.incomingMatches(e.spec, s.namespaces) }
	return len(c.affinityTerms) > 0 && !slices.ContainsFunc(c.affinityTerms, unmatched)
}

// relate says what pods of e that run do to the counters of c.
func (s *Scheduler) relate(c, e *class) {
	known := len(c.existingAntiAffinity) + len(c.preferred)
	for _, list := range [][]topologySpread{c.hard, c.soft} {
		for i := range list {
			if !e.spec.Terminating && list[i].counts(c.spec, e.spec) {
				e.affect(list[i].counter, 1)
			}
		}
	}
	if s.matchesAll(c, e) {
		for _, k := range c.affinity {
			e.affect(k, 1)
		}
	}
	for i, k := range c.antiAffinity {
		if c.antiAffinityTerms[i].incomingMatches(e.spec, s.namespaces) {
			e.affect(k, 1)
		}
	}
	for i := range c.preferredTerms {
		if t := &c.preferredTerms[i]; t.incomingMatches(e.spec, s.namespaces) {
			e.affect(s.counterAt(&c.preferred, t.key), int32(t.weight))
		}
	}
	s.relateTerms(c, e)
	if len(c.existingAntiAffinity)+len(c.preferred) > known {
		c.index = counterIndex{}
	}
}

// relateTerms says what terms of pods of e that run mean to pods of c.
func (s *Scheduler) relateTerms(c, e *class) {
	for i := range e.antiAffinityTerms {
		if t := &e.antiAffinityTerms[i]; t.runningMatches(c.spec, s.namespaces) {
			e.affect(s.counterAt(&c.existingAntiAffinity, t.key), 1)
		}
	}
	for i := range e.affinityTerms {
		if t := &e.affinityTerms[i]; t.runningMatches(c.spec, s.namespaces) {
			e.affect(s.counterAt(&c.preferred, t.key), hardWeight)
		}
	}
	for i := range e.preferredTerms {
		if t := &e.preferredTerms[i]; t.runningMatches(c.spec, s.namespaces) {
			e.affect(s.counterAt(&c.preferred, t.key), int32(t.weight))
		}
	}
}

// hardWeight is what a required affinity term of a running pod counts for
// (hardPodAffinityWeight).
const hardWeight = 1

// counterAt finds or adds the counter of a label in a list.
func (s *Scheduler) counterAt(list *[]int32, label string) int32 {
	for _, k := range *list {
		if s.counters[k].label == label {
			return k
		}
	}
	k := s.labelCounter(label)
	*list = append(*list, k)
	return k
}

func (s *Scheduler) labelCounter(label string) int32 {
	at := s.domainsOf(label, false)
	return s.newCounter(label, at.of, len(at.values), at.single)
}

func (s *Scheduler) newCounter(label string, of []int32, domains int, single bool) int32 {
	s.counters = append(s.counters, counter{label: label, of: of, count: make([]int32, domains), single: single})
	return int32(len(s.counters) - 1)
}

// affect notes what a running pod of the class does to a counter.
func (c *class) affect(counter, delta int32) {
	for i := range c.effects {
		if c.effects[i].counter == counter {
			c.effects[i].delta += delta
			return
		}
	}
	c.effects = append(c.effects, effect{counter, delta})
}

// recount counts the running pods in the counters from the first on.
func (s *Scheduler) recount(first int32) {
	for node := range s.state {
		s.podsOf(int32(node), func(p *running) {
			for _, e := range s.classes[p.class].effects {
				if e.counter >= first {
					s.counters[e.counter].add(int32(node), e.delta, 1)
				}
			}
		})
	}
}
