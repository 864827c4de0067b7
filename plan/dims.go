package plan

import (
	"maps"
	"math"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/plan/fit"
	"plimsoll.dev/plan/node"
	"plimsoll.dev/unit"
)

// The resources that every packing looks at; the others follow them.
const (
	dimCPU = iota
	dimMemory
	dimPods
	firstExtra
)

const hugePagePrefix = "hugepages-"

// dims are the resources of a packing, by the names that Kubernetes gives them.
type dims []string

// newDims lists the resources that the pods ask for.
func newDims(pods []v1alpha1.PodType) dims {
	extra := map[string]bool{}
	for _, t := range pods {
		if t.EphemeralStorage > 0 {
			extra["ephemeral-storage"] = true
		}
		for size := range t.HugePages {
			extra[hugePagePrefix+size] = true
		}
		for name := range t.Devices {
			extra[name] = true
		}
	}
	return append(dims{"cpu", "memory", "pods"}, slices.Sorted(maps.Keys(extra))...)
}

// value is an amount of resource d for people.
func (d dims) value(i int, n float64) derive.Value {
	switch {
	case i == dimCPU:
		return derive.Of(n, unit.Millicores)
	case i == dimPods:
		return derive.Of(n, "pods")
	case i == dimMemory || d[i] == "ephemeral-storage" || strings.HasPrefix(d[i], hugePagePrefix):
		return derive.Of(n, unit.ByteUnit)
	}
	return derive.Of(n, d[i])
}

// overcommit is the factor by which CPU and memory may be overbooked.
type overcommit struct{ cpu, memory float64 }

var noOvercommit = overcommit{1, 1}

// need is what one pod takes. Capacities are scaled up by the overcommit, so a
// pod that may not be overcommitted counts as many times.
func (d dims) need(t v1alpha1.PodType, o overcommit) fit.Vec {
	v := make(fit.Vec, len(d))
	v[dimCPU], v[dimMemory], v[dimPods] = int64(t.CPU), int64(t.Memory), 1
	switch overcommitOf(t) {
	case "forbidden":
		v[dimCPU] = scaleUp(v[dimCPU], o.cpu)
		v[dimMemory] = scaleUp(v[dimMemory], o.memory)
	case "cpuOnly":
		v[dimMemory] = scaleUp(v[dimMemory], o.memory)
	}
	for i := firstExtra; i < len(d); i++ {
		if size, ok := strings.CutPrefix(d[i], hugePagePrefix); ok {
			v[i] = int64(t.HugePages[size])
		} else if d[i] == "ephemeral-storage" {
			v[i] = int64(t.EphemeralStorage)
		} else {
			v[i] = t.Devices[d[i]]
		}
	}
	return v
}

func scaleUp(n int64, factor float64) int64 { return int64(derive.Ceil(float64(n) * factor)) }

func scaleDown(n, factor float64) int64 { return int64(derive.Floor(n * factor)) }

// capacity is what a node gives to the workload's pods.
func (d dims) capacity(r roomOf, o overcommit) fit.Vec {
	v := d.extras(r.Room)
	for _, t := range r.daemons {
		need := d.need(t, noOvercommit)
		for i := firstExtra; i < len(d); i++ {
			v[i] = max(0, v[i]-need[i])
		}
	}
	v[dimCPU] = scaleDown(r.CPU.Number, o.cpu)
	v[dimMemory] = scaleDown(r.Memory.Number, o.memory)
	v[dimPods] = r.Pods.Int()
	return v
}

// nominal is what the label of a machine says, as the documents count: nothing
// reserved, no DaemonSets.
func (d dims) nominal(r roomOf, o overcommit) fit.Vec {
	v := d.extras(r.Room)
	v[dimCPU] = scaleDown(r.CPUCapacity.Number, o.cpu)
	v[dimMemory] = scaleDown(r.MemoryCapacity.Number, o.memory)
	v[dimPods] = r.PodsAllocatable.Int()
	return v
}

func (d dims) extras(r node.Room) fit.Vec {
	v := make(fit.Vec, len(d))
	for i := firstExtra; i < len(d); i++ {
		if size, ok := strings.CutPrefix(d[i], hugePagePrefix); ok {
			v[i] = int64(r.HugePages[size])
		} else if d[i] == "ephemeral-storage" {
			// A disk that the scenario does not state does not bind.
			v[i] = int64(r.Type.Disk)
			if r.Type.Disk == 0 {
				v[i] = math.MaxInt64 / 4
			}
		} else {
			v[i] = r.Type.Devices[d[i]]
		}
	}
	return v
}

// wellKnown are the labels that the kubelet sets by itself, on the machines that
// nearly everybody has. A node type that states another value keeps it.
var wellKnown = map[string]string{
	"kubernetes.io/os": "linux", "beta.kubernetes.io/os": "linux",
	"kubernetes.io/arch": "amd64", "beta.kubernetes.io/arch": "amd64",
}

// label is the value of a node type's label: as stated, else that of the role
// or the one that the kubelet sets.
func label(n v1alpha1.NodeType, key string) (string, bool) {
	if v, ok := n.Labels[key]; ok {
		return v, true
	}
	if key == "node-role.kubernetes.io/"+n.Role {
		return "", true
	}
	v, ok := wellKnown[key]
	return v, ok
}

// runsOn says whether a pod's nodeSelector and tolerations let it onto a node.
func runsOn(t v1alpha1.PodType, n v1alpha1.NodeType) bool {
	for k, v := range t.NodeSelector {
		// A role's label is empty: it must be there, not only compare equal.
		if have, ok := label(n, k); !ok || have != v {
			return false
		}
	}
	for _, taint := range n.Taints {
		if taint.Effect != "PreferNoSchedule" && !slices.ContainsFunc(t.Tolerations, func(tol v1alpha1.Toleration) bool { return tolerates(tol, taint) }) {
			return false
		}
	}
	return true
}

// tolerates follows k8s.io/api/core/v1 Toleration.ToleratesTaint.
func tolerates(tol v1alpha1.Toleration, taint v1alpha1.Taint) bool {
	if tol.Effect != "" && tol.Effect != taint.Effect || tol.Key != "" && tol.Key != taint.Key {
		return false
	}
	if tol.Operator == "Exists" {
		return true
	}
	return tol.Key != "" && tol.Value == taint.Value
}
