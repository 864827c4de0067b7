package report

import (
	"plimsoll.dev/api/v1alpha1"
)

// Headings of the tables of a placement, for Markdown and pages alike; those with
// ">" are of columns of numbers.
var (
	outcomeHead  = []string{"Type", "QoS", ">Wanted", ">Run", ">Pending", ">Refused", ">More fit", ">all growing"}
	resourceHead = []string{"Resource", ">Allocatable", ">Requested", ">Stranded", "Missing there"}
)

func outcomeRows(p *v1alpha1.Placement) [][]string {
	var rows [][]string
	for _, o := range p.PodTypes {
		rows = append(rows, []string{o.Name, o.QOSClass, whole(o.Wanted), whole(o.Placed), orNone(o.Pending), orNone(o.Refused), whole(o.More), whole(o.MoreMixed)})
	}
	return rows
}

func resourceRows(p *v1alpha1.Placement) [][]string {
	var rows [][]string
	for _, r := range p.Resources {
		rows = append(rows, []string{r.Resource, quantity(r.Resource, r.Allocatable), quantity(r.Resource, r.Requested), strandedText(r), r.By})
	}
	return rows
}

// placedRows is the table of all nodes, with its headings.
func placedRows(p *v1alpha1.Placement) (head []string, rows [][]string) {
	domains, names := domainKeys(p.Nodes), resourceNames(p)
	head = []string{"Node", ">Count", "Type"}
	for _, key := range domains {
		head = append(head, shortKey(key))
	}
	for _, name := range names {
		head = append(head, ">"+shortKey(name))
	}
	for _, n := range p.Nodes {
		row := []string{n.Name, whole(n.Count), n.Type}
		for _, key := range domains {
			row = append(row, n.Domains[key])
		}
		for _, name := range names {
			row = append(row, usage(n, name))
		}
		rows = append(rows, append(row, podsText(p, n.Pods)))
	}
	return append(head, "Runs"), rows
}
