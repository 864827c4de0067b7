package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/unit"
)

// serverTypes adds the table of the servers, or its brief form; equal ones are told as one,
// but in wide output.
func (d *Document) serverTypes(all []v1alpha1.ServerOutcome, format string, brief bool) {
	if format != Wide {
		all = alikeServers(all)
	}
	shown := shownOf(all, !short(format), func(a, b v1alpha1.ServerOutcome) int {
		return cmp.Or(cmp.Compare(b.Wanted-b.Placed, a.Wanted-a.Placed), cmp.Compare(b.Wanted, a.Wanted))
	}, func(o v1alpha1.ServerOutcome) bool { return o.Placed < o.Wanted })
	d.titled("servers", "", serverTypeGrid(all, shown, brief && short(format)))
}

// nearestHosts are those that refused VMs miss least of.
func nearestHosts(p *v1alpha1.ServerPlacement) map[string]bool {
	out := map[string]bool{}
	for _, r := range p.Refusals {
		out[r.Nearest] = true
	}
	return out
}

// serverTypeGrid is the table of server types. Those that are not shown are summed up
// in a last row. A brief one leaves out what takes lines.
func serverTypeGrid(all, shown []v1alpha1.ServerOutcome, brief bool) Grid {
	g := newTable("Servers", []string{"Server", "Flavor", ">vCPUs", ">RAM", ">Run", ">Ran before", ">More", "Policy"}, nil,
		serverNote)
	if slices.ContainsFunc(shown, func(o v1alpha1.ServerOutcome) bool { return strings.HasSuffix(o.Name, alikeMark) }) {
		g.Notes[0] += " Alike: of the same flavor, with the same outcome."
	}
	rest := len(all) - len(shown)
	for _, o := range shown {
		more, policy := words.Number(o.More), o.Policy
		if o.AtLeast {
			more += "+"
		}
		if brief || rest > 0 {
			policy = "" // policies take lines
		}
		g.row(o.Name, o.Flavor, words.Number(o.VCPUs), unit.FormatBytes(o.RAM), runText(o.Placed, o.Wanted), orNone(o.Bound),
			more, policy)
	}
	if rest > 0 {
		left := func(of func(v1alpha1.ServerOutcome) int) int { return sumOf(all, of) - sumOf(shown, of) }
		run := runText(left(func(o v1alpha1.ServerOutcome) int { return o.Placed }),
			left(func(o v1alpha1.ServerOutcome) int { return o.Wanted }))
		g.Notes[0] += " Policies: -o wide."
		g.row(words.Count(rest, "type")+" more (-o wide)", "", "", "", run, "", "", "")
	}
	return g.dropped()
}

// runText is "12 of 12", or "! 9 of 12".
func runText(placed, wanted int) string {
	s := words.Number(placed) + " of " + words.Number(wanted)
	if placed < wanted {
		return "! " + s
	}
	return s
}

// serverNote explains a column of the servers' table.
const serverNote = "Run: VMs that run, of those wanted. More: how many more fit, if no other type grows."

// hosts adds the table of the hosts: in the default output equal ones in a row and the
// commonest, with the columns that fit; else all, with amounts where these fit.
func (d *Document) hosts(p *v1alpha1.ServerPlacement, width int, format string) {
	if !short(format) {
		g := hostGrid(p.Hosts, true)
		if format == Wide && !layout(g).Fits(width) {
			g = hostGrid(p.Hosts, false)
		}
		d.titled("hosts", "", g)
		return
	}
	hosts := foldedHosts(p.Hosts)
	shown, rest := commonestBy(hosts, func(h v1alpha1.PlacedHost) int { return h.Count }, hostFullness)
	g := fitting(hostGrid(shown, false), width)
	g.Title = commonestTitle(len(shown), len(hosts), serverWords)
	if len(rest) > 0 {
		g.Notes = append(g.Notes, restText(rest, serverWords,
			func(h v1alpha1.PlacedHost) (int, bool) { return h.Count, h.Full }))
	}
	d.titled("hosts", "Hosts", g)
}

