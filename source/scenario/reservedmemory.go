package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/unit"
)

const (
	memoryResource = "memory"
	pagesPrefix    = "hugepages-"
)

// reservedMemory follows validation_reserved_memory.go of
// pkg/kubelet/apis/config/validation and validateReservedMemory of
// pkg/kubelet/cm/memorymanager/memory_manager.go: with the Static policy the
// reservations of all NUMA nodes are exactly what Node Allocatable keeps back.
func (v *validator) reservedMemory(at string, t *v1alpha1.NodeType) {
	list := at + ".kubelet.reservedMemory"
	sum := map[string]unit.Bytes{}
	seen := map[string]bool{}
	for i, r := range t.Kubelet.ReservedMemory {
		for _, name := range slices.Sorted(maps.Keys(r.Limits)) {
			path := fmt.Sprintf("%s[%d].limits.%s", list, i, name)
			v.reservedLimit(path, name, r.Limits[name])
			key := fmt.Sprint(r.NUMANode, " ", name)
			if seen[key] && v.good(path) {
				v.bad(path, fmt.Sprintf("%s of NUMA node %d stands twice", name, r.NUMANode), "add the amounts up in one entry")
			}
			seen[key] = true
			sum[name] = add(sum[name], r.Limits[name])
		}
	}
	if len(t.Kubelet.ReservedMemory) == 0 || t.Kubelet.MemoryManagerPolicy != staticMemory ||
		!v.good(list, at+".kubelet.memoryManagerPolicy", at+".systemReserved", at+".kubeReserved", at+".evictionHard") {
		return
	}
	kept := reservedOf(t).Memory
	if t.EvictionHard != nil {
		kept = add(kept, *t.EvictionHard)
	}
	if sum[memoryResource] != kept {
		v.bad(list, fmt.Sprintf("%s of memory is reserved on the NUMA nodes, but systemReserved, "+
			"kubeReserved and evictionHard keep back %s", sum[memoryResource], kept),
			"make them equal, or the kubelet does not start")
	}
	for _, name := range slices.Sorted(maps.Keys(sum)) {
		if name != memoryResource {
			v.bad(list, fmt.Sprintf("%s of %s is reserved on the NUMA nodes, but Node Allocatable keeps back none",
				sum[name], name),
				"remove it, or the kubelet does not start")
		}
	}
}

func (v *validator) reservedLimit(path, name string, amount unit.Bytes) {
	if !v.good(path) {
		return
	}
	size, isPages := strings.CutPrefix(name, pagesPrefix)
	switch {
	case name == memoryResource:
	case !isPages:
		v.bad(path, yamlpos.Quote(name)+" can't be reserved on a NUMA node", "write memory, hugepages-2Mi or hugepages-1Gi")
	case checkPageSize(size) != nil:
		v.bad(path, yamlpos.Quote(name)+" is not a size of huge pages", "write hugepages-2Mi or hugepages-1Gi")
	default:
		v.wholePages(path, size, amount)
	}
	if amount == 0 && v.good(path) {
		v.bad(path, "nothing is reserved", "write an amount, or remove the entry")
	}
}

// reservedNodes demands that the NUMA nodes are there.
func (v *validator) reservedNodes(at string, t *v1alpha1.NodeType, m machine) {
	for i, r := range t.Kubelet.ReservedMemory {
		v.on(fmt.Sprintf("%s[%d].numaNode", at, i), r.NUMANode, m)
	}
}
