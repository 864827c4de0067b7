package unit

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// mostWhole is the largest whole number that a price may become: what floating
// point numbers count exactly.
const mostWhole = 1 << 53

// WholePrices are prices as whole numbers, exactly as their shortest decimal text
// says them, and by how much they were multiplied: the least power of ten, from
// one, that makes all of them whole. False when one is no price above 0, or too
// large then to be counted exactly: 1e10 beside 0.0000001.
func WholePrices(prices []float64) (whole []int64, scale float64, ok bool) {
	places := 0
	for _, x := range prices {
		if !(x > 0) || math.IsInf(x, 0) {
			return nil, 0, false
		}
		if _, fraction, found := strings.Cut(decimal(x), "."); found {
			places = max(places, len(fraction))
		}
	}
	if places > 22 { // the largest power of ten that is a floating point number
		return nil, 0, false
	}
	factor := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
	for _, x := range prices {
		r, _ := new(big.Rat).SetString(decimal(x))
		r.Mul(r, new(big.Rat).SetInt(factor))
		if n := r.Num(); !r.IsInt() || !n.IsInt64() || n.Int64() > mostWhole {
			return nil, 0, false
		}
		whole = append(whole, r.Num().Int64())
	}
	scale, _ = new(big.Float).SetInt(factor).Float64()
	return whole, scale, true
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
