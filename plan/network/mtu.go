package network

import (
	"fmt"
	"math"

	"plimsoll.dev/part"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/unit"
)

// mtu derives or checks the cluster MTU, says what tunnel and encryption cost,
// and shows both common NIC MTUs with every tunnel.
func (n *planner) mtu() {
	n.res.Decision.IPsec = n.in.Config.IPsec
	nic := n.Field("nicMTU", float64(n.in.Config.NICMTU), unit.ByteUnit).WithText(plainBytes(n.in.Config.NICMTU))
	h := LoadHeaders(n.Facts)
	n.table(h, nic)
	path := n.path()
	if path.Tunnel == NoTunnel {
		n.unknownTunnel(nic)
		return
	}
	safe := n.safeMTU(h, "", path, nic)
	chosen := safe
	if given := n.in.Config.ClusterMTU; given != nil {
		chosen = n.Field("clusterMTU", float64(*given), unit.ByteUnit).WithText(plainBytes(*given))
		n.Detail(safe)
	} else {
		n.Show(safe)
	}
	n.res.ClusterMTU = chosen
	n.res.Decision.ClusterMTU = int(chosen.Int())
	own := n.cost(h, "", path, nic, chosen)
	n.Show(own.overhead, own.efficiency, own.loss)
	n.speed(h, own)
	n.checkSmallest(nic, chosen)
	if n.in.Config.ClusterMTU != nil {
		n.checkMTU(h, path, nic, safe, chosen)
	}
	n.advise(path, nic, own)
}

// path is how packets travel in this cluster.
func (n *planner) path() Path {
	return Path{
		Tunnel: n.res.Plugin.Tunnel, IPsec: n.in.Config.IPsec,
		Outer6: n.in.Config.IPFamily == "IPv6", Inner6: n.ipv6Only(),
	}
}

// plainBytes writes an MTU as people know it, without thousands.
func plainBytes(mtu int) string { return fmt.Sprintf("%d bytes", mtu) }

func mtuValue(number float64) derive.Value {
	return derive.Of(number, unit.ByteUnit).WithText(plainBytes(int(math.Round(number))))
}

// safeMTU is the largest cluster MTU that both the platform's rule and the
// headers allow (OCP 12.1: 50 bytes for VXLAN, 100 for Geneve).
func (n *planner) safeMTU(h Headers, suffix string, p Path, nic derive.Value) derive.Value {
	rule := n.rule(suffix, p)
	worst := h.worst(p)
	headers := n.Record(derive.Figure{
		ID: "network.mtu.headers" + suffix, Title: "Headers of " + p.String() + " at most",
		Value: mtuValue(worst.number), Formula: worst.formula, Inputs: worst.inputs,
	})
	return n.Record(derive.Figure{
		ID: "network.mtu.cluster" + suffix, Title: "Largest safe cluster MTU with " + p.String(),
		Value: mtuValue(nic.Number - math.Max(rule.Number, headers.Number)), Formula: "nic - max(rule, headers)",
		Inputs:  []derive.Input{derive.In("nic", nic), derive.In("rule", rule), derive.In("headers", headers)},
		Notes:   n.mtuNotes(rule, headers),
		Sources: []derive.Source{part.OCP("12.1")},
	})
}

func (n *planner) mtuNotes(rule, headers derive.Value) []string {
	notes := []string{"The NIC MTU is set at installation only."}
	switch {
	case headers.Number > rule.Number:
		notes = append(notes, fmt.Sprintf("The platform's rule of %s is for IPv4; the headers take %s here.", rule, headers))
	case headers.Number < rule.Number:
		notes = append(notes, fmt.Sprintf("The headers take %s; the rest of the rule's %s is the platform's reserve.",
			headers, rule))
	}
	return notes
}

// rule is what the platform wants the cluster MTU to stay below the NIC MTU.
func (n *planner) rule(suffix string, p Path) derive.Value {
	var s sum
	switch p.Tunnel {
	case VXLAN:
		s.add("vxlan", n.Fact("ocp.mtu.vxlanOverhead"))
	case Geneve:
		s.add("geneve", n.Fact("ocp.mtu.geneveOverhead"))
	}
	f := derive.Figure{ID: "network.mtu.rule" + suffix, Title: "The platform's allowance for " + p.String(),
		Sources: []derive.Source{part.OCP("12.1")}}
	if p.IPsec {
		s.add("ipsec", n.Fact("ocp.mtu.ipsecOverhead"))
		f.Notes = append(f.Notes,
			"46 bytes hold ESP with AES-GCM at its worst (37) and UDP around it where addresses are translated (8).")
		if p.Tunnel == VXLAN {
			f.Notes = append(f.Notes, "Published for OVN-Kubernetes; ESP around VXLAN is the same.")
		}
	}
	f.Value, f.Formula, f.Inputs = mtuValue(s.number), s.formula, s.inputs
	return n.Record(f)
}

