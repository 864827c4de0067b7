package plan

import (
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/plan/fit"
	"plimsoll.dev/unit"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/node"
)

func unitFactor(f float64) unit.Factor { return unit.Factor(f) }

func cpu(m int64) *unit.CPU    { v := unit.CPU(m); return &v }
func size(b int64) *unit.Bytes { v := unit.Bytes(b); return &v }

// Kubernetes' rules of the QoS classes (OCP 7.3).
func TestQOSClass(t *testing.T) {
	for _, c := range []struct {
		name string
		pod  v1alpha1.PodType
		want string
	}{
		{"nothing set", v1alpha1.PodType{}, "BestEffort"},
		{"request below limit", v1alpha1.PodType{Memory: 100, MemoryLimit: size(200)}, "Burstable"},
		{"both equal", v1alpha1.PodType{CPU: 2000, CPULimit: cpu(2000), Memory: 200, MemoryLimit: size(200)}, "Guaranteed"},
		{"memory alone equal", v1alpha1.PodType{Memory: 200, MemoryLimit: size(200)}, "Burstable"},
		{"a limit alone", v1alpha1.PodType{CPULimit: cpu(1000)}, "Burstable"},
		{"requests alone", v1alpha1.PodType{CPU: 500, Memory: 200}, "Burstable"},
		{"as read from a manifest", v1alpha1.PodType{QOSClass: "Guaranteed"}, "Guaranteed"},
	} {
		if got := QOSClass(c.pod); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

// The capacity is scaled by the overcommit, so what may not be overcommitted
// counts as many times.
func TestNeedUnderOvercommit(t *testing.T) {
	d := newDims([]v1alpha1.PodType{
		{HugePages: map[string]unit.Bytes{"2Mi": 1}, Devices: map[string]int64{"x.org/nic": 1}, EphemeralStorage: 1},
	})
	if diff := cmp.Diff(dims{"cpu", "memory", "pods", "ephemeral-storage", "hugepages-2Mi", "x.org/nic"}, d); diff != "" {
		t.Fatal(diff)
	}
	pod := v1alpha1.PodType{CPU: 1000, Memory: 400, EphemeralStorage: 7, HugePages: map[string]unit.Bytes{"2Mi": 4 << 20},
		Devices: map[string]int64{"x.org/nic": 2}}
	over := node.Overcommit{CPU: 1.5, Memory: 2}
	for _, c := range []struct {
		rule string
		want fit.Vec
	}{
		{"forbidden", fit.Vec{1500, 800, 1, 7, 4 << 20, 2}},
		{"cpuOnly", fit.Vec{1000, 800, 1, 7, 4 << 20, 2}},
		{"allowed", fit.Vec{1000, 800, 1, 7, 4 << 20, 2}}, // huge pages make it cpuOnly
	} {
		pod.Overcommit = c.rule
		if diff := cmp.Diff(c.want, d.need(pod, over)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.rule, diff)
		}
	}
	pod.HugePages = nil
	if got := d.need(pod, over); got[dimMemory] != 400 {
		t.Errorf("allowed without huge pages: memory %d, want 400", got[dimMemory])
	}
}

func TestRunsOn(t *testing.T) {
	taint := v1alpha1.Taint{Key: "gpu", Value: "yes", Effect: "NoSchedule"}
	gpu := v1alpha1.NodeType{Labels: map[string]string{"gpu": "yes"}, Taints: []v1alpha1.Taint{taint}}
	soft := v1alpha1.NodeType{Taints: []v1alpha1.Taint{{Key: "gpu", Effect: "PreferNoSchedule"}}}
	tolerating := func(tol v1alpha1.Toleration) v1alpha1.PodType {
		return v1alpha1.PodType{Tolerations: []v1alpha1.Toleration{tol}}
	}
	for _, c := range []struct {
		name string
		pod  v1alpha1.PodType
		node v1alpha1.NodeType
		want bool
	}{
		{"plain on plain", v1alpha1.PodType{}, v1alpha1.NodeType{}, true},
		{"taint repels", v1alpha1.PodType{}, gpu, false},
		{"soft taint does not", v1alpha1.PodType{}, soft, true},
		{"equal", tolerating(v1alpha1.Toleration{Key: "gpu", Value: "yes"}), gpu, true},
		{"other value", tolerating(v1alpha1.Toleration{Key: "gpu", Value: "no"}), gpu, false},
		{"exists", tolerating(v1alpha1.Toleration{Key: "gpu", Operator: "Exists"}), gpu, true},
		{"everything", tolerating(v1alpha1.Toleration{Operator: "Exists"}), gpu, true},
		{"other effect", tolerating(v1alpha1.Toleration{Key: "gpu", Operator: "Exists", Effect: "NoExecute"}), gpu, false},
		{"an empty label must be there", v1alpha1.PodType{NodeSelector: map[string]string{"role": ""}}, v1alpha1.NodeType{},
			false},
		{"an empty label is there", v1alpha1.PodType{NodeSelector: map[string]string{"role": ""}},
			v1alpha1.NodeType{Labels: map[string]string{"role": ""}}, true},
		{"selector misses", v1alpha1.PodType{NodeSelector: map[string]string{"gpu": "yes"}}, v1alpha1.NodeType{}, false},
	} {
		if got := node.RunsOn(c.pod, c.node); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}
