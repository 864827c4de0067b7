package cloud

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
)

// Types of ports; no type is vnicNormal.
const (
	vnicNormal = "normal"
	vnicDirect = "direct"
	vnicWhole  = "direct-physical"
)

// limits tells of servers that have more ports, or more rules on a port, than the
// platform lets a VM have. They are placed all the same: no host would help.
func (c *Cloud) limits() {
	cat := facts.Load()
	most := func(id string) int { return int(cat.Must(id).Value().Number) }
	kinds := []struct {
		vnic, what string
		most       int
	}{
		{vnicNormal, "vNIC", most("hcg.max.portsPerVM/4.0")},
		{vnicDirect, "virtual function", most("hcg.vswitch.vfsPerVM")},
		{vnicWhole, "passed-through NIC", most("hcg.vswitch.passthroughPerVM")},
	}
	rules := most("hcg.vswitch.rulesPerPort")
	for i := range c.s.Workload.Servers {
		sv := &c.s.Workload.Servers[i]
		at := fmt.Sprintf("workload.servers[%d].ports", i)
		for _, k := range kinds {
			if n := portsOf(sv, k.vnic); n > k.most {
				c.passes("place.ports["+sv.Name+"]."+k.vnic, at,
					fmt.Sprintf("%s: %s, a VM has %d at most", sv.Name, words.Count(n, k.what), k.most),
					"spread them over more VMs, or carry several networks on one port as VLANs")
			}
		}
		for j := range sv.Ports {
			if n := sv.Ports[j].SecurityRules; n > rules && vnic(&sv.Ports[j]) == vnicNormal {
				c.passes(fmt.Sprintf("place.rules[%s].%d", sv.Name, j), fmt.Sprintf("%s[%d].securityRules", at, j),
					fmt.Sprintf("%s: %s on a port, %d at most, ingress and egress together", sv.Name, words.Count(n, "rule"), rules),
					"use wildcards and port ranges")
			}
		}
	}
}

func (c *Cloud) passes(id, field, message, remedy string) {
	c.findings = append(c.findings, v1alpha1.Finding{Severity: v1alpha1.Error, ID: id, Message: message, Remedy: remedy,
		Field: field})
}

func vnic(p *v1alpha1.Port) string {
	if p.VNICType == "" {
		return vnicNormal
	}
	return p.VNICType
}

// portsOf is the number of a VM's ports of a type.
func portsOf(sv *v1alpha1.Server, of string) int {
	n := 0
	for i := range sv.Ports {
		if vnic(&sv.Ports[i]) == of {
			n++
		}
	}
	return n
}