// hostGrid is the table of the hosts. All says what is free of how much.
func hostGrid(hosts []v1alpha1.PlacedHost, all bool) Grid {
	first := "Host"
	if slices.ContainsFunc(hosts, func(h v1alpha1.PlacedHost) bool { return h.Count > 1 }) {
		first = "First host"
	}
	sizes, kinds := poolSizes(hosts), deviceNames(hosts)
	g := Grid{Title: "Hosts", Columns: heads(first, ">Count", "Type", "Zone", ">VMs", ">Free CPUs")}
	for _, size := range sizes {
		g.Columns = append(g.Columns, Column{Title: size.String() + " free", Right: true})
	}
	g.Columns = append(g.Columns, heads("Full", ">"+floatingHead)...)
	for _, kind := range kinds {
		g.Columns = append(g.Columns, Column{Title: kind, Right: true})
	}
	for _, h := range hosts {
		g.row(hostRow(h, first != "Host", all, sizes, kinds)...)
	}
	g = g.dropped()
	g.Notes = hostNotes(g)
	return g
}

const floatingHead = "Floating"

// has reports whether a table has a column of a title.
func (t Grid) has(title string) bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Title == title })
}

// hostNotes explain the columns that the table has.
func hostNotes(g Grid) []string {
	note := "CPUs, pages and devices are those that are free, by NUMA node in their order."
	if g.has("Full") {
		note += " Full: no VM of any type fits any more."
	}
	if g.has(floatingHead) {
		note += " Floating: vCPUs that share the CPUs of a node."
	}
	return []string{note}
}

// fitting is the table of the hosts without its last columns, as far as they do not
// fit the width.
func fitting(g Grid, width int) Grid {
	least := slices.IndexFunc(g.Columns, func(c Column) bool { return c.Title == "VMs" }) + 2
	for n := len(g.Columns); n >= least; n-- {
		cut := g.cut(n)
		cut.Notes = hostNotes(cut)
		if n < len(g.Columns) {
			cut.Notes[0] += " More columns: -o wide."
		}
		if layout(cut).Fits(width) {
			return cut
		}
	}
	return g
}

func hostRow(h v1alpha1.PlacedHost, counts, all bool, sizes []unit.Bytes, kinds []string) []string {
	row := []string{h.Name, "", "", h.Zone, words.Number(h.VMs)}
	if counts {
		row[1] = words.Number(h.Count)
	}
	if all {
		row[2] = h.Type
	}
	row = append(row, byNode(h, all, unit.None, pinnedOf))
	for _, size := range sizes {
		row = append(row, byNode(h, all, unit.ByteUnit, pagesOf(size)))
	}
	full := ""
	if h.Full {
		full = "full"
	}
	row = append(row, full, floatingText(h))
	for _, kind := range kinds {
		row = append(row, byNode(h, all, unit.None, devicesOf(kind)))
	}
	return row
}

// nodeAmount is how much of something is used on a NUMA node, of how much.
type nodeAmount func(v1alpha1.HostNode) (used, total int64)

// pinnedOf are the CPUs for pinned vCPUs.
func pinnedOf(n v1alpha1.HostNode) (used, total int64) { return int64(n.Pinned), int64(n.Dedicated) }

// pagesOf is memory in pages of a size.
func pagesOf(size unit.Bytes) nodeAmount {
	return func(n v1alpha1.HostNode) (used, total int64) {
		for _, pool := range n.Pools {
			if pool.PageSize == size {
				used, total = used+int64(pool.Used), total+int64(pool.Total)
			}
		}
		return used, total
	}
}

// devicesOf are the devices of a kind.
func devicesOf(kind string) nodeAmount {
	return func(n v1alpha1.HostNode) (used, total int64) {
		for _, d := range n.Devices {
			if d.Kind == kind {
				used, total = used+int64(d.Used), total+int64(d.Total)
			}
		}
		return used, total
	}
}

