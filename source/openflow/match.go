package openflow

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/bench/ovs"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/schema"
)

// protocols are short for a type of Ethernet and a protocol of IP.
var protocols = map[string][2]uint64{"ip": {0x800}, "ipv4": {0x800}, "arp": {0x806}, "rarp": {0x8035}, "ipv6": {0x86dd},
	"ip6": {0x86dd}, "icmp": {0x800, 1}, "tcp": {0x800, 6}, "udp": {0x800, 17}, "sctp": {0x800, 132},
	"icmp6": {0x86dd, 58}, "tcp6": {0x86dd, 6}, "udp6": {0x86dd, 17}, "sctp6": {0x86dd, 132},
	"mpls": {0x8847}, "mplsm": {0x8848}}

// counted are keys of dump-flows, and flags, that say nothing about what a rule does.
var counted = []string{"duration", "n_packets", "n_bytes", "idle_age", "hard_age", "idle_timeout", "hard_timeout",
	"importance", "send_flow_rem", "check_overlap", "reset_counts", "no_packet_counts", "no_byte_counts",
	"no_readonly_table", "allow_hidden_fields"}

// keywords of a rule's match.
func keywords() []string {
	return slices.Concat([]string{"table", "priority", "cookie", "dl_vlan", "dl_vlan_pcp"}, counted, ovs.FieldNames(),
		slices.Collect(maps.Keys(protocols)))
}

func unknownField(name string) error {
	if near := schema.Nearest(name, keywords()); near != "" {
		return fmt.Errorf("the field %s is not known (did you mean %s?)", yamlpos.Quote(name), near)
	}
	return fmt.Errorf("the field %s is not known (ovs-fields(7) lists them; conjunctions are not read)",
		yamlpos.Quote(name))
}

// matching reads what a rule matches, or what a packet is.
type matching struct {
	wrong
	match ovs.Match
	// fields that were set, with their places.
	fields []*ovs.Field
	places []line
}

// told turns an error "what (fix)" into a problem.
func (w *wrong) told(at line, err error) {
	what, fix := yamlpos.SplitFix(err)
	w.bad(at, what, fix)
}

// set what is to be of a field, in place of what was said of it before, as Open vSwitch does.
func (m *matching) set(name string, at line, v, mask ovs.Value) {
	f := ovs.Lookup(name)
	m.match.Set(f, v, mask)
	m.fields, m.places = append(m.fields, f), append(m.places, at)
}

// item of a match.
func (m *matching) item(it item) {
	if it.key == "eth" && !it.has { // all packets are of Ethernet
		return
	}
	if p, ok := protocols[it.key]; ok && !it.has {
		m.match.Set(ovs.Lookup("dl_type"), ovs.Value{Lo: p[0]}, whole)
		if p[1] > 0 {
			m.match.Set(ovs.Lookup("nw_proto"), ovs.Value{Lo: p[1]}, whole)
		}
		return
	}
	value := it.value.text
	switch it.key {
	case "dl_vlan", "dl_vlan_pcp", "dl_vlan1", "dl_vlan_pcp1": // 1 is the inner tag, of packets only
		m.vlan(it)
		return
	}
	f := ovs.Lookup(it.key)
	if f == nil {
		m.told(it.whole, unknownField(it.key))
		return
	}
	if !it.has || value == "" {
		m.bad(it.whole, f.Name+" has no value", f.Name+"=...")
		return
	}
	v, mask, err := masked(f, value)
	if err != nil {
		m.told(it.value, err)
		return
	}
	m.set(it.key, it.whole, v, mask.And(f.Writable()))
}

