// Package sim plays the kubelets of a cluster: it registers nodes, renews their leases, and
// gives pods that are bound to them the phases, conditions and events that a kubelet gives
// them, with delays and failures that are known beforehand. What it did, and when, it tells
// in a file of truth, so that a measurement can be checked.
//
// It runs no container and decides on no placement; the scheduler and the controllers are
// those of package plane.
//
//	s, err := sim.Start(ctx, config, sim.Options{Behaviour: b, Truth: file})
//	err = s.Register(ctx, nodes)
package sim
