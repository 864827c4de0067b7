package machineconfig

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/cell"
	"plimsoll.dev/tune/pool"
)

// Nodes tell how far the configurations that pools name have come, where nodes and
// such pools are among the objects.
type Nodes struct {
	// Of is how many nodes tell, all that have what their pool names included.
	Of int `json:"of"`
	// Behind are those that have not got it, or gave up.
	Behind []NodeBehind `json:"behind,omitempty"`
}

// NodeBehind is a node that hasn't got what its pool names.
type NodeBehind struct {
	Node string `json:"node"`
	Pool string `json:"pool"`
	// Current is what the node has, Desired what the operator asked of it, and Wanted
	// what the pool names.
	Current string `json:"current"`
	Desired string `json:"desired"`
	Wanted  string `json:"wanted"`
	// State and Reason are what the node's daemon reports.
	State  string `json:"state"`
	Reason string `json:"reason,omitempty"`
	// Why says what the node waits for.
	Why string `json:"why"`
}

// nodesOf reads what nodes report. Those on which the daemon never ran tell nothing.
func nodesOf(objects []*object.Object, pools []openshift.MachineConfigPool, r release.Release) *Nodes {
	typed, _ := object.All[openshift.Node](objects, "Node")
	out := &Nodes{}
	for _, t := range object.Latest(typed) {
		said := t.Value.Metadata.Annotations
		primary := pool.Of(t.Value.Metadata.Labels, pools, r).Primary
		at := slices.IndexFunc(pools, func(p openshift.MachineConfigPool) bool { return p.Metadata.Name == primary })
		if at < 0 || pools[at].Spec.Configuration.Name == "" || said[pool.CurrentAnnotation] == "" {
			continue
		}
		out.Of++
		n := NodeBehind{Node: t.Name, Pool: primary, Current: said[pool.CurrentAnnotation],
			Desired: said[pool.DesiredAnnotation], Wanted: pools[at].Spec.Configuration.Name, State: said[pool.StateAnnotation]}
		if n.failed() {
			n.Reason = strings.TrimSpace(said[pool.ReasonAnnotation])
		}
		if n.Why = n.waits(pools[at].Spec.Paused); n.Why != "" {
			out.Behind = append(out.Behind, n)
		}
	}
	if out.Of == 0 {
		return nil
	}
	slices.SortStableFunc(out.Behind, func(a, b NodeBehind) int { return words.ByNumbers(a.Node, b.Node) })
	return out
}

// failed says whether the daemon gave up.
func (n NodeBehind) failed() bool { return n.State == pool.Degraded || n.State == pool.Unreconcilable }

// waits says what a node waits for; empty for one that has what it is to have.
func (n NodeBehind) waits(paused bool) string {
	switch {
	case n.failed():
		return "gave up on " + n.Desired
	case n.Desired != n.Wanted && n.Current != n.Desired:
		return "is being updated to " + n.Desired + ", which the pool no longer names"
	case n.Desired != n.Wanted && paused:
		return "waits: the pool is paused"
	case n.Desired != n.Wanted:
		return "waits for its turn"
	case n.Current != n.Wanted && n.State == pool.Done:
		return "has not begun"
	case n.Current != n.Wanted || n.State != pool.Done:
		return "is being updated"
	}
	return ""
}

// findings name the nodes that gave up, those of one pool and reason together.
func (n *Nodes) findings(m *maker) {
	type fault struct{ pool, desired, state, reason string }
	names := map[fault][]string{}
	var faults []fault
	for _, b := range n.Behind {
		f := fault{b.Pool, b.Desired, b.State, b.Reason}
		if !b.failed() {
			continue
		}
		if names[f] == nil {
			faults = append(faults, f)
		}
		names[f] = append(names[f], b.Node)
	}
	for _, f := range faults {
		what := fmt.Sprintf("%s of pool %s %s %s with %s", few(names[f]), f.pool, are(names[f]), f.state, f.desired)
		if f.reason != "" {
			what += ": " + line(f.reason)
		}
		m.add(degradedRule, "", what,
			"mend what the node's daemon reports; until then the node counts against maxUnavailable")
	}
}

// line is a reason without its line breaks, cut when it is long.
func line(reason string) string {
	const most = 200
	r := []rune(strings.Join(strings.Fields(reason), " "))
	if len(r) > most {
		return string(r[:most]) + "..."
	}
	return string(r)
}

// part shows the nodes that are behind.
func (n *Nodes) part() v1alpha1.Part {
	p := v1alpha1.Part{Title: "Nodes", Lead: []string{fmt.Sprintf("%d of %s %s what their pool names.", n.Of-len(n.Behind),
		words.Count(n.Of, "node", "nodes"), words.Form(n.Of-len(n.Behind), "has", "have"))}}
	if len(n.Behind) == 0 {
		return p
	}
	t := v1alpha1.Table{ID: "machineConfig.nodes", Title: "Nodes that have not got it",
		Columns: cell.Columns("node", "pool", "state", "why", "reason", "*has", "*is to get", "*pool names")}
	for _, b := range n.Behind {
		row := cell.Texts(b.Node, b.Pool, b.State, b.Why, line(b.Reason), b.Current, b.Desired, b.Wanted)
		if b.failed() {
			row[2].Mark = "bad"
		}
		t.Rows = append(t.Rows, row)
	}
	p.Tables = []v1alpha1.Table{t}
	return p
}
