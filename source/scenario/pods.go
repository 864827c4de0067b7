package scenario

import (
	"fmt"
	"maps"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/schema"
	"plimsoll.dev/unit"
)

func (v *validator) podType(at string, t *v1alpha1.PodType) {
	v.cores(at+".cpu", t.CPU)
	v.memory(at+".memory", t.Memory)
	v.bytes(at+".ephemeralStorage", t.EphemeralStorage, leastBytes, "Gi")
	v.bytes(at+".storage", t.Storage, leastBytes, "Gi")
	if t.CPULimit != nil {
		v.cores(at+".cpuLimit", *t.CPULimit)
	}
	if t.MemoryLimit != nil {
		v.memory(at+".memoryLimit", *t.MemoryLimit)
	}
	v.limits(at, t)
	v.qosClass(at, t)
	v.podHugePages(at, t)
	v.total(at, t)
	v.containers(at, t)
	v.placement(at, t)
	for i := range t.Tolerations {
		v.toleration(fmt.Sprintf("%s.tolerations[%d]", at, i), &t.Tolerations[i])
	}
}

// budget demands a rule and pod types that are there. Those of manifests are not known yet.
func (v *validator) budget(at string, b *v1alpha1.DisruptionBudget) {
	if (b.MinAvailable == "") == (b.MaxUnavailable == "") && v.good(at) {
		v.bad(at, "a disruption budget has one of minAvailable and maxUnavailable", "write one of them")
	}
	if len(v.s.Workload.Manifests) > 0 || v.s.Workload.Snapshot != "" {
		return
	}
	var known []string
	for _, t := range v.s.Workload.PodTypes {
		known = append(known, t.Name)
	}
	for i, name := range b.Pods {
		path := fmt.Sprintf("%s.pods[%d]", at, i)
		if !v.good(path) || slices.Contains(known, name) {
			continue
		}
		fix := "add it to workload.podTypes"
		if near := schema.Nearest(name, known); near != "" {
			fix = "did you mean " + near + "?"
		}
		v.bad(path, "there is no pod type "+yamlpos.Quote(name), fix)
	}
}

// limits demands that no limit lies below its request.
func (v *validator) limits(at string, t *v1alpha1.PodType) {
	if t.CPULimit != nil && *t.CPULimit < t.CPU && v.given(at+".cpuLimit") && v.good(at+".cpu", at+".cpuLimit") {
		v.bad(at+".cpuLimit", fmt.Sprintf("%s is below the request of %s", *t.CPULimit, t.CPU),
			"write at least "+t.CPU.String())
	}
	if t.MemoryLimit != nil && *t.MemoryLimit < t.Memory && v.given(at+".memoryLimit") &&
		v.good(at+".memory", at+".memoryLimit") {
		v.bad(at+".memoryLimit", fmt.Sprintf("%s is below the request of %s", *t.MemoryLimit, t.Memory),
			"write at least "+t.Memory.String())
	}
}

// podHugePages checks the pages, and that they are not to be overcommitted.
func (v *validator) podHugePages(at string, t *v1alpha1.PodType) {
	v.hugePages(at+".hugePages", t.HugePages)
	for _, name := range slices.Sorted(maps.Keys(t.HugePages)) {
		if path := at + ".hugePages." + name; t.HugePages[name] == 0 && v.good(path) && v.given(path) {
			v.bad(path, "no huge pages are asked for", "write an amount such as "+name+", or remove the entry")
		}
	}
	if len(t.HugePages) > 0 && t.Overcommit == overcommitAllowed && v.good(at+".overcommit") {
		v.bad(at+".overcommit", "huge pages can't be overcommitted, says OCP 13.2",
			"write "+overcommitCPUOnly+" or forbidden")
	}
}

// total keeps the sums over all pods of a type within what can be computed.
func (v *validator) total(at string, t *v1alpha1.PodType) {
	const most = 1 << 60
	largest := max(t.Memory, t.Storage, t.EphemeralStorage)
	if v.good(at) && float64(t.Replicas)*float64(largest) > most {
		v.bad(at+".replicas", fmt.Sprintf("%d pods of %s each are too much to compute with", t.Replicas, largest),
			"at most "+unit.FormatBytes(most)+" in all")
	}
}

// toleration follows the API server's own checks.
func (v *validator) toleration(at string, t *v1alpha1.Toleration) {
	switch {
	case !v.good(at):
	case t.Operator == "Exists" && t.Value != "":
		v.bad(at+".value", "operator Exists takes no value", "remove value, or write operator: Equal")
	case t.Operator == "Equal" && t.Key == "":
		v.bad(at, "a toleration without a key needs operator Exists",
			"add key, or write operator: Exists to tolerate every taint")
	}
}
