package sample

import (
	"cmp"
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/unit"
)

// Placements are placements made by hand, by name: small is a machine of two
// cores, numa one of 112 CPUs with devices and refusals, cluster 500 nodes, large
// a machine of 256 CPUs with more owners than letters, empty nothing at all, and
// hostile has markup in every text.
func Placements() map[string]*v1alpha1.Placement {
	return map[string]*v1alpha1.Placement{"small": Small(), "numa": NUMA(), "cluster": Cluster(), "large": Large(),
		"empty": {PlacementHead: v1alpha1.PlacementHead{APIVersion: v1alpha1.APIVersion, Kind: v1alpha1.KindPlacement}}, "hostile": HostilePlacement()}
}

// kind is a kind of pod of a sample.
type kind struct {
	name, qos string
	requests  map[string]int64
	wanted    int
}

// group is a number of equal nodes of a sample, and the pods on each, by kind.
type group struct {
	name, kind string
	count      int
	has        map[string]int64
	domains    map[string]string
	pods       []v1alpha1.PodsOnNode
	full       bool
	machine    int
}

// resources is the order in which samples list resources.
var resources = []string{"cpu", "memory", "pods", "hugepages-1Gi", "example.com/nic"}

// placement sums up kinds and groups, so that all numbers agree. Everything that
// no group runs is pending.
func placement(name, description, release string, kinds []kind, groups []group) *v1alpha1.Placement {
	p := &v1alpha1.Placement{PlacementHead: v1alpha1.PlacementHead{APIVersion: v1alpha1.APIVersion, Kind: v1alpha1.KindPlacement,
		Metadata: v1alpha1.Metadata{Name: name, Description: description}, Platform: v1alpha1.Platform{Type: "openshift", Release: release}}}
	for _, k := range kinds {
		p.PodTypes = append(p.PodTypes, v1alpha1.PodOutcome{Name: k.name, Namespace: "shop", QOSClass: k.qos, Requests: k.requests, Wanted: k.wanted})
	}
	nodes := 0
	for _, g := range groups {
		p.Nodes = append(p.Nodes, g.node(kinds))
		nodes += g.count
		for _, x := range g.pods {
			p.PodTypes[x.PodType].Placed += x.Count * g.count
		}
	}
	p.Resources = clusterResources(p.Nodes)
	placed, wanted := 0, 0
	for i := range p.PodTypes {
		o := &p.PodTypes[i]
		o.Pending = o.Wanted - o.Placed
		placed, wanted = placed+o.Placed, wanted+o.Wanted
	}
	p.Verdict.Fits = placed == wanted
	p.Verdict.Summary = fmt.Sprintf("%d of %d pods run on %s", placed, wanted, map[bool]string{true: "1 node", false: fmt.Sprint(nodes, " nodes")}[nodes == 1])
	fullest := slices.MaxFunc(p.Resources, func(a, b v1alpha1.ClusterResource) int {
		return cmp.Compare(a.Requested*b.Allocatable/1000, b.Requested*a.Allocatable/1000)
	})
	p.Verdict.Tightest = fmt.Sprintf("%s is the fullest resource: %d %% is requested", fullest.Resource, (200*fullest.Requested+fullest.Allocatable)/(2*fullest.Allocatable))
	return p
}

// node is a group as the placement tells it.
func (g group) node(kinds []kind) v1alpha1.PlacedNode {
	n := v1alpha1.PlacedNode{Name: g.name, Count: g.count, Type: g.kind, Domains: g.domains, Pods: g.pods, Full: g.full, Machine: g.machine}
	for _, name := range resources {
		if g.has[name] == 0 {
			continue
		}
		r := v1alpha1.NodeResource{Resource: name, Allocatable: g.has[name]}
		for _, x := range g.pods {
			each := kinds[x.PodType].requests[name]
			if name == "pods" {
				each = 1
			}
			r.Requested += each * int64(x.Count)
		}
		n.Resources = append(n.Resources, r)
	}
	return n
}

