package ovs

import "math"

// keyWords is how long a key is. Bits count from the highest of the first word.
const keyWords = 29

// Key holds all fields of a packet, with what the switch keeps beside it (registers, conntrack state).
type Key [keyWords]uint64

// Value is a number of up to 128 bits.
type Value struct{ Hi, Lo uint64 }

// ones is a value whose lowest bits are set.
func ones(width int) Value {
	switch {
	case width >= 128:
		return Value{math.MaxUint64, math.MaxUint64}
	case width > 64:
		return Value{1<<(width-64) - 1, math.MaxUint64}
	case width == 64:
		return Value{0, math.MaxUint64}
	}
	return Value{0, 1<<width - 1}
}

// And has the bits that both have.
func (v Value) And(m Value) Value { return Value{v.Hi & m.Hi, v.Lo & m.Lo} }

// Or has the bits that one of them has.
func (v Value) Or(m Value) Value { return Value{v.Hi | m.Hi, v.Lo | m.Lo} }

// Not has the bits that v has not.
func (v Value) Not() Value { return Value{^v.Hi, ^v.Lo} }

// Shift moves the bits up by n.
func (v Value) Shift(n int) Value {
	if n >= 64 {
		return Value{v.Lo << (n - 64), 0}
	}
	return Value{v.Hi<<n | v.Lo>>(64-n), v.Lo << n}
}

// Fits says that the value has no bit beyond width.
func (v Value) Fits(width int) bool { return v.And(ones(width).Not()) == Value{} }

// span is a run of bits in a key.
type span struct{ at, width int }

// get the bits.
func (k *Key) get(s span) Value {
	w, shift := (s.at+s.width-1)/64, 63-(s.at+s.width-1)%64
	var hi, lo, above uint64
	lo = k[w]
	if w > 0 {
		hi = k[w-1]
	}
	if w > 1 {
		above = k[w-2]
	}
	if shift > 0 {
		lo, hi = lo>>shift|hi<<(64-shift), hi>>shift|above<<(64-shift)
	}
	return Value{hi, lo}.And(ones(s.width))
}

// put the bits of v where mask has them.
func (k *Key) put(s span, v, mask Value) {
	w, shift := (s.at+s.width-1)/64, 63-(s.at+s.width-1)%64
	mask = mask.And(ones(s.width))
	v = v.And(mask)
	k[w] = k[w]&^(mask.Lo<<shift) | v.Lo<<shift
	if w > 0 {
		m, x := mask.Shift(shift).Hi, v.Shift(shift).Hi
		k[w-1] = k[w-1]&^m | x
	}
	if w > 1 && shift > 0 {
		k[w-2] = k[w-2]&^(mask.Hi>>(64-shift)) | v.Hi>>(64-shift)
	}
}
