package neutron

import (
	"fmt"
	"maps"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/unit"
)

// typeFindings says what is wrong on the hosts of a node type.
func (p *planner) typeFindings(t Type, loads []hostLoad, r TypeResult, q busy) {
	p.portFindings(t, q)
	p.ruleFindings(t, q)
	p.coreFindings(t, r, q)
	p.numaFindings(t, r, loads)
	p.awayFindings(t, r)
	p.frameFindings(t)
	p.lineFindings(t, loads)
	p.memoryFindings(t, q)
}

func (p *planner) portFindings(t Type, q busy) {
	ports, physical := p.limitOf("ports").Value(), p.limitOf("physicalPorts").Value()
	if q.physical.Number > physical.Number {
		p.find(v1alpha1.Error, "physicalPorts["+t.Name+"]", t.Path+".nics",
			fmt.Sprintf("%s: %s of use data, a vSwitch has %s at most", t.Name, q.physical.Text,
				derive.Of(physical.Number, "").Text),
			"give the vSwitch fewer ports, or faster ones", hcg, *physical.From.Source).Figure = q.physical.From.ID
	}
	if q.ports.Number > ports.Number {
		room := max(0, ports.Number-q.physical.Number-p.hostPorts.Number)
		remedy := fmt.Sprintf("no more than %s on a host, or ports of type direct", derive.Of(room, "vNICs").Text)
		if room == 0 {
			remedy = "routers and DHCP servers on more compute hosts"
		}
		p.find(v1alpha1.Error, "ports["+t.Name+"]", "workload.servers",
			fmt.Sprintf("%s: %s on %s (%s, %s, %s for routers and DHCP), a vSwitch has %s", t.Name, q.ports.Text, q.portsHost,
				derive.Of(q.physical.Number, "physical ports").Text, q.vnics.Text,
				derive.Of(p.hostPorts.Number, "").Text, derive.Of(ports.Number, "").Text),
			remedy, hcg, *ports.From.Source).Figure = q.ports.From.ID
	}
}

func (p *planner) ruleFindings(t Type, q busy) {
	if text := p.limitOf("securityRules").Value(); q.rules.Number <= p.ruleLimit.Number {
		if q.rules.Number > text.Number {
			p.find(v1alpha1.Warning, "rules.text["+t.Name+"]", "workload.servers", fmt.Sprintf("%s: %s on %s keep to table "+
				"12's %s, but the text of HCG 5 says that a vSwitch holds %s (doubt 6)", t.Name, q.rules.Text, q.rulesHost,
				derive.Of(p.ruleLimit.Number, "").Text, derive.Of(text.Number, "").Text), "keep to the smaller number",
				hcg).Figure = q.rules.From.ID
		}
		return
	}
	remedy := "fewer rules"
	if q.vnics.Number > 0 {
		remedy = fmt.Sprintf("%s on each of its %s would fit",
			derive.Of(RulesEach(p.ruleLimit.Number, q.vnics.Number), "rules").Text, q.vnics.Text)
	}
	p.find(v1alpha1.Error, "rules["+t.Name+"]", "workload.servers", fmt.Sprintf("%s: %s on %s, a vSwitch holds %s", t.Name,
		q.rules.Text, q.rulesHost, derive.Of(p.ruleLimit.Number, "").Text),
		remedy, hcg, *p.ruleLimit.From.Source).Figure = q.rules.From.ID
}

// RulesEach is how many security rules each of so many ports may have when a vSwitch
// holds most in all.
func RulesEach(most, ports float64) float64 { return derive.Floor(most / ports) }

