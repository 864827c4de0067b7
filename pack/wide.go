package pack

import "math/bits"

// wide is a signed integer of 128 bits, for sums of products in proofs. Amounts
// are at most 2^53 and weights at most 2^62, so a sum of 1,000 products fits.
type wide struct {
	hi int64
	lo uint64
}

// product of two integers.
func product(a, b int64) wide {
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	w := wide{int64(hi), lo}
	if (a < 0) != (b < 0) {
		return w.neg()
	}
	return w
}

func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

func (w wide) neg() wide {
	lo, borrow := bits.Sub64(0, w.lo, 0)
	hi, _ := bits.Sub64(0, uint64(w.hi), borrow)
	return wide{int64(hi), lo}
}

func (w wide) add(v wide) wide {
	lo, carry := bits.Add64(w.lo, v.lo, 0)
	hi, _ := bits.Add64(uint64(w.hi), uint64(v.hi), carry)
	return wide{int64(hi), lo}
}

func (w wide) sub(v wide) wide { return w.add(v.neg()) }

// times a count from 0.
func (w wide) times(n int64) wide {
	negative := w.hi < 0
	if negative {
		w = w.neg()
	}
	carry, lo := bits.Mul64(w.lo, uint64(n))
	out := wide{w.hi*n + int64(carry), lo}
	if negative {
		return out.neg()
	}
	return out
}

func (w wide) positive() bool { return w.hi > 0 || w.hi == 0 && w.lo > 0 }

func (w wide) less(v wide) bool { return w.hi < v.hi || w.hi == v.hi && w.lo < v.lo }

// float is close to w.
func (w wide) float() float64 {
	if w.hi < 0 {
		return -w.neg().float()
	}
	return float64(w.hi)*(1<<64) + float64(w.lo)
}

// over divides a number from 0 by a positive one, rounded down, up to the largest int64.
func (w wide) over(n int64) int64 {
	if uint64(w.hi) >= uint64(n) {
		return maxInt
	}
	q, _ := bits.Div64(uint64(w.hi), w.lo, uint64(n))
	return int64(min(q, maxInt))
}

const maxInt = 1<<63 - 1
