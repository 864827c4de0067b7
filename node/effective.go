package node

import (
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/podres"
	"plimsoll.dev/selector"
	"plimsoll.dev/unit"
)

// Effective is a pod type with the requests that the scheduler counts for one
// pod (containers, sidecars and the largest init container), and with at most one
// pod per node where the pods keep their like away: by a host port, or by a
// required anti-affinity by host. What was read from a cluster is so already.
func Effective(t v1alpha1.PodType) v1alpha1.PodType {
	if t.MaxPerNode == 0 && (len(t.HostPorts) > 0 || Alone(t)) {
		t.MaxPerNode = 1
	}
	if t.Origin != "" || len(t.InitContainers)+len(t.ContainerSpecs) == 0 {
		return t
	}
	requests := podres.Requests(podres.Of(t))
	t.HugePages, t.Devices = nil, nil
	for name, n := range requests {
		size, pages := strings.CutPrefix(name, podres.HugePages)
		switch {
		case name == podres.CPU:
			t.CPU = unit.CPU(n)
		case name == podres.Memory:
			t.Memory = unit.Bytes(n)
		case name == podres.EphemeralStorage:
			t.EphemeralStorage = unit.Bytes(n)
		case pages && n > 0:
			t.HugePages = with(t.HugePages, size, unit.Bytes(n))
		case n > 0:
			t.Devices = with(t.Devices, name, n)
		}
	}
	return t
}

func with[T any](m map[string]T, key string, value T) map[string]T {
	if m == nil {
		m = map[string]T{}
	}
	m[key] = value
	return m
}

// Alone says whether required anti-affinity keeps pods of the type off nodes that
// run one of them.
func Alone(t v1alpha1.PodType) bool {
	if t.Affinity == nil || t.Affinity.PodAntiAffinity == nil {
		return false
	}
	return slices.ContainsFunc(t.Affinity.PodAntiAffinity.Required, func(term v1alpha1.PodAffinityTerm) bool {
		own := len(term.Namespaces) == 0 && term.NamespaceSelector == nil || slices.Contains(term.Namespaces, t.Namespace)
		return term.TopologyKey == v1alpha1.HostnameLabel && own && selector.Selects(term.LabelSelector, t.Labels)
	})
}
