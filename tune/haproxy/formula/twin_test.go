package formula_test

import "math"

// Interval is the least time between reloads, in seconds, with which no more than
// so many processes, at least two, pile up.
func Interval(longest, processes float64) float64 { return longest / math.Max(1, processes-1) }

// Memory is what a router takes in bytes: the controller and a small HAProxy, the
// back ends in each process, and the connections, which live in one process each.
func Memory(base, processes, backends, eachBackend, connections float64) float64 {
	return base + processes*backends*eachBackend + connections
}
