package neutron

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/limit"
)

// gauge measures a value against a row of table 12.
func (p *planner) gauge(name, title, scope string, value derive.Value) limit.Gauge {
	row := p.limitOf(name)
	g := limit.Measure(name, title, scope, value, row.Value(), row.Kind)
	g.Notes = row.Notes
	return g
}

// system measures the networks of the cloud and the share of one compute host.
func (p *planner) system() {
	n := p.in.Neutron
	networks := p.atLeast("tenantNetworks", "Tenant networks", "networks", n.TenantNetworks, len(p.tenants),
		"distinct networks of the servers' ports")
	providers := p.atLeast("providerNetworks", "Provider networks", "networks", n.ProviderNetworks, len(p.physicals),
		"distinct physical networks of NICs and ports")
	subnets := p.Field("subnets", float64(n.Subnets), "subnets")
	p.Gauge(p.gauge("tenantNetworks", "Tenant networks", "cluster", networks),
		p.gauge("providerNetworks", "Provider networks", "cluster", providers),
		p.gauge("subnets", "Subnets", "cluster", subnets))
	p.Show(networks, providers)
	p.routers()
	p.perCompute(subnets)
	p.entries()
}

// atLeast is the larger of what the scenario states and what it mentions by name.
func (p *planner) atLeast(name, title, unitName string, stated, named int, words string) derive.Value {
	given := p.Field(name, float64(stated), unitName)
	seen := p.Record(derive.Figure{ID: "neutron." + name + "Named", Title: title + " by name",
		Value: derive.Of(float64(named), unitName), Method: words})
	return p.Calc("neutron."+name, title, unitName, "max(stated, named)", derive.In("stated", given),
		derive.In("named", seen))
}

// routers measures virtual routers by row 9: alone, or as printed with DHCP servers.
func (p *planner) routers() {
	const row = 9
	routers, dhcp := p.Field("routers", float64(p.in.Neutron.Routers), "routers"),
		p.Field("dhcpServers", float64(p.in.Neutron.DHCPServers), "DHCP servers")
	value, title := routers, "Virtual routers"
	both := p.Calc("neutron.services", "Virtual routers and DHCP servers", "routers and DHCP servers", "routers + dhcp",
		derive.In("routers", routers), derive.In("dhcp", dhcp))
	if p.in.Doubts.AsPrinted() {
		value, title = both, "Virtual routers and DHCP servers"
	}
	g := p.gauge("routers", title, "cluster", value)
	p.Gauge(g)
	if both.Number == 0 {
		return
	}
	p.in.Doubts.Met(row)
	most := p.limitOf("routers").Value()
	if !p.in.Doubts.AsPrinted() && both.Number > most.Number && routers.Number <= most.Number {
		p.find(v1alpha1.Warning, "services", "network.neutron.dhcpServers", fmt.Sprintf("%s: table 12 prints %s \"virtual "+
			"routers and DHCP servers\" for a system; the row is taken for routers alone (doubt %d), "+
			"since 850 subnets are tested as well",
			both.Text, derive.Of(most.Number, "").Text, row), "test so many, or plan with policy.doubtful: "+
			"as-printed to hold the row against both", *most.From.Source).Figure = both.From.ID
	}
	p.in.Doubts.Effect(row, fmt.Sprintf("%s of %s tested; DHCP servers counted as well it would be %s",
		derive.Of(routers.Number, "routers").Text, derive.Of(most.Number, "").Text, derive.Of(both.Number, "").Text))
}

