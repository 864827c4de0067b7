package v1alpha1

import (
	"cmp"
	"slices"
	"strings"

	"plimsoll.dev/unit"
)

// PlacementHead is what the answers of "place" begin with, for pods and for VMs.
type PlacementHead struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Metadata of the scenario.
	Metadata Metadata `json:"metadata"`
	// Platform of the scenario, with its defaults.
	Platform Platform `json:"platform"`
	// Rules that decided, the rule set first: "Kubernetes 1.36, LeastAllocated, 42 % of the nodes scored, ties by
	// heap order", "nova: the rules of Nova 34.0".
	Rules []string `json:"rules"`
	// Verdict in three sentences.
	Verdict PlacementVerdict `json:"verdict"`
	// Findings are errors, warnings and remarks, errors first.
	Findings []Finding `json:"findings,omitempty"`
}

// Find adds a finding.
func (h *PlacementHead) Find(severity Severity, id, message, remedy string) {
	h.Findings = append(h.Findings, Finding{Severity: severity, ID: id, Message: message, Remedy: remedy})
}

// Confirm adds what the plan of the same scenario leaves open or finds wrong: what a plan fails,
// no placement of it calls good. Errors whose IDs begin with one of judged are the placement's own
// where it fails, and where it is on nodes that run, which a plan packs anew.
func (h *PlacementHead) Confirm(p *Plan, live bool, judged ...string) {
	said := func(f Finding) bool {
		own := slices.ContainsFunc(judged, func(prefix string) bool { return strings.HasPrefix(f.ID, prefix) })
		return f.Severity != Error || own && (live || !h.Verdict.Fits) ||
			slices.ContainsFunc(h.Findings, func(g Finding) bool { return g.Message == f.Message })
	}
	for _, o := range p.Verdict.Open {
		if !slices.Contains(h.Verdict.Open, o) {
			h.Verdict.Open = append(h.Verdict.Open, o)
		}
	}
	beside := slices.DeleteFunc(slices.Clone(p.Findings), said)
	if len(beside) == 0 {
		return
	}
	for i := range beside {
		beside[i].Figure = "" // of the plan
	}
	h.Findings = append(h.Findings, beside...)
	SortFindings(h.Findings)
	v := &h.Verdict
	v.Fits, v.Problem = false, cmp.Or(v.Problem, "plimsoll plan says: "+beside[0].Message)
}

// Placement is the answer of "place": where each pod went, what each machine
// gave it, what found no place and why, and what the cluster survives.
type Placement struct {
	PlacementHead
	// PodTypes are the kinds of pod, and what became of them.
	PodTypes []PodOutcome `json:"podTypes"`
	// Nodes are all nodes, in the scheduler's order; equal ones may be told as one with a count.
	Nodes []PlacedNode `json:"nodes"`
	// Assignments are where pods went, in the order in which they were bound; only of
	// up to 20,000 pods. Those that ran already are not among them.
	Assignments []Assignment `json:"assignments,omitempty"`
	// Resources of the whole cluster: requested of allocatable, and what is stranded.
	Resources []ClusterResource `json:"resources"`
	// Machines show who owns which core, page and device, for node types with a topology.
	Machines []MachineMap `json:"machines,omitempty"`
	// Admissions are the pods that a kubelet refused, or that are told because they are few, with the explanation.
	Admissions []Admission `json:"admissions,omitempty"`
	// Comparison of floor, planned mix and what the scheduler needs, where it was asked for.
	Comparison *NodeComparison `json:"comparison,omitempty"`
	// Losses are what-ifs: nodes, racks or zones that fail.
	Losses []Loss `json:"losses,omitempty"`
	// Drains are what-ifs: nodes that are drained, one batch after the other.
	Drains []Drain `json:"drains,omitempty"`
	// Assumptions are fields that the scenario left open.
	Assumptions []Assumption `json:"assumptions,omitempty"`
	// Skipped is what could not be understood or does not count.
	Skipped []Skipped `json:"skipped,omitempty"`
}

