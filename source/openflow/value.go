package openflow

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"plimsoll.dev/bench/ovs"
	"plimsoll.dev/internal/yamlpos"
)

// whole is a mask that has all bits.
var whole = ovs.Value{Hi: ^uint64(0), Lo: ^uint64(0)}

// ports with names. Others, which only the switch knows, are not read.
var ports = map[string]int{"IN_PORT": 0xfff8, "TABLE": 0xfff9, "NORMAL": 0xfffa, "FLOOD": 0xfffb, "ALL": 0xfffc,
	"CONTROLLER": 0xfffd, "LOCAL": ovs.Local, "NONE": 0xffff, "ANY": 0xffff}

// number of up to so many bits, as C reads it: 10, 0x0a, 012.
func number(text string, bits int) (uint64, error) {
	v, err := strconv.ParseUint(text, 0, 64)
	if err != nil || strings.Contains(text, "_") || bits < 64 && v>>bits > 0 {
		return 0, fmt.Errorf("%s is no number of %d bits (10, or 0x0a)", yamlpos.Quote(text), bits)
	}
	return v, nil
}

// long is a number of up to 128 bits.
func long(text string, bits int) (ovs.Value, error) {
	hex, is := strings.CutPrefix(strings.ToLower(text), "0x")
	hex = strings.TrimLeft(hex, "0")
	if !is || len(hex) <= 16 {
		v, err := number(text, min(bits, 64))
		return ovs.Value{Lo: v}, err
	}
	hi, err1 := strconv.ParseUint(hex[:len(hex)-16], 16, 64)
	lo, err2 := strconv.ParseUint(hex[len(hex)-16:], 16, 64)
	v := ovs.Value{Hi: hi, Lo: lo}
	if err1 != nil || err2 != nil || !v.Fits(bits) {
		return v, fmt.Errorf("%s is no number of %d bits", yamlpos.Quote(text), bits)
	}
	return v, nil
}

// port is a number, or a name that all switches know.
func port(text string) (int, error) {
	if p, ok := ports[strings.ToUpper(text)]; ok {
		return p, nil
	}
	v, err := number(text, 16)
	if err != nil {
		return 0, fmt.Errorf("%s is no port (its number: ovs-ofctl prints numbers with --no-names)", yamlpos.Quote(text))
	}
	return int(v), nil
}

// single value of a field, without a mask.
func single(f *ovs.Field, text string) (ovs.Value, error) {
	switch f.Form {
	case ovs.Port:
		p, err := port(text)
		return ovs.Value{Lo: uint64(p)}, err
	case ovs.MAC:
		m, err := net.ParseMAC(text)
		if err != nil || len(m) != 6 || strings.Count(text, ":") != 5 {
			return ovs.Value{}, fmt.Errorf("%s is no MAC address (0a:00:00:00:00:01)", yamlpos.Quote(text))
		}
		return ovs.Value{Lo: binary.BigEndian.Uint64(append([]byte{0, 0}, m...))}, nil
	case ovs.IPv4, ovs.IPv6:
		return address(text, f.Form == ovs.IPv6)
	}
	return long(text, f.Width())
}

func address(text string, six bool) (ovs.Value, error) {
	a, err := netip.ParseAddr(text)
	if err != nil || a.Is6() != six || a.Zone() != "" {
		example := "10.131.0.4"
		if six {
			example = "fd01::4"
		}
		return ovs.Value{}, fmt.Errorf("%s is no address (%s)", yamlpos.Quote(text), example)
	}
	if !six {
		b := a.As4()
		return ovs.Value{Lo: uint64(binary.BigEndian.Uint32(b[:]))}, nil
	}
	b := a.As16()
	return ovs.Value{Hi: binary.BigEndian.Uint64(b[:8]), Lo: binary.BigEndian.Uint64(b[8:])}, nil
}

