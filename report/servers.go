package report

import (
	"cmp"
	"io"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/report/chart"
	"plimsoll.dev/unit"
)

// WriteServerPlacement writes a placement of VMs in a format of Formats. It
// returns an error for an unknown format, or the writer's.
func WriteServerPlacement(w io.Writer, p *v1alpha1.ServerPlacement, format string, opt Options) error {
	return serverDocument(p, format, opt).write(w, format, opt)
}

// serverDocument is a placement of VMs for people.
func serverDocument(p *v1alpha1.ServerPlacement, format string, opt Options) *Document {
	d := placedDocument(p.PlacementHead, serverWords, format)
	d.Value = p
	d.Names = slices.Concat(each(p.ServerTypes, func(s v1alpha1.ServerOutcome) string { return "server/" + s.Name }),
		each(p.Hosts, func(h v1alpha1.PlacedHost) string { return "host/" + h.Name }))
	d.addAs("packing", "How full the hosts are", "How full", serverCharts(p))
	d.serverTypes(p.ServerTypes, format, opt.Section == "")
	d.addAs("refused", refusalsTitle, "No host", refusals(p, format)...)
	d.machines(p.Machines, nearestHosts(p), ownedByServers(p), besideServers(p, opt.Scenario), format)
	d.hosts(p, opt.columns(format), format)
	if !short(format) {
		d.titled("vms", "VMs", serverGrid(p))
	}
	d.titled("resources", "Resources", resourceGrid(p.Resources, "Resources of the cloud", "Usable", "In use",
		serverWords))
	d.titled("stranding", "", strandingGrid(p.Stranding))
	d.titled("comparison", "By method", hostComparison(p.Comparison))
	d.whatIf(serverLosses(p, mostNamed(format)))
	d.addAs("nova", novaTitle, "Nova", novaBlocks(p, format)...)
	d.placedEnd(p.Assumptions, p.Skipped, format, opt)
	return d
}

// hostComparison says how many hosts each method needs.
func hostComparison(c *v1alpha1.HostComparison) Grid {
	if c == nil {
		return Grid{}
	}
	nova := words.Number(c.Nova)
	if c.AtLeast {
		nova = "over " + nova
	}
	g := newTable("Hosts by method", []string{"Method", ">Hosts", "What it says"}, [][]string{
		{"proven floor", words.Number(c.Floor), "no placement needs fewer, by " + c.Method},
		{"packed order", words.Number(c.Packed), "the largest VMs first, each on the fullest host that takes it"},
		{"Nova's order", nova, "Nova's filters and weighers, VMs in the order of arrival, hosts filled one by one"},
		{"there are", words.Number(c.Given), "the hosts of the scenario"},
	})
	end := float64(max(c.Floor, c.Packed, c.Nova, c.Given))
	for i, n := range []int{c.Floor, c.Packed, c.Nova, c.Given} {
		g.Rows[i][1].Drawing = chart.Amount(float64(n)/max(end, 1), n == c.Nova)
	}
	if c.AtLeast {
		g.Notes = append(g.Notes, "In Nova's order some VMs fit on none of the hosts there are.")
	}
	if c.Advice != "" {
		g.Notes = append(g.Notes, c.Advice)
	}
	return g
}

// strandingGrid is what is free and of no use.
func strandingGrid(list []v1alpha1.Stranding) Grid {
	g := newTable("Free and of no use", []string{"Resource", ">Amount", "Why"}, nil)
	for _, s := range list {
		g.row(s.Resource, unit.Format(float64(s.Amount), s.Unit), s.Why)
	}
	return g
}

// serverName is the name of a server type.
func serverName(p *v1alpha1.ServerPlacement, i int) string {
	if i < 0 || i >= len(p.ServerTypes) {
		return "?"
	}
	return p.ServerTypes[i].Name
}

// serverLosses are the failures in sentences. They name so many types at most; 0
// names all.
func serverLosses(p *v1alpha1.ServerPlacement, most int) []whatIfView {
	var out []whatIfView
	w := serverWords
	if len(p.Refusals) > 0 { // what ran nowhere runs nowhere after a loss
		w.Unit += " that ran"
	}
	for _, l := range p.Losses {
		homeless := countsText(l.Homeless, "VM", most, func(x v1alpha1.ServerCount) (string, int) {
			return serverName(p, x.ServerType), x.Count
		})
		view := lossView(l, cmp.Or(l.Of, int64(l.Tried)), true, w, "host for "+homeless)
		for i, h := range l.Homeless {
			if h.Reason != "" && (most == 0 || i < most) {
				view.Reasons = append(view.Reasons, serverName(p, h.ServerType)+": "+h.Reason)
			}
		}
		out = append(out, view)
	}
	return out
}
