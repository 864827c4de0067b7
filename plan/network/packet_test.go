package network

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
)

// The layers of RFC 7348, 8926, 4303 and 4106, counted by hand.
func TestOverhead(t *testing.T) {
	h := LoadHeaders(facts.Load())
	for _, c := range []struct {
		path        Path
		size        int
		want, worst int
	}{
		{Path{Tunnel: NoTunnel}, 1500, 0, 0},
		{Path{Tunnel: VXLAN}, 1450, 50, 50},                 // 20 + 8 + 8 + 14, OCP 12.1
		{Path{Tunnel: VXLAN, Outer6: true}, 1430, 70, 70},   // 40 + 8 + 8 + 14
		{Path{Tunnel: Geneve}, 1400, 58, 58},                // 20 + 8 + 8 + 8 + 14
		{Path{Tunnel: Geneve, Outer6: true}, 1400, 78, 78},  // 40 + 8 + 8 + 8 + 14
		{Path{Tunnel: NoTunnel, IPsec: true}, 1000, 36, 37}, // 8 + 8 + (1002 -> 1004) + 16
		// ESP: 8 + 8 of IV, 1354 + 38 + 2 = 1394 padded to 1396, 16 of ICV, 20 of IP.
		{Path{Tunnel: Geneve, IPsec: true}, 1354, 8 + 8 + 1396 + 16 + 20 - 1354, 95},
		// 1404 + 30 + 2 = 1436 needs no padding.
		{Path{Tunnel: VXLAN, IPsec: true}, 1404, 8 + 8 + 1436 + 16 + 20 - 1404, 87},
		{Path{Tunnel: VXLAN, IPsec: true, Outer6: true}, 1393, 8 + 8 + 1428 + 16 + 40 - 1393, 107},
	} {
		if got := h.Overhead(c.path, c.size); got != c.want {
			t.Errorf("%+v at %d: %d, want %d", c.path, c.size, got, c.want)
		}
		if got := h.WorstOverhead(c.path); got != c.worst {
			t.Errorf("%+v at worst: %d, want %d", c.path, got, c.worst)
		}
	}
}

func TestEfficiency(t *testing.T) {
	h := LoadHeaders(facts.Load())
	for _, c := range []struct {
		path        Path
		size        int
		pay, onWire int
	}{
		{Path{Tunnel: NoTunnel}, 1500, 1448, 1538}, // the well-known 94.15 % of Ethernet
		{Path{Tunnel: NoTunnel}, 9000, 8948, 9038},
		{Path{Tunnel: VXLAN}, 1450, 1398, 1538},
		{Path{Tunnel: VXLAN}, 8950, 8898, 9038},
		{Path{Tunnel: Geneve}, 1400, 1348, 1496},
		{Path{Tunnel: Geneve, Outer6: true, Inner6: true}, 1400, 1328, 1516},
	} {
		if got := h.Payload(c.path, c.size); got != c.pay {
			t.Errorf("%s at %d carries %d bytes, want %d", c.path, c.size, got, c.pay)
		}
		if got := h.OnWire(c.path, c.size); got != c.onWire {
			t.Errorf("%s at %d takes %d bytes, want %d", c.path, c.size, got, c.onWire)
		}
		want := float64(c.pay) / float64(c.onWire)
		if got := h.Efficiency(c.path, c.size); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s at %d: efficiency %v, want %v", c.path, c.size, got, want)
		}
	}
}

// Every formula gives the number beside it, the worst case is never exceeded
// and reached by one of four sizes in a row.
func TestOverheadProperties(t *testing.T) {
	h := LoadHeaders(facts.Load())
	rapid.Check(t, func(t *rapid.T) {
		p := Path{
			Tunnel: rapid.SampledFrom([]string{NoTunnel, VXLAN, Geneve}).Draw(t, "tunnel"),
			IPsec:  rapid.Bool().Draw(t, "ipsec"), Outer6: rapid.Bool().Draw(t, "outer6"),
		}
		size := rapid.IntRange(576, 65000).Draw(t, "size")
		most := 0
		for s := size; s < size+4; s++ {
			most = max(most, h.Overhead(p, s))
		}
		if most != h.WorstOverhead(p) {
			t.Fatalf("%+v: the most of sizes %d to %d is %d, the worst case %d", p, size, size+3, most, h.WorstOverhead(p))
		}
		for _, s := range []sum{h.overhead(p, derive.Of(float64(size), "bytes")), h.worst(p)} {
			f := derive.Figure{ID: "x", Value: derive.Of(s.number, "bytes"), Formula: s.formula, Inputs: s.inputs}
			if err := f.Check(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// The headers of the catalogue agree with the encapsulation that it states.
func TestHeadersAgreeWithStatedOverhead(t *testing.T) {
	c := facts.Load()
	h := LoadHeaders(c)
	for _, x := range []struct {
		path Path
		fact string
	}{
		{Path{Tunnel: VXLAN}, "ocp.mtu.vxlanOverhead"},
		{Path{Tunnel: Geneve}, "ocp.mtu.geneveWithOVNOptions"},
	} {
		if got, want := h.WorstOverhead(x.path), int(c.Must(x.fact).Number); got != want {
			t.Errorf("%s: headers take %d bytes, %s says %d", x.path, got, x.fact, want)
		}
	}
}

// WorstOverhead is the largest Overhead of any size: the headers and all the
// padding there can be.
func (h Headers) WorstOverhead(p Path) int { return int(h.worst(p).number) }
