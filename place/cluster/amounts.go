package cluster

import (
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/place/scheduler"
)

// Amounts are a node's or a pod's resources by name. What nobody states, and our
// own resources, are left out.
func Amounts(r scheduler.Resources) map[string]int64 {
	all := All(r)
	if r.EphemeralStorage >= Unstated {
		delete(all, "ephemeral-storage")
	}
	maps.DeleteFunc(all, func(name string, _ int64) bool {
		return strings.HasPrefix(name, perNode) || strings.HasPrefix(name, scheduler.AttachLimit)
	})
	return all
}

// All are a node's or a pod's resources by name, with what nobody states and our
// own resources.
func All(r scheduler.Resources) map[string]int64 {
	all := map[string]int64{"cpu": r.CPU, "memory": r.Memory}
	if r.Pods > 0 {
		all["pods"] = r.Pods
	}
	if r.EphemeralStorage > 0 {
		all["ephemeral-storage"] = r.EphemeralStorage
	}
	maps.Copy(all, r.Scalar)
	return all
}

// Resources are the names of all resources that nodes offer and pods ask for, in
// the order that people expect: cpu, memory, pods, then the others.
func (c *Cluster) Resources() []string {
	asked := map[string]bool{}
	for _, k := range c.Kinds {
		for name, n := range Amounts(k.Pod.Request) {
			asked[name] = asked[name] || n > 0
		}
	}
	offered := map[string]bool{}
	for _, n := range c.Nodes {
		for name := range Amounts(n.Allocatable) {
			offered[name] = offered[name] || asked[name]
		}
	}
	for _, name := range []string{"cpu", "memory", "pods"} {
		delete(offered, name)
	}
	return append([]string{"cpu", "memory", "pods"},
		slices.DeleteFunc(slices.Sorted(maps.Keys(offered)), func(n string) bool { return !offered[n] })...)
}
