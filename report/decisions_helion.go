package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/unit"
)

// purchase is what a plan on platform helion says to buy, as a section; nil for other
// platforms.
func purchase(d v1alpha1.Decisions) *v1alpha1.Section {
	if d.Helion == nil || len(d.Helion.Hosts) == 0 {
		return nil
	}
	t := v1alpha1.Table{ID: "decisions.hosts", Columns: columns("Role", "Type", ">Hosts", ">Spare", "Disks of each", "Pages for VMs, by NUMA node", "Kept back, by NUMA node")}
	t.Columns[len(t.Columns)-1].Wide = true
	for _, h := range d.Helion.Hosts {
		t.Rows = append(t.Rows, cells(h.Role, cmp.Or(h.Type, "none given"), words.Number(h.Count), orNone(h.Spares), disksText(h), pagesText(h.Pages), keptBack(h.Compute)))
	}
	if !slices.ContainsFunc(d.Helion.Hosts, func(h v1alpha1.HelionHosts) bool { return h.Type != h.Role }) {
		for _, row := range t.Rows {
			row[1].Text = "" // the column goes
		}
	}
	s := v1alpha1.Section{ID: "decisions", Title: "What to buy", Tables: []v1alpha1.Table{withoutEmpty(t)}}
	if d.Helion.Regions > 1 {
		s.Summary = "for each of " + words.Count(d.Helion.Regions, "region")
	}
	return &s
}

// disksText is "500 GB for the system, 1.5 TB for volumes".
func disksText(h v1alpha1.HelionHosts) string {
	var out []string
	if h.Primary > 0 {
		out = append(out, unit.FormatDecimal(h.Primary)+" for the system")
	}
	if h.LVM > 0 {
		out = append(out, unit.FormatDecimal(h.LVM)+" for volumes")
	}
	if h.OSDs > 0 {
		out = append(out, words.Count(h.OSDs, "OSD")+" of "+unit.FormatDecimal(h.OSDSize))
	}
	return strings.Join(out, ", ")
}

// withoutEmpty leaves out the columns in which no row says anything.
func withoutEmpty(t v1alpha1.Table) v1alpha1.Table {
	for i := len(t.Columns) - 1; i >= 0; i-- {
		if !slices.ContainsFunc(t.Rows, func(row []v1alpha1.Cell) bool { return row[i].Text != "" }) {
			t.Columns = slices.Delete(t.Columns, i, i+1)
			for j := range t.Rows {
				t.Rows[j] = slices.Delete(t.Rows[j], i, i+1)
			}
		}
	}
	return t
}

// keptBack is what a compute host keeps back: "platform cores 1 + 0, vSwitch cores
// 2 + 0".
func keptBack(c *v1alpha1.Compute) string {
	if c == nil {
		return ""
	}
	var out []string
	for _, x := range []struct {
		name  string
		cores []int
	}{{"platform cores", c.PlatformCores}, {"vSwitch cores", c.VSwitchCores}, {"shared cores", c.SharedCores}, {"floating cores", c.FloatingCores}} {
		if len(x.cores) > 0 {
			out = append(out, x.name+" "+ints(x.cores))
		}
	}
	for _, x := range []struct {
		name   string
		memory []unit.Bytes
	}{{"platform memory", c.PlatformMemory}, {"vSwitch memory", c.VSwitchMemory}} {
		var parts []string
		for _, b := range x.memory {
			parts = append(parts, unit.FormatBytes(b))
		}
		if len(parts) > 0 {
			out = append(out, x.name+" "+strings.Join(parts, " + "))
		}
	}
	return strings.Join(out, ", ")
}

// pagesText is "2Mi 11,776 + 14,848" of numbers of pages by size.
func pagesText(pages map[string][]int64) string {
	var out []string
	for _, size := range slices.Sorted(maps.Keys(pages)) {
		var parts []string
		for _, n := range pages[size] {
			parts = append(parts, words.Number(n))
		}
		out = append(out, fmt.Sprintf("%s %s", size, strings.Join(parts, " + ")))
	}
	return strings.Join(out, ", ")
}
