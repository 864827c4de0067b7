package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/report/chart"
)

// serversPage is a placement of VMs prepared for its template.
type serversPage struct {
	*placedPage
	P                                 *v1alpha1.ServerPlacement
	Servers, Hosts, Each, Strandings  *rowsView
	Refused                           []refusalView
	Nova                              []linesView
	RefusedTitle, NovaTitle, NovaNote string
}

// serversHTML is the placement of VMs as one HTML file.
func serversHTML(p *v1alpha1.ServerPlacement, opt Options) (string, error) {
	v := &serversPage{placedPage: newPlacedPage(serverAnswer(p, opt), ownedByServers(p)), P: p, Refused: refusalsOf(p), Nova: novaGroups(p),
		RefusedTitle: refusalsTitle, NovaTitle: novaTitle, NovaNote: novaNote,
		Servers: serverTypeGrid(alikeServers(p.ServerTypes), nil).view(), Each: serverGrid(p).view(), Strandings: strandingGrid(p.Stranding).view()}
	v.CSS += template.CSS(serversStyle) //nolint:gosec // a constant
	hosts := hostGrid(p, p.Hosts, true)
	hosts.Notes = hostNotes(hosts)
	v.Hosts = hosts.view()
	v.charts()
	v.contents([]part{{v.Servers != nil, "servers", "Servers"}, {len(v.Refused) > 0, "refused", "No host"}, {len(v.Machines) > 0, "machines", "Machines"},
		{len(v.Charts) > 0, "packing", "How full"}, {v.Hosts != nil, "hosts", "Hosts"}, {v.Each != nil, "vms", "VMs"}}, part{len(v.Nova) > 0, "nova", "Nova"})
	return execute("servers", v)
}

// charts draws how full the hosts are: their CPUs for pinned vCPUs, and the pages.
func (v *serversPage) charts() {
	marks := hostMarks(v.P.Comparison)
	draw := func(name string, of func(v1alpha1.HostNode) (used, total int64)) {
		if bars, some := hostBars(v.P.Hosts, of); some && len(bars) > 1 {
			v.Charts = append(v.Charts, chartView{name, template.HTML(chart.Packing(columnsOf(bars, serverWords), marks, serverWords.Place))}) //nolint:gosec // escaped by chart
		}
	}
	draw("CPUs for pinned vCPUs", func(n v1alpha1.HostNode) (int64, int64) { return int64(n.Pinned), int64(n.Dedicated) })
	for _, size := range poolSizes(v.P.Hosts) {
		draw(pagesName(size), func(n v1alpha1.HostNode) (used, total int64) {
			for _, pool := range n.Pools {
				if pool.PageSize == size {
					used, total = used+int64(pool.Used), total+int64(pool.Total)
				}
			}
			return used, total
		})
	}
	v.ChartsSay = "Each column is a host, or a number of equal ones; each block what VMs have of one NUMA node, as a share of the host. Hatched is free where no VM of any type fits any more. The numbers stand in the table of the hosts."
	nodes := 0
	for _, h := range v.P.Hosts {
		nodes = max(nodes, len(h.Nodes))
	}
	for i := range min(nodes, chart.Kinds) {
		v.Kinds = append(v.Kinds, kindView{fmt.Sprintf("NUMA node %d", i), template.HTML(chart.KindSwatch(i))}) //nolint:gosec // a number
	}
	if slices.ContainsFunc(v.P.Hosts, func(h v1alpha1.PlacedHost) bool { return h.Full }) {
		v.Kinds = append(v.Kinds, kindView{"stranded", template.HTML(chart.StrandedSwatch())}) //nolint:gosec // a constant
	}
}

// hostBars are the hosts that have something; some says that VMs use it.
func hostBars(hosts []v1alpha1.PlacedHost, of func(v1alpha1.HostNode) (used, total int64)) (bars []bar, some bool) {
	for _, h := range hosts {
		b := bar{name: h.Name, kind: h.Type, count: h.Count, fullness: hostFullness(h), says: counting(h.VMs, "VM")}
		sum, all := int64(0), int64(0)
		for _, n := range h.Nodes {
			used, total := of(n)
			sum, all = sum+used, all+total
		}
		if all <= 0 || h.Count <= 0 {
			continue
		}
		for i, n := range h.Nodes {
			used, _ := of(n)
			b.blocks = append(b.blocks, chart.Block{Kind: i % chart.Kinds, Share: ratio(max(0, used), all)})
		}
		if h.Full {
			b.stranded = ratio(max(0, all-sum), all)
		}
		bars, some = append(bars, b), some || sum > 0
	}
	return bars, some
}

// hostMarks are the floor, the packed order and Nova's.
func hostMarks(c *v1alpha1.HostComparison) []chart.Mark {
	if c == nil {
		return nil
	}
	marks := []chart.Mark{{Nodes: c.Floor, Label: "proven floor " + whole(c.Floor)}}
	if c.Packed == c.Floor {
		marks[0].Label = "proven floor and packed order " + whole(c.Floor)
	} else {
		marks = append(marks, chart.Mark{Nodes: c.Packed, Label: "packed order " + whole(c.Packed)})
	}
	if !c.AtLeast {
		marks = append(marks, chart.Mark{Nodes: c.Nova, Label: "Nova's order " + whole(c.Nova)})
	}
	slices.SortStableFunc(marks, func(a, b chart.Mark) int { return cmp.Compare(a.Nodes, b.Nodes) })
	return marks
}
