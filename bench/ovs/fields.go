package ovs

import (
	"fmt"
	"slices"
)

// fields in the order in which a packet is printed.
var fields = slices.Concat([]*Field{
	{Name: "ct_state", Others: []string{"NXM_NX_CT_STATE", "OXM_OF_CT_STATE"}, span: at(14, 0, 32), Form: Flags,
		ReadOnly: true},
	{Name: "ct_zone", Others: []string{"NXM_NX_CT_ZONE"}, span: at(15, 0, 16), ReadOnly: true},
	{Name: "ct_mark", Others: []string{"NXM_NX_CT_MARK"}, span: at(14, 32, 32), Form: Hex},
	{Name: "ct_label", Others: []string{"NXM_NX_CT_LABEL"}, span: at(16, 0, 128), Form: Hex},
}, registers(), []*Field{
	{Name: "metadata", Others: []string{"OXM_OF_METADATA"}, span: at(8, 0, 64), Form: Hex},
	{Name: "tun_id", Others: []string{"tunnel_id", "NXM_NX_TUN_ID", "OXM_OF_TUNNEL_ID"}, span: at(9, 0, 64), Form: Hex},
	{Name: "tun_src", Others: []string{"NXM_NX_TUN_IPV4_SRC"}, span: at(10, 0, 32), Form: IPv4},
	{Name: "tun_dst", Others: []string{"NXM_NX_TUN_IPV4_DST"}, span: at(10, 32, 32), Form: IPv4},
	{Name: "pkt_mark", Others: []string{"NXM_NX_PKT_MARK"}, span: at(26, 0, 32), Form: Hex},
	{Name: "in_port", Others: []string{"NXM_OF_IN_PORT"}, span: at(11, 16, 16), Form: Port},
	{Name: "dl_type", Others: []string{"eth_type", "NXM_OF_ETH_TYPE", "OXM_OF_ETH_TYPE"}, span: at(11, 32, 16), Form: Hex,
		ReadOnly: true},
	{Name: "vlan_tci", Others: []string{"NXM_OF_VLAN_TCI"}, span: at(15, 16, 16), Form: Hex},
	{Name: "vlan_tci1", span: at(15, 32, 16), Form: Hex, ReadOnly: true},
	{Name: "vlan_vid", Others: []string{"OXM_OF_VLAN_VID"}, span: at(15, 19, 13), Form: Hex, Need: NeedVLAN},
	{Name: "vlan_pcp", Others: []string{"OXM_OF_VLAN_PCP"}, span: at(15, 16, 3), Need: NeedVLAN},
	{Name: "dl_src", Others: []string{"eth_src", "NXM_OF_ETH_SRC", "OXM_OF_ETH_SRC"}, span: at(18, 0, 48), Form: MAC},
	{Name: "dl_dst", Others: []string{"eth_dst", "NXM_OF_ETH_DST", "OXM_OF_ETH_DST"}, span: at(19, 0, 48), Form: MAC},
	{Name: "nw_src", Others: []string{"ip_src", "NXM_OF_IP_SRC", "OXM_OF_IPV4_SRC"}, span: at(12, 0, 32), Form: IPv4,
		Need: NeedIPv4},
	{Name: "nw_dst", Others: []string{"ip_dst", "NXM_OF_IP_DST", "OXM_OF_IPV4_DST"}, span: at(12, 32, 32), Form: IPv4,
		Need: NeedIPv4},
	{Name: "arp_spa", Others: []string{"NXM_OF_ARP_SPA", "OXM_OF_ARP_SPA"}, span: at(12, 0, 32), Form: IPv4,
		Need: NeedARP},
	{Name: "arp_tpa", Others: []string{"NXM_OF_ARP_TPA", "OXM_OF_ARP_TPA"}, span: at(12, 32, 32), Form: IPv4,
		Need: NeedARP},
	{Name: "arp_op", Others: []string{"NXM_OF_ARP_OP", "OXM_OF_ARP_OP"}, span: at(11, 48, 8), Need: NeedARP},
	{Name: "arp_sha", Others: []string{"NXM_NX_ARP_SHA", "OXM_OF_ARP_SHA"}, span: at(24, 0, 48), Form: MAC, Need: NeedARP},
	{Name: "arp_tha", Others: []string{"NXM_NX_ARP_THA", "OXM_OF_ARP_THA"}, span: at(25, 0, 48), Form: MAC, Need: NeedARP},
	{Name: "ipv6_src", Others: []string{"NXM_NX_IPV6_SRC", "OXM_OF_IPV6_SRC"}, span: at(20, 0, 128), Form: IPv6,
		Need: NeedIPv6},
	{Name: "ipv6_dst", Others: []string{"NXM_NX_IPV6_DST", "OXM_OF_IPV6_DST"}, span: at(22, 0, 128), Form: IPv6,
		Need: NeedIPv6},
	{Name: "ipv6_label", Others: []string{"NXM_NX_IPV6_LABEL", "OXM_OF_IPV6_FLABEL"}, span: at(26, 44, 20), Form: Hex,
		Need: NeedIPv6},
	{Name: "nw_proto", Others: []string{"ip_proto", "NXM_OF_IP_PROTO", "OXM_OF_IP_PROTO"}, span: at(11, 48, 8),
		Need:     NeedIP,
		ReadOnly: true},
	{Name: "nw_tos", Others: []string{"NXM_OF_IP_TOS"}, span: at(13, 48, 8), Need: NeedIP},
	{Name: "ip_dscp", Others: []string{"OXM_OF_IP_DSCP"}, span: at(13, 48, 6), Need: NeedIP},
	{Name: "nw_ecn", Others: []string{"ip_ecn", "NXM_NX_IP_ECN", "OXM_OF_IP_ECN"}, span: at(13, 54, 2), Need: NeedIP},
	{Name: "nw_ttl", Others: []string{"NXM_NX_IP_TTL"}, span: at(13, 56, 8), Need: NeedIP},
	{Name: "nw_frag", Others: []string{"ip_frag", "NXM_NX_IP_FRAG"}, span: at(11, 62, 2), Form: Frag, Need: NeedIP,
		ReadOnly: true},
	{Name: "tcp_src", Others: []string{"tp_src", "NXM_OF_TCP_SRC", "OXM_OF_TCP_SRC"}, span: at(13, 0, 16), Need: NeedTCP},
	{Name: "tcp_dst", Others: []string{"tp_dst", "NXM_OF_TCP_DST", "OXM_OF_TCP_DST"}, span: at(13, 16, 16), Need: NeedTCP},
	{Name: "tcp_flags", Others: []string{"NXM_NX_TCP_FLAGS", "OXM_OF_TCP_FLAGS"}, span: at(13, 36, 12), Form: Flags,
		Need: NeedTCP, ReadOnly: true},
	{Name: "udp_src", Others: []string{"NXM_OF_UDP_SRC", "OXM_OF_UDP_SRC"}, span: at(13, 0, 16), Need: NeedUDP},
	{Name: "udp_dst", Others: []string{"NXM_OF_UDP_DST", "OXM_OF_UDP_DST"}, span: at(13, 16, 16), Need: NeedUDP},
	{Name: "sctp_src", Others: []string{"OXM_OF_SCTP_SRC"}, span: at(13, 0, 16), Need: NeedSCTP},
	{Name: "sctp_dst", Others: []string{"OXM_OF_SCTP_DST"}, span: at(13, 16, 16), Need: NeedSCTP},
	{Name: "icmp_type", Others: []string{"NXM_OF_ICMP_TYPE", "OXM_OF_ICMPV4_TYPE"}, span: at(13, 8, 8), Need: NeedICMP},
	{Name: "icmp_code", Others: []string{"NXM_OF_ICMP_CODE", "OXM_OF_ICMPV4_CODE"}, span: at(13, 24, 8), Need: NeedICMP},
	{Name: "icmpv6_type", Others: []string{"NXM_NX_ICMPV6_TYPE", "OXM_OF_ICMPV6_TYPE"}, span: at(13, 8, 8),
		Need: NeedICMPv6},
	{Name: "icmpv6_code", Others: []string{"NXM_NX_ICMPV6_CODE", "OXM_OF_ICMPV6_CODE"}, span: at(13, 24, 8),
		Need: NeedICMPv6},
	{Name: "nd_target", Others: []string{"NXM_NX_ND_TARGET", "OXM_OF_IPV6_ND_TARGET"}, span: at(27, 0, 128), Form: IPv6,
		Need: NeedNeighbor},
	{Name: "nd_sll", Others: []string{"NXM_NX_ND_SLL", "OXM_OF_IPV6_ND_SLL"}, span: at(24, 0, 48), Form: MAC,
		Need: NeedNeighbor},
	{Name: "nd_tll", Others: []string{"NXM_NX_ND_TLL", "OXM_OF_IPV6_ND_TLL"}, span: at(25, 0, 48), Form: MAC,
		Need: NeedNeighbor},
})

// registers of 32, 64 and 128 bits, which are the same bits.
func registers() []*Field {
	var out []*Field
	for i := range 16 {
		out = append(out, &Field{Name: fmt.Sprintf("reg%d", i), Others: []string{fmt.Sprintf("NXM_NX_REG%d", i)},
			span: at(i/2, i%2*32, 32), Form: Hex})
	}
	for i := range 8 {
		out = append(out, &Field{Name: fmt.Sprintf("xreg%d", i), Others: []string{fmt.Sprintf("OXM_OF_PKT_REG%d", i)},
			span: at(i, 0, 64), Form: Hex})
	}
	for i := range 4 {
		out = append(out, &Field{Name: fmt.Sprintf("xxreg%d", i), Others: []string{fmt.Sprintf("NXM_NX_XXREG%d", i)},
			span: at(2*i, 0, 128), Form: Hex})
	}
	return out
}
