package report

import (
	"fmt"
	"regexp"
	"strconv"

	"plimsoll.dev/api/v1alpha1"
)

// Headings of the parts on VMs that found no host, and on those that Nova would
// refuse.
const (
	refusalsTitle = "What found no host, and why"
	novaTitle     = "What Nova would refuse"
)

// refusalView is why VMs of a type found no host, for all formats alike.
type refusalView struct {
	Title string
	// Reasons are hosts by the first test that failed.
	Reasons []string
	// Nearest names a host, Nodes what failed on each of its NUMA nodes.
	Nearest string
	Nodes   []string
	// Help introduces the remedies.
	Help     string
	Remedies []string
}

func refusalsOf(p *v1alpha1.ServerPlacement) []refusalView {
	var out []refusalView
	list, names := refusedAlike(p)
	for i, r := range list {
		v := refusalView{Title: fmt.Sprintf("%s: no host for %s", names[i], counting(r.Count, "VM")), Nodes: nodesAlike(r.Nodes), Remedies: r.Remedies, Help: "this would give it a host"}
		if len(r.Remedies) > 1 {
			v.Help = "each of these would give it a host"
		}
		for _, x := range r.Reasons {
			v.Reasons = append(v.Reasons, counting(x.Nodes, "host")+": "+x.Reason)
		}
		switch {
		case r.Nearest != "" && len(r.Nodes) > 0:
			v.Nearest = "nearest is " + r.Nearest + ":"
		case r.Nearest != "":
			v.Nearest = "nearest is " + r.Nearest
		case len(r.Nodes) > 0:
			v.Nearest = "on the nearest host:"
		}
		out = append(out, v)
	}
	return out
}

// refusedAlike are the refusals with the names of their servers; servers of one flavor
// of which the same is said are told as one.
func refusedAlike(p *v1alpha1.ServerPlacement) (list []v1alpha1.ServerRefusal, names []string) {
	at, more := map[string]int{}, map[int]int{}
	for _, r := range p.Refusals {
		flavor := ""
		if r.ServerType >= 0 && r.ServerType < len(p.ServerTypes) {
			flavor = p.ServerTypes[r.ServerType].Flavor
		}
		key := fmt.Sprintf("%q %v %q %q %q", flavor, r.Reasons, r.Nearest, r.Nodes, r.Remedies)
		if i, ok := at[key]; ok && flavor != "" {
			list[i].Count += r.Count
			more[i]++
			continue
		}
		at[key] = len(list)
		list, names = append(list, r), append(names, serverName(p, r.ServerType))
	}
	for i, n := range more {
		names[i] += " and " + whole(n) + alikeMark
	}
	return list, names
}

// nodeSaid is what is said of one NUMA node.
var nodeSaid = regexp.MustCompile(`^node (\d+): (.*)$`)

// nodesAlike tells neighbouring NUMA nodes of which the same is said as one: "nodes
// 0-6: ...".
func nodesAlike(list []string) []string {
	var out []string
	var nodes []int
	said := ""
	flush := func() {
		switch len(nodes) {
		case 0:
		case 1:
			out = append(out, fmt.Sprintf("node %d: %s", nodes[0], said))
		default:
			out = append(out, "nodes "+runs(nodes)+": "+said)
		}
		nodes = nil
	}
	for _, s := range list {
		m := nodeSaid.FindStringSubmatch(s)
		if m == nil || m[2] != said {
			flush()
		}
		if m == nil {
			out = append(out, s)
			continue
		}
		n, _ := strconv.Atoi(m[1])
		nodes, said = append(nodes, n), m[2]
	}
	flush()
	return out
}
