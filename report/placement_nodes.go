package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/unit"
)

// placedNodes adds the table of the nodes: in the default output equal ones in a row
// and the commonest, else all; where the amounts do not fit beside each other, it has
// the shares only.
func (d *Document) placedNodes(p *v1alpha1.Placement, width int, format string) {
	if len(p.Nodes) == 0 {
		return
	}
	if !short(format) {
		g := allNodes(p, usedOf)
		if format == Wide && !layout(g).Fits(width) {
			g = allNodes(p, usedShare)
		}
		d.add("nodes", "Nodes", g)
		return
	}
	nodes := folded(p.Nodes)
	shown, rest := commonest(nodes)
	more := Para{Style: table.Faint}
	if len(rest) > 0 {
		more.Text = restText(rest, podWords, func(n v1alpha1.PlacedNode) (int, bool) { return n.Count, n.Full })
	}
	d.addAs("nodes", commonestTitle(len(shown), len(nodes), podWords), "Nodes", fewNodes(p, shown, len(rest) > 0), more)
}

// allNodes is the table of all nodes. How much of a resource is used is said by amount.
func allNodes(p *v1alpha1.Placement, amount func(n v1alpha1.PlacedNode, resource string) string) Grid {
	names := each(p.Resources, func(r v1alpha1.ClusterResource) string { return r.Resource })
	return nodeGrid(p.Nodes, names, amount, func(n v1alpha1.PlacedNode) string { return podsText(p, n.Pods, 0) })
}

// nodeGrid is a table of nodes: how much of the resources of these names is used, and
// what runs there.
func nodeGrid(nodes []v1alpha1.PlacedNode, names []string, amount func(n v1alpha1.PlacedNode, resource string) string,
	runs func(n v1alpha1.PlacedNode) string) Grid {
	domains := domainKeys(nodes)
	g := Grid{ID: "nodes", Columns: heads(nodeHead(nodes), ">Count", "Type")}
	for _, key := range domains {
		g.Columns = append(g.Columns, Column{Title: shortKey(key)})
	}
	for _, name := range names {
		g.Columns = append(g.Columns, Column{Title: shortKey(name), Right: true})
	}
	g.Columns = append(g.Columns, Column{Title: "Runs"})
	for _, n := range nodes {
		row := []string{nodeText(n), words.Number(n.Count), n.Type}
		for _, key := range domains {
			row = append(row, n.Domains[key])
		}
		for _, name := range names {
			row = append(row, amount(n, name))
		}
		g.row(append(row, runs(n))...)
	}
	return g
}

// folded tells nodes that differ only in their place as one, where there are too
// many to show.
func folded(nodes []v1alpha1.PlacedNode) []v1alpha1.PlacedNode {
	return foldedBy(nodes, func(n *v1alpha1.PlacedNode) string {
		n.Domains = nil
		return fmt.Sprintf("%q %t %v %v", n.Type, n.Unschedulable, n.Resources, n.Pods)
	}, func(n *v1alpha1.PlacedNode) *int { return &n.Count })
}

// commonest parts the rows that are shown from the rest.
func commonest(nodes []v1alpha1.PlacedNode) (shown, rest []v1alpha1.PlacedNode) {
	return commonestBy(nodes, func(n v1alpha1.PlacedNode) int { return n.Count }, fullness)
}

// fullness is the share of a node's fullest resource.
func fullness(n v1alpha1.PlacedNode) float64 {
	most := 0.0
	for _, r := range n.Resources {
		most = max(most, ratio(r.Requested, r.Allocatable))
	}
	return most
}

// Columns of text for what runs on a node: where all nodes have a row, and where
// they are too many for that.
const (
	runsRoom  = 80
	runsShort = 28
)

// fewNodes is the table of some nodes; part says that others have no row.
func fewNodes(p *v1alpha1.Placement, nodes []v1alpha1.PlacedNode, part bool) Grid {
	room := runsRoom
	if part {
		room = runsShort
	}
	runs := func(n v1alpha1.PlacedNode) string { return runsText(p, n.Pods, room) }
	single := nodeHead(nodes) == nodeOne
	g := nodeGrid(nodes, shortResources(p), usedShare, runs)
	return g.with(func(i int) bool { return i != 2 && (i != 1 || !single) })
}

