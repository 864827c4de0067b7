// Package network plans the cluster network: how many addresses a node and the
// cluster need, the cidr and hostPrefix that give them, whether networks
// overlap, and the MTU with what tunnel and encryption cost on the wire.
//
// It measures nothing and writes no manifest: it decides the values of the
// networking part of install-config.yaml, which can't be changed afterwards.
//
//	r := network.Plan(&book, network.Input{Nodes: nodes, PodsPerNode: pods, …})
//	r.Decision.ClusterNetwork[0] // {10.128.0.0/14 23}
//	r.Decision.ClusterMTU        // 1400
package network
