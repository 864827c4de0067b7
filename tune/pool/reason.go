package pool

import (
	"fmt"

	"plimsoll.dev/internal/words"
	"plimsoll.dev/selector"
)

// stop is why a pool doesn't go on, and what would help; the zero one is that it does.
type stop struct{ reason, fix string }

// stall says why a pool that isn't done doesn't go on: none of its nodes is being
// updated, and none is chosen. It is zero when the pool goes on or is done.
func (w *world) stall(g *group) stop {
	if g.tally.busy > 0 || g.tally.behind == 0 {
		return stop{}
	}
	nodes := g.nodes
	budget, err := Budget(&g.MachineConfigPool, len(nodes), w.release)
	switch {
	case g.Spec.Paused:
		return stop{"the pool is paused: nothing starts", "resume the pool"}
	case selector.Empty(g.Spec.NodeSelector):
		return stop{"the pool selects all nodes, or none: nothing starts", "select the role of its nodes"}
	case err != nil:
		return stop{err.Error() + ": nothing starts", "write maxUnavailable as it is told there"}
	case budget < 1 && g.Metadata.Name == Master && masterQuorum.In(w.release):
		return stop{fmt.Sprintf("the budget is 0: of %d %s none can be missed without losing the quorum "+
			"of etcd: nothing ever starts", len(nodes), words.Form(len(nodes), "master")), "have three masters"}
	case budget < 1:
		return stop{fmt.Sprintf("the budget is %d: nothing ever starts", budget), "write a maxUnavailable of 1 or more"}
	}
	return w.blocked(g, nodes, budget)
}

// blocked names the nodes that eat the budget, or are passed over.
func (w *world) blocked(g *group, nodes []*machine, budget int) stop {
	var eats, passed []string
	cordoned := true
	used, left := 0, false
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
		left = left || m.Desired != g.target
		if m.Desired != g.target && !m.ready() {
			passed, cordoned = append(passed, m.Name), cordoned && m.notReady() == "cordoned"
		}
	}
	if used >= budget && left {
		and := " and"
		if len(eats) > listed {
			and = "" // the list ends with one
		}
		return stop{fmt.Sprintf("%s%s %s the budget of %d: nothing starts", words.Some(eats, listed), and,
			words.Form(len(eats), "eats", "eat"), budget), "mend the nodes that are named, or raise maxUnavailable"}
	}
	const rest = ": nothing else is left to update"
	switch is := words.Form(len(passed), "is", "are"); {
	case len(passed) == 0:
		return stop{words.Some(eats, listed) + rest, "mend or uncordon the nodes that are named"}
	case cordoned:
		return stop{words.Some(passed, listed) + " " + is + " cordoned and passed over" + rest,
			"uncordon " + words.Form(len(passed), "it", "them") + ": oc adm uncordon NODE"}
	default:
		return stop{words.Some(passed, listed) + " " + is + " not ready and passed over" + rest,
			"mend the nodes that are named"}
	}
}

// trouble says what is wrong with a node that counts against the budget, so many
// times.
func (m *machine) trouble(target string, share int) string {
	var out string
	switch {
	case m.phase == rebooting:
		out = "doesn't come back from its reboot"
	case m.failing() && m.Desired == target && m.Held != "":
		out = "can't be drained"
	case m.failing() && m.Desired == target:
		out = "fails on the new configuration"
	case m.notReady() != "":
		out = "is " + m.notReady()
	case m.Current == "":
		out = "has never run the daemon"
	case m.gaveUp() && m.Current == m.Desired:
		out = "is " + m.State + " on the configuration that it has"
	default:
		out = "is not done with an older configuration"
	}
	if share > 1 {
		out += " and is " + m.notReady() + ", which counts twice"
	}
	return out
}

// listed is how many nodes are named in a sentence.
const listed = 5
