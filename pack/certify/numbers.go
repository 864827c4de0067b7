package certify

import (
	"math/big"
	"math/bits"
	"slices"
)

// product multiplies without overflow.
func product(factors ...int64) *big.Int {
	p := big.NewInt(factors[0])
	for _, f := range factors[1:] {
		p.Mul(p, big.NewInt(f))
	}
	return p
}

// dot is the sum of the products of two lists of equal length, of numbers from 0.
// One factor is below 2^53 and the other below 2^62 in up to 2^12 terms, or both
// are below 2^53 in up to 2^20 terms: 128 bits hold it.
func dot(a, b []int64) *big.Int {
	var high, low, carry uint64
	for i := range a {
		h, l := bits.Mul64(uint64(a[i]), uint64(b[i]))
		low, carry = bits.Add64(low, l, 0)
		high += h + carry
	}
	if high == 0 {
		return new(big.Int).SetUint64(low)
	}
	sum := new(big.Int).SetUint64(high)
	return sum.Lsh(sum, 64).Add(sum, new(big.Int).SetUint64(low))
}

// ceil divides n by d, above zero, and rounds up.
func ceil(n, d *big.Int) *big.Int {
	q, m := new(big.Int).DivMod(n, d, new(big.Int))
	return q.Add(q, big.NewInt(int64(m.Sign())))
}

// larger of two integers.
func larger(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return b
	}
	return a
}

// natural says whether all are amounts: whole numbers from 0 to 2^53.
func natural(amounts []int64) bool {
	return !slices.ContainsFunc(amounts, func(n int64) bool { return n < 0 || n > maxAmount })
}

// oneEach says whether a list that may be left out has one for each.
func oneEach[A, B any](list []A, of []B) bool { return len(list) == 0 || len(list) == len(of) }

// at is the i-th of a list that may be left out where all are 0.
func at(list []int64, i int) int64 {
	if len(list) == 0 {
		return 0
	}
	return list[i]
}

// integers are n of the amounts, or of zeros.
func integers(amounts []int64, n int) []*big.Int {
	out := make([]*big.Int, n)
	for i := range out {
		out[i] = big.NewInt(at(amounts, i))
	}
	return out
}
