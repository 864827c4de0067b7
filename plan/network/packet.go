package network

import (
	"math"

	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
)

// The tunnel protocols between nodes.
const (
	NoTunnel = "none"
	VXLAN    = "VXLAN"
	Geneve   = "Geneve"
)

// Path is how a packet travels from the pods of one node to those of another.
type Path struct {
	// Tunnel is VXLAN, Geneve or NoTunnel.
	Tunnel string
	// IPsec encrypts the tunnelled packet: ESP in transport mode with AES-GCM.
	IPsec bool
	// Outer6 and Inner6 say that machines and pods speak IPv6.
	Outer6, Inner6 bool
}

// String names the path as the tables do: "Geneve + IPsec".
func (p Path) String() string {
	if p.IPsec {
		return p.Tunnel + " + IPsec"
	}
	return p.Tunnel
}

// Headers are the sizes of protocol headers in bytes, as the RFCs give them.
type Headers struct {
	Ethernet, Wire, IPv4, IPv6, UDP, VXLAN, Geneve, OVNOption, TCP, Timestamps derive.Value
	ESP, IV, Trailer, Align, ICV                                               derive.Value
}

// LoadHeaders takes the sizes from the catalogue.
func LoadHeaders(c *facts.Catalogue) Headers {
	f := func(name string) derive.Value { return c.Must("net.header." + name).Value() }
	return Headers{
		Ethernet: f("ethernet"), Wire: f("ethernetWire"), IPv4: f("ipv4"), IPv6: f("ipv6"), UDP: f("udp"),
		VXLAN: f("vxlan"), Geneve: f("geneve"), OVNOption: f("ovnOption"), TCP: f("tcp"), Timestamps: f("tcpTimestamps"),
		ESP: f("esp"), IV: f("espIV"), Trailer: f("espTrailerMin"), Align: f("espAlign"), ICV: f("espICV"),
	}
}

// sum is arithmetic in two forms: a formula with its inputs, and its number.
type sum struct {
	formula string
	inputs  []derive.Input
	number  float64
}

func (s *sum) add(name string, v derive.Value) {
	if s.formula != "" {
		s.formula += " + "
	}
	s.formula += name
	s.use(name, v)
	s.number += v.Number
}

func (s *sum) use(name string, v derive.Value) { s.inputs = append(s.inputs, derive.In(name, v)) }

func (h Headers) outerIP(p Path) derive.Value {
	if p.Outer6 {
		return h.IPv6
	}
	return h.IPv4
}

func (h Headers) innerIP(p Path) derive.Value {
	if p.Inner6 {
		return h.IPv6
	}
	return h.IPv4
}

// tunnel is what stands between the outer IP header and the pod's packet: UDP,
// the tunnel's header and the Ethernet header of the pod's frame.
func (h Headers) tunnel(p Path) sum {
	var s sum
	switch p.Tunnel {
	case VXLAN:
		s.add("udp", h.UDP)
		s.add("vxlan", h.VXLAN)
		s.add("innerEthernet", h.Ethernet)
	case Geneve:
		s.add("udp", h.UDP)
		s.add("geneve", h.Geneve)
		s.add("ovnOption", h.OVNOption)
		s.add("innerEthernet", h.Ethernet)
	}
	return s
}

// Overhead is what the path adds to a pod's packet of the given size, up to
// and with the outer IP header, in bytes. ESP pads, so with IPsec it depends on
// the size. Without a tunnel and without IPsec it is 0.
func (h Headers) Overhead(p Path, size int) int {
	return int(h.overhead(p, derive.Of(float64(size), "bytes")).number)
}

func (h Headers) overhead(p Path, size derive.Value) sum {
	s := h.tunnel(p)
	if p.IPsec {
		s = h.encrypt(s, size)
	}
	if p.Tunnel != NoTunnel {
		s.add("outerIP", h.outerIP(p))
	}
	if s.formula == "" {
		s.formula = "0"
	}
	return s
}

// encrypt wraps what a tunnel adds to a packet in ESP, which pads the packet
// and its trailer to a multiple of Align bytes (RFC 4303 2.4).
func (h Headers) encrypt(tunnel sum, size derive.Value) sum {
	s := tunnel
	inside := "packet + trailer"
	if s.formula != "" {
		inside = s.formula + " + " + inside
	}
	s.formula = "espHeader + iv + align * ceil((" + inside + ") / align) + icv - packet"
	align := h.Align.Number
	blocks := math.Ceil((s.number + size.Number + h.Trailer.Number) / align)
	s.number = h.ESP.Number + h.IV.Number + align*blocks + h.ICV.Number - size.Number
	for _, in := range []derive.Input{
		derive.In("espHeader", h.ESP), derive.In("iv", h.IV), derive.In("packet", size),
		derive.In("trailer", h.Trailer), derive.In("align", h.Align), derive.In("icv", h.ICV),
	} {
		s.use(in.Name, in.Value)
	}
	return s
}

func (h Headers) worst(p Path) sum {
	s := h.tunnel(p)
	if p.IPsec {
		s.add("espHeader", h.ESP)
		s.add("iv", h.IV)
		s.add("trailer", h.Trailer)
		s.add("align", h.Align)
		s.formula += " - 1"
		s.number--
		s.add("icv", h.ICV)
	}
	if p.Tunnel != NoTunnel {
		s.add("outerIP", h.outerIP(p))
	}
	if s.formula == "" {
		s.formula = "0"
	}
	return s
}

// OnWire is the time that a pod's packet takes on the link, in bytes: with the
// path's headers, the outer Ethernet frame, preamble and gap.
func (h Headers) OnWire(p Path, size int) int {
	return size + h.Overhead(p, size) + int(h.Ethernet.Number+h.Wire.Number)
}

// Payload is what a full TCP segment carries in a pod's packet of the given
// size, in bytes: without the pod's IP header, TCP header and timestamps.
func (h Headers) Payload(p Path, size int) int {
	return size - int(h.innerIP(p).Number+h.TCP.Number+h.Timestamps.Number)
}

// Efficiency is the share of the link that a bulk TCP stream of full packets
// can use: Payload over OnWire.
func (h Headers) Efficiency(p Path, size int) float64 {
	return float64(h.Payload(p, size)) / float64(h.OnWire(p, size))
}
