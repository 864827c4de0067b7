package cloud

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/place/nova"
)

// refusal is why a VM does not run on a host.
type refusal struct {
	// filter is what rules the host out as a whole; empty when its NUMA nodes do.
	filter string
	// reasons of the NUMA nodes.
	reasons []nova.Reason
	cells   int
}

// whyNot says why a VM of a server type finds no place on a host.
func (r *run) whyNot(k, host int32) refusal {
	st := &r.c.servers[k]
	w := r.whyNotState(r.s.of[host], st.spec)
	if w.filter == "" && st.group >= 0 {
		if text := r.groupWhy(st, host); text != "" {
			return refusal{filter: text}
		}
	}
	return w
}

// whyNotState is whyNot but for groups.
func (r *run) whyNotState(id int32, spec int) refusal {
	state, rs := &r.states.list[id], &r.c.specs[spec]
	if text := cmp.Or(rs.ruledOut[state.typeInZone], r.states.noDisk(state, rs)); text != "" {
		return refusal{filter: text}
	}
	w := refusal{reasons: state.host.Explain(rs.request, r.c.rules), cells: len(rs.request.Cells)}
	if len(w.reasons) == 0 {
		w.filter = r.c.overdrawn(state.host, rs.request)
	}
	return w
}

// groupWhy says why the server group keeps a VM off a host.
func (r *run) groupWhy(st *serverType, host int32) string {
	g, there := &r.c.groups[st.group], r.s.members[st.group][host]
	switch {
	case r.s.groupRoom(st.group, there) > 0:
		return ""
	case g.Policy == antiAffinity:
		return fmt.Sprintf("the server group %s has %s there (anti-affinity)", g.Name, words.Count(there, "VM"))
	}
	return fmt.Sprintf("the server group %s runs elsewhere (affinity)", g.Name)
}

// summary is the reason in words that many hosts may share.
func (w refusal) summary() string {
	if w.filter != "" {
		return w.filter
	}
	var words []string
	for _, r := range w.reasons {
		if text := cmp.Or(tests[r.Test].failed, r.Text); !slices.Contains(words, text) {
			words = append(words, text)
		}
	}
	return strings.Join(words, "; ")
}

// detail is the reason with the figures of each NUMA node.
func (w refusal) detail() string {
	if w.filter != "" {
		return w.filter
	}
	return strings.Join(w.nodes(), "; ")
}

// mostLines is the most lines on the nodes of a host; of more those that say the
// same become one.
const mostLines = 8

// nodes are the first failing tests, one line for each NUMA node.
func (w refusal) nodes() []string {
	type line struct {
		reason nova.Reason
		nodes  []int
	}
	var lines []line
	for _, r := range w.reasons {
		at := -1
		if len(w.reasons) > mostLines && r.Node >= 0 {
			at = slices.IndexFunc(lines, func(l line) bool {
				return l.reason.Text == r.Text && l.reason.Cell == r.Cell &&
					l.nodes[0] >= 0
			})
		}
		if at < 0 {
			lines = append(lines, line{reason: r})
			at = len(lines) - 1
		}
		lines[at].nodes = append(lines[at].nodes, r.Node)
	}
	var out []string
	for _, l := range lines {
		switch {
		case l.reason.Node < 0:
			out = append(out, l.reason.Text)
		case w.cells > 1 && l.reason.Cell >= 0:
			out = append(out, fmt.Sprintf("%s for NUMA node %d of the VM: %s", nodeWords(l.nodes), l.reason.Cell, l.reason.Text))
		default:
			out = append(out, nodeWords(l.nodes)+": "+l.reason.Text)
		}
	}
	return out
}

// tests are those of package nova: that one fails, in words, and the resource that is then lacking.
var tests = map[string]struct{ failed, lacking string }{
	"pages":      {"not enough free pages on a NUMA node", "pages"},
	"pageSize":   {"no pages of the size, or memory that they don't divide", "pages"},
	"memory":     {"not enough memory on a NUMA node", "memory"},
	"vcpus":      {"more vCPUs than a NUMA node has CPUs", dedicatedCPUs},
	"freeCPUs":   {"not enough free dedicated CPUs on a NUMA node", dedicatedCPUs},
	"threads":    {"threads that don't suit the thread policy", "cores"},
	"siblings":   {"not enough whole cores free on a NUMA node", "whole cores"},
	"overcommit": {"no more floating vCPUs by the allocation ratio", floatingVCPUs},
	"sharedCore": {"no shared core on a NUMA node", "shared cores"},
	"vswitch":    {"no vSwitch on a NUMA node", "room beside the vSwitch"},
	"hostNode":   {"pinned to another NUMA node of the host", "room on the NUMA node"},
	"network":    {"the network's NUMA node has no room", "room beside the network"},
	"devices":    {"not enough free devices", "devices"},
	"cells":      {"the VM's NUMA nodes don't fit together", "NUMA nodes"},
	"hostCPUs":   {"more vCPUs than the host has CPUs for VMs that float", floatingVCPUs},
	"sharedSet":  {"no shared CPUs (cpu_shared_set) for vCPUs that float", floatingVCPUs},
}

