package ovs

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator draws rules and packets from few values, so that they meet.
type generator struct{ *rand.Rand }

func (g *generator) one(of ...string) string { return of[g.IntN(len(of))] }

const tables = 6

// rules with a cookie each, and a priority that no other rule of the table has.
func (g *generator) rules() string {
	var b strings.Builder
	cookie := 0
	for table := range tables {
		for _, priority := range g.Perm(40)[:8+g.IntN(16)] {
			cookie++
			match, kind := g.match()
			fmt.Fprintf(&b, "table=%d,cookie=%d,priority=%d%s actions=%s\n", table, cookie, priority+1, match,
				g.actions(table, kind))
		}
		if g.IntN(5) > 0 {
			cookie++
			fmt.Fprintf(&b, "table=%d,cookie=%d,priority=0 actions=%s\n", table, cookie, g.actions(table, ""))
		}
	}
	return b.String()
}

func (g *generator) v4() string {
	return g.one("10.0.0.1", "10.0.0.2", "10.0.1.1", "10.128.0.5", "10.131.0.4")
}
func (g *generator) v6() string { return g.one("fd01::1", "fd01::2", "fd02::1", "fe80::7") }
func (g *generator) mac() string {
	return g.one("0a:00:00:00:00:01", "0a:00:00:00:00:02", "0b:00:00:00:00:01")
}
func (g *generator) port() string { return g.one("1", "2", "3", "4", "5", "6") }
func (g *generator) tp() string   { return g.one("80", "443", "8080", "53") }
func (g *generator) reg() string  { return fmt.Sprintf("reg%d", g.IntN(4)) }
func (g *generator) small() string {
	return g.one("0", "1", "2", "0x5", "0x10001")
}

// kinds of packets, and whether they are of IP.
var kinds = []string{"tcp", "tcp", "tcp", "udp", "icmp", "ip", "ip", "arp", "tcp6", "udp6", "icmp6", "ipv6", ""}