// coreFindings judges the vSwitch's cores against the packets.
func (p *planner) coreFindings(t Type, r TypeResult, q busy) {
	least, most := p.Fact("hcg.compute.vswitchCoresMin"), p.Fact("hcg.compute.vswitchCoresMax")
	field := t.Path + ".compute.vSwitchCores"
	switch {
	case q.over > 0:
		limits := "a vSwitch has " + most.Text + " at most"
		if q.cores.Number < most.Number {
			limits = fmt.Sprintf("the NUMA nodes of its NICs have room for %s beside the platform's", q.cores.Text)
		}
		p.find(v1alpha1.Error, "cores.most["+t.Name+"]", "workload.servers",
			fmt.Sprintf("%s: the packets on %s take %s, %s", t.Name, q.packetsHost, q.needed.Text, limits),
			"fewer such VMs on a host, ports of type direct, or larger frames", hcg).Figure = q.needed.From.ID
	case q.cores.Number > most.Number:
		p.find(v1alpha1.Error, "cores.most["+t.Name+"]", field, fmt.Sprintf("%s: %s for the vSwitch, %s at most", t.Name,
			q.cores.Text, most.Text), "keep to "+most.Text, hcg).Figure = q.cores.From.ID
	case q.cores.Number < least.Number:
		p.find(v1alpha1.Error, "cores.least["+t.Name+"]", field, t.Name+": no core for the vSwitch",
			"give it "+least.Text+" at least", hcg).Figure = q.cores.From.ID
	}
	for node, exact := range q.exact {
		if q.over > 0 || exact <= float64(r.Cores[node])+1e-9 {
			continue
		}
		severity := v1alpha1.Error
		if p.flow.sample {
			severity = v1alpha1.Warning
		}
		p.find(severity, fmt.Sprintf("cores.short[%s/%d]", t.Name, node), field,
			fmt.Sprintf("%s: the packets on %s take %s on NUMA node %d, the vSwitch has %s there", t.Name, q.packetsHost,
				derive.Of(exact, "cores").Text, node, derive.Of(float64(r.Cores[node]), "cores").Text),
			fmt.Sprintf("give it %s there, or spread the VMs",
				derive.Of(derive.Ceil(exact), "cores").Text)).Figure = q.needed.From.ID
	}
	if p.flow.sample && q.packets.Number > 0 {
		p.sampleFinding(t, q)
	}
}

// sampleFinding says that the cores rest on a published sample.
func (p *planner) sampleFinding(t Type, q busy) {
	p.find(v1alpha1.Info, "cycles.sample["+t.Name+"]", "network.neutron.cyclesPerPacket",
		fmt.Sprintf("%s: the vSwitch's cores rest on %s a packet, a published sample (%s); "+
			"the cores have %s for each of its packets", t.Name, p.flow.cycles.Text,
			p.Facts.Must("vswitch.cyclesPerPacket").Conditions, q.budget.Text), "measure a core of yours under such traffic "+
			"and set network.neutron.cyclesPerPacket", *p.Fact("vswitch.cyclesPerPacket").From.Source).Figure = q.needed.From.ID
}

// numaFindings compares the nodes of the vSwitch's cores with those of its NICs.
func (p *planner) numaFindings(t Type, r TypeResult, loads []hostLoad) {
	nics, silent := map[int]string{}, false
	for _, nic := range t.carrying("data", "") {
		if nic.NUMANode == nil {
			silent = true
			continue
		}
		nics[t.node(nic)] = nic.Name
	}
	if len(nics) == 0 || t.nodes() == 1 {
		return
	}
	busy := slices.ContainsFunc(loads, func(l hostLoad) bool { return sum(l.load.packets) > 0 })
	severity := v1alpha1.Info
	if t.VSwitchCores != nil || busy {
		severity = v1alpha1.Warning
	}
	for _, node := range slices.Sorted(maps.Keys(nics)) {
		if node < len(r.Cores) && r.Cores[node] > 0 {
			continue
		}
		p.find(severity, fmt.Sprintf("numa.nic[%s/%d]", t.Name, node), t.Path+".compute.vSwitchCores",
			fmt.Sprintf("%s: the vSwitch has no core on NUMA node %d, where its NIC %s is: "+
				"all packets of the NIC cross nodes, which may halve its throughput or worse", t.Name, node, nics[node]),
			"give the vSwitch cores on the nodes of its NICs", hcg, derive.Source{Code: "HCG", Section: "7"})
	}
	for node, n := range r.Cores {
		if _, ok := nics[node]; n > 0 && !ok && !silent {
			p.find(severity, fmt.Sprintf("numa.split[%s/%d]", t.Name, node), t.Path+".compute.vSwitchCores",
				fmt.Sprintf("%s: the vSwitch has %s on NUMA node %d, which has none of its NICs", t.Name,
					derive.Of(float64(n), "cores").Text, node),
				"put its cores on the nodes of its NICs, and split them only if the NICs are split", hcg)
		}
	}
}