// PlacementVerdict is the placement in three sentences.
type PlacementVerdict struct {
	// Fits is true when every pod or VM runs, and all that the policy states is survived.
	Fits bool `json:"fits"`
	// Summary says how many pods run on how many nodes, or VMs on hosts.
	Summary string `json:"summary"`
	// Problem names the worst of what does not fit; empty when all fit.
	Problem string `json:"problem,omitempty"`
	// Tightest says what is full first, and how much room there is.
	Tightest string `json:"tightest,omitempty"`
	// Open is as in the verdict of a plan.
	Open []string `json:"open,omitempty"`
}

// Good says that all fits and nothing is open.
func (v *PlacementVerdict) Good() bool { return v.Fits && len(v.Open) == 0 }

// PodOutcome is what became of the pods of one type.
type PodOutcome struct {
	// Name and Namespace of the type.
	Name      string `json:"name"`
	Namespace string `json:"namespace,omitempty"`
	// QOSClass of the pods.
	QOSClass string `json:"qosClass,omitempty"`
	// Requests of one pod, by resource: cpu in millicores, memory and storage in bytes.
	Requests map[string]int64 `json:"requests,omitempty"`
	// Wanted is the number of pods asked for; Bound of them ran already.
	Wanted int `json:"wanted"`
	Bound  int `json:"bound,omitempty"`
	// Placed is the number that run; Pending those without a node; Failed those that kubelets refused for good.
	Placed  int `json:"placed"`
	Pending int `json:"pending,omitempty"`
	Failed  int `json:"failed,omitempty"`
	// Refused counts pods that kubelets refused; the controller makes another each time. Runaway says that it
	// would go on for ever.
	Refused int  `json:"refused,omitempty"`
	Runaway bool `json:"runaway,omitempty"`
	// Reasons why the first pending pod fits nowhere: nodes per reason.
	Reasons []UnfitReason `json:"reasons,omitempty"`
	// Message is what the scheduler writes into the pod's status.
	Message string `json:"message,omitempty"`
	// Nearest is the node that misses least, and by what.
	Nearest string `json:"nearest,omitempty"`
	// Preemption says whether lower priorities would make room, and whose.
	Preemption string `json:"preemption,omitempty"`
	// More is how many more pods of this type would fit now; MoreMixed when all types grow in proportion.
	More      int `json:"more"`
	MoreMixed int `json:"moreMixed"`
	// AtLeast says that More was counted no further.
	AtLeast bool `json:"atLeast,omitempty"`
	// NUMAAware is how many pods would be placed if the scheduler knew of NUMA nodes; only where kubelets refused some.
	NUMAAware *int `json:"numaAware,omitempty"`
}

// Assignment is a number of equal pods that went to a node, one after the other.
type Assignment struct {
	// PodType is the index in PodTypes.
	PodType int `json:"podType"`
	// Node is the node's name.
	Node  string `json:"node"`
	Count int    `json:"count"`
}

// UnfitReason is why nodes were ruled out, and how many of them.
type UnfitReason struct {
	Reason string `json:"reason"`
	Nodes  int    `json:"nodes"`
}

// PlacedNode is a node, or a number of equal ones, and what runs there.
type PlacedNode struct {
	// Name of the node, or of the first of equal ones.
	Name string `json:"name"`
	// Count of equal nodes; 1 for a single one.
	Count int `json:"count"`
	// Type is the node type's name.
	Type string `json:"type"`
	// Domains are the values of labels that failures follow: zone, rack.
	Domains map[string]string `json:"domains,omitempty"`
	// Resources requested of allocatable.
	Resources []NodeResource `json:"resources"`
	// Pods by type, in the order of the pod types.
	Pods []PodsCount `json:"pods,omitempty"`
	// Unschedulable is set on a cordoned node.
	Unschedulable bool `json:"unschedulable,omitempty"`
	// Full says that no pod of any type fits any more: what is free is stranded.
	Full bool `json:"full,omitempty"`
	// Machine is the index in Machines, from 1; 0 is none.
	Machine int `json:"machine,omitempty"`
}

// NodeResource is one resource of a node.
type NodeResource struct {
	// Resource is cpu (millicores), memory (bytes), pods, or another resource's name.
	Resource    string `json:"resource"`
	Allocatable int64  `json:"allocatable"`
	Requested   int64  `json:"requested"`
}

