package scheduler

import (
	"maps"
	"slices"
)

// label is a label with its value.
type label struct{ key, value string }

// kinship finds the classes whose pods may mean something to the pods of another: each
// selector is known by the labels of one of its requirements, of which a pod has one
// when it is selected. Among thousands of classes it saves looking at every pair.
type kinship struct {
	having map[label][]int // classes by the labels of their pods
	asking map[label][]int // classes by the labels that a selector asks for
	asks   []int           // classes with a selector that may take any pod
	known  int             // classes that were taken up
}

// of returns the classes that the last one may have to do with, and itself, in their order.
func (k *kinship) of(classes []*class) []int {
	if k.having == nil {
		k.having, k.asking = map[label][]int{}, map[label][]int{}
	}
	kin := map[int]bool{}
	for ; k.known < len(classes); k.known++ {
		clear(kin)
		k.add(k.known, classes[k.known], kin)
	}
	return slices.Sorted(maps.Keys(kin))
}

// add takes up a class, and tells those before it that it may have to do with.
func (k *kinship) add(id int, c *class, kin map[int]bool) {
	mark := func(list []int) {
		for _, other := range list {
			kin[other] = true
		}
	}
	for key, value := range c.spec.Labels {
		l := label{key, value}
		k.having[l] = append(k.having[l], id)
		mark(k.asking[l])
	}
	mark(k.asks)
	kin[id] = true
	labels, any := c.asks()
	for _, l := range labels {
		k.asking[l] = append(k.asking[l], id)
		mark(k.having[l])
	}
	if any {
		k.asks = append(k.asks, id)
		for other := range id {
			kin[other] = true
		}
	}
}

// asks are labels of which each pod has one that a constraint or term of the class
// selects; any says that there are none.
func (c *class) asks() (list []label, any bool) {
	take := func(s labelSelector) {
		labels, ok := s.needs()
		list, any = append(list, labels...), any || !ok
	}
	for _, constraints := range [][]topologySpread{c.hard, c.soft} {
		for i := range constraints {
			take(constraints[i].pods)
		}
	}
	for _, terms := range [][]term{c.affinityTerms, c.antiAffinityTerms, c.preferredTerms} {
		for i := range terms {
			take(terms[i].pods)
		}
	}
	return list, any
}

// needs are labels of which what is selected has one; ok is false where none is needed.
func (s labelSelector) needs() (list []label, ok bool) {
	if !s.given {
		return nil, true
	}
	for _, r := range s.requirements {
		if r.Operator == "In" {
			for _, v := range r.Values {
				list = append(list, label{r.Key, v})
			}
			return list, true
		}
	}
	return nil, false
}
