package upstream

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedule "k8s.io/component-helpers/resource"
	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/podres"
	"plimsoll.dev/source/kube"
	"plimsoll.dev/unit"
)

// TestRequestsAsScheduler compares what a pod is counted with to what the
// scheduler's own library counts, for random pods.
func TestRequestsAsScheduler(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pod := drawPod(t)
		text, err := json.Marshal(pod)
		if err != nil {
			t.Fatal(err)
		}
		inv, err := kube.ReadSnapshot(strings.NewReader(string(text)), "pod.json", kube.Options{})
		if err != nil {
			t.Fatal(err)
		}
		setAPIDefaults(pod)
		requests := schedule.PodRequests(pod, schedule.PodResourcesOptions{})
		limits := schedule.PodLimits(pod, schedule.PodResourcesOptions{})
		want := v1alpha1.PodType{
			CPU: unit.CPU(requests.Cpu().MilliValue()), Memory: unit.Bytes(requests.Memory().Value()),
			EphemeralStorage: unit.Bytes(requests.StorageEphemeral().Value()), QOSClass: naiveQOS(pod),
			HugePages: pagesOf(requests), Devices: devicesOf(requests),
		}
		if len(inv.PodTypes) != 1 {
			t.Fatalf("%d pod types of one pod: %s", len(inv.PodTypes), text)
		}
		p := inv.PodTypes[0]
		got := v1alpha1.PodType{CPU: p.CPU, Memory: p.Memory, EphemeralStorage: p.EphemeralStorage, QOSClass: p.QOSClass,
			HugePages: p.HugePages, Devices: p.Devices}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s\n(-want +got):\n%s", text, diff)
		}
		if p.CPULimit != nil && int64(*p.CPULimit) != limits.Cpu().MilliValue() {
			t.Fatalf("%s\nCPU limit %v, want %v", text, *p.CPULimit, limits.Cpu())
		}
		if p.MemoryLimit != nil && int64(*p.MemoryLimit) != limits.Memory().Value() {
			t.Fatalf("%s\nmemory limit %v, want %v", text, *p.MemoryLimit, limits.Memory())
		}
		if !accepted(pod) {
			return
		}
		// What placement makes of the type's containers comes to the same.
		again := podres.Of(p)
		sum := podres.Requests(again)
		if sum[podres.CPU] != int64(want.CPU) || sum[podres.Memory] != int64(want.Memory) ||
			podres.QOS(again) != want.QOSClass {
			t.Fatalf("%s\nplacement counts %v, %s; want %s, %s, %s", text, sum, podres.QOS(again), want.CPU, want.Memory,
				want.QOSClass)
		}
		for size, n := range want.HugePages {
			if sum[podres.HugePages+size] != int64(n) {
				t.Fatalf("%s\nplacement counts %v, want %v", text, sum, want.HugePages)
			}
		}
	})
}

// accepted says whether the API server takes the pod: requests of huge pages and
// devices equal their limits.
func accepted(pod *v1.Pod) bool {
	var all []v1.ResourceRequirements
	for _, c := range append(append([]v1.Container{}, pod.Spec.Containers...), pod.Spec.InitContainers...) {
		all = append(all, c.Resources)
	}
	if pod.Spec.Resources != nil {
		all = append(all, *pod.Spec.Resources)
	}
	for _, r := range all {
		for name, q := range r.Requests {
			limit, ok := r.Limits[name]
			if strings.ContainsAny(string(name), "/-") && name != v1.ResourceEphemeralStorage && (!ok || limit.Cmp(q) != 0) {
				return false
			}
		}
	}
	return true
}

func drawPod(t *rapid.T) *v1.Pod {
	pod := &v1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "n"}}
	always := v1.ContainerRestartPolicyAlways
	for range rapid.IntRange(1, 3).Draw(t, "containers") {
		pod.Spec.Containers = append(pod.Spec.Containers, v1.Container{Name: "c", Resources: drawResources(t, false)})
	}
	for range rapid.IntRange(0, 4).Draw(t, "inits") {
		c := v1.Container{Name: "i", Resources: drawResources(t, false)}
		if rapid.Bool().Draw(t, "sidecar") {
			c.RestartPolicy = &always
		}
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, c)
	}
	if rapid.Bool().Draw(t, "level") {
		level := drawResources(t, true)
		pod.Spec.Resources = &level
	}
	if rapid.Bool().Draw(t, "overhead") {
		pod.Spec.Overhead = drawList(t, "overhead", []string{"cpu", "memory"})
	}
	return pod
}