// clusterResources sums up nodes; what is free on full ones is stranded.
func clusterResources(nodes []v1alpha1.PlacedNode) []v1alpha1.ClusterResource {
	var out []v1alpha1.ClusterResource
	for _, name := range resources {
		sum := v1alpha1.ClusterResource{Resource: name}
		for _, n := range nodes {
			i := slices.IndexFunc(n.Resources, func(r v1alpha1.NodeResource) bool { return r.Resource == name })
			if i < 0 {
				continue
			}
			r := n.Resources[i]
			sum.Allocatable += r.Allocatable * int64(n.Count)
			sum.Requested += r.Requested * int64(n.Count)
			if n.Full && name != "cpu" {
				sum.Stranded, sum.By = sum.Stranded+(r.Allocatable-r.Requested)*int64(n.Count), "cpu"
			}
		}
		if sum.Allocatable > 0 {
			out = append(out, sum)
		}
	}
	return out
}

func pods(typeAndCount ...int) []v1alpha1.PodsOnNode {
	var out []v1alpha1.PodsOnNode
	for i := 0; i < len(typeAndCount); i += 2 {
		out = append(out, v1alpha1.PodsOnNode{PodType: typeAndCount[i], Count: typeAndCount[i+1]})
	}
	return out
}

func requests(cpu int64, memory unit.Bytes) map[string]int64 {
	return map[string]int64{"cpu": cpu, "memory": int64(memory)}
}

// Small is the example of CPU Manager in the OpenShift 4.4 guide, chapter 6: two
// cores, of which one is reserved, and a second pod that finds none.
func Small() *v1alpha1.Placement {
	kinds := []kind{{"cpumanager", "Guaranteed", requests(1000, unit.GiB), 2}}
	has := map[string]int64{"cpu": 1500, "memory": int64(7 * unit.GiB), "pods": 250}
	p := placement("cpu-manager", "Using CPU Manager, OpenShift 4.4 guide, chapter 6", "4.4", kinds,
		[]group{{name: "perf-node", kind: "perf", count: 1, has: has, pods: pods(0, 1), full: true, machine: 1}})
	p.Verdict.Problem = "1 pod of cpumanager: insufficient cpu"
	p.Rules = []string{"kube-scheduler by the rules of 1.17: LeastAllocated, all nodes scored, ties at random (seed 0)", "kubelets admit by the rules of Kubernetes 1.36"}
	o := &p.PodTypes[0]
	o.Reasons = []v1alpha1.UnfitReason{{Reason: "Insufficient cpu", Nodes: 1}}
	o.Message, o.Nearest = "0/1 nodes are available: 1 Insufficient cpu.", "perf-node lacks 0.5 cores of cpu"
	o.Preemption = "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod."
	m := newMachine("perf-node", "perf", shape{1, 1, 2, 1, 1}, "CPU manager static, memory manager None, topology manager none")
	m.reserve("0")
	m.own("cpumanager-1", "cpumanager", "1", nil)
	p.Machines = []v1alpha1.MachineMap{m.MachineMap}
	p.Assumptions = []v1alpha1.Assumption{{Field: "policy.zones", Value: "1", Why: "one node is in one zone"}}
	return p
}

// HostilePlacement is NUMA and Cluster together with Nasty behind every text,
// and with numbers that point nowhere.
func HostilePlacement() *v1alpha1.Placement {
	p, c := NUMA(), Cluster()
	p.Losses, p.Drains, p.Comparison = c.Losses, c.Drains, c.Comparison
	p.Findings = append(p.Findings, v1alpha1.Finding{Severity: v1alpha1.Info, ID: "place.remark", Message: "nothing"})
	p.Losses[0].Homeless = append(p.Losses[0].Homeless, v1alpha1.PodsCount{PodType: 99, Count: 1})
	spoilAll(p)
	p.APIVersion, p.Kind = v1alpha1.APIVersion, v1alpha1.KindPlacement
	p.Nodes[0].Pods = append(p.Nodes[0].Pods, v1alpha1.PodsOnNode{PodType: -1, Count: 2})
	p.Machines[0].NUMANodes[0].Cores[1].Threads[0] = v1alpha1.ThreadMap{CPU: 999, Use: "exclusive", Owner: 99}
	p.Machines[0].NUMANodes[0].Cores[2].Threads[0] = v1alpha1.ThreadMap{CPU: -1, Use: "exclusive", Owner: -4}
	return p
}
