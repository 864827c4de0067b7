package report

import (
	"slices"

	"plimsoll.dev/api/v1alpha1"
)

// outcomeHead are the headings of the table of the pod types.
var outcomeHead = []string{"Type", "QoS", ">Wanted", ">Run", ">Pending", ">Refused", ">More", ">Together"}

// outcomeRows is the table of the pod types, with its headings; without the
// column of refused ones where there are none.
func outcomeRows(p *v1alpha1.Placement) (head []string, rows [][]string) {
	const at = 5
	refused := slices.ContainsFunc(p.PodTypes, func(o v1alpha1.PodOutcome) bool { return o.Refused > 0 })
	head = slices.Clone(outcomeHead)
	if !refused {
		head = slices.Delete(head, at, at+1)
	}
	for _, o := range p.PodTypes {
		row := []string{o.Name, o.QOSClass, whole(o.Wanted), whole(o.Placed), orNone(o.Pending), orNone(o.Refused), whole(o.More), whole(o.MoreMixed)}
		if !refused {
			row = slices.Delete(row, at, at+1)
		}
		rows = append(rows, row)
	}
	return head, rows
}

// placedRows is the table of all nodes, with its headings. How much of a resource
// is used is said by amount.
func placedRows(p *v1alpha1.Placement, amount func(n v1alpha1.PlacedNode, resource string) string) (head []string, rows [][]string) {
	domains, names := domainKeys(p.Nodes), resourceNames(p)
	head = []string{nodeHead(p.Nodes), ">Count", "Type"}
	for _, key := range domains {
		head = append(head, shortKey(key))
	}
	for _, name := range names {
		head = append(head, ">"+shortKey(name))
	}
	for _, n := range p.Nodes {
		row := []string{nodeText(n), whole(n.Count), n.Type}
		for _, key := range domains {
			row = append(row, n.Domains[key])
		}
		for _, name := range names {
			row = append(row, amount(n, name))
		}
		rows = append(rows, append(row, podsText(p, n.Pods, 0)))
	}
	return append(head, "Runs"), rows
}

// resourceNames are the cluster's resources.
func resourceNames(p *v1alpha1.Placement) []string {
	names := make([]string, 0, len(p.Resources))
	for _, r := range p.Resources {
		names = append(names, r.Resource)
	}
	return names
}