// ClusterResource is one resource of the cluster.
type ClusterResource struct {
	Resource    string `json:"resource"`
	Allocatable int64  `json:"allocatable"`
	Requested   int64  `json:"requested"`
	// Stranded is free on nodes where no pod of any type fits any more.
	Stranded int64 `json:"stranded"`
	// By is the resource that the nodes with stranded amounts are out of, mostly.
	By string `json:"by,omitempty"`
}

// MachineMap is the machine of one node: who owns what.
type MachineMap struct {
	// Node is the node's name, Type its type.
	Node string `json:"node"`
	Type string `json:"type"`
	// Layout in one line: "2 sockets x 2 numa x 14 cores x 2 threads".
	Layout string `json:"layout"`
	// Policies of the kubelet in one line.
	Policies string `json:"policies"`
	// Owners are pods or containers with something of their own, in the order of admission.
	Owners []Owner `json:"owners"`
	// NUMANodes of the machine.
	NUMANodes []NUMAMap `json:"numaNodes"`
}

// Owner is a container with CPUs, memory or devices of its own.
type Owner struct {
	Pod       string `json:"pod,omitempty"`
	Container string `json:"container,omitempty"`
	QOSClass  string `json:"qosClass,omitempty"`
	// Server is the VM, in place of pod and container.
	Server string      `json:"server,omitempty"`
	CPUs   unit.CPUSet `json:"cpus,omitzero"`
	// Affinity is the NUMA nodes of the merged hint.
	Affinity []int `json:"affinity,omitempty"`
	// Memory blocks: "memory 4Gi on 0".
	Memory []string `json:"memory,omitempty"`
	// Devices by resource.
	Devices map[string][]string `json:"devices,omitempty"`
}

// NUMAMap is one NUMA node: cores in order, pages, devices.
type NUMAMap struct {
	ID     int `json:"id"`
	Socket int `json:"socket"`
	// Cores in the order of their numbers.
	Cores []CoreMap `json:"cores"`
	// Memory and huge pages, in bytes, by resource.
	Memory []NUMAMemory `json:"memory,omitempty"`
	// Devices attached to the node.
	Devices []DeviceMap `json:"devices,omitempty"`
}

// CoreMap is a core and the owners of its threads.
type CoreMap struct {
	// Cache is the id of its uncore cache.
	Cache int `json:"cache"`
	// Threads of the core.
	Threads []ThreadMap `json:"threads"`
}

// ThreadMap is a hardware thread.
type ThreadMap struct {
	CPU int `json:"cpu"`
	// Use is reserved, shared, or exclusive; of a compute host also platform, vswitch, floating, sharedVCPU, idle
	// (kept unused beside an isolated vCPU), or free.
	Use string `json:"use"`
	// Owner is the index in Owners, from 1, of an exclusive CPU.
	Owner int `json:"owner,omitempty"`
}

// NUMAMemory is memory or huge pages on a NUMA node.
type NUMAMemory struct {
	Resource string `json:"resource"`
	Total    int64  `json:"total"`
	Reserved int64  `json:"reserved,omitempty"`
	// Unassigned says that no memory manager gives it out by NUMA node, so that Used is not known.
	Unassigned bool `json:"unassigned,omitempty"`
	// Used is what containers own, by the index in Owners from 1.
	Used []OwnedMemory `json:"used,omitempty"`
}

// OwnedMemory is what one container owns.
type OwnedMemory struct {
	Owner int   `json:"owner"`
	Size  int64 `json:"size"`
}

// DeviceMap is a device and its owner.
type DeviceMap struct {
	Resource string `json:"resource"`
	ID       string `json:"id"`
	// Owner is the index in Owners, from 1; 0 is free.
	Owner int `json:"owner,omitempty"`
	// Use is vswitch or platform for a device that is not for VMs, else empty.
	Use string `json:"use,omitempty"`
}

// Admission explains what a kubelet did with a pod.
type Admission struct {
	Node string `json:"node"`
	Pod  string `json:"pod"`
	// Count of equal pods with the same fate.
	Count    int    `json:"count"`
	QOSClass string `json:"qosClass"`
	Admitted bool   `json:"admitted"`
	// Reason and Message are the pod's status when it is refused.
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// Hints of each provider, the merge and the first rule that failed, in reading order.
	Steps []AdmissionStep `json:"steps,omitempty"`
	// Remedies are the smallest changes of pod, policy or machine that would admit it.
	Remedies []string `json:"remedies,omitempty"`
	// Slow says that the real kubelet would take minutes, or hang.
	Slow string `json:"slow,omitempty"`
}

