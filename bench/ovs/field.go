package ovs

import (
	"maps"
	"slices"
)

// Form says how the values of a field are written.
type Form int

// The forms.
const (
	Decimal Form = iota
	Hex
	IPv4
	IPv6
	MAC
	Port
	Flags // ct_state, tcp_flags
	Frag
)

// Need is what a packet must be to have a field.
type Need int

// The needs. Ports are of TCP, UDP and SCTP.
const (
	Nothing Need = iota
	NeedIPv4
	NeedIPv6
	NeedIP
	NeedARP
	NeedTCP
	NeedUDP
	NeedSCTP
	NeedICMP
	NeedICMPv6
	NeedNeighbor
	NeedVLAN
)

// needs of a packet in words: what stands in a rule.
var needs = []string{"", "ip", "ipv6", "ip or ipv6", "arp", "tcp or tcp6", "udp or udp6", "sctp or sctp6", "icmp",
	"icmp6", "icmp6 with icmp_type=135 or 136", "a VLAN"}

func (n Need) String() string { return needs[n] }

// Field is a part of a key that rules match or change.
type Field struct {
	// Name as ovs-ofctl prints it in a match.
	Name string
	// Others are further names: that of older commands, NXM, OXM.
	Others []string
	span
	Form     Form
	Need     Need
	ReadOnly bool
}

// Width in bits.
func (f *Field) Width() int { return f.width }

// Writable are the bits that actions change: nw_tos is without the two of congestion.
func (f *Field) Writable() Value {
	if f.Name == "nw_tos" {
		return Value{Lo: 0xfc}
	}
	return ones(f.width)
}

// Get the field of a packet.
func (f *Field) Get(k *Key) Value { return k.get(f.span) }

// Put the bits of v where mask has them.
func (f *Field) Put(k *Key, v, mask Value) { k.put(f.span, v, mask) }

// The fields that the code names.
var (
	inPort  = Lookup("in_port")
	ethType = Lookup("dl_type")
	proto   = Lookup("nw_proto")
	frag    = Lookup("nw_frag")
	tcpSrc  = Lookup("tcp_src")
	tcpDst  = Lookup("tcp_dst")
	ttl     = Lookup("nw_ttl")
	tci     = Lookup("vlan_tci")
	tci1    = Lookup("vlan_tci1")
	ctState = Lookup("ct_state")
	ctZone  = Lookup("ct_zone")
	ctMark  = Lookup("ct_mark")
	ctLabel = Lookup("ct_label")
	nwSrc   = Lookup("nw_src")
	nwDst   = Lookup("nw_dst")
	v6Src   = Lookup("ipv6_src")
	v6Dst   = Lookup("ipv6_dst")
)

// Ports of whatever protocol, as mod_tp_src and mod_tp_dst change them.
var (
	SourcePort = &Field{Name: "tp_src", span: tcpSrc.span, Need: NeedIP}
	TargetPort = &Field{Name: "tp_dst", span: tcpDst.span, Need: NeedIP}
)

// at is the span that begins at a bit of a word.
func at(word, bit, width int) span { return span{64*word + bit, width} }

// byName has all names of all fields.
var byName = func() map[string]*Field {
	out := map[string]*Field{}
	for _, f := range fields {
		for _, name := range append(slices.Clone(f.Others), f.Name) {
			out[name] = f
		}
	}
	return out
}()

// Lookup a field by one of its names; nil for one that is not known.
func Lookup(name string) *Field { return byName[name] }

// FieldNames are the names as ovs-ofctl prints them.
func FieldNames() []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = f.Name
	}
	return out
}

// Types of Ethernet, and protocols of IP.
const (
	typeIPv4, typeARP, typeRARP, typeIPv6                 = 0x0800, 0x0806, 0x8035, 0x86dd
	protoICMP, protoTCP, protoUDP, protoICMPv6, protoSCTP = 1, 6, 17, 58, 132
	vlanTag                                               = 0x1000
	fragAny, fragLater                                    = 1, 2
)

// Met says that a packet has the field's need.
func (n Need) Met(k *Key) bool {
	kind, p := ethType.Get(k).Lo, proto.Get(k).Lo
	ip := kind == typeIPv4 || kind == typeIPv6
	whole := frag.Get(k).Lo&fragLater == 0
	switch n {
	case NeedIPv4:
		return kind == typeIPv4
	case NeedIPv6:
		return kind == typeIPv6
	case NeedIP:
		return ip
	case NeedARP:
		return kind == typeARP || kind == typeRARP
	case NeedTCP:
		return ip && p == protoTCP && whole
	case NeedUDP:
		return ip && p == protoUDP && whole
	case NeedSCTP:
		return ip && p == protoSCTP && whole
	case NeedICMP:
		return kind == typeIPv4 && p == protoICMP
	case NeedICMPv6:
		return kind == typeIPv6 && p == protoICMPv6
	case NeedNeighbor:
		t := tcpSrc.Get(k).Lo
		return kind == typeIPv6 && p == protoICMPv6 && (t == 135 || t == 136)
	case NeedVLAN:
		return tci.Get(k).Lo&vlanTag != 0
	}
	return true
}

// MayMatch says that a rule whose match has the key may match on the field. Fields that share their place
// (ports, types of ICMP; addresses of IPv4 and ARP) are not told apart, as Open vSwitch does not.
func (f *Field) MayMatch(k *Key) bool {
	kind, p := ethType.Get(k).Lo, proto.Get(k).Lo
	ip := kind == typeIPv4 || kind == typeIPv6
	switch {
	case f.at >= tcpSrc.at && f.at < tcpDst.at+tcpDst.width:
		return ip && (p == protoTCP || p == protoUDP || p == protoSCTP) || NeedICMP.Met(k) || NeedICMPv6.Met(k)
	case f.span == nwSrc.span || f.span == nwDst.span:
		return NeedIPv4.Met(k) || NeedARP.Met(k)
	case f.span == proto.span:
		return ip || NeedARP.Met(k)
	case f.Need == NeedVLAN:
		return true
	}
	return f.Need.Met(k)
}

// AllNames of all fields, with those of older commands, NXM and OXM.
func AllNames() []string { return slices.Sorted(maps.Keys(byName)) }
