package plan

import "plimsoll.dev/derive/derivetest"

// Twins are the rules of thumb of OCP 9.3 in Go, with which every plan is compared.
var Twins = derivetest.Twins{
	"nodes.byPods": func(in derivetest.Inputs) float64 {
		return float64(NodesForPods(int64(in["pods"]), int64(in["podsPerNode"])))
	},
	"nodes.podsPerNode": func(in derivetest.Inputs) float64 { return PodsPerNode(int64(in["pods"]), int64(in["nodes"])) },
}

// NodesForPods is the number of nodes that pods need at podsPerNode: the
// required pods over the pods per node, rounded up (OCP 9.3). podsPerNode is
// at least 1.
func NodesForPods(pods, podsPerNode int64) int64 { return (pods + podsPerNode - 1) / podsPerNode }

// PodsPerNode is the number of pods to expect on each of nodes nodes (OCP 9.3).
func PodsPerNode(pods, nodes int64) float64 { return float64(pods) / float64(nodes) }
