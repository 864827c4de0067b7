package report

import (
	"fmt"

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
	for _, r := range p.Refusals {
		v := refusalView{Title: fmt.Sprintf("%s: no host for %s", serverName(p, r.ServerType), counting(r.Count, "VM")), Nodes: r.Nodes, Remedies: r.Remedies, Help: "this would give it a host"}
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