// cost is what a path takes from the link with full packets of a size.
type cost struct {
	overhead, efficiency, loss derive.Value
	plain                      derive.Value
}

func (n *planner) cost(h Headers, suffix string, p Path, nic, size derive.Value) cost {
	var k cost
	over := h.overhead(p, size)
	k.overhead = n.Record(derive.Figure{
		ID: "network.mtu.overhead" + suffix, Title: "Bytes that " + p.String() + " adds to a full packet",
		Value: mtuValue(over.number), Formula: over.formula, Inputs: over.inputs,
	})
	k.efficiency = n.efficiency(h, "network.mtu.efficiency"+suffix, p, size, k.overhead)
	bare := Path{Tunnel: NoTunnel, Inner6: p.Inner6}
	k.plain = n.efficiency(h, fmt.Sprintf("network.mtu.efficiency[%d/none]", nic.Int()), bare, nic, mtuValue(0))
	k.loss = n.Calc("network.mtu.loss"+suffix, "Throughput lost to "+p.String()+", against no tunnel", unit.Percent,
		"100 * (1 - efficiency / plain)", derive.In("efficiency", k.efficiency), derive.In("plain", k.plain))
	return k
}

func (n *planner) efficiency(h Headers, id string, p Path, size, overhead derive.Value) derive.Value {
	return n.Record(derive.Figure{
		ID: id, Title: fmt.Sprintf("Share of the link for TCP data, %s, packets of %d", p, size.Int()),
		Value:   derive.Of(100*h.Efficiency(p, int(size.Int())), unit.Percent),
		Formula: "100 * (packet - innerIP - tcp - timestamps) / (packet + overhead + ethernet + wire)",
		Inputs: []derive.Input{
			derive.In("packet", size), derive.In("innerIP", h.innerIP(p)), derive.In("tcp", h.TCP),
			derive.In("timestamps", h.Timestamps),
			derive.In("overhead", overhead), derive.In("ethernet", h.Ethernet), derive.In("wire", h.Wire),
		},
		Notes: []string{"A bulk stream of full packets; the CPU may reach its end first."},
	})
}

// speed turns the efficiency into a rate where the interfaces' speed is known.
func (n *planner) speed(h Headers, own cost) {
	if n.in.NICSpeed.Number <= 0 {
		return
	}
	goodput := n.Calc("network.goodput", "TCP data on a link between nodes at most", unit.BitsPerS,
		"nic * efficiency / 100", derive.In("nic", n.in.NICSpeed), derive.In("efficiency", own.efficiency))
	packets := n.Calc("network.packetRate", "Full packets a second on a link", "packets/s",
		"nic / 8 / (packet + overhead + ethernet + wire)", derive.In("nic", n.in.NICSpeed),
		derive.In("packet", n.res.ClusterMTU),
		derive.In("overhead", own.overhead), derive.In("ethernet", h.Ethernet), derive.In("wire", h.Wire))
	n.Show(goodput)
	n.Detail(packets)
}

// unknownTunnel says why there is no cluster MTU.
func (n *planner) unknownTunnel(nic derive.Value) {
	given, chosen := n.in.Config.ClusterMTU, nic
	if given != nil {
		n.res.Decision.ClusterMTU = *given
		n.res.ClusterMTU = n.Field("clusterMTU", float64(*given), unit.ByteUnit).WithText(plainBytes(*given))
		chosen = n.res.ClusterMTU
		if *given > int(nic.Int()) {
			n.Find(v1alpha1.Error, "network.mtu.tooLarge",
				fmt.Sprintf("a cluster MTU of %d does not fit the NIC MTU of %d", *given, nic.Int()),
				"lower network.clusterMTU, by the plug-in's headers too").Field = "network.clusterMTU"
		}
	}
	n.checkSmallest(nic, chosen)
	n.Find(v1alpha1.Info, "network.mtu.unknown",
		"the network plug-in is not known, so its headers aren't either: the plan sets no cluster MTU",
		"take it from the table of MTUs by the plug-in's tunnel, or set network.type").Field = "network.type"
}
