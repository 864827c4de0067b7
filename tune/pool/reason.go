package pool

import (
	"fmt"
	"strings"
)

// stall says why a pool that isn't done doesn't go on: none of its nodes is being
// updated, and none is chosen. Empty when the pool goes on or is done.
func (w *world) stall(g *group) string {
	nodes := w.members(g.Metadata.Name)
	open := 0
	for _, m := range nodes {
		if m.busy() {
			return ""
		}
		if m.Current != g.target || m.Desired != g.target {
			open++
		}
	}
	if open == 0 {
		return ""
	}
	budget, err := Budget(&g.MachineConfigPool, len(nodes), w.era)
	switch {
	case g.Spec.Paused:
		return "the pool is paused: nothing starts"
	case emptySelector(g.Spec.NodeSelector):
		return "the pool selects all nodes, or none: nothing starts"
	case err != nil:
		return err.Error() + ": nothing starts"
	case budget < 1 && g.Metadata.Name == Master && masterQuorum.In(w.era):
		return fmt.Sprintf("the budget is 0: of %d %s none can be missed without losing the quorum of etcd: nothing ever starts", len(nodes), plural(len(nodes), "master"))
	case budget < 1:
		return fmt.Sprintf("the budget is %d: nothing ever starts", budget)
	}
	return w.blocked(g, nodes, budget)
}

// blocked names the nodes that eat the budget, or are passed over.
func (w *world) blocked(g *group, nodes []*machine, budget int) string {
	var eats, passed []string
	used := 0
	for _, m := range nodes {
		share := 0
		if m.unavailable() {
			share++
		}
		if m.Desired == g.target && m.failing() {
			share++
		}
		used += share
		if share > 0 {
			eats = append(eats, m.Name+" "+m.trouble(g.target, share))
		}
		if m.Desired != g.target && !m.ready() {
			passed = append(passed, m.Name)
		}
	}
	if used >= budget {
		return fmt.Sprintf("%s and %s the budget of %d: nothing starts", strings.Join(eats, ", "), plural(len(eats), "eats", "eat"), budget)
	}
	if len(passed) > 0 {
		return fmt.Sprintf("%s %s not ready and passed over: nothing else is left to update", strings.Join(passed, ", "), plural(len(passed), "is", "are"))
	}
	return strings.Join(eats, ", ") + ": nothing else is left to update"
}

// trouble says what is wrong with a node that counts against the budget, so many
// times.
func (m *machine) trouble(target string, share int) string {
	var out string
	switch {
	case m.phase == rebooting:
		out = "doesn't come back from its reboot"
	case m.failing() && m.Desired == target:
		out = "fails on the new configuration"
	case m.notReady() != "":
		out = "is " + m.notReady()
	case m.Current == "":
		out = "has never run the daemon"
	default:
		out = "is not done with an older configuration"
	}
	if share > 1 {
		out += " and is " + m.notReady() + ", which counts twice"
	}
	return out
}

// plural is the first form for one, else the second; of one form, with s.
func plural(n int, forms ...string) string {
	switch {
	case n == 1:
		return forms[0]
	case len(forms) > 1:
		return forms[1]
	}
	return forms[0] + "s"
}
