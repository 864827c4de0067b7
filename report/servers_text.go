package report

import (
	"cmp"
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
)

// served writes a placement of VMs for terminals.
type served struct {
	placing
	p *v1alpha1.ServerPlacement
}

func serversText(p *v1alpha1.ServerPlacement, format string, opt Options) string {
	t := served{newPlacing(serverAnswer(p, opt), format), p}
	t.top()
	t.types()
	t.refusals()
	t.machines(nearestHosts(p), ownedByServers(p))
	t.hosts()
	if t.wide {
		t.grid(serverGrid(p))
	}
	t.resources()
	t.grid(strandingGrid(p.Stranding))
	t.grid(t.a.Compared)
	t.whatIfs()
	t.nova()
	t.end()
	return t.b.String()
}

// nearestHosts are those that refused VMs miss least of.
func nearestHosts(p *v1alpha1.ServerPlacement) map[string]bool {
	out := map[string]bool{}
	for _, r := range p.Refusals {
		out[r.Nearest] = true
	}
	return out
}

// types is the table of the servers.
func (t served) types() {
	all := t.p.ServerTypes
	if !t.wide {
		all = alikeServers(all)
	}
	shown := shownOf(all, t.wide, func(a, b v1alpha1.ServerOutcome) int {
		return cmp.Or(cmp.Compare(b.Wanted-b.Placed, a.Wanted-a.Placed), cmp.Compare(b.Wanted, a.Wanted))
	}, func(o v1alpha1.ServerOutcome) bool { return o.Placed < o.Wanted })
	t.grid(serverTypeGrid(shown, othersOf(all, shown)))
}

// othersOf sums up the types that have no row; none when all have one.
func othersOf(all, shown []v1alpha1.ServerOutcome) []v1alpha1.ServerOutcome {
	if len(all) == len(shown) {
		return nil
	}
	rest := make([]v1alpha1.ServerOutcome, len(all)-len(shown))
	for _, o := range all {
		rest[0].Placed, rest[0].Wanted = rest[0].Placed+o.Placed, rest[0].Wanted+o.Wanted
	}
	for _, o := range shown {
		rest[0].Placed, rest[0].Wanted = rest[0].Placed-o.Placed, rest[0].Wanted-o.Wanted
	}
	return rest
}

// refusals say why VMs found no host.
func (t served) refusals() {
	list := refusalsOf(t.p)
	if len(list) == 0 {
		return
	}
	t.heading(refusalsTitle)
	for i, r := range list {
		if i == problemRows && !t.wide {
			t.line("  ", table.Faint, fmt.Sprintf("and %s more: -o wide lists them", plural(len(list)-i, "type")))
			return
		}
		t.refusal(r, t.wide || i < refusalsTold)
	}
}

// refusal tells one; whole, with the nearest host and the remedies.
func (t served) refusal(r refusalView, whole bool) {
	t.mark("  ", "!", table.Bad, table.Plain, r.Title)
	for _, s := range r.Reasons {
		t.hang("    ", table.Plain, s)
	}
	if !whole {
		return
	}
	if r.Nearest != "" {
		t.line("    ", table.Plain, r.Nearest)
	}
	for _, s := range r.Nodes {
		t.hang("      ", table.Plain, s)
	}
	if len(r.Remedies) > 0 {
		t.line("    ", table.Plain, r.Help+":")
	}
	for _, s := range r.Remedies {
		t.line("      - ", table.Good, s)
	}
}

// refusalsTold are told whole in the default output.
const refusalsTold = 3

// hosts is the table of the hosts, equal ones in a row.
func (t served) hosts() {
	if t.wide {
		g := hostGrid(t.p, t.p.Hosts, true)
		if !headed(g.Head, g.Rows).Fits(t.width) {
			g = hostGrid(t.p, t.p.Hosts, false)
		}
		g.Notes = hostNotes(g)
		t.grid(g)
		return
	}
	hosts := foldedHosts(t.p.Hosts)
	shown, rest := commonestBy(hosts, func(h v1alpha1.PlacedHost) int { return h.Count }, hostFullness)
	g := fitting(hostGrid(t.p, shown, false), t.width)
	g.Title = commonestTitle(len(shown), len(hosts), serverWords)
	t.grid(g)
	if len(rest) > 0 {
		t.line("  ", table.Faint, restText(rest, serverWords, func(h v1alpha1.PlacedHost) (int, bool) { return h.Count, h.Full }))
	}
}

// nova lists the VMs that run and that Nova's own search would refuse.
func (t served) nova() {
	groups := novaGroups(t.p)
	if len(groups) == 0 {
		return
	}
	t.heading(novaTitle)
	t.line("  ", table.Faint, novaNote)
	for i, g := range groups {
		if i == problemRows && !t.wide {
			t.line("  ", table.Faint, fmt.Sprintf("and %s more: -o wide lists them", plural(len(groups)-i, "type")))
			return
		}
		t.mark("  ", "~", table.Warn, table.Plain, g.Title)
		for i, s := range g.Lines {
			if i == typesNamed && !t.wide {
				t.line("    ", table.Faint, "and more: -o wide lists them")
				break
			}
			t.hang("    ", table.Plain, s)
		}
	}
}
