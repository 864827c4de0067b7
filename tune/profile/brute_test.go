package profile

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "plimsoll.dev/internal/seed"
)

// world is a node with its pods.
type world struct {
	n    Node
	pods []Pod
}

func (w world) labelled(key string, value *string) world {
	w.n.Labels = maps.Clone(w.n.Labels)
	if value == nil {
		delete(w.n.Labels, key)
	} else {
		w.n.Labels[key] = *value
	}
	return w
}

func (w world) with(labels map[string]string) world {
	w.pods = append(slices.Clone(w.pods), Pod{Name: fmt.Sprint("new", len(w.pods)), Node: w.n.Name, Labels: labels})
	return w
}

// all values: those of the vocabulary, and one that nobody asks for.
var tried = []*string{ptr(""), ptr("1"), ptr("2"), ptr("new")}

// may says whether a change leaves a value open that is tried.
func may(value *string, except []string, v *string) bool {
	if value != nil {
		return *value == *v
	}
	return !slices.Contains(except, *v)
}

// after are all worlds that a change may mean.
func after(w world, c Change) []world {
	var out []world
	switch c.Do {
	case Remove:
		return []world{w.labelled(c.Label, nil)}
	case Add, Alter:
		for _, v := range tried {
			if may(c.Value, c.Except, v) {
				out = append(out, w.labelled(c.Label, v))
			}
		}
	case Come:
		labels := []map[string]string{{}}
		for _, l := range c.Pod {
			var more []map[string]string
			for _, m := range labels {
				for _, v := range tried {
					if may(l.Value, l.Except, v) {
						m = maps.Clone(m)
						m[l.Label] = *v
						more = append(more, m)
					}
				}
			}
			labels = more
		}
		for _, m := range labels {
			out = append(out, w.with(m))
		}
	}
	return out
}

// near are all worlds within some changes, coming pods included.
func near(w world, changes int, visit func(world)) {
	var nodes func(w world, from, left int)
	var pods func(w world, left int)
	pods = func(w world, left int) {
		visit(w)
		if left == 0 {
			return
		}
		for _, p := range append([]*string{nil}, tried...) {
			for _, q := range append([]*string{nil}, tried...) {
				labels := map[string]string{}
				if p != nil {
					labels["p"] = *p
				}
				if q != nil {
					labels["q"] = *q
				}
				pods(w.with(labels), left-1)
			}
		}
	}
	nodes = func(w world, from, left int) {
		pods(w, left)
		if left == 0 {
			return
		}
		for i := from; i < len(nodeKeys); i++ {
			for _, v := range append([]*string{nil}, tried...) {
				nodes(w.labelled(nodeKeys[i], v), i+1, left-1)
			}
		}
	}
	nodes(w, 0, changes)
}

// Each set of changes makes its item match, and none with fewer changes does.
func TestFewestChangesAreTrueAndFewest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		in.Nodes = in.Nodes[:1]
		w, x := newTwin(&in), Explain(in)
		if x.Nodes[0].Class < 0 {
			return
		}
		here := world{in.Nodes[0], in.Pods}
		for _, f := range x.Classes[0].Failed {
			if f.MoreThan > 0 {
				t.Fatalf("gave up on %+v", f)
			}
			worlds := []world{here}
			for _, c := range f.Changes {
				var next []world
				for _, at := range worlds {
					next = append(next, after(at, c)...)
				}
				worlds = next
			}
			fewer := min(len(f.Changes)-1, 2)
			if f.Never {
				worlds, fewer = nil, 2
			}
			for _, at := range worlds {
				if !w.matches(&w.items[f.Item], at.n, at.pods) {
					t.Fatalf("%v do not make item %d (%s) match: %v", f.Changes, f.Item, x.Items[f.Item].Match, at)
				}
			}
			near(here, fewer, func(at world) {
				if w.matches(&w.items[f.Item], at.n, at.pods) {
					t.Fatalf("%v are not the fewest for item %d (%s): %v", f.Changes, f.Item, x.Items[f.Item].Match, at)
				}
			})
		}
	})
}

// Each move is true for all that it may mean, and every single change that moves the
// node is among the moves.
func TestMovesAreTrueAndComplete(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		in.Nodes = in.Nodes[:1]
		w, x := newTwin(&in), Explain(in)
		if x.Nodes[0].Class < 0 {
			return
		}
		here, c := world{in.Nodes[0], in.Pods}, x.Classes[0]
		now, _ := w.choose(here.n, here.pods)
		listed := map[string]string{}
		for _, m := range c.Moves {
			for _, at := range after(here, m.Change) {
				got, item := w.choose(at.n, at.pods)
				if got != m.Profile || item != m.Item || got == now {
					t.Fatalf("%v moves the node from %s to %s by item %d, not to %s by %d", m.Change, now, got, item,
						m.Profile, m.Item)
				}
				listed[fmt.Sprint(at.n.Labels)] = got
			}
		}
		complete(t, w, here, now, c, listed)
		checkGoings(t, w, here, now, x)
	})
}

func complete(t *rapid.T, w *twin, here world, now string, c Class, listed map[string]string) {
	for _, key := range nodeKeys {
		for _, v := range append([]*string{nil}, tried...) {
			at := here.labelled(key, v)
			if got, _ := w.choose(at.n, at.pods); got != now && listed[fmt.Sprint(at.n.Labels)] != got {
				t.Fatalf("labelling %s=%v moves the node to %s, which is not among %v", key, v, got, c.Moves)
			}
		}
	}
	for _, p := range tried {
		for _, q := range append([]*string{nil}, tried...) {
			labels := map[string]string{"p": *p}
			if q != nil {
				labels["q"] = *q
			}
			at := here.with(labels)
			got, _ := w.choose(at.n, at.pods)
			if got != now && !slices.ContainsFunc(c.Moves,
				func(m Move) bool { return m.Change.Do == Come && m.Profile == got }) {
				t.Fatalf("a pod with %v moves the node to %s, which is not among %v", labels, got, c.Moves)
			}
		}
	}
}

// checkGoings takes each pod away.
func checkGoings(t *rapid.T, w *twin, here world, now string, x *Explanation) {
	moves := 0
	for i, p := range here.pods {
		got, _ := w.choose(here.n, slices.Delete(slices.Clone(here.pods), i, i+1))
		holds := slices.Contains(x.Nodes[0].Holding, p.String())
		if holds != (got != now) {
			t.Fatalf("the going of %s makes %s of %s; holding are %v", p.String(), got, now, x.Nodes[0].Holding)
		}
		if holds {
			moves++
			if !slices.ContainsFunc(x.Classes[0].Moves, func(m Move) bool { return m.Change.Do == Go && m.Profile == got }) {
				t.Fatalf("the going of %s is not among the moves", p.String())
			}
		}
	}
	if moves != len(x.Nodes[0].Holding) {
		t.Fatalf("%d pods hold the node, not %v", moves, x.Nodes[0].Holding)
	}
}