// AdmissionStep is one step of the explanation.
type AdmissionStep struct {
	// Container that the step is about; empty for the pod.
	Container string `json:"container,omitempty"`
	// Title such as "hints of cpu", "merge", "restricted".
	Title string `json:"title"`
	// Lines in words, one for each NUMA node or hint.
	Lines []string `json:"lines"`
	// Failed marks the first rule that was not met.
	Failed bool `json:"failed,omitempty"`
}

// NodeComparison is the floor, the planned mix, and what the scheduler needs.
type NodeComparison struct {
	// Option that is compared.
	Option string `json:"option"`
	// Floor is the number of nodes that no packing can be below, Packed that of the plan's own packing.
	Floor  int `json:"floor"`
	Packed int `json:"packed"`
	// Method that proves the floor.
	Method string `json:"method"`
	// Needed by the scheduler, by order of arrival and rules.
	Needed []NeededNodes `json:"needed"`
	// Advice that follows.
	Advice string `json:"advice,omitempty"`
}

// NeededNodes is how many nodes the scheduler needs in one setting.
type NeededNodes struct {
	// Rules such as "1.36, default sampling".
	Rules string `json:"rules"`
	// Order of arrival: runs, shuffled, largest first.
	Order string `json:"order"`
	// Nodes needed; of several shuffles the median, with Least and Most.
	Nodes int `json:"nodes"`
	Least int `json:"least,omitempty"`
	Most  int `json:"most,omitempty"`
}

// LossOf is a what-if: nodes or hosts fail, and their pods or VMs, counted by C, are placed anew.
type LossOf[C any] struct {
	// What fails: "any 1 node", "any rack", "any 2 hosts", "zone b".
	What string `json:"what"`
	// Tried is the number of cases tried, and How: all, or one of each class of equal nodes.
	Tried int    `json:"tried"`
	How   string `json:"how"`
	// Of is the number of cases that there are. Of pods it is set only where not all were tried, and counts
	// combinations of unequal nodes.
	Of int64 `json:"of,omitempty"`
	// Survived is the number of cases after which everything runs again: of VMs out of Of, of pods out of Tried.
	Survived int64 `json:"survived"`
	// Worst case: the nodes lost, and what finds no place, by type.
	Worst    string `json:"worst,omitempty"`
	Homeless []C    `json:"homeless,omitempty"`
	// Asked says that the scenario's policy states that this must be survived.
	Asked bool `json:"asked,omitempty"`
}

// Loss is the loss of nodes that run pods.
type Loss = LossOf[PodsCount]

// PodsCount is a number of pods of a type.
type PodsCount struct {
	// PodType is the index in PodTypes.
	PodType int `json:"podType"`
	Count   int `json:"count"`
}

// Drain is a what-if: nodes are drained batch by batch, and come back.
type Drain struct {
	// What is drained: "rolling kubelet update, 1 node at a time".
	What string `json:"what"`
	// MaxUnavailable nodes at a time.
	MaxUnavailable int `json:"maxUnavailable"`
	// Batches until all are done; Duration when the time for one node is known.
	Batches  int           `json:"batches"`
	Duration unit.Duration `json:"duration,omitempty"`
	// Asked says that the scenario's policy states so many at a time.
	Asked bool `json:"asked,omitempty"`
	// Worst batch: the pods without a place while it is drained.
	Worst    string      `json:"worst,omitempty"`
	Homeless []PodsCount `json:"homeless,omitempty"`
	// Blocked says which disruption budgets never let it end, Waits for which it waits; empty when none.
	Blocked string `json:"blocked,omitempty"`
	Waits   string `json:"waits,omitempty"`
	// MostUnavailable is the largest maxUnavailable with which every pod keeps running, found by halving; 0 when
	// not even 1 works, -1 when others were not tried.
	MostUnavailable int `json:"mostUnavailable"`
	// AtLeast says that the search for it ended after so many pods that moved, and more may work.
	AtLeast bool `json:"atLeast,omitempty"`
}