// match of a rule, and the kind of packets that it is of.
func (g *generator) match() (text, kind string) {
	kind = g.one(kinds...)
	parts := []string{""}
	add := func(often int, format string, args ...any) {
		if g.IntN(100) < often {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	if kind != "" {
		parts = append(parts, kind)
	}
	add(10, "in_port=%s", g.port())
	add(8, "dl_src=%s", g.mac())
	add(8, "dl_dst=%s%s", g.mac(), g.one("", "/ff:00:00:00:00:00", "/01:00:00:00:00:00"))
	add(8, "%s=%s%s", g.reg(), g.small(), g.one("", "", "/0x3", "/0x10000"))
	add(4, "xxreg0=0x1/0x1")
	add(4, "xreg1=%s", g.small())
	add(5, "metadata=%s%s", g.small(), g.one("", "/0xff"))
	add(4, "pkt_mark=%s", g.small())
	add(4, "tun_id=%s", g.small())
	add(25, "ct_state=%s", g.one("-trk", "-trk", "+trk", "+trk+new", "+est", "+est+rpl", "+rpl", "-new+est-rpl", "new|trk",
		"-rpl", "-inv"))
	add(6, "ct_zone=%s", g.one("0", "1", "7"))
	add(6, "ct_mark=%s%s", g.small(), g.one("", "/0x1"))
	add(3, "ct_label=0x5/0xf")
	add(8, "%s", g.one("dl_vlan=5", "dl_vlan=0xffff", "dl_vlan=7,dl_vlan_pcp=2", "vlan_tci=0x1000/0x1000",
		"vlan_tci=0/0x1fff",
		"vlan_tci=0/0x1000"))
	g.network(kind, add)
	return strings.Join(parts, g.one(",", ", ")), kind
}

// network fields of a kind of packets.
func (g *generator) network(kind string, add func(often int, format string, args ...any)) {
	four := kind == "tcp" || kind == "udp" || kind == "icmp" || kind == "ip"
	six := strings.HasSuffix(kind, "6")
	if four {
		add(15, "nw_src=%s%s", g.v4(), g.one("", "/24", "/8", "/255.0.0.1"))
		add(15, "nw_dst=%s%s", g.v4(), g.one("", "/24", "/9"))
	}
	if six {
		add(25, "ipv6_src=%s%s", g.v6(), g.one("", "/16", "/64"))
		add(25, "ipv6_dst=%s%s", g.v6(), g.one("", "/16"))
		add(5, "ipv6_label=%s", g.one("0", "0x5"))
	}
	if four || six {
		add(5, "nw_tos=%s", g.one("0", "16", "32"))
		add(3, "nw_ecn=%s", g.one("0", "1"))
		add(5, "nw_ttl=%s", g.one("0", "1", "64"))
		add(5, "nw_frag=%s", g.one("no", "yes", "first", "not_later"))
	}
	switch kind {
	case "tcp", "udp", "tcp6", "udp6":
		name := kind[:3]
		add(15, "%s_src=%s", g.one(name, "tp"), g.tp())
		add(25, "%s_dst=%s%s", name, g.tp(), g.one("", "", "/0xfff0"))
		if name == "tcp" {
			add(6, "tcp_flags=%s", g.one("+syn-ack", "+ack", "syn|ack", "-rst"))
		}
	case "icmp":
		add(20, "icmp_type=%s", g.one("0", "8"))
		add(10, "icmp_code=%s", g.one("0", "1"))
	case "ip", "ipv6": // Open vSwitch refuses later fragments with ports
		add(5, "nw_frag=later")
	case "icmp6":
		add(20, "%s=%s", g.one("icmp_type", "icmpv6_type"), g.one("128", "135"))
	case "arp":
		add(20, "arp_op=%s", g.one("1", "2"))
		add(20, "arp_spa=%s", g.v4())
		add(20, "nw_dst=%s/24", g.v4())
		add(10, "arp_sha=%s", g.mac())
	case "": // these are ignored
		add(8, "%s", g.one("tcp_dst=80", "nw_src=10.0.0.1", "nw_proto=6", "nw_tos=16", "ipv6_dst=fd01::1"))
	}
}

// actions of a rule in a table.
func (g *generator) actions(table int, kind string) string {
	ip := kind != "" && kind != "arp"
	var out []string
	for range g.IntN(4) {
		one := g.action(kind)
		if tagged := strings.Contains(strings.Join(out, ","), "push_vlan"); !tagged || !strings.Contains(one, "push_vlan") {
			out = append(out, one)
		}
	}
	higher := func() int { return table + 1 + g.IntN(min(2, tables-table)) }
	if ip && table < tables-1 && g.IntN(2) == 0 {
		out = append(out, g.ct(higher(), kind))
	}
	if table < tables-1 && g.IntN(3) == 0 {
		out = append(out, fmt.Sprintf("resubmit(%s,%d)", g.one("", "", g.port()), higher()))
	}
	if g.IntN(3) == 0 {
		out = append(out, g.output())
	}
	if table < tables-1 && g.IntN(3) > 0 {
		out = append(out, fmt.Sprintf("goto_table:%d", higher()))
	}
	if len(out) == 0 {
		return "drop"
	}
	return strings.Join(out, ",")
}

func (g *generator) output() string {
	return g.one("output:"+g.port(), "output:"+g.port(), g.port(), "in_port", "LOCAL", "output:NXM_NX_REG2[]",
		"output:reg1[0..15]", "output:NXM_OF_IN_PORT[]", "controller")
}

func (g *generator) ct(table int, kind string) string {
	parts := []string{}
	add := func(often int, text string) {
		if g.IntN(100) < often {
			parts = append(parts, text)
		}
	}
	add(50, "commit")
	commit := len(parts) > 0
	add(80, fmt.Sprintf("table=%d", table))
	add(30, "zone="+g.one("1", "7", "NXM_NX_REG0[0..15]", "reg3[16..31]"))
	four := !strings.HasSuffix(kind, "6")
	if commit {
		add(30, "exec("+g.one("load:0x1->NXM_NX_CT_MARK[]", "set_field:0x5->ct_label", "set_field:0x1/0x3->ct_mark",
			"move:NXM_NX_REG0[]->NXM_NX_CT_MARK[]")+")")
		if four {
			to := g.one("9.9.9.9", "9.9.9.1-9.9.9.8")
			if kind == "tcp" || kind == "udp" {
				to += g.one("", ":1024-2048")
			}
			add(30, "nat("+g.one("src=", "dst=")+to+")")
		} else if kind == "tcp6" {
			add(20, "nat(dst=[fd09::9]:99)")
		} else {
			add(20, "nat(src=fd09::9)")
		}
	}
	if !commit || len(parts) == 1 {
		add(20, "nat")
	}
	return "ct(" + strings.Join(parts, ",") + ")"
}

func (g *generator) action(kind string) string {
	general := []string{
		fmt.Sprintf("load:%s->NXM_NX_REG%d[]", g.small(), g.IntN(4)),
		fmt.Sprintf("load:%s->NXM_NX_REG2[]", g.port()),
		fmt.Sprintf("load:0x3->NXM_NX_REG%d[4..7]", g.IntN(4)),
		fmt.Sprintf("set_field:%s->reg%d", g.small(), g.IntN(4)),
		"set_field:0x1/0x1->xxreg0", "load:0x1->NXM_NX_XXREG0[96..127]", "set_field:0x500000001->xreg1",
		fmt.Sprintf("move:NXM_NX_REG%d[0..15]->NXM_NX_REG%d[16..31]", g.IntN(4), g.IntN(4)),
		"move:NXM_OF_IN_PORT[]->NXM_NX_REG1[0..15]", "move:NXM_NX_TUN_ID[0..31]->NXM_NX_REG0[]",
		"set_field:" + g.small() + "->metadata", "set_field:" + g.small() + "->pkt_mark",
		"set_field:" + g.small() + "->tun_id",
		"load:" + g.port() + "->NXM_OF_IN_PORT[]", "set_field:" + g.mac() + "->eth_dst", "mod_dl_src:" + g.mac(),
		"move:NXM_OF_ETH_SRC[]->NXM_OF_ETH_DST[]", "ct_clear", "note:00.01", g.output(),
		"push_vlan:0x8100,set_field:4103->vlan_vid",
	}
	switch kind {
	case "tcp", "udp", "icmp", "ip":
		general = append(general, "set_field:"+g.v4()+"->nw_src", "mod_nw_dst:"+g.v4(), "dec_ttl", "dec_ttl",
			"move:NXM_OF_IP_SRC[]->NXM_OF_IP_DST[]", "load:0xa000001->NXM_OF_IP_DST[]", "mod_nw_tos:16", "set_field:1->nw_ecn",
			"set_field:9->nw_ttl", "load:0x1->NXM_OF_IP_SRC[8..15]", "move:NXM_OF_IP_SRC[0..15]->NXM_NX_REG3[0..15]")
	case "tcp6", "udp6", "icmp6", "ipv6":
		general = append(general, "set_field:"+g.v6()+"->ipv6_src", "set_field:fd03::/16->ipv6_dst", "dec_ttl",
			"load:0x7->NXM_NX_IPV6_DST[0..63]", "move:NXM_NX_IPV6_SRC[]->NXM_NX_XXREG0[]")
	case "arp":
		general = append(general, "load:2->NXM_OF_ARP_OP[]", "set_field:"+g.v4()+"->arp_tpa",
			"move:NXM_NX_ARP_SHA[]->NXM_NX_ARP_THA[]")
	}
	switch kind {
	case "tcp", "udp":
		general = append(general, "set_field:"+g.tp()+"->"+kind+"_dst", "mod_tp_src:"+g.tp())
	}
	return general[g.IntN(len(general))]
}

// packet that comes in.
func (g *generator) packet() string {
	kind := g.one("tcp", "tcp", "tcp", "udp", "icmp", "arp", "tcp6", "udp6", "icmp6", "ip,nw_proto=132", "")
	parts := []string{"in_port=" + g.port()}
	add := func(often int, format string, args ...any) {
		if g.IntN(100) < often {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	if kind != "" {
		parts = append(parts, kind)
	}
	add(60, "dl_src=%s", g.mac())
	add(60, "dl_dst=%s", g.mac())
	add(15, "%s", g.one("dl_vlan=5", "dl_vlan=7,dl_vlan_pcp=2"))
	add(10, "reg%d=%s", g.IntN(4), g.small())
	add(10, "tun_id=%s", g.small())
	add(10, "metadata=%s", g.small())
	add(5, "pkt_mark=%s", g.small())
	switch kind {
	case "tcp", "udp", "icmp", "ip,nw_proto=132":
		add(90, "nw_src=%s", g.v4())
		add(90, "nw_dst=%s", g.v4())
		add(60, "nw_ttl=%s", g.one("1", "2", "64"))
		add(10, "nw_tos=16")
		add(6, "nw_frag=%s", g.one("first", "later"))
	case "tcp6", "udp6", "icmp6":
		add(90, "ipv6_src=%s", g.v6())
		add(90, "ipv6_dst=%s", g.v6())
		add(60, "nw_ttl=%s", g.one("1", "2", "64"))
	case "arp":
		add(80, "arp_op=%s", g.one("1", "2"))
		add(80, "arp_spa=%s", g.v4())
		add(80, "arp_tpa=%s", g.v4())
		add(80, "arp_sha=%s", g.mac())
	}
	if later := strings.Contains(strings.Join(parts, ","), "later"); !later {
		switch kind {
		case "tcp", "udp", "tcp6", "udp6":
			add(70, "%s_src=%s", kind[:3], g.tp())
			add(90, "%s_dst=%s", kind[:3], g.tp())
			if kind[:3] == "tcp" {
				add(20, "tcp_flags=%s", g.one("syn", "syn|ack", "ack"))
			}
		case "icmp":
			add(70, "icmp_type=8")
		case "icmp6":
			add(70, "icmpv6_type=%s", g.one("128", "135"))
		}
	}
	return strings.Join(parts, ",")
}

// states of connection tracking.
func (g *generator) states() []string {
	var out []string
	for range g.IntN(5) {
		out = append(out, g.one("trk,new", "trk,est", "trk,est", "trk,est,rpl", "trk,est,rpl", "trk,inv",
			"trk,rel,new", "trk,rel"))
	}
	return out
}
