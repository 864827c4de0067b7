package audit

import (
	"slices"

	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/limit"
)

// stackCounts are the quantities of table 12 (HCG 8) that a cloud's exports tell, each with the export and the number.
var stackCounts = []struct {
	id, title, of string
	count         func(*Stack) int
}{
	{"vms", "VMs", "servers", func(s *Stack) (n int) {
		for _, list := range s.onHosts() {
			n += len(list)
		}
		return n
	}},
	{"vmsPerCompute", "VMs on the fullest compute host", "servers", func(s *Stack) (most int) {
		for _, list := range s.onHosts() {
			most = max(most, len(list))
		}
		return most
	}},
	{"computes", "Compute hosts", "compute-services", func(s *Stack) (n int) {
		for _, d := range s.Computes {
			if d.Binary == computeBinary {
				n++
			}
		}
		return n
	}},
	// Two were tested, and up to eight are supported (tables 12 and 1).
	{"storageHostsTheoretical", "Storage hosts", "ceph-osd-tree", func(s *Stack) int {
		return len(s.cephHosts())
	}},
	{"osds", "OSDs", "ceph-osd-tree", func(s *Stack) (n int) {
		for _, h := range s.cephHosts() {
			n += h.osds
		}
		return n
	}},
	{"tenantNetworks", "Tenant networks", "neutron-networks", func(s *Stack) (n int) {
		for _, w := range s.Networks {
			if w.RouterType != "External" {
				n++
			}
		}
		return n
	}},
	{"providerNetworks", "Provider networks", "neutron-networks", func(s *Stack) int {
		var of []string
		for _, w := range s.Networks {
			if p := w.PhysicalNetwork; p != "" && !slices.Contains(of, p) {
				of = append(of, p)
			}
		}
		return len(of)
	}},
	{"subnets", "Subnets", "subnets", func(s *Stack) int { return len(s.Subnets) }},
	{"routers", "Virtual routers", "routers", func(s *Stack) int { return len(s.Routers) }},
}

// stackGauges are the limits of Helion OpenStack Carrier Grade with what the cloud has now, where they count. What was
// not seen has none, nor what there is none of.
func (c *Cloud) stackGauges() (out []limit.Gauge) {
	for _, k := range stackCounts {
		n := k.count(c.Stack)
		if seen, _ := c.state(k.of); !c.hcgCounts() || seen != OK || n == 0 {
			continue
		}
		row, _, _, ok := facts.Load().ForRelease("hcg.max."+k.id, "4.0")
		if ok {
			g := limit.Measure(k.id, k.title, "cluster", derive.Of(float64(n), row.Value().Unit), row.Value(), row.Kind)
			g.Notes = row.Notes
			out = append(out, g)
		}
	}
	return out
}
