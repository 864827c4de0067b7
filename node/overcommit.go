package node

import (
	"cmp"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/unit"
)

// Overcommit is the factor by which CPU and memory may be overbooked, from 1.
type Overcommit struct{ CPU, Memory float64 }

// NoOvercommit books what there is.
var NoOvercommit = Overcommit{1, 1}

// OfPolicy is the overcommit that a policy asks for.
func OfPolicy(p v1alpha1.Policy) Overcommit {
	return Overcommit{max(1, float64(p.Overcommit.CPU)), max(1, float64(p.Overcommit.Memory))}
}

// Pod is what one pod takes of rooms that are scaled up by the overcommit, in
// millicores and bytes: a pod that may not be overcommitted counts as many times.
func (o Overcommit) Pod(t v1alpha1.PodType) (cpu, memory int64) {
	cpu, memory = int64(t.CPU), int64(t.Memory)
	switch OvercommitOf(t) {
	case "forbidden":
		return ScaleUp(cpu, o.CPU), ScaleUp(memory, o.Memory)
	case "cpuOnly":
		return cpu, ScaleUp(memory, o.Memory)
	}
	return cpu, memory
}

// Room is the room on a node, in millicores and bytes, scaled up by the overcommit.
func (o Overcommit) Room(cpu, memory float64) (int64, int64) {
	return int64(derive.Floor(cpu * o.CPU)), int64(derive.Floor(memory * o.Memory))
}

// ScaleUp multiplies and rounds up.
func ScaleUp(n int64, factor float64) int64 { return int64(derive.Ceil(float64(n) * factor)) }

// OvercommitOf says what of a pod may be overcommitted: allowed, cpuOnly or
// forbidden; huge pages never may.
func OvercommitOf(t v1alpha1.PodType) string {
	if len(t.HugePages) > 0 && (t.Overcommit == "allowed" || t.Overcommit == "") {
		return "cpuOnly"
	}
	return cmp.Or(t.Overcommit, "allowed")
}

// Replicas is the number of pods of a type under a growth of the workload. The
// platform's own, in kube-system and namespaces that begin with openshift-, do not
// grow with it: their operators say how many there are.
func Replicas(t v1alpha1.PodType, growth unit.Factor) int {
	if OfPlatform(t) {
		return t.Replicas
	}
	return Grown(t.Replicas, growth)
}

// OfPlatform reports whether a pod type is the platform's own.
func OfPlatform(t v1alpha1.PodType) bool {
	return t.Namespace == "kube-system" || strings.HasPrefix(t.Namespace, "openshift-")
}

// Grown is n times 1 + growth, rounded up.
func Grown(n int, growth unit.Factor) int {
	if growth == 0 {
		return n
	}
	return int(ScaleUp(int64(n), 1+float64(growth)))
}