// lineFindings compares what the ports of a host carry with its NICs' line rates.
func (p *planner) lineFindings(t Type, loads []hostLoad) {
	for _, use := range []struct{ nic, kind, words string }{{"data", normal, "the vSwitch's NICs"},
		{"sriov", direct, "the SR-IOV NICs"}} {
		networks := append([]string{""}, slices.Sorted(maps.Keys(p.physicals))...)
		for _, network := range networks {
			p.line(t, loads, use.nic, use.kind, use.words, network)
		}
	}
}

// line compares the ports of a kind on one physical network, or on all when it is
// empty, with the NICs that carry it.
func (p *planner) line(t Type, loads []hostLoad, use, portKind, words, network string) {
	nics := t.carrying(use, network)
	_, bits := capacity(nics)
	if len(nics) == 0 || network != "" && !slices.Contains(nics[0].PhysicalNetworks, network) {
		return
	}
	h, most := p.fullest(loads, func(s Server) float64 {
		total := 0.0
		for _, port := range s.Ports {
			if kind(port) == portKind && (network == "" || port.PhysicalNetwork == network) {
				total += LineBits(port, p.flow.frame(port), p.flow.gap)
			}
		}
		return total
	})
	if most <= bits*(1+1e-9) {
		return
	}
	where, id := words, use+"["+t.Name+"]"
	if network != "" {
		where, id = words+" on "+network, use+"["+t.Name+"/"+network+"]"
	}
	p.find(v1alpha1.Warning, "line."+id, t.Path+".nics",
		fmt.Sprintf("%s: the ports of %s carry %s in a direction, %s only %s", t.Name, named(h),
			derive.Of(most, unit.BitsPerS).Text, where, derive.Of(bits, unit.BitsPerS).Text),
		"more or faster NICs, or fewer such VMs on a host; traffic that stays on the host does not count", hcg,
		derive.Source{Code: "RFC 5180", Section: "Appendix A"})
}

// unwired names ports of the vSwitch that no data interface of any host carries. An interface that
// names no networks may carry any. Where no host lists an interface at all, one that tenant networks
// share is taken to be there, and what it bears stays open.
func (p *planner) unwired() {
	carried, wired, listed := map[string]bool{}, false, false
	for _, t := range p.in.Types {
		listed = listed || len(t.NICs) > 0
		for _, nic := range t.carrying("data", "") {
			for _, n := range nic.PhysicalNetworks {
				carried[n] = true
			}
			if wired = true; len(nic.PhysicalNetworks) == 0 {
				return
			}
		}
	}
	const none = ": no host has an interface of use data"
	var taken []string
	for _, s := range p.in.Servers {
		for i, port := range s.Ports {
			n := port.PhysicalNetwork
			if kind(port) != normal || carried[n] || n == "" && wired {
				continue
			}
			severity, what, remedy := v1alpha1.Error, none, "add one to the compute hosts"
			switch {
			case n != "":
				what += " on the physical network " + n
			case !listed:
				severity, what = v1alpha1.Warning, ": no host lists an interface: one of use data is taken to be there"
				taken = append(taken, s.Name)
			}
			if wired {
				remedy = "name it under physicalNetworks of an interface, or one of " +
					words.And(slices.Sorted(maps.Keys(carried)))
			}
			p.find(severity, fmt.Sprintf("unwired[%s/%d]", s.Name, i), fmt.Sprintf("%s.ports[%d]", s.Path, i), s.Name+what,
				remedy)
			if n == "" { // and so are its others
				break
			}
		}
	}
	if len(taken) > 0 {
		p.r.Open = append(p.r.Open, "interfaces: no host lists any, and VMs of "+words.Some(taken, 4)+" have ports")
	}
}