// nodeOne is the heading above the names of nodes that have a row each.
const nodeOne = "Node"

// nodeHead is the heading above the nodes' names.
func nodeHead(nodes []v1alpha1.PlacedNode) string {
	if slices.ContainsFunc(nodes, func(n v1alpha1.PlacedNode) bool { return n.Count > 1 }) {
		return "First node"
	}
	return nodeOne
}

// nodeText is a node's name, and that it is cordoned.
func nodeText(n v1alpha1.PlacedNode) string {
	if n.Unschedulable {
		return n.Name + " (cordoned)"
	}
	return n.Name
}

// runsText is podsText in so much room, or else only the numbers.
func runsText(p *v1alpha1.Placement, pods []v1alpha1.PodsCount, room int) string {
	if s := podsText(p, pods, 0); table.Width(s) <= room || len(pods) == 1 {
		return s
	}
	sum := sumOf(pods, func(x v1alpha1.PodsCount) int { return x.Count })
	return words.Count(sum, "pod") + " of " + words.Count(len(pods), "type")
}

// shortResources are the resources that the default output shows of nodes: cpu,
// memory, and the two most used of the others, else pods.
func shortResources(p *v1alpha1.Placement) []string {
	names := []string{"cpu", "memory"}
	others := slices.DeleteFunc(slices.Clone(p.Resources), func(r v1alpha1.ClusterResource) bool {
		return slices.Contains(names, r.Resource) || plainResource(r.Resource) || r.Requested == 0
	})
	slices.SortStableFunc(others, func(a, b v1alpha1.ClusterResource) int {
		return cmp.Compare(ratio(b.Requested, b.Allocatable), ratio(a.Requested, a.Allocatable))
	})
	for _, r := range others[:min(2, len(others))] {
		names = append(names, r.Resource)
	}
	if len(others) == 0 {
		names = append(names, "pods")
	}
	return names
}

// resourceOf finds a resource of a node; ok is false when the node has none.
func resourceOf(n v1alpha1.PlacedNode, name string) (r v1alpha1.NodeResource, ok bool) {
	i := slices.IndexFunc(n.Resources, func(r v1alpha1.NodeResource) bool { return r.Resource == name })
	if i < 0 || n.Resources[i].Allocatable <= 0 {
		return r, false
	}
	return n.Resources[i], true
}

// usedShare is "97 %" of a resource of a node.
func usedShare(n v1alpha1.PlacedNode, name string) string {
	r, ok := resourceOf(n, name)
	if !ok {
		return ""
	}
	return percent(ratio(r.Requested, r.Allocatable))
}

// usedOf is "15 of 15.5 cores, 97 %" of a resource of a node.
func usedOf(n v1alpha1.PlacedNode, name string) string {
	r, ok := resourceOf(n, name)
	if !ok {
		return ""
	}
	used, most := unit.FormatResource(name, r.Requested), unit.FormatResource(name, r.Allocatable)
	if number, noun, found := strings.Cut(used, " "); found && strings.HasSuffix(most, " "+noun) {
		used = number
	}
	return used + " of " + most + ", " + usedShare(n, name)
}

// podsText is "web x3, db x1"; of more types than most only the first are named,
// 0 names all.
func podsText(p *v1alpha1.Placement, pods []v1alpha1.PodsCount, most int) string {
	return countsText(pods, "pod", most,
		func(x v1alpha1.PodsCount) (string, int) { return podName(p, x.PodType), x.Count })
}

func podName(p *v1alpha1.Placement, i int) string {
	if i < 0 || i >= len(p.PodTypes) {
		return "?"
	}
	return p.PodTypes[i].Name
}

// domainKeys are the labels that nodes differ in.
func domainKeys(nodes []v1alpha1.PlacedNode) []string {
	keys := map[string]bool{}
	for _, n := range nodes {
		for key := range n.Domains {
			keys[key] = true
		}
	}
	return slices.Sorted(maps.Keys(keys))
}

// shortKey is the last part of a label or a resource: zone, gpu.
func shortKey(key string) string { return oneLine(key[strings.LastIndexByte(key, '/')+1:]) }
