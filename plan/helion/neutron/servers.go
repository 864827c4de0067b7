package neutron

import (
	"fmt"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/limit"
)

// servers checks the ports of each kind of VM.
func (p *planner) servers() {
	ports, rules := 0, 0
	for _, s := range p.in.Servers {
		ports = max(ports, s.count(normal))
		for _, port := range s.Ports {
			if kind(port) == normal {
				rules = max(rules, port.SecurityRules)
			}
		}
	}
	if ports > 0 {
		p.portsPerVM = p.most("neutron.portsPerVM", "Most vNICs of a VM", ports, "ports")
		p.Gauge(p.gauge("portsPerVM", "vNICs of a VM", "server", p.portsPerVM).AsLocal())
	}
	p.devices()
	if rules > 0 {
		p.rulesPerPort = p.most("neutron.rulesPerPort", "Most security rules of a port", rules, "rules")
		most := p.Facts.Must("hcg.vswitch.rulesPerPort")
		p.Gauge(limit.Measure("rulesPerPort", "Security rules of a port", "port", p.rulesPerPort, most.Value(),
			most.Kind).AsLocal())
	}
	for _, s := range p.in.Servers {
		p.portCounts(s)
		for i, port := range s.Ports {
			p.port(s, port, fmt.Sprintf("%s.ports[%d]", s.Path, i))
		}
		p.vhost(s)
	}
}

// devices measures virtual functions and passed-through NICs of a VM.
func (p *planner) devices() {
	for _, k := range []struct{ kind, id, title, fact string }{
		{direct, "vfsPerVM", "Virtual functions of a VM", "hcg.vswitch.vfsPerVM"},
		{passthrough, "passthroughPerVM", "Passed-through NICs of a VM", "hcg.vswitch.passthroughPerVM"},
	} {
		n := 0
		for _, s := range p.in.Servers {
			n = max(n, s.count(k.kind))
		}
		if n == 0 {
			continue
		}
		v := p.Record(derive.Figure{ID: "neutron." + k.id, Title: "Most of: " + strings.ToLower(k.title[:1]) + k.title[1:],
			Value: derive.Of(float64(n), "ports"), Method: "the largest among the servers' ports of type " + k.kind,
			Inputs:  []derive.Input{derive.In("ports", derive.Given("workload.servers", n, "ports"))},
			Sources: []derive.Source{hcg}})
		p.Detail(v)
		most := p.Facts.Must(k.fact)
		p.Gauge(limit.Measure(k.id, k.title, "server", v, most.Value(), most.Kind).AsLocal())
	}
}

// most records the largest of a number that the servers' ports have.
func (p *planner) most(id, title string, n int, unitName string) derive.Value {
	v := p.Record(derive.Figure{ID: id, Title: title, Value: derive.Of(float64(n), unitName),
		Method:  "the largest among the servers' ports of type normal",
		Inputs:  []derive.Input{derive.In("ports", derive.Given("workload.servers", n, unitName))},
		Sources: []derive.Source{hcg}})
	p.Detail(v)
	return v
}

// portCounts checks how many ports of each kind a VM has.
func (p *planner) portCounts(s Server) {
	all := 0
	for _, k := range []struct{ kind, id, what, fact, figure string }{
		{normal, "vnics", "vNICs", "hcg.max.portsPerVM/4.0", "neutron.portsPerVM"},
		{direct, "vfs", "virtual functions", "hcg.vswitch.vfsPerVM", "neutron.vfsPerVM"},
		{passthrough, "passthrough", "passed-through NICs", "hcg.vswitch.passthroughPerVM", "neutron.passthroughPerVM"},
	} {
		n, most := s.count(k.kind), p.Fact(k.fact)
		all += n
		if float64(n) > most.Number {
			p.find(v1alpha1.Error, k.id+"["+s.Name+"]", s.Path+".ports", fmt.Sprintf("%s: %s, a VM has %s at most", s.Name,
				derive.Of(float64(n), k.what).Text, derive.Of(most.Number, "").Text),
				"spread them over more VMs, or carry several networks on one port as VLANs").Figure = k.figure
		}
	}
	most := p.Fact("hcg.max.portsPerVM/4.0")
	if each := max(s.count(normal), s.count(direct), s.count(passthrough)); float64(all) > most.Number &&
		float64(each) <= most.Number {
		p.find(v1alpha1.Warning, "devices["+s.Name+"]", s.Path+".ports",
			fmt.Sprintf("%s: %s of all kinds; the document allows %s of each kind and calls it a limit of KVM, "+
				"which does not tell kinds apart", s.Name, derive.Of(float64(all), "ports").Text, derive.Of(most.Number, "").Text),
			"keep to "+most.Text+" in all, or test such a VM", hcg, *most.From.Source)
	}
}

// port checks one port of a VM.
func (p *planner) port(s Server, port v1alpha1.Port, path string) {
	if _, err := ParseFrame(port.FrameSize, p.flow.imix); err != nil {
		p.find(v1alpha1.Error, "frame["+s.Name+"]", path+".frameSize", s.Name+": "+err.Error(), "correct it")
	}
	most := p.Fact("hcg.vswitch.rulesPerPort")
	switch {
	case port.SecurityRules == 0:
	case kind(port) != normal:
		p.find(v1alpha1.Warning, "bypass["+path+"]", path+".securityRules",
			fmt.Sprintf("%s: a port of type %s passes by the vSwitch, so that its %s have no effect", s.Name, port.VNICType,
				derive.Of(float64(port.SecurityRules), "security rules").Text),
			"filter in the VM or in the network, or take a port of type normal; "+
				"QoS and the routers and DHCP of the vSwitch are missing there too")
	case float64(port.SecurityRules) > most.Number:
		p.find(v1alpha1.Error, "rules.port["+path+"]", path+".securityRules",
			fmt.Sprintf("%s: %s on a port, %s at most, ingress and egress together", s.Name,
				derive.Of(float64(port.SecurityRules), "rules").Text, derive.Of(most.Number, "").Text),
			"use wildcards and port ranges").Figure = p.rulesPerPort.From.ID
	}
	if kind(port) == direct || kind(port) == passthrough {
		return
	}
	if size := p.flow.frame(port); float64(port.Bandwidth) > 0 && port.PacketsPerSecond > 0 &&
		port.PacketsPerSecond > 2*LineRate(float64(port.Bandwidth), size, p.flow.gap)*1.001 {
		p.find(v1alpha1.Warning, "packets["+path+"]", path+".packetsPerSecond",
			fmt.Sprintf("%s: %s in both directions do not fit into %s with frames of %s", s.Name,
				derive.Of(port.PacketsPerSecond, pps).Text, derive.Of(float64(port.Bandwidth), "bit/s").Text,
				derive.Of(size, "bytes").Text),
			"correct the rate, the bandwidth or the frame size", derive.Source{Code: "RFC 5180", Section: "Appendix A"})
	}
}

// vhost checks that fast ports have huge pages.
func (p *planner) vhost(s Server) {
	if !s.SmallPages || s.count(normal) == 0 {
		return
	}
	p.find(v1alpha1.Warning, "vhost["+s.Name+"]", s.Path+".flavor",
		fmt.Sprintf("%s: memory of 4K pages; vhost-user needs %s, so that all packets of its %s go through QEMU, "+
			"which is much slower", s.Name, p.Fact("hcg.vswitch.vhost").Text, derive.Of(float64(s.count(normal)), "vNICs").Text),
		"set hw:mem_page_size to 2MB, 1GB or large in its flavor")
}
