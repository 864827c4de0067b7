package cloud

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// assume notes what the scenario leaves open and what hosts have in its place.
func (c *Cloud) assume() {
	for i := range c.hostTypes {
		ht := &c.hostTypes[i]
		at := fmt.Sprintf("hardware.nodeTypes[%d]", ht.pool.Type)
		add := func(field, value, why, fact string) {
			c.assumptions = append(c.assumptions, v1alpha1.Assumption{Field: at + field, Value: value, Why: why, Fact: fact})
		}
		compute := ht.node.Compute
		if ht.pool.Reserve != nil {
			compute = ht.pool.Reserve
		}
		if compute == nil || compute.PlatformMemory == nil {
			first, each := PlatformMemory(facts.Load(), c.rules, ht.pool.CPE)
			why := fmt.Sprintf("%s on node 0 and %s on each NUMA node; a GB is 2^30 bytes, "+
				"as in the document's 26,624 pages on a host of 64 GB", first.Value(), each.Value())
			value := unit.FormatBytes(ht.kept[0]) + " on node 0, the vSwitch's page included"
			add(".compute.platformMemory", value, why, first.ID)
		}
		if compute == nil || compute.VSwitchCores == nil {
			add(".compute.vSwitchCores", "[2]", "two cores on NUMA node 0", "hcg.compute.vswitchCores")
		}
		if ht.pool.Pages == nil && ht.node.HugePages == nil && ht.node.HugePagesPerNUMANode == nil {
			value, why := c.defaultPages()
			add(".hugePages", value, why, "hcg.compute.pageSize")
		} else if ht.rest {
			add(".hugePages", "what the given pools leave, in pages of 2Mi",
				"the document's default; an entry for 2Mi leaves the rest in small pages", "hcg.compute.pageSize")
		}
		if c.rules == nova.Nova && (compute == nil || compute.FloatingCores == nil) {
			value, why := "none", "a VM pins CPUs, so all CPUs for VMs are dedicated; VMs that float find none"
			if !pinsCPUs(c.s) {
				value, why = "all", "no VM pins CPUs, so all CPUs are shared, as Nova has it when neither set is configured"
			}
			add(".compute.floatingCores", value, why, "")
		}
		if ht.diskUnstated && c.usesLocalDisks() {
			add(".disks", "not counted", "the node type names no disks: disks of VMs on the host's own storage are not counted",
				"")
		}
	}
}

// defaultPages are the huge pages of hosts that are given none, and why.
func (c *Cloud) defaultPages() (value, why string) {
	switch {
	case c.rules == nova.HCG40:
		return "all memory for VMs in pages of 2Mi", "the document's default"
	case asksPages(c.s):
		return "all memory for VMs in pages of 2Mi",
			"a VM asks for pages; VMs that ask for none have no part in them, so state hugePages where there are both"
	}
	return "none", "no VM asks for huge pages"
}
