package formula

import "math"

// Share is one kind of request in a mix.
type Share struct {
	// Requests of the kind in a second.
	Requests float64
	// KeepAlive is the share of them on connections that are kept open, 0 to 1.
	KeepAlive float64
	// RateKeepAlive and RateClose are what one router takes of the kind alone, on
	// kept connections and with a connection for each request.
	RateKeepAlive, RateClose float64
}

// Load is the number of fully used routers that the mix needs: each request takes
// 1/rate of a router, so that rates of kinds mix harmonically.
func Load(mix []Share) float64 {
	load := 0.0
	for _, s := range mix {
		load += s.Load()
	}
	return load
}

// Load is the number of fully used routers that the kind needs.
func (s Share) Load() float64 {
	return s.Requests * (s.KeepAlive/s.RateKeepAlive + (1-s.KeepAlive)/s.RateClose)
}

// Capacity is the number of requests a second of the mix, in the same proportions,
// that so many routers take at a utilisation from 0 to 1. It is the inverse of
// Load; a mix without requests has none.
func Capacity(routers, utilisation float64, mix []Share) float64 {
	load := Load(mix)
	if load == 0 {
		return 0
	}
	total := 0.0
	for _, s := range mix {
		total += s.Requests
	}
	return routers * utilisation * total / load
}

// KeptShare is the share of requests that find their connection open when each
// connection carries so many.
func KeptShare(requestsPerConnection float64) float64 {
	return 1 - 1/math.Max(1, requestsPerConnection)
}

// CloseRate is the rate with a connection for each request when only a share of the
// clients resumes its TLS session: the rates were measured with all resuming, and
// what a new connection costs beyond a kept one grows by full for the others.
func CloseRate(keep, shut, resumed, full float64) float64 {
	return 1 / (1/keep + math.Max(0, 1/shut-1/keep)*(resumed+(1-resumed)*full))
}

// FullHandshake is how many times as much a connection with a full TLS handshake
// costs beyond a kept one as a connection that resumes its session. The three are
// the cost of a request on each.
func FullHandshake(kept, resumed, full float64) float64 { return (full - kept) / (resumed - kept) }

// FillingPage is the size in bytes of the page with which requests a second fill a
// network of so many bit/s, payload only.
func FillingPage(requests, bits float64) float64 { return bits / 8 / requests }
