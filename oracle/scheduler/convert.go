package scheduler

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/util"

	"plimsoll.dev/place/scheduler"
)

// namespaceOf is the namespace that the API server puts a pod into.
func namespaceOf(c scheduler.PodClass) string {
	if c.Namespace == "" {
		return metav1.NamespaceDefault
	}
	return c.Namespace
}

// nodeObject is the node as the API server has it.
func nodeObject(n scheduler.Node) *v1.Node {
	out := &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: n.Name, Labels: n.Labels},
		Spec:       v1.NodeSpec{Unschedulable: n.Unschedulable},
	}
	for _, t := range n.Taints {
		out.Spec.Taints = append(out.Spec.Taints, v1.Taint{Key: t.Key, Value: t.Value, Effect: v1.TaintEffect(t.Effect)})
	}
	list := scalars(n.Allocatable)
	list[v1.ResourceCPU] = *resource.NewMilliQuantity(n.Allocatable.CPU, resource.DecimalSI)
	list[v1.ResourceMemory] = *resource.NewQuantity(n.Allocatable.Memory, resource.BinarySI)
	list[v1.ResourceEphemeralStorage] = *resource.NewQuantity(n.Allocatable.EphemeralStorage, resource.BinarySI)
	list[v1.ResourcePods] = *resource.NewQuantity(n.Allocatable.Pods, resource.DecimalSI)
	out.Status.Allocatable, out.Status.Capacity = list, list
	return out
}

func scalars(r scheduler.Resources) v1.ResourceList {
	list := v1.ResourceList{}
	for name, n := range r.Scalar {
		list[v1.ResourceName(name)] = *resource.NewQuantity(n, resource.DecimalSI)
	}
	return list
}

// podObject is a pod of the class as the API server stores it: defaults filled
// in, and the keys of matchLabelKeys and mismatchLabelKeys merged into the
// selectors. It has no name yet.
func podObject(c scheduler.PodClass) (*v1.Pod, error) {
	containers, err := containersOf(c)
	if err != nil {
		return nil, err
	}
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespaceOf(c), Labels: c.Labels},
		Spec: v1.PodSpec{
			Containers:                containers,
			NodeSelector:              c.NodeSelector,
			Affinity:                  affinityObject(c.Affinity, c.Labels),
			TopologySpreadConstraints: spreadObjects(c),
			Priority:                  &c.Priority,
		},
	}
	for _, t := range c.Tolerations {
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, v1.Toleration{
			Key: t.Key, Operator: v1.TolerationOperator(t.Operator), Value: t.Value, Effect: v1.TaintEffect(t.Effect),
		})
	}
	if c.PreemptionPolicy != "" {
		policy := v1.PreemptionPolicy(c.PreemptionPolicy)
		pod.Spec.PreemptionPolicy = &policy
	}
	if c.DefaultSpread != nil {
		owner := replicaSetObject(c)
		pod.OwnerReferences = []metav1.OwnerReference{
			*metav1.NewControllerRef(owner, appsv1.SchemeGroupVersion.WithKind("ReplicaSet")),
		}
	}
	corev1.SetObjectDefaults_Pod(pod)
	return pod, nil
}

// replicaSetObject owns the pods of the class.
func replicaSetObject(c scheduler.PodClass) *appsv1.ReplicaSet {
	return &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespaceOf(c), Name: c.Name, UID: types.UID(c.Name)},
		Spec:       appsv1.ReplicaSetSpec{Selector: selectorObject(c.DefaultSpread)},
	}
}

