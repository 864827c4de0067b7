package pack

// Products that are added to something are converted to float64 throughout the
// package, though they are that already: it keeps compilers from fusing the two
// operations, which some processors can and others can't, so that the search
// takes the same way everywhere.

// random is a small generator of random numbers (splitmix64): the same seed
// gives the same numbers everywhere.
type random uint64

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// unit is a number from 0 to below 1.
func (r *random) unit() float64 { return float64(r.next()>>11) / (1 << 53) }
