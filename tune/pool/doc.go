// Package pool answers what the Machine Config Operator does with pools of nodes:
// to which pool a node belongs, and how a new configuration is rolled out, node by
// node, with the capacity that is left at each moment.
//
// It renders no configuration (package machineconfig does) and knows no pods; how
// long a drain takes is an input.
//
//	m := pool.Of(node.Metadata.Labels, pools, release.V44)
package pool
