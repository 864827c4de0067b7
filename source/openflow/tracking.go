package openflow

import (
	"net/netip"
	"strings"

	"plimsoll.dev/bench/ovs"
	"plimsoll.dev/internal/yamlpos"
)

// ct is connection tracking.
func (a *acting) ct(it item) ovs.Action {
	c := &ovs.Tracking{Table: ovs.NoTable}
	if !ovs.NeedIP.Met(&a.match.Value) {
		a.bad(it.whole, "ct() in a rule that matches packets without IP", "match ip or ipv6, too; Open vSwitch refuses it")
	}
	for _, part := range items(it.value) {
		a.ctPart(c, part)
	}
	if v, _ := a.match.Get(ovs.Lookup("ct_state")); c.Commit && v.Lo&0x10 != 0 {
		a.bad(it.whole, "ct(commit) in a rule for ct_state=+inv", "ct() without commit; Open vSwitch refuses it")
	}
	if c.Force && !c.Commit {
		a.bad(it.whole, "ct() has force without commit", "ct(commit,force,...)")
	}
	return ovs.Action{Verb: ovs.Track, Track: c, Port: ovs.NoPort}
}

func (a *acting) ctPart(c *ovs.Tracking, it item) {
	switch it.key {
	case "commit":
		c.Commit = true
	case "force":
		c.Force = true
	case "table":
		c.Table = a.tableOf(it.value)
	case "zone":
		v, err := number(it.value.text, 16)
		if c.Zone = int(v); err != nil {
			if c.ZoneFrom, err = part(it.value.text); err != nil {
				a.told(it.whole, err)
			} else {
				a.has(it, c.ZoneFrom.Field)
			}
		}
	case "alg":
	case "nat":
		c.NAT = a.nat(it)
	case "exec":
		for _, one := range items(it.value) {
			a.exec(c, one)
		}
	default:
		a.bad(it.whole, "ct() has no "+yamlpos.Quote(it.key), "commit, force, table, zone, nat, exec, alg")
	}
}

// exec of a ct() may set what the connection carries. dump-flows of some protocols has nat among it.
func (a *acting) exec(c *ovs.Tracking, it item) {
	switch it.key {
	case "nat":
		c.NAT = a.nat(it)
		return
	case "load", "set_field", "move":
		made := verbs[it.key](a, it)
		made.Text = it.whole.text
		if f := made.Target.Field; f == nil || f.Name == "ct_mark" || f.Name == "ct_label" {
			c.Exec = append(c.Exec, made)
			return
		}
	}
	a.bad(it.whole, "exec of ct() sets "+yamlpos.Quote(it.whole.text), "only ct_mark and ct_label")
}

// nat, nat(src=10.0.0.1-10.0.0.9:1024-2048,random).
func (a *acting) nat(it item) *ovs.NAT {
	n := &ovs.NAT{}
	for _, one := range items(it.value) {
		switch one.key {
		case "src", "dst":
			n.Src, n.Dst = n.Src || one.key == "src", n.Dst || one.key == "dst"
			a.natRange(n, one)
		case "persistent", "hash", "random":
		default:
			a.bad(one.whole, "nat() has no "+yamlpos.Quote(one.key), "src=... or dst=...")
		}
	}
	if n.Src && n.Dst {
		a.bad(it.whole, "nat() has src and dst", "one of them")
	}
	return n
}

// natRange is the first address and port of a range: 10.0.0.1-10.0.0.9:1024-2048, [fd01::1]:80, or without
// an address.
func (a *acting) natRange(n *ovs.NAT, it item) {
	text, ports := it.value.text, ""
	if text == "" {
		return
	}
	if inner, is := strings.CutPrefix(text, "["); is {
		text, ports, _ = strings.Cut(inner, "]")
		ports = strings.TrimPrefix(ports, ":")
	} else if strings.Count(text, ":") == 1 {
		text, ports, _ = strings.Cut(text, ":")
	}
	first, _, _ := strings.Cut(text, "-")
	addr, err := netip.ParseAddr(first)
	if err != nil {
		a.bad(it.whole, yamlpos.Quote(first)+" is no address", "nat(src=10.0.0.1), nat(dst=[fd01::1]:80)")
		return
	}
	n.V6, n.Given = addr.Is6(), true
	n.Address, _ = address(addr.String(), n.V6)
	if want := map[bool]ovs.Need{false: ovs.NeedIPv4, true: ovs.NeedIPv6}[n.V6]; !want.Met(&a.match.Value) {
		a.bad(it.whole, "nat() has an address of another kind than the rule matches", "match "+want.String())
	}
	if ports != "" {
		low, _, _ := strings.Cut(ports, "-")
		v, err := number(low, 16)
		if err != nil {
			a.told(it.whole, err)
		}
		n.Port = int(v)
	}
}
