package helion_test

import (
	"math"
	"slices"
	"strconv"

	"plimsoll.dev/api/v1alpha1"
)

// frame is the mean of a frame size: bytes, or seven of 64, four of 570 and one of 1518.
func frame(size string) float64 {
	if size == "imix" {
		return (7*64 + 4*570 + 1*1518) / 12.0
	}
	n, err := strconv.ParseFloat(size, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// lineRate is the frames a second of a line by RFC 5180: 20 bytes of preamble and gap each.
func lineRate(bits, frame float64) float64 { return bits / (8 * (frame + 20)) }

// traffic of one VM on the vSwitch.
func traffic(s *v1alpha1.Server) (vnics, rules, packets, crossed float64, busy bool) {
	for _, p := range s.Ports {
		if p.VNICType != "normal" {
			continue
		}
		vnics, rules = vnics+1, rules+float64(p.SecurityRules)
		n := p.PacketsPerSecond
		if p.Bandwidth > 0 {
			n = 2 * lineRate(float64(p.Bandwidth), frame(p.FrameSize))
		}
		packets += n
		if p.CrossNUMA {
			crossed += n
		}
	}
	return vnics, rules, packets, crossed, packets > 0
}

// vswitchCores: as many as the packets take, two by default, eight at most, and no
// more than node 0 has, where all NICs of these clouds are. More than that are right
// where one core fewer would put more VMs on a host than its vSwitch could serve.
func (w *twin) vswitchCores() float64 {
	if c := w.host.Compute; c != nil && c.VSwitchCores != nil {
		return at(c.VSwitchCores, 0) + at(c.VSwitchCores, 1)
	}
	h := shapeOf(w.host)
	room := float64(h.perNode) - w.platformCores(0, h.threads, w.host.Compute)
	cores := math.Min(math.Min(8, room), math.Max(2, math.Ceil(w.coresNeeded()-1e-9)))
	if kept := w.kept(); kept > cores && w.tooFew(kept-1) {
		return kept
	}
	return cores
}

// tooFew says that a plan with so many cores for the vSwitch has more packets than those take.
func (w *twin) tooFew(cores float64) bool {
	s := *w.s
	s.Hardware.NodeTypes = slices.Clone(s.Hardware.NodeTypes)
	i := slices.IndexFunc(s.Hardware.NodeTypes, func(n v1alpha1.NodeType) bool { return n.Name == w.host.Name })
	var c v1alpha1.Compute
	if given := s.Hardware.NodeTypes[i].Compute; given != nil {
		c = *given
	}
	c.VSwitchCores = []int{int(cores)}
	s.Hardware.NodeTypes[i].Compute = &c
	less := newTwin(&s, planned(&s))
	return less.coresNeeded() > cores+1e-9
}

func (w *twin) coresNeeded() float64 {
	n, at := w.s.Network.Neutron, "["+w.host.Name+"]"
	cycles := (w.got["neutron.packets"+at] + w.got["neutron.crossed"+at]) * n.CyclesPerPacket // crossing costs half
	return cycles / (w.host.CPUGHz * 1e9 * float64(n.Utilisation))
}

func (w *twin) network() {
	n := w.s.Network.Neutron
	w.want["neutron.imix"] = frame("imix")
	tenant, provider := map[string]bool{}, map[string]bool{}
	most := func(id string, v float64) { w.want[id] = math.Max(w.want[id], v) }
	for i := range w.s.Workload.Servers {
		s := &w.s.Workload.Servers[i]
		for _, p := range s.Ports {
			tenant[p.Network] = true
			if p.PhysicalNetwork != "" {
				provider[p.PhysicalNetwork] = true
			}
			if p.VNICType == "normal" && p.SecurityRules > 0 && s.Count > 0 {
				most("neutron.rulesPerPort", float64(p.SecurityRules))
			}
		}
		if v, _, _, _, _ := traffic(s); v > 0 {
			most("neutron.portsPerVM", v)
		}
	}
	for _, nic := range w.host.NICs {
		for _, p := range nic.PhysicalNetworks {
			provider[p] = true
		}
	}
	w.want["neutron.tenantNetworksNamed"], w.want["neutron.providerNetworksNamed"] = float64(len(tenant)),
		float64(len(provider))
	w.want["neutron.tenantNetworks"] = math.Max(float64(n.TenantNetworks), float64(len(tenant)))
	w.want["neutron.providerNetworks"] = math.Max(float64(n.ProviderNetworks), float64(len(provider)))
	w.shared(n)
	w.onHost()
	w.dpdk()
}

// shared is what computes share evenly: subnets, routers, DHCP servers.
func (w *twin) shared(n v1alpha1.Neutron) {
	services := float64(n.Routers + n.DHCPServers)
	w.want["neutron.services"] = services
	subnets := math.Ceil(float64(n.Subnets) / float64(w.computes))
	w.want["neutron.subnetsPerCompute"] = subnets // the even share, also where the scenario says better
	if n.SubnetsPerCompute != nil {
		subnets = float64(*n.SubnetsPerCompute)
	}
	services = math.Ceil(services / float64(w.computes))
	w.want["neutron.servicesPerCompute"] = services
	w.want["neutron.hostPorts"] = math.Max(subnets, services)
	w.want["neutron.segments"] = subnets
	w.subnets, w.segments = subnets, subnets
	if n.SegmentsPerCompute != nil {
		w.segments = float64(*n.SegmentsPerCompute)
	}
	if n.MACsPerSegment > 0 {
		w.want["neutron.macEntries"] = w.segments * float64(n.MACsPerSegment)
	}
}

// onHost is the vSwitch of the busiest host. With one kind of VM the fullest
// host is the busiest; with several the placement decides within bounds.
func (w *twin) onHost() {
	at := "[" + w.host.Name + "]"
	physical := 0.0
	for _, nic := range w.host.NICs {
		if nic.Use == "data" {
			physical += float64(nic.Count)
		}
	}
	var vnics, rules, packets, crossed float64
	busy := false
	for i := range w.s.Workload.Servers {
		s := &w.s.Workload.Servers[i]
		v, r, p, c, b := traffic(s)
		if id := "neutron.packetsPerVM[" + s.Name + "]"; w.has(id) { // those of the busiest host are shown
			w.want[id] = p
		}
		count := w.vmsOf(s.Name)
		vnics, rules, packets, crossed, busy = vnics+count*v, rules+count*r, packets+count*p, crossed+count*c,
			busy || b && count > 0
	}
	one := func(id string, all float64) {
		v, fullest := w.got[id+at], math.Max(w.onFullest(), w.got["compute.vmsAfterLoss"])
		switch {
		case id == "neutron.crossed": // only a placement can tell what crosses besides
			least := crossed / float64(w.computes) * (1 - 1e-9)
			if len(w.s.Workload.Servers) > 1 { // the busiest host may have those whose packets don't cross
				least = 0
			}
			if v < least && v < crossed || v > w.got["neutron.packets"+at]*(1+1e-9) {
				v = math.NaN()
			}
		case w.model == "cpe": // one host alone carries all
			v = all
		case len(w.s.Workload.Servers) == 1:
			v = all / w.vms() * fullest
		case id == "neutron.packets" && (v+w.got["neutron.crossed"+at])*float64(w.computes) >= (packets+crossed)*(1-1e-9) &&
			v <= all*(1+1e-9):
		case v*float64(w.computes) < all*(1-1e-9) || v > all*(1+1e-9):
			v = math.NaN()
		}
		w.want[id+at] = v
	}
	w.want["neutron.physicalPorts"+at] = physical
	one("neutron.vnics", vnics)
	one("neutron.rules", rules)
	w.want["neutron.ports"+at] = physical + w.want["neutron.vnics"+at] + w.want["neutron.hostPorts"]
	w.want["neutron.cores"+at] = w.vswitchCores()
	if busy {
		one("neutron.packets", packets)
		one("neutron.crossed", crossed)
		w.want["neutron.coresNeeded"+at] = w.coresNeeded()
	}
}

// dpdk is the memory of OVS-DPDK by NUMA node: each MTU's buffers and 512 MB,
// up to the next GB; 1 GB where there is no NIC.
func (w *twin) dpdk() {
	for node := range shapeOf(w.host).nodes {
		mtus := map[int]bool{}
		for _, nic := range w.host.NICs {
			if nic.Use == "data" && nic.NUMANode != nil && *nic.NUMANode == node {
				mtus[nic.MTU] = true
			}
		}
		need := 512.0 * mib
		for mtu := range mtus {
			need += (math.Ceil(float64(mtu)/1024)*1024 + 800) * 4096 * 64
		}
		w.want[text("neutron.dpdk[%s/%d]", w.host.Name, node)] = math.Ceil(need/gib) * gib
	}
}
