package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/unit"
)

// cloudDecisions are the hosts that a plan on platform helion chose, as a section.
func cloudDecisions(d *v1alpha1.HelionDecision) v1alpha1.Section {
	t := v1alpha1.Table{ID: "decisions.hosts", Title: "Hosts",
		Columns: columns("Role", "Type", ">Hosts", ">Spare", ">Primary disk", ">LVM disk", ">OSDs", ">Size of one", "Kept back, by NUMA node", "Pages for VMs, by NUMA node")}
	if d.Regions > 1 {
		t.Title = "Hosts of one region"
	}
	for _, h := range d.Hosts {
		t.Rows = append(t.Rows, cells(h.Role, h.Type, unit.Format(float64(h.Count), unit.None), count(h.Spares), amount(h.Primary), amount(h.LVM), count(h.OSDs), amount(h.OSDSize),
			keptBack(h.Compute), pagesText(h.Pages)))
	}
	s := v1alpha1.Section{ID: "decisions", Title: "Decisions", Summary: "Deployment model " + d.Model + ", " + counting(d.Regions, "region") + "."}
	if len(t.Rows) > 0 {
		s.Tables = []v1alpha1.Table{withoutEmpty(t)}
	}
	return s
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
			parts = append(parts, unit.Format(float64(n), unit.None))
		}
		out = append(out, fmt.Sprintf("%s %s", size, strings.Join(parts, " + ")))
	}
	return strings.Join(out, ", ")
}