// vlan as OpenFlow 1.0 has it: dl_vlan=0xffff is a packet without a tag.
func (m *matching) vlan(it item) {
	v, err := number(it.value.text, 16)
	key, inner := strings.CutSuffix(it.key, "1")
	tag := ovs.Lookup(map[bool]string{false: "vlan_tci", true: "vlan_tci1"}[inner])
	switch {
	case err != nil:
		m.told(it.value, err)
	case key == "dl_vlan" && v == 0xffff:
		m.match.Add(tag, ovs.Value{}, ovs.Value{Lo: 0x1fff})
	case key == "dl_vlan" && v < 0x1000:
		m.match.Add(tag, ovs.Value{Lo: v | 0x1000}, ovs.Value{Lo: 0x1fff})
	case key == "dl_vlan_pcp" && v < 8:
		m.match.Add(tag, ovs.Value{Lo: v<<13 | 0x1000}, ovs.Value{Lo: 0xf000})
	default:
		m.bad(it.value, yamlpos.Quote(it.value.text)+" is no "+it.key,
			"a VLAN up to 4095, or 0xffff for none; priorities up to 7")
	}
}

// normalize takes out what the packets that match may not have, as Open vSwitch does without a word, and
// tells it.
func (m *matching) normalize() []ovs.Remark {
	var out []ovs.Remark
	for i, f := range m.fields {
		if _, mask := m.match.Get(f); f.MayMatch(&m.match.Value) || mask == (ovs.Value{}) {
			continue
		}
		m.match.Clear(f)
		out = append(out, ovs.Remark{Line: m.number, Col: m.places[i].col(), What: fmt.Sprintf(
			"%s without %s is ignored by Open vSwitch: the rule matches whatever it is", f.Name, f.Need)})
	}
	return out
}

// Packet as ofproto/trace takes it: in_port=5,tcp,nw_src=10.131.0.4,tcp_dst=80. What is not said is 0.
func Packet(text string) (*ovs.Key, error) {
	if len(text) > MaxLine {
		return nil, fmt.Errorf("the packet is longer than %d bytes", MaxLine)
	}
	var m matching
	for _, it := range items(newLine(strings.ToValidUTF8(text, "?"))) {
		m.item(it)
	}
	for i, f := range m.fields {
		if !f.Need.Met(&m.match.Value) && !f.MayMatch(&m.match.Value) {
			m.bad(m.places[i], f.Name+" is of packets that are "+f.Need.String(), "say so: in_port=5,tcp,nw_src=10.131.0.4")
		}
		if _, mask := m.match.Get(f); mask != whole.And(ones(f.Width())) && partial(f, mask) {
			m.bad(m.places[i], f.Name+" has a mask", "a packet has one value")
		}
	}
	if len(m.problems) > 0 {
		p := m.problems[0]
		return nil, yamlpos.Problem{File: yamlpos.Shorten(text), Line: 1, Col: p.Col, What: p.What, Fix: p.Fix}
	}
	if bad := stateError(ovs.Lookup("ct_state").Get(&m.match.Value).Lo); bad != "" {
		return nil, fmt.Errorf("%s: ct_state: %s", yamlpos.Shorten(text), bad)
	}
	return &m.match.Value, nil
}

func ones(width int) ovs.Value { return whole.Shift(width).Not() }

// partial says that a mask is none that a single value has: VLANs and kinds of service have masks of their own.
func partial(f *ovs.Field, mask ovs.Value) bool {
	switch f.Name {
	case "vlan_tci", "vlan_tci1", "nw_tos", "ct_state", "tcp_flags", "nw_frag":
		return false
	}
	return mask != ones(f.Width())
}

// State of connection tracking after a recirculation, as ofproto/trace --ct-next takes it: trk,est,rpl.
func State(text string) (uint64, error) {
	v, _, err := flags(ovs.Lookup("ct_state"), text)
	if err == nil {
		if bad := stateError(v.Lo); bad != "" {
			err = fmt.Errorf("%s: %s", yamlpos.Quote(text), bad)
		}
	}
	return v.Lo, err
}

// stateError says why no packet has a state; empty for one that may be.
func stateError(state uint64) string {
	has := func(bits uint64) bool { return state&bits != 0 }
	switch {
	case state != 0 && !has(0x20):
		return "a state without trk (add trk)"
	case has(0x10) && has(^uint64(0x30)):
		return "inv has no other flag but trk (trk,inv)"
	case has(1) && has(2|8):
		return "new is neither est nor rpl (trk,new)"
	}
	return ""
}
