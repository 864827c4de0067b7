package profile

import (
	"cmp"
	"slices"
	"sort"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
	"plimsoll.dev/selector"
)

// twin chooses as the operator's rules say it, with nested loops and nothing else.
// It shares no code with what ships but the built-in CRs.
type twin struct {
	in    *Input
	items []openshift.TunedRecommend
}

var builtIn = func() map[release.Release]openshift.Tuned {
	out := map[release.Release]openshift.Tuned{}
	for _, e := range release.Documented() {
		out[e] = Default(e).Value
	}
	return out
}()

func newTwin(in *Input) *twin {
	byName := map[string]openshift.Tuned{}
	for _, t := range in.Tuneds {
		if ns := t.Value.Metadata.Namespace; ns == "" || ns == openshift.NamespaceTuned {
			byName[t.Value.Metadata.Name] = t.Value
		}
	}
	byName["default"] = builtIn[in.Release] // random ones are never the operator's own
	var names []string
	for name := range byName {
		names = append(names, name)
	}
	sort.Strings(names)
	w := &twin{in: in}
	for _, name := range names {
		w.items = append(w.items, byName[name].Spec.Recommend...)
	}
	sort.SliceStable(w.items, func(i, j int) bool {
		a, b := w.items[i].Priority, w.items[j].Priority
		if a != nil && b != nil {
			return *a < *b
		}
		return a != nil
	})
	return w
}

// choose is the profile of a node and the item that won, -1 for none.
func (w *twin) choose(n Node, pods []Pod) (string, int) {
	for i := range w.items {
		if w.matches(&w.items[i], n, pods) {
			return *w.items[i].Profile, i
		}
	}
	return "openshift-node", -1
}

func (w *twin) matches(r *openshift.TunedRecommend, n Node, pods []Pod) bool {
	labels := r.MachineConfigLabels
	if w.in.Release.Minor() < release.V45 {
		labels = nil
	}
	if (r.Match != nil || labels == nil) && anyMatch(r.Match, n, pods) {
		return true
	}
	if labels == nil || labels[openshift.LabelRole] == "not valid" {
		return false
	}
	for _, p := range w.poolsOf(n) {
		s := p.Spec.MachineConfigSelector
		if s != nil && len(s.MatchLabels)+len(s.MatchExpressions) > 0 && selector.Selects(s, labels) {
			return true
		}
	}
	return false
}

func anyMatch(list []openshift.TunedMatch, n Node, pods []Pod) bool {
	if len(list) == 0 {
		return true
	}
	for _, m := range list {
		if oneMatch(m, n, pods) && anyMatch(m.Match, n, pods) {
			return true
		}
	}
	return false
}

func oneMatch(m openshift.TunedMatch, n Node, pods []Pod) bool {
	if m.Label == nil {
		return true
	}
	if m.Type == nil || *m.Type != "pod" {
		v, ok := n.Labels[*m.Label]
		return ok && (m.Value == nil || *m.Value == v)
	}
	for _, p := range pods {
		if v, ok := p.Labels[*m.Label]; ok && p.Node == n.Name && (m.Value == nil || *m.Value == v) {
			return true
		}
	}
	return false
}

// poolsOf are the pools of a node as the operator itself finds them.
func (w *twin) poolsOf(n Node) []openshift.MachineConfigPool {
	var master, worker, custom []openshift.MachineConfigPool
	for _, p := range w.in.Pools {
		s := p.Spec.NodeSelector
		if s == nil || len(s.MatchLabels)+len(s.MatchExpressions) == 0 || p.Metadata.Name == "broken" ||
			!selector.Selects(s, n.Labels) {
			continue
		}
		switch p.Metadata.Name {
		case "master":
			master = append(master, p)
		case "worker":
			worker = append(worker, p)
		default:
			custom = append(custom, p)
		}
	}
	switch {
	case len(custom) > 1, len(custom) == 1 && len(master) == 1 && w.in.Release.Minor() <= release.V45:
		return nil
	case len(custom) == 1 && len(master) == 1:
		return append(master, worker...)
	case len(custom) == 1:
		return append(custom, worker...)
	case len(master) == 1:
		return master
	}
	return worker
}

func (w *twin) counts(n Node) bool {
	os, ok := n.Labels["kubernetes.io/os"]
	return w.in.Release.Minor() <= release.V45 || !ok || os == "linux"
}

func TestChoiceIsTheTwins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		w, x, fast := newTwin(&in), Explain(in), choose(in)
		for i, n := range in.Nodes {
			got := x.Nodes[i]
			if !w.counts(n) {
				if got.Class != -1 || got.Profile != "" || fast[i] != "" {
					t.Fatalf("node %s gets %+v", n.Name, got)
				}
				continue
			}
			want, item := w.choose(n, in.Pods)
			c := x.Classes[got.Class]
			if intended := cmp.Or(c.Intended, c.Profile); intended != want || c.winner != item || fast[i] != want {
				t.Fatalf("node %s gets %s by item %d (fast: %s), the twin says %s by %d", n.Name, intended, c.winner, fast[i],
					want, item)
			}
			checkWitness(t, w, n, c, got)
		}
	})
}

// checkWitness checks that what is said to hold holds, and that earlier items don't.
func checkWitness(t *rapid.T, w *twin, n Node, c Class, got NodeChoice) {
	if c.Item == c.winner && len(got.Witness) != len(c.Witness) {
		t.Fatalf("node %s: %d witnesses for %d conditions", n.Name, len(got.Witness), len(c.Witness))
	}
	for _, x := range got.Witness {
		if x.Condition.Value != nil && *x.Condition.Value != x.Value {
			t.Fatalf("%+v does not fit", x)
		}
		if x.Condition.Type == "node" {
			if v, ok := n.Labels[x.Condition.Label]; !ok || v != x.Value {
				t.Fatalf("%+v is no label of %s", x, n.Name)
			}
			continue
		}
		if !slices.ContainsFunc(w.in.Pods, func(p Pod) bool {
			v, ok := p.Labels[x.Condition.Label]
			return p.String() == x.Pod && p.Node == n.Name && ok && v == x.Value
		}) {
			t.Fatalf("%+v is no pod's label", x)
		}
	}
	if len(c.Failed) != c.winner && c.winner >= 0 {
		t.Fatalf("%d items failed before item %d", len(c.Failed), c.winner)
	}
}

// choose is the profile of each node and nothing else: what Explain explains. A
// node for which the operator computes none has "".
func choose(in Input) []string {
	c := newCluster(&in)
	out := make([]string, len(in.Nodes))
	for i, n := range c.nodes {
		out[n] = c.profileOf(c.next(&c.views[i], 0))
	}
	return out
}
