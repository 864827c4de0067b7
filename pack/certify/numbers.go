package certify

import (
	"math/big"
	"slices"
)

// product multiplies without overflow.
func product(factors ...int64) *big.Int {
	p := big.NewInt(1)
	for _, f := range factors {
		p.Mul(p, big.NewInt(f))
	}
	return p
}

// dot is the sum of the products of two lists of amounts of equal length.
func dot(a, b []int64) *big.Int {
	sum := new(big.Int)
	for i := range a {
		if a[i] != 0 && b[i] != 0 {
			sum.Add(sum, product(a[i], b[i]))
		}
	}
	return sum
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