// floatingText is "12 on 4" of floating vCPUs and the CPUs that they share, by node.
func floatingText(h v1alpha1.PlacedHost) string {
	var parts []string
	some := false
	for _, n := range h.Nodes {
		parts = append(parts, words.Number(n.VCPUs)+" on "+words.Number(n.Shared))
		some = some || n.VCPUs != 0 || n.Shared != 0
	}
	if !some {
		return ""
	}
	return strings.Join(parts, " + ")
}

// byNode is what is free on each NUMA node, "2 + 7" or "12 + 27 GiB", with all
// "2 of 5 + 7 of 8"; nothing when there is none on the host.
func byNode(h v1alpha1.PlacedHost, all bool, unitName string, of nodeAmount) string {
	var parts []string
	some := false
	for _, n := range h.Nodes {
		used, total := of(n)
		some = some || total != 0
		s := unit.Format(float64(total-used), unitName)
		if total == used {
			s = "0"
		}
		if all && total != 0 {
			s = shared(s, unit.Format(float64(total), unitName), " of ")
		}
		parts = append(parts, s)
	}
	if !some {
		return ""
	}
	out := ""
	for _, s := range slices.Backward(parts) {
		if out == "" {
			out = s
		} else {
			out = shared(s, out, " + ")
		}
	}
	return out
}

// shared joins two amounts; the first goes without its unit where the second has
// no other.
func shared(a, b, with string) string {
	number, noun, ok := strings.Cut(a, " ")
	rest, same := strings.CutSuffix(b, " "+noun)
	if ok && same && !strings.Contains(noun, " ") && strings.Trim(rest, "0123456789., +") == "" {
		a = number
	}
	return a + with + b
}

// poolSizes are the sizes of pages of which some host has a pool, ascending.
func poolSizes(hosts []v1alpha1.PlacedHost) []unit.Bytes {
	var out []unit.Bytes
	for _, h := range hosts {
		for _, n := range h.Nodes {
			for _, pool := range n.Pools {
				out = append(out, pool.PageSize)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// deviceNames are the kinds of device of the hosts, the most used first.
func deviceNames(hosts []v1alpha1.PlacedHost) []string {
	used, total := map[string]int64{}, map[string]int64{}
	var out []string
	for _, h := range hosts {
		for _, n := range h.Nodes {
			for _, d := range n.Devices {
				if _, ok := total[d.Kind]; !ok {
					out = append(out, d.Kind)
				}
				used[d.Kind] += int64(d.Used) * int64(h.Count)
				total[d.Kind] += int64(d.Total) * int64(h.Count)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b string) int {
		return cmp.Or(cmp.Compare(ratio(used[b], total[b]), ratio(used[a], total[a])), cmp.Compare(a, b))
	})
	return out
}

// foldedHosts tells hosts as one that differ only in their place.
func foldedHosts(hosts []v1alpha1.PlacedHost) []v1alpha1.PlacedHost {
	return foldedBy(hosts, func(h *v1alpha1.PlacedHost) string {
		h.Zone = ""
		return fmt.Sprintf("%q %t %d %v", h.Type, h.Full, h.VMs, h.Nodes)
	}, func(h *v1alpha1.PlacedHost) *int { return &h.Count })
}

// hostFullness is the share of a host's fullest resource.
func hostFullness(h v1alpha1.PlacedHost) float64 {
	most := 0.0
	for _, of := range append(each(poolSizes([]v1alpha1.PlacedHost{h}), pagesOf), pinnedOf) {
		used, total := hostSum(h, of)
		most = max(most, ratio(used, total))
	}
	return most
}

// hostSum is how much of something is used on a host, of how much.
func hostSum(h v1alpha1.PlacedHost, of nodeAmount) (used, total int64) {
	for _, n := range h.Nodes {
		u, t := of(n)
		used, total = used+u, total+t
	}
	return used, total
}
