package network

import (
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/part"
	"plimsoll.dev/unit"
)

// table shows what fits and what it costs for the NIC MTUs of normal Ethernet
// and of jumbo frames, and for the scenario's own where it is another.
func (n *planner) table(h Headers, own derive.Value) {
	nics := []derive.Value{n.nicFact("ocp.mtu.ethernetNIC"), n.nicFact("ocp.mtu.jumboNIC")}
	if !slices.ContainsFunc(nics, func(v derive.Value) bool { return v.Number == own.Number }) {
		nics = append(nics, own)
	}
	t := n.Table("network.mtu", "MTU and efficiency by tunnel",
		part.Right("NIC MTU"), part.Left("between nodes"), part.Right("allowance"), part.Right("headers"),
		part.Right("cluster MTU"), part.Right("added to a packet"), part.Right("TCP share of the link"),
		part.Right("lost to it"))
	t.Wide = true
	own6, inner6 := n.path().Outer6, n.path().Inner6
	for _, nic := range nics {
		var lines []Path
		for _, tunnel := range []string{VXLAN, Geneve} {
			lines = append(lines, Path{Tunnel: tunnel, Outer6: own6, Inner6: inner6},
				Path{Tunnel: tunnel, IPsec: true, Outer6: own6, Inner6: inner6})
		}
		for i, p := range lines {
			suffix := rowSuffix(int(nic.Int()), p)
			cluster := n.safeMTU(h, suffix, p, nic)
			k := n.cost(h, suffix, p, nic, cluster)
			if i == 0 {
				t.Rows = append(t.Rows, noTunnelRow(nic, k.plain))
			}
			t.Rows = append(t.Rows, row(nic, p, n.Figure("network.mtu.rule"+suffix), n.Figure("network.mtu.headers"+suffix),
				cluster, k))
		}
	}
	ip := "IPv4"
	if own6 {
		ip = "IPv6"
	}
	t.Notes = append(t.Notes,
		"Over "+ip+" between the nodes. The share is that of a TCP stream of full packets, "+
			"preamble and gap of the Ethernet frame counted.",
		"The cluster MTU is the NIC MTU less the platform's allowance or the headers, whichever is more (OCP 12.1).")
}

func (n *planner) nicFact(id string) derive.Value {
	f := n.Facts.Must(id)
	return f.Value().WithText(plainBytes(int(f.Number)))
}

// rowSuffix tells the figures of the table's rows apart: "[1500/Geneve + IPsec]".
func rowSuffix(nic int, p Path) string { return fmt.Sprintf("[%d/%s]", nic, p) }

func row(nic derive.Value, p Path, rule, headers, cluster derive.Value, k cost) []v1alpha1.Cell {
	return []v1alpha1.Cell{
		bare(nic), part.Text(p.String()), bare(rule), bare(headers), bare(cluster), bare(k.overhead), part.Num(k.efficiency),
		part.Num(k.loss),
	}
}

func noTunnelRow(nic, plain derive.Value) []v1alpha1.Cell {
	none := bare(derive.Of(0, unit.ByteUnit))
	return []v1alpha1.Cell{bare(nic), part.Text(NoTunnel), none, none, bare(nic), none, part.Num(plain),
		part.Num(derive.Of(0, unit.Percent))}
}

// bare is a cell of a number of bytes without its unit, which the heading implies.
func bare(v derive.Value) v1alpha1.Cell { return part.Num(v.WithText(fmt.Sprint(v.Int()))) }