// containersOf makes containers whose sums are the class's Request, NonZeroCPU
// and NonZeroMemory: the first one requests everything, CPU and memory written
// out even when they are 0; each 100m and each 200 MiB by which the non-zero
// figures exceed the requests is a further container that doesn't say what it
// requests. A container that only lacks one of the two requests 0 of the other.
func containersOf(c scheduler.PodClass) ([]v1.Container, error) {
	cpu, memory := c.NonZeroCPU-c.Request.CPU, c.NonZeroMemory-c.Request.Memory
	if cpu < 0 || memory < 0 || cpu%util.DefaultMilliCPURequest != 0 || memory%util.DefaultMemoryRequest != 0 {
		return nil, fmt.Errorf("class %s: non-zero CPU and memory must exceed the request by multiples of %dm "+
			"and %d bytes, not by %d and %d",
			c.Name, util.DefaultMilliCPURequest, util.DefaultMemoryRequest, cpu, memory)
	}
	silentCPU, silentMemory := cpu/util.DefaultMilliCPURequest, memory/util.DefaultMemoryRequest
	first := v1.Container{Name: "c0", Image: "image", Ports: portsOf(c)}
	first.Resources.Requests = scalars(c.Request)
	first.Resources.Limits = scalars(c.Request)
	first.Resources.Requests[v1.ResourceCPU] = *resource.NewMilliQuantity(c.Request.CPU, resource.DecimalSI)
	first.Resources.Requests[v1.ResourceMemory] = *resource.NewQuantity(c.Request.Memory, resource.BinarySI)
	if c.Request.EphemeralStorage > 0 {
		first.Resources.Requests[v1.ResourceEphemeralStorage] = *resource.NewQuantity(c.Request.EphemeralStorage,
			resource.BinarySI)
	}
	out := []v1.Container{first}
	for i := range max(silentCPU, silentMemory) {
		further := v1.Container{Name: fmt.Sprintf("c%d", i+1), Image: "image"}
		further.Resources.Requests = v1.ResourceList{}
		if i >= silentCPU {
			further.Resources.Requests[v1.ResourceCPU] = resource.Quantity{}
		}
		if i >= silentMemory {
			further.Resources.Requests[v1.ResourceMemory] = resource.Quantity{}
		}
		out = append(out, further)
	}
	return out, nil
}

func portsOf(c scheduler.PodClass) []v1.ContainerPort {
	var out []v1.ContainerPort
	for _, p := range c.HostPorts {
		out = append(out, v1.ContainerPort{HostPort: p.Port, ContainerPort: p.Port, Protocol: v1.Protocol(p.Protocol),
			HostIP: p.HostIP})
	}
	return out
}

func spreadObjects(c scheduler.PodClass) []v1.TopologySpreadConstraint {
	var out []v1.TopologySpreadConstraint
	for _, t := range c.TopologySpreadConstraints {
		one := v1.TopologySpreadConstraint{
			MaxSkew: t.MaxSkew, TopologyKey: t.TopologyKey, MinDomains: t.MinDomains,
			WhenUnsatisfiable: v1.DoNotSchedule,
			LabelSelector:     withKeys(selectorObject(t.LabelSelector), c.Labels, t.MatchLabelKeys, metav1.LabelSelectorOpIn),
			MatchLabelKeys:    t.MatchLabelKeys,
		}
		if t.WhenUnsatisfiable != "" {
			one.WhenUnsatisfiable = v1.UnsatisfiableConstraintAction(t.WhenUnsatisfiable)
		}
		one.NodeAffinityPolicy = inclusion(t.NodeAffinityPolicy)
		one.NodeTaintsPolicy = inclusion(t.NodeTaintsPolicy)
		out = append(out, one)
	}
	return out
}

func inclusion(s string) *v1.NodeInclusionPolicy {
	if s == "" {
		return nil
	}
	p := v1.NodeInclusionPolicy(s)
	return &p
}

// withKeys adds the pod's own values of the keys to the selector, as the API
// server does when a pod is created (pkg/registry/core/pod/strategy.go). Keys
// that the pod doesn't have are left out; without a selector nothing is added.
func withKeys(s *metav1.LabelSelector, labels map[string]string, keys []string,
	op metav1.LabelSelectorOperator) *metav1.LabelSelector {
	if s == nil {
		return nil
	}
	for _, key := range keys {
		if value, ok := labels[key]; ok {
			s.MatchExpressions = append(s.MatchExpressions,
				metav1.LabelSelectorRequirement{Key: key, Operator: op, Values: []string{value}})
		}
	}
	return s
}
