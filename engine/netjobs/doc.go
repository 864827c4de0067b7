// Package netjobs runs the two ends of a network benchmark as Jobs of a cluster, on the nodes that are
// asked for, and takes them away.
//
// It does not measure: the pods run engine/netmeter. They have no rights in the cluster; the client's
// result is what it prints. Whoever runs it needs rights.Bench.
//
//	run, err := netjobs.Run(ctx, client, netjobs.Options{RunID: "1", Image: "registry.example/plimsoll:1",
//		Between: "across-zones", Parameters: network.Quick()}, told)
package netjobs