func drawResources(t *rapid.T, podLevel bool) v1.ResourceRequirements {
	names := []string{"cpu", "memory", "ephemeral-storage", "hugepages-2Mi", "hugepages-1Gi", "nvidia.com/gpu"}
	if podLevel {
		names = []string{"cpu", "memory", "hugepages-2Mi"}
	}
	return v1.ResourceRequirements{Requests: drawList(t, "requests", names), Limits: drawList(t, "limits", names)}
}

func drawList(t *rapid.T, label string, names []string) v1.ResourceList {
	amounts := map[string][]string{
		"cpu": {"0", "1m", "100m", "250m", "0.5", "1", "1500m", "2", "100u", "1.5"},
		"":    {"0", "1", "100Mi", "1G", "1Gi", "200M", "1e6", "3000"},
	}
	var list v1.ResourceList
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, len(names), rapid.ID[string]).Draw(t, label) {
		from := amounts[name]
		if from == nil {
			from = amounts[""]
		}
		if list == nil {
			list = v1.ResourceList{}
		}
		list[v1.ResourceName(name)] = resource.MustParse(rapid.SampledFrom(from).Draw(t, name))
	}
	return list
}

// setAPIDefaults does what the API server does to resources before the
// scheduler sees them.
func setAPIDefaults(pod *v1.Pod) {
	for _, list := range [][]v1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
		for i := range list {
			list[i].Resources.Requests = orElse(roundUp(list[i].Resources.Requests), roundUp(list[i].Resources.Limits))
			list[i].Resources.Limits = roundUp(list[i].Resources.Limits)
		}
	}
	pod.Spec.Overhead = roundUp(pod.Spec.Overhead)
	level := pod.Spec.Resources
	if level == nil {
		return
	}
	level.Requests, level.Limits = roundUp(level.Requests), roundUp(level.Limits)
	if len(level.Limits)+len(level.Requests) > 0 {
		for name, q := range schedule.AggregateContainerLimits(pod, schedule.PodResourcesOptions{}) {
			_, requested := level.Requests[name]
			_, limited := level.Limits[name]
			if strings.HasPrefix(string(name), "hugepages-") && !requested && !limited {
				level.Limits[name] = q.DeepCopy()
			}
		}
	}
	if len(level.Limits) == 0 {
		return
	}
	sum := schedule.AggregateContainerRequests(pod, schedule.PodResourcesOptions{})
	for name := range sum {
		if name != v1.ResourceCPU && name != v1.ResourceMemory {
			delete(sum, name)
		}
	}
	level.Requests = orElse(orElse(level.Requests, sum), level.Limits)
}

// orElse is list with what only others has.
func orElse(list, others v1.ResourceList) v1.ResourceList {
	out := v1.ResourceList{}
	for _, l := range []v1.ResourceList{others, list} {
		for name, q := range l {
			out[name] = q
		}
	}
	return out
}

func roundUp(list v1.ResourceList) v1.ResourceList {
	out := v1.ResourceList{}
	for name, q := range list {
		q.RoundUp(resource.Milli)
		out[name] = q
	}
	return out
}

// naiveQOS is the QoS class as the documentation of Kubernetes words it:
// Guaranteed when every container has a limit of CPU and of memory with equal
// requests, BestEffort when nobody asks for any, else Burstable.
func naiveQOS(pod *v1.Pod) string {
	all := []v1.ResourceRequirements{}
	for _, c := range append(append([]v1.Container{}, pod.Spec.Containers...), pod.Spec.InitContainers...) {
		all = append(all, c.Resources)
	}
	if schedule.IsPodLevelResourcesSet(pod) {
		all = []v1.ResourceRequirements{*pod.Spec.Resources}
	}
	nothing, equal := true, true
	for _, name := range []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory} {
		var requests, limits resource.Quantity
		for _, r := range all {
			requests.Add(r.Requests[name])
			limits.Add(r.Limits[name])
			limit := r.Limits[name]
			equal = equal && !limit.IsZero()
		}
		nothing = nothing && requests.IsZero() && limits.IsZero()
		equal = equal && requests.Cmp(limits) == 0
	}
	switch {
	case nothing:
		return "BestEffort"
	case equal:
		return "Guaranteed"
	}
	return "Burstable"
}

func pagesOf(list v1.ResourceList) map[string]unit.Bytes {
	var out map[string]unit.Bytes
	for name, q := range list {
		if size, ok := strings.CutPrefix(string(name), "hugepages-"); ok && q.Value() > 0 {
			if out == nil {
				out = map[string]unit.Bytes{}
			}
			out[size] = unit.Bytes(q.Value())
		}
	}
	return out
}

func devicesOf(list v1.ResourceList) map[string]int64 {
	var out map[string]int64
	for name, q := range list {
		if strings.Contains(string(name), "/") && q.Value() > 0 {
			if out == nil {
				out = map[string]int64{}
			}
			out[string(name)] = q.Value()
		}
	}
	return out
}
