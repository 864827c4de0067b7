package report

import (
	"fmt"
	"regexp"
	"strconv"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
)

// Headings of the parts on VMs that found no host, and on those that Nova would
// refuse.
const (
	refusalsTitle = "What found no host, and why"
	novaTitle     = "What Nova would refuse"
)

// refusals say why VMs found no host. The default output tells the first ones whole.
func refusals(p *v1alpha1.ServerPlacement, format string) []Block {
	list, names := refusedAlike(p)
	out, more := List{}, Para{}
	for i, r := range list {
		if i == problemRows && short(format) {
			more = andMore(len(list)-i, "type", "lists them")
			break
		}
		out.Items = append(out.Items, refusal(r, names[i], !short(format) || i < refusalsTold))
	}
	return []Block{out, more}
}

// refusal tells one; whole, with the nearest host and the remedies.
func refusal(r v1alpha1.ServerRefusal, name string, all bool) Item {
	out := Item{Mark: "bad", Text: fmt.Sprintf("%s: no host for %s", name, words.Count(r.Count, "VM"))}
	for _, x := range r.Reasons {
		out.Items = append(out.Items, Item{Text: words.Count(x.Nodes, "host") + ": " + x.Reason})
	}
	if !all {
		return out
	}
	nodes := items("", nodesAlike(r.Nodes))
	switch {
	case r.Nearest != "" && len(nodes) > 0:
		out.Items = append(out.Items, Item{Text: "nearest is " + r.Nearest + ":", Items: nodes})
	case r.Nearest != "":
		out.Items = append(out.Items, Item{Text: "nearest is " + r.Nearest})
	case len(nodes) > 0:
		out.Items = append(out.Items, Item{Text: "on the nearest host:", Items: nodes})
	}
	help := "this would give it a host:"
	if len(r.Remedies) > 1 {
		help = "each of these would give it a host:"
	}
	if len(r.Remedies) > 0 {
		out.Items = append(out.Items, Item{Text: help, Items: good(items("- ", r.Remedies))})
	}
	return out
}

// refusalsTold are told whole in the default output.
const refusalsTold = 3

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
		names[i] += " and " + words.Number(n) + alikeMark
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
