// Package netmeter moves bytes between two ends and measures them: the meter of bench/network.
//
// Each end is a process of its own, so that its CPU time is its own and it can be pinned; one TCP port
// carries control and data. An end waits in epoll and not in Go's netpoller, since a hand-off between goroutines would
// be a third of what is measured (docs/decisions/018-bench.md). What a sample counts begins after its warm-up.
//
// The spaces that it makes are held by open files alone: they and all their devices are gone with the
// processes, however these end.
//
//	place, err := network.Place("workers", network.Switches{MTU: 1500, Offloads: true})
//	run, err := netmeter.Run(ctx, netmeter.Options{Parameters: network.Quick(), Place: place})
package netmeter
