package report

import (
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/report/chart"
)

// serverCharts draws how full the hosts are: their CPUs for pinned vCPUs, and the pages.
func serverCharts(p *v1alpha1.ServerPlacement) Charts {
	out := Charts{}
	draw := func(name string, of nodeAmount) {
		if bars, some := hostBars(p.Hosts, of); some && len(bars) > 1 {
			out.List = append(out.List, chartView{name, chart.Packing(byZone(bars, serverWords), serverWords.Place)})
		}
	}
	draw("CPUs for pinned vCPUs", pinnedOf)
	for _, size := range poolSizes(p.Hosts) {
		draw(pagesName(size), pagesOf(size))
	}
	out.Says = "Each column is a host, or a number of equal ones; each block what VMs have of one NUMA node, as a share " +
		"of the host. Hatched is free where no VM of any type fits any more. The numbers stand in the table of the hosts."
	nodes := 0
	for _, h := range p.Hosts {
		nodes = max(nodes, len(h.Nodes))
	}
	for i := range min(nodes, chart.Kinds) {
		out.Legend = append(out.Legend, kindView{fmt.Sprintf("NUMA node %d", i), chart.KindSwatch(i)})
	}
	if slices.ContainsFunc(p.Hosts, func(h v1alpha1.PlacedHost) bool { return h.Full }) {
		out.Legend = append(out.Legend, kindView{"stranded", chart.StrandedSwatch()})
	}
	return out
}

// hostBars are the hosts that have something; some says that VMs use it.
func hostBars(hosts []v1alpha1.PlacedHost, of nodeAmount) (bars []bar, some bool) {
	for _, h := range hosts {
		b := bar{name: h.Name, kind: h.Type, zone: h.Zone, count: h.Count,
			fullness: hostFullness(h), says: words.Count(h.VMs, "VM")}
		sum, all := hostSum(h, of)
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
