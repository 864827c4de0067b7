package sample

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/unit"
)

// Kinds of pod, racks and nodes of Cluster; a rack has as many nodes.
const (
	clusterKinds  = 32
	clusterRacks  = 25
	nodesInRack   = 20
	clusterNodes  = clusterRacks * nodesInRack
	pendingPods   = 7
	clusterFloor  = 471
	clusterPacked = 486
)

// Cluster is 500 nodes in three zones and 25 racks, with 32 kinds of pod of which
// the last four have pending ones, with losses, drains and a comparison.
func Cluster() *v1alpha1.Placement {
	var kinds []kind
	for i := range clusterKinds {
		kinds = append(kinds, kind{fmt.Sprintf("service-%02d", i+1), []string{"Burstable", "Guaranteed"}[i%2], requests(int64(500*(1+i%8)), unit.Bytes(1+i%5)*unit.GiB), 0})
	}
	var groups []group
	for rack := range clusterRacks {
		domains := map[string]string{"topology.kubernetes.io/zone": string(rune('a' + rack%3)), "example.com/rack": fmt.Sprintf("r%02d", rack+1)}
		for half, has := range []map[string]int64{
			{"cpu": 39500, "memory": int64(120 * unit.GiB), "pods": 250}, {"cpu": 15500, "memory": int64(58 * unit.GiB), "pods": 250},
		} {
			name := []string{"large", "medium"}[half]
			at := rack % 14
			mix := [][]v1alpha1.PodsOnNode{pods(at, 3, at+7, 2, at+8, 2, at+14, 1, at+15, 1, at+16, 1), pods(at, 2, at+7, 1)}[half]
			g := group{name: fmt.Sprintf("%s-%d", name, rack*nodesInRack/2+1), kind: name, count: nodesInRack / 2, has: has, domains: domains, pods: mix, full: half == 1}
			for _, x := range mix {
				kinds[x.PodType].wanted += x.Count * g.count
			}
			groups = append(groups, g)
		}
	}
	for i := clusterKinds - 4; i < clusterKinds; i++ {
		kinds[i].wanted += pendingPods * (i - clusterKinds + 5)
	}
	p := placement("retail", "500 nodes in three zones, one pod type after the other", "4.17", kinds, groups)
	p.Rules = []string{"kube-scheduler by the rules of 1.30: LeastAllocated, at most 230 feasible nodes of 500 scored, from a moving start", "pods arrive type by type, as they are listed"}
	p.Verdict.Problem = "28 pods of service-32: insufficient cpu"
	clusterOutcomes(p)
	clusterWhatIfs(p)
	return p
}

func clusterOutcomes(p *v1alpha1.Placement) {
	for i := range p.PodTypes {
		o := &p.PodTypes[i]
		o.More, o.MoreMixed = 40*(1+i%3), 2
		if o.Pending == 0 {
			continue
		}
		o.More, o.MoreMixed = 0, 0
		cpu := 300 + 10*(i%4)
		o.Reasons = []v1alpha1.UnfitReason{{Reason: "Insufficient cpu", Nodes: cpu}, {Reason: "node(s) had untolerated taint(s)", Nodes: clusterNodes - cpu}}
		o.Message = fmt.Sprintf("0/500 nodes are available: %d Insufficient cpu, %d node(s) had untolerated taint(s).", cpu, clusterNodes-cpu)
		o.Nearest = fmt.Sprintf("large-%d lacks 0.5 cores of cpu", i)
		o.Preemption = fmt.Sprintf("preemption: 0/500 nodes are available: %d No preemption victims found for incoming pod, %d Preemption is not helpful for scheduling.", cpu, clusterNodes-cpu)
	}
	last := &p.PodTypes[clusterKinds-1]
	last.Preemption = "would take the place of 1 service-01 on large-1"
}

func clusterWhatIfs(p *v1alpha1.Placement) {
	p.Losses = []v1alpha1.Loss{
		{What: "any 1 node", Tried: 50, How: "each combination of unequal nodes", Survived: 50},
		{What: "any rack", Tried: 25, How: "each of the 25", Survived: 21, Worst: "large-1, large-2, large-3, large-4, 16 more",
			Homeless: []v1alpha1.PodsCount{{PodType: 0, Count: 3}, {PodType: 7, Count: 12}, {PodType: 8, Count: 1}, {PodType: 14, Count: 2}, {PodType: 15, Count: 5}}},
	}
	p.Drains = []v1alpha1.Drain{
		{What: "rolling update, 1 node at a time", MaxUnavailable: 1, Batches: 500, Duration: 500 * 600, MostUnavailable: 6},
		{What: "rolling update, 20 nodes at a time", MaxUnavailable: 20, Batches: 25, Worst: "large-21, large-22, large-23, large-24, 16 more",
			Homeless: []v1alpha1.PodsCount{{PodType: 3, Count: 9}}, MostUnavailable: 6},
	}
	p.Comparison = &v1alpha1.NodeComparison{Option: "large and medium", Floor: clusterFloor, Planned: clusterPacked, Method: "patterns",
		Needed: []v1alpha1.NeededNodes{
			{Rules: "1.30", Order: "runs", Nodes: 500, Least: 492, Most: 540}, {Rules: "1.30", Order: "shuffled", Nodes: 512, Least: 508, Most: 519},
			{Rules: "1.30", Order: "largestFirst", Nodes: 488}, {Rules: "1.30, all", Order: "shuffled", Nodes: 515, Least: 511, Most: 522}},
		Advice: "roll out the largest pods first (488 nodes suffice), or have 540 nodes for pods that arrive as they like"}
	p.Findings = []v1alpha1.Finding{
		{Severity: v1alpha1.Warning, ID: "place.loss[any rack]", Message: "the workload does not survive the loss of any rack", Remedy: "add nodes, or spread the pods over more of them"},
		{Severity: v1alpha1.Warning, ID: "place.drain", Message: "pods lose their place during a rolling update, 20 nodes at a time", Remedy: "add a node for the time of the update, or set a lower maxUnavailable"},
	}
	p.Assumptions = []v1alpha1.Assumption{{Field: "policy.zones", Value: "3", Why: "the nodes name three"}}
}
