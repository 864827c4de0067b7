package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/unit"
)

// purchase is what a plan on platform helion says to buy; nothing for other platforms.
func purchase(d v1alpha1.Decisions, format string) []Block {
	if d.Helion == nil {
		return nil
	}
	g := Grid{ID: "decisions.hosts", Columns: heads("Role", "Type", ">Hosts", ">Spare", "Disks of each",
		"Pages for VMs, by NUMA node", "*Kept back, by NUMA node")}
	apart := slices.ContainsFunc(d.Helion.Hosts, func(h v1alpha1.HelionHosts) bool { return h.Type != h.Role })
	for _, h := range d.Helion.Hosts {
		kind := ""
		if apart {
			kind = cmp.Or(h.Type, "none given")
		}
		g.row(h.Role, kind, words.Number(h.Count), orNone(h.Spares), disksText(h), pagesText(h.Pages), keptBack(h.Compute))
	}
	regions := Para{}
	if d.Helion.Regions > 1 && len(g.Rows) > 0 {
		regions.Text = "for each of " + words.Count(d.Helion.Regions, "region")
	}
	return []Block{regions, g.dropped().narrow(format)}
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
	}{{"platform cores", c.PlatformCores}, {"vSwitch cores", c.VSwitchCores}, {"shared cores", c.SharedCores},
		{"floating cores", c.FloatingCores}} {
		if len(x.cores) > 0 {
			out = append(out, x.name+" "+ints(x.cores))
		}
	}
	for _, x := range []struct {
		name   string
		memory []unit.Bytes
	}{{"platform memory", c.PlatformMemory}, {"vSwitch memory", c.VSwitchMemory}} {
		if len(x.memory) > 0 {
			out = append(out, x.name+" "+joined(x.memory, " + ", unit.FormatBytes))
		}
	}
	return strings.Join(out, ", ")
}

// pagesText is "2Mi 11,776 + 14,848" of numbers of pages by size.
func pagesText(pages map[string][]int64) string {
	return joined(slices.Sorted(maps.Keys(pages)), ", ", func(size string) string {
		return size + " " + joined(pages[size], " + ", words.Number)
	})
}
