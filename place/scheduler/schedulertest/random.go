package schedulertest

import (
	"fmt"
	"math/rand/v2"

	"plimsoll.dev/place/scheduler"
)

// generator draws a session. Equal mixes give equal sessions.
type generator struct {
	*rand.Rand
	Mix
	kinds []scheduler.Resources // of nodes
}

// Session draws the mix's session.
func (m Mix) Session() Session {
	g := &generator{Rand: rand.New(rand.NewPCG(m.Seed, 0)), Mix: m}
	s := Session{Name: fmt.Sprintf("%s-seed-%d", m.Name, m.Seed), Profile: m.Profile}
	s.Profile.Release = "1.36"
	s.Profile.Namespaces = namespaces()
	s.Nodes = g.nodes()
	s.Classes = g.classes(s.Nodes)
	s.Bound = g.bound(len(s.Nodes), len(s.Classes))
	s.Arrivals = g.arrivals(len(s.Classes))
	if m.Churn {
		s.Events = g.events(len(s.Arrivals))
	}
	return s
}

// namespaces have labels that overlap; "bare" has none, and pods may also be in a
// namespace that is not listed.
func namespaces() map[string]map[string]string {
	return map[string]map[string]string{
		"default": {"team": "core"},
		"shop":    {"team": "sales", "stage": "live"},
		"bank":    {"team": "money", "stage": "live"},
		"bare":    {},
	}
}

// one is true once in n times.
func (g *generator) one(n int) bool { return g.IntN(n) == 0 }

// pick draws one of the values.
func pick[T any](g *generator, values ...T) T { return values[g.IntN(len(values))] }

// some draws from 1 to most of the values, each once, in their order.
func some[T any](g *generator, most int, values ...T) []T {
	n := 1 + g.IntN(min(most, len(values)))
	var out []T
	for i, v := range values {
		if g.IntN(len(values)-i) < n-len(out) {
			out = append(out, v)
		}
	}
	return out
}

// bound are pods that run already, a few on one node in three; nobody has asked
// whether they fit.
func (g *generator) bound(nodes, classes int) []Bound {
	var out []Bound
	for n := range nodes {
		if g.one(3) {
			out = append(out, Bound{Class: g.IntN(classes), Node: n, Count: 1 + g.IntN(3)})
		}
	}
	return out
}

// arrivals come class by class, or in any order; some classes are common and some
// are rare.
func (g *generator) arrivals(classes int) Runs {
	shares := make([]int, classes)
	sum := 0
	for i := range shares {
		shares[i] = pick(g, 1, 2, 3, 5, 9)
		sum += shares[i]
	}
	var out Runs
	for i, share := range shares {
		for range max(g.Pods*share/sum, 1) {
			out = append(out, int32(i))
		}
	}
	if g.Shuffled {
		g.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	}
	return out
}