// perCompute finds what one compute host terminates, and the vSwitch ports for it.
func (p *planner) perCompute(subnets derive.Value) {
	computes := p.in.Computes
	each := func(id, title string, v derive.Value) derive.Value {
		if computes.Number <= 0 {
			return p.Calc(id, title, v.Unit, "all", derive.In("all", v))
		}
		return p.Calc(id, title, v.Unit, "ceil(all / computes)", derive.In("all", v), derive.In("computes", computes))
	}
	p.subnets = each("neutron.subnetsPerCompute", "Subnets that share a compute host", subnets)
	if n := p.in.Neutron.SubnetsPerCompute; n != nil {
		p.subnets = p.Field("subnetsPerCompute", float64(*n), "subnets")
	}
	services, _ := p.Get("neutron.services")
	p.services = each("neutron.servicesPerCompute", "Virtual routers and DHCP servers that share a compute host",
		derive.Cite(services))
	p.hostPorts = p.Calc("neutron.hostPorts", "Ports of a vSwitch for routers and DHCP servers", "ports",
		"max(subnets, services)", derive.In("subnets", p.subnets), derive.In("services", p.services))
	p.Note("neutron.hostPorts", "each subnet that is served on a host takes a port there, "+
		"and each router and DHCP server; the system spreads them evenly", derive.Source{Code: "HCG", Section: "8"})
	p.Gauge(p.gauge("subnetsPerCompute", "Subnets that share a compute host", "node", p.subnets),
		p.gauge("routersPerCompute", "Virtual routers and DHCP servers that share a compute host", "node", p.services))
	p.Detail(p.subnets, p.services, p.hostPorts)
}

// entries measures the MAC address table of a compute host.
func (p *planner) entries() {
	n := p.in.Neutron
	segments := p.Calc("neutron.segments", "Network segments on a compute host", "segments", "subnets",
		derive.In("subnets", p.subnets))
	if n.SegmentsPerCompute != nil {
		segments = p.Field("segmentsPerCompute", float64(*n.SegmentsPerCompute), "segments")
	}
	most := p.Facts.Must("hcg.vswitch.segments")
	p.Gauge(limit.Measure("segments", "Network segments on a compute host", "node", segments, most.Value(), most.Kind))
	if n.MACsPerSegment == 0 {
		return
	}
	each := p.Field("macsPerSegment", float64(n.MACsPerSegment), "entries")
	per := p.Facts.Must("hcg.vswitch.macPerSegment")
	g := limit.Measure("macPerSegment", "MAC addresses of a segment on a compute host", "node", each, per.Value(),
		per.Kind)
	g.Notes = append(per.Notes, "an unused entry goes after "+p.Fact("hcg.vswitch.macAgeing").Text)
	all := p.Calc("neutron.macEntries", "MAC addresses on a compute host", "entries", "segments * each",
		derive.In("segments", segments), derive.In("each", each))
	p.Show(all)
	theory := p.limitOf("macEntriesTheoretical")
	p.Gauge(g, p.gauge("macEntries", "MAC addresses on a compute host", "node", all),
		limit.Measure("macEntriesTheoretical", "MAC addresses on a compute host in theory", "node", all, theory.Value(),
			theory.Kind))
}

// stacks measures the largest Heat stack.
func (p *planner) stacks() {
	n := p.in.Neutron
	if n.StackResources > 0 {
		p.Gauge(p.gauge("stackResources", "Resources of a Heat stack", "stack",
			p.Field("stackResources", float64(n.StackResources), "resources")))
	}
	if n.StackServers == 0 {
		return
	}
	servers := p.Field("stackServers", float64(n.StackServers), "VMs")
	local, volume := false, len(p.in.Servers) == 0
	for _, s := range p.in.Servers {
		local, volume = local || s.Local, volume || !s.Local
	}
	if local {
		p.Gauge(p.gauge("stackLocalVMs", "VMs of a Heat stack on local storage", "stack", servers))
	}
	row, where := "stackCinderVMsDedicated", "of storage hosts"
	if p.in.Storage == ControllerStorage {
		row, where = "stackCinderVMsController", "of the controllers"
	}
	if volume {
		p.Gauge(p.gauge(row, "VMs of a Heat stack on Cinder volumes "+where, "stack", servers))
	}
	if local && volume {
		p.find(v1alpha1.Info, "stack.mixed", "network.neutron.stackServers", "the scenario has servers on local disks and "+
			"on volumes and does not say which the largest stack has: it is held against both limits",
			"split stacks of more than the smaller limit", derive.Source{Code: "HCG", Section: "8"})
	}
}

// ControllerStorage and DedicatedStorage say what backs Cinder volumes.
const (
	ControllerStorage = "controller"
	DedicatedStorage  = "dedicated"
)