// sameRefusal is equal for server types that are refused for the same reasons and that the
// same changes would help.
type sameRefusal struct {
	sort   int
	flavor *v1alpha1.Flavor
	image  *v1alpha1.Image
}

// refusals explain, for each server type with VMs without a host, why.
func (r *run) refusals() {
	known := map[sameRefusal]int{} // in r.p.Refusals
	for k := range r.c.servers {
		if r.refused[k] == 0 {
			continue
		}
		out := v1alpha1.ServerRefusal{ServerType: k, Count: r.refused[k]}
		if r.c.servers[k].host >= 0 {
			host := int32(r.c.servers[k].host)
			w := r.whyNot(int32(k), host)
			out.Reasons = []v1alpha1.UnfitReason{
				{Reason: "does not fit on the host that it is said to run on: " + w.summary(), Nodes: 1},
			}
			out.Nearest, out.Nodes = r.c.hostName(host), w.nodes()
		} else {
			st := &r.c.servers[k]
			same := sameRefusal{st.equivalence, st.flavor, st.image}
			if i, ok := known[same]; ok {
				out = r.p.Refusals[i]
				out.ServerType, out.Count = k, r.refused[k]
			} else {
				r.refusal(int32(k), &out)
				known[same] = len(r.p.Refusals)
			}
		}
		r.p.Refusals = append(r.p.Refusals, out)
	}
}

// refusal counts hosts by reason and finds the nearest.
func (r *run) refusal(k int32, out *v1alpha1.ServerRefusal) {
	st := &r.c.servers[k]
	byReason := map[string]int{}
	nearest, best := int32(-1), nearness{}
	r.eachUnlike(st, func(host int32, hosts int) {
		w := r.whyNot(k, host)
		byReason[w.summary()] += hosts
		if n := r.nearness(w, host); nearest < 0 || n.before(best) || best == n && host < nearest {
			nearest, best = host, n
		}
	})
	for reason, n := range byReason {
		out.Reasons = append(out.Reasons, v1alpha1.UnfitReason{Reason: reason, Nodes: n})
	}
	slices.SortFunc(out.Reasons, func(a, b v1alpha1.UnfitReason) int {
		return cmp.Or(cmp.Compare(b.Nodes, a.Nodes), cmp.Compare(a.Reason, b.Reason))
	})
	if nearest < 0 {
		return
	}
	w := r.whyNot(k, nearest)
	out.Nearest, out.Nodes = r.c.hostName(nearest), w.nodes()
	if w.filter != "" {
		out.Nodes = []string{w.filter}
	}
	for _, found := range r.remedies(k) {
		out.Remedies = append(out.Remedies, found.Says)
	}
}

// eachUnlike visits a host of each state and the number of those that it stands
// for; where a group counts, of each state one with each number of its VMs.
func (r *run) eachUnlike(st *serverType, visit func(host int32, hosts int)) {
	if st.group < 0 {
		for _, id := range r.s.live {
			visit(r.s.sets[id].first(), r.s.sets[id].size())
		}
		return
	}
	for _, set := range r.s.groupHosts[st.group].byState {
		visit(set.first(), set.size())
	}
	for _, id := range r.s.live {
		if host, n := r.s.outside(st.group, id); n > 0 {
			visit(host, n)
		}
	}
}

// nearness tells how near a host is to taking a VM.
type nearness struct {
	filtered bool
	failing  int
	free     float64
}

func (r *run) nearness(w refusal, host int32) nearness {
	failing := 0
	for _, reason := range w.reasons {
		if reason.Node < 0 {
			failing += len(r.s.state(host).host.Cells) // all of them
		} else {
			failing++
		}
	}
	return nearness{filtered: w.filter != "", failing: failing, free: r.s.state(host).freeCPUs()}
}

func (n nearness) before(m nearness) bool {
	if n.filtered != m.filtered {
		return !n.filtered
	}
	return cmp.Or(cmp.Compare(n.failing, m.failing), cmp.Compare(m.free, n.free)) < 0
}
