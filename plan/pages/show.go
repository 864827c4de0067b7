package pages

import (
	"fmt"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/part"
)

// show fills the section.
func (p *planner) show(nodes []Allocation) {
	if len(nodes) == 0 {
		p.Section.Summary = "no pod uses huge pages"
		return
	}
	t := p.Table("hugePages.nodes", "Huge pages to pre-allocate on each node", part.Left("Node type"), part.Left("Size"),
		part.Right("Pods use"),
		part.Right("Pages"), part.Right("Per NUMA node"), part.Right("Memory of all"), part.Left("Kernel arguments"),
		part.Left("Or at run time"))
	for _, a := range nodes {
		p.Show(a.Memory)
		for i, s := range a.Sizes {
			row := []v1alpha1.Cell{part.Text(""), part.Text(s.Name), part.Num(s.Need), part.Num(s.Pages), part.Num(s.PerNUMA),
				part.Text(""), part.Text(""), part.Text("")}
			if i == 0 {
				row[0], row[5], row[6], row[7] = part.Text(a.Type), part.Num(a.Memory),
					part.Text(strings.Join(a.BootArguments, " ")), part.Text(runtime(a))
			}
			p.Detail(s.Need, s.Pages, s.PerNUMA)
			t.Rows = append(t.Rows, row)
		}
	}
	t.Notes = p.notes()
	p.Section.Summary = fmt.Sprintf("%d node types pre-allocate huge pages; "+
		"they are taken from the memory of every such node, used or not", len(nodes))
	if len(nodes) == 1 {
		p.Section.Summary = fmt.Sprintf("each %s node pre-allocates %s of huge pages, taken from its memory, used or not",
			nodes[0].Type, nodes[0].Memory.Text)
	}
}

func runtime(a Allocation) string {
	if a.Sysctl == "" {
		return "at boot only"
	}
	return a.Sysctl
}

// notes are the conditions of OCP 13 that no number shows.
func (p *planner) notes() []string {
	return []string{
		"Allocate at boot: later the memory may be too fragmented, and pages larger than " +
			p.Fact("linux.hugePages.runtimeLargest").Text + " may not be had at all.",
		"A pod's requests of huge pages equal its limits; they can't be overcommitted (OCP 13.2).",
		"An emptyDir of medium HugePages may use at most " + p.Fact("ocp.hugePages.emptyDir").Text +
			"; a user of shmget with SHM_HUGETLB needs " + p.Fact("ocp.hugePages.shmGroup").Text + " (OCP 13.2).",
		"Transparent huge pages are limited to " + p.Fact("ocp.hugePages.transparentSize").Text +
			" and can slow down full or fragmented nodes; the document's profile sets transparent_hugepages=" +
			p.Fact("ocp.hugePages.exampleTransparent").Text + " (OCP 13.1, 13.3).",
	}
}