// masked value of a field: 10.131.0.0/23, 0x1/0x3, +trk-rpl, not_later.
func masked(f *ovs.Field, text string) (v, mask ovs.Value, err error) {
	switch f.Form {
	case ovs.Flags:
		return flags(f, text)
	case ovs.Frag:
		pair, ok := frags[strings.ToLower(text)]
		if !ok {
			return v, mask, fmt.Errorf("%s is no kind of fragment (no, yes, first, later, not_later)", yamlpos.Quote(text))
		}
		return ovs.Value{Lo: pair[0]}, ovs.Value{Lo: pair[1]}, nil
	}
	first, second, has := strings.Cut(text, "/")
	if v, err = single(f, first); err != nil || !has {
		return v, whole, err
	}
	bits, isPrefix := strconv.Atoi(second)
	if f.Form == ovs.IPv4 || f.Form == ovs.IPv6 {
		if isPrefix == nil {
			if bits < 0 || bits > f.Width() {
				return v, mask, fmt.Errorf("/%s is no length of a prefix (up to %d)", yamlpos.Shorten(second), f.Width())
			}
			return v, whole.Shift(f.Width() - bits), nil
		}
	}
	mask, err = single(f, second)
	return v, mask, err
}

// frags are value and mask of nw_frag.
var frags = map[string][2]uint64{"no": {0, 3}, "yes": {1, 1}, "first": {1, 3}, "later": {3, 3}, "not_later": {0, 2}}

// bits of flags.
var (
	stateBits = []string{"new", "est", "rel", "rpl", "inv", "trk", "snat", "dnat"}
	tcpBits   = []string{"fin", "syn", "rst", "psh", "ack", "urg", "ece", "cwr", "ns"}
)

// flags are +a-b, which looks at these, or a|b, which looks at all, or numbers.
func flags(f *ovs.Field, text string) (v, mask ovs.Value, err error) {
	names := tcpBits
	if f.Name == "ct_state" {
		names = stateBits
	}
	if text != "" && text[0] >= '0' && text[0] <= '9' {
		first, second, has := strings.Cut(text, "/")
		if v, err = long(first, f.Width()); err == nil && has {
			mask, err = long(second, f.Width())
			return v, mask, err
		}
		return v, whole, err
	}
	signed := strings.HasPrefix(text, "+") || strings.HasPrefix(text, "-")
	if !signed {
		mask = whole
		text = "+" + strings.NewReplacer("|", "+", ",", "+").Replace(text)
	}
	for text != "" {
		sign, n := text[0], strings.IndexAny(text[1:], "+-")
		if n < 0 {
			n = len(text) - 1
		}
		name := text[1 : n+1]
		text = text[n+1:]
		bit := ovs.Value{}
		for i, known := range names {
			if name == known {
				bit.Lo = 1 << i
			}
		}
		if bit.Lo == 0 || signed && mask.And(bit) != (ovs.Value{}) {
			return v, mask, fmt.Errorf("%s is no flag of %s, or stands twice (%s)", yamlpos.Quote(name), f.Name,
				strings.Join(names, ", "))
		}
		mask = mask.Or(bit)
		if sign == '+' {
			v = v.Or(bit)
		}
	}
	return v, mask, nil
}

// part of a field: NXM_NX_REG0[0..15], NXM_NX_REG0[3], NXM_NX_REG0[], reg0.
func part(text string) (ovs.Part, error) {
	name, rest, cut := strings.Cut(text, "[")
	f := ovs.Lookup(name)
	if f == nil {
		return ovs.Part{}, unknownField(name)
	}
	rest, closed := strings.CutSuffix(rest, "]")
	if !cut || rest == "" && closed {
		return ovs.Whole(f), nil
	}
	first, last, two := strings.Cut(rest, "..")
	if !two {
		last = first
	}
	from, err1 := number(first, 8)
	to, err2 := number(last, 8)
	if !closed || err1 != nil || err2 != nil || from > to || int(to) >= f.Width() {
		return ovs.Part{}, fmt.Errorf("[%s] are no bits of %s, which has %d ([0..%d])", yamlpos.Shorten(rest), f.Name,
			f.Width(), f.Width()-1)
	}
	return ovs.Part{Field: f, Start: int(from), Width: int(to-from) + 1}, nil
}
