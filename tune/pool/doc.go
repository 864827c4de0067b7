// Package pool answers what the Machine Config Operator does with pools of nodes:
// to which pool a node belongs, and how a new configuration is rolled out, node by
// node, with the capacity that is left at each moment.
//
// It renders no configuration (package machineconfig does) and knows no pods; how
// long a drain takes is an input.
//
//	m := pool.Of(node.Metadata.Labels, pools, era.V44)
package pool

import (
	"plimsoll.dev/api/openshift"
	"plimsoll.dev/tune/era"
)

// Membership is the pools of a node.
type Membership struct {
	// Primary is the pool whose configuration the node gets; empty for none.
	Primary string
	// Pools are all pools that select the node, the primary first: a custom pool, then worker.
	Pools []string
	// Problem says why a node that pools select has no primary one; empty otherwise.
	Problem string
}

// Of finds the pools of a node by its labels.
func Of(labels map[string]string, pools []openshift.MachineConfigPool, e era.Era) Membership {
	return Membership{}
}
