package ovs

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"strings"
)

// protocols by type of Ethernet and protocol of IP.
var protocols = []struct {
	name      string
	ether, ip uint64
}{{"tcp", typeIPv4, protoTCP}, {"udp", typeIPv4, protoUDP}, {"icmp", typeIPv4, protoICMP},
	{"sctp", typeIPv4, protoSCTP}, {"tcp6", typeIPv6, protoTCP}, {"udp6", typeIPv6, protoUDP},
	{"icmp6", typeIPv6, protoICMPv6},
	{"sctp6", typeIPv6, protoSCTP}, {"ip", typeIPv4, 0}, {"ipv6", typeIPv6, 0}, {"arp", typeARP, 0}, {"rarp", typeRARP, 0}}

// shadowed are fields that others stand for.
var shadowed = map[string]bool{"dl_type": true, "vlan_vid": true, "vlan_pcp": true, "ip_dscp": true}

// Describe a packet as ofproto/trace takes it, without fields that are 0.
func Describe(k *Key) string {
	var parts []string
	kind, p := ethType.Get(k).Lo, proto.Get(k).Lo
	spoken := Key{} // bits that are told already
	name := ""
	for _, x := range protocols {
		if x.ether == kind && (x.ip == p || x.ip == 0) {
			name = x.name
			if x.ip > 0 {
				proto.Put(&spoken, ones(8), ones(8))
			}
			break
		}
	}
	if name == "" && kind != 0 {
		name = fmt.Sprintf("dl_type=0x%04x", kind)
	}
	for _, f := range fields {
		v := f.Get(k).And(f.Writable())
		if f.Name == "vlan_tci" && name != "" {
			parts = append(parts, name)
		}
		if v == (Value{}) || shadowed[f.Name] || f.Get(&spoken) != (Value{}) || strings.Contains(f.Name, "xreg") ||
			!f.Need.Met(k) {
			continue
		}
		f.Put(&spoken, f.Writable(), f.Writable())
		parts = append(parts, f.Name+"="+f.Format(v))
	}
	return strings.Join(parts, ",")
}

// Format a value of the field.
func (f *Field) Format(v Value) string {
	switch f.Form {
	case IPv4:
		var b [4]byte
		binary.BigEndian.PutUint32(b[:], uint32(v.Lo))
		return netip.AddrFrom4(b).String()
	case IPv6:
		var b [16]byte
		binary.BigEndian.PutUint64(b[:8], v.Hi)
		binary.BigEndian.PutUint64(b[8:], v.Lo)
		return netip.AddrFrom16(b).String()
	case MAC:
		return fmt.Sprintf("%02x:%02x:%02x:%02x:%02x:%02x", v.Lo>>40&0xff, v.Lo>>32&0xff, v.Lo>>24&0xff, v.Lo>>16&0xff,
			v.Lo>>8&0xff, v.Lo&0xff)
	case Flags:
		if f.Name == "ct_state" {
			return State(v.Lo)
		}
	case Frag:
		return [...]string{"no", "first", "0x2", "later"}[v.Lo&3]
	case Port:
		if v.Lo == Local {
			return "LOCAL"
		}
		return fmt.Sprint(v.Lo)
	case Decimal:
		return fmt.Sprint(v.Lo)
	}
	if v.Hi > 0 {
		return fmt.Sprintf("0x%x%016x", v.Hi, v.Lo)
	}
	return fmt.Sprintf("0x%x", v.Lo)
}

// stateBits of ct_state, from the lowest.
var stateBits = []string{"new", "est", "rel", "rpl", "inv", "trk", "snat", "dnat"}

// State of connection tracking in words: new|trk.
func State(v uint64) string {
	var out []string
	for i, name := range stateBits {
		if v&(1<<i) != 0 {
			out = append(out, name)
		}
	}
	return strings.Join(out, "|")
}
