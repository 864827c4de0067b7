package plan

import (
	"maps"
	"math"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/node"
	"plimsoll.dev/plan/fit"
	"plimsoll.dev/unit"
)

// The resources that every packing looks at; the others follow them.
const (
	dimCPU = iota
	dimMemory
	dimPods
	firstExtra
)

const (
	hugePagePrefix   = "hugepages-"
	ephemeralStorage = "ephemeral-storage"
)

// dims are the resources of a packing, by the names that Kubernetes gives them.
type dims []string

// newDims lists the resources that the pods ask for.
func newDims(pods []v1alpha1.PodType) dims {
	extra := map[string]bool{}
	for _, t := range pods {
		if t.EphemeralStorage > 0 {
			extra[ephemeralStorage] = true
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
	case i == dimMemory || d[i] == ephemeralStorage || strings.HasPrefix(d[i], hugePagePrefix):
		return derive.Of(n, unit.ByteUnit)
	}
	return derive.Of(n, d[i])
}

// need is what one pod takes. Capacities are scaled up by the overcommit, so a
// pod that may not be overcommitted counts as many times.
func (d dims) need(t v1alpha1.PodType, o node.Overcommit) fit.Vec {
	v := make(fit.Vec, len(d))
	v[dimCPU], v[dimMemory] = o.Pod(t)
	v[dimPods] = 1
	for i := firstExtra; i < len(d); i++ {
		if size, ok := strings.CutPrefix(d[i], hugePagePrefix); ok {
			v[i] = int64(t.HugePages[size])
		} else if d[i] == ephemeralStorage {
			v[i] = int64(t.EphemeralStorage)
		} else {
			v[i] = t.Devices[d[i]]
		}
	}
	return v
}

// capacity is what a node gives to the workload's pods.
func (d dims) capacity(r roomOf, o node.Overcommit) fit.Vec {
	v := d.extras(r.Room)
	for _, t := range r.daemons {
		need := d.need(t, node.NoOvercommit)
		for i := firstExtra; i < len(d); i++ {
			v[i] = max(0, v[i]-need[i])
		}
	}
	v[dimCPU], v[dimMemory] = o.Room(r.CPUAllocatable.Number, r.MemoryAllocatable.Number)
	for _, t := range r.daemons {
		cpu, memory := o.Pod(t)
		v[dimCPU], v[dimMemory] = max(0, v[dimCPU]-cpu), max(0, v[dimMemory]-memory)
	}
	v[dimPods] = r.Pods.Int()
	return v
}

// nominal is what the label of a machine says, as the documents count: nothing
// reserved, no DaemonSets.
func (d dims) nominal(r roomOf, o node.Overcommit) fit.Vec {
	v := d.extras(r.Room)
	v[dimCPU], v[dimMemory] = o.Room(r.CPUCapacity.Number, r.MemoryCapacity.Number)
	v[dimPods] = r.PodsAllocatable.Int()
	return v
}

func (d dims) extras(r node.Room) fit.Vec {
	v := make(fit.Vec, len(d))
	for i := firstExtra; i < len(d); i++ {
		if size, ok := strings.CutPrefix(d[i], hugePagePrefix); ok {
			v[i] = int64(r.HugePages[size])
		} else if d[i] == ephemeralStorage {
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
