package cluster

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/kube"
	"plimsoll.dev/place/podres"
	"plimsoll.dev/plan/node"
)

// hugePages is the prefix of huge pages among the resources.
const hugePages = "hugepages-"

// perNode is the prefix of a resource of our own, with which the scheduler keeps
// a pod type to a number of pods per node. Kubernetes knows only one or any.
const perNode = "plimsoll.dev/per-node-"

// kinds turns the pod types into kinds of pod.
func (b *builder) kinds() {
	s := b.Scenario
	for _, t := range slices.Concat(s.Workload.PodTypes, b.Platform) {
		k := b.kind(t)
		if !t.DaemonSet {
			k.Count = node.Grown(t.Replicas, s.Policy.Growth)
		}
		b.c.Kinds = append(b.c.Kinds, k)
	}
}

// kind is what scheduler and kubelet see of a pod type.
func (b *builder) kind(t v1alpha1.PodType) Kind {
	spec := Spec(t)
	k := Kind{Type: t, Spec: spec, QOS: podres.QOS(spec), Pod: kube.PodClass{
		Name: t.Name, Namespace: t.Namespace, Labels: t.Labels, NodeSelector: t.NodeSelector, Affinity: t.Affinity,
		Tolerations: t.Tolerations, TopologySpreadConstraints: t.TopologySpreadConstraints, HostPorts: t.HostPorts,
		Priority: t.Priority, PreemptionPolicy: t.PreemptionPolicy}}
	b.request(&k)
	if t.MaxPerNode > 0 && !spreadsItself(t) {
		setScalar(&k.Pod.Request, perNode+t.Name, 1)
	}
	return k
}

// request counts what one pod takes, with the share that may not be overcommitted.
func (b *builder) request(k *Kind) {
	r := &k.Pod.Request
	for name, n := range podres.Requests(k.Spec) {
		switch {
		case name == "cpu":
			r.CPU = n
		case name == "memory":
			r.Memory = n
		case name == "ephemeral-storage":
			r.EphemeralStorage = n
		case n > 0:
			setScalar(r, name, n)
		}
	}
	k.Pod.NonZeroCPU, k.Pod.NonZeroMemory = podres.NonZero(k.Spec)
	if k.Type.Origin != "" {
		// What was read from a cluster has overhead and resources of the whole pod in its sum.
		r.CPU, r.Memory = max(r.CPU, int64(k.Type.CPU)), max(r.Memory, int64(k.Type.Memory))
	}
	if b.over == node.NoOvercommit {
		return
	}
	cpu, memory := b.over.Pod(k.Type)
	r.CPU, r.Memory = max(r.CPU, cpu), max(r.Memory, memory)
	k.Pod.NonZeroCPU, k.Pod.NonZeroMemory = max(k.Pod.NonZeroCPU, r.CPU), max(k.Pod.NonZeroMemory, r.Memory)
}

func setScalar(r *kube.Resources, name string, n int64) {
	if r.Scalar == nil {
		r.Scalar = map[string]int64{}
	}
	r.Scalar[name] = n
}

// spreadsItself says whether the pods themselves see to it that there is one per
// node: by a host port, or by anti-affinity to their like.
func spreadsItself(t v1alpha1.PodType) bool {
	if t.MaxPerNode != 1 {
		return false
	}
	anti := t.Affinity != nil && t.Affinity.PodAntiAffinity != nil && slices.ContainsFunc(t.Affinity.PodAntiAffinity.Required,
		func(term v1alpha1.PodAffinityTerm) bool { return term.TopologyKey == hostname })
	return len(t.HostPorts) > 0 || anti
}

// hostname is the label that tells nodes apart.
const hostname = "kubernetes.io/hostname"

// Spec is a pod of the type as the kubelet sees it: its containers as the
// scenario lists them, or one container that has it all.
func Spec(t v1alpha1.PodType) podres.Pod {
	p := podres.Pod{Namespace: t.Namespace, Name: t.Name}
	for _, c := range t.InitContainers {
		p.Init = append(p.Init, container(c))
	}
	for _, c := range t.ContainerSpecs {
		p.Containers = append(p.Containers, container(c))
	}
	if len(t.ContainerSpecs) > 0 {
		return p
	}
	p.Containers = []podres.Container{whole(t)}
	for i := 1; i < t.Containers; i++ {
		p.Containers = append(p.Containers, podres.Container{Name: fmt.Sprintf("container-%d", i+1)})
	}
	return p
}

// whole is a container that requests all that the pod type requests.
func whole(t v1alpha1.PodType) podres.Container {
	c := v1alpha1.ContainerSpec{Name: t.Name, CPULimit: t.CPULimit, MemoryLimit: t.MemoryLimit, EphemeralStorage: t.EphemeralStorage,
		HugePages: t.HugePages, Devices: t.Devices}
	if t.CPU > 0 {
		c.CPU = &t.CPU
	}
	if t.Memory > 0 {
		c.Memory = &t.Memory
	}
	if t.QOSClass == "Guaranteed" {
		c.CPULimit, c.MemoryLimit = c.CPU, c.Memory
	}
	return container(c)
}

// container is a container as the kubelet sees it. Huge pages and devices are
// limits, which their requests equal.
func container(s v1alpha1.ContainerSpec) podres.Container {
	c := podres.Container{Name: s.Name, Requests: map[string]int64{}, Limits: map[string]int64{}, Restartable: s.RestartPolicy == "Always"}
	if s.CPU != nil {
		c.Requests["cpu"] = int64(*s.CPU)
	}
	if s.Memory != nil {
		c.Requests["memory"] = int64(*s.Memory)
	}
	if s.CPULimit != nil {
		c.Limits["cpu"] = int64(*s.CPULimit)
	}
	if s.MemoryLimit != nil {
		c.Limits["memory"] = int64(*s.MemoryLimit)
	}
	if s.EphemeralStorage > 0 {
		c.Requests["ephemeral-storage"] = int64(s.EphemeralStorage)
	}
	for size, n := range s.HugePages {
		c.Limits[hugePages+size] = int64(n)
	}
	maps.Copy(c.Limits, s.Devices)
	return c
}

// Reason is a scheduler's reason in words, where the resource is one of our own.
func Reason(text string) string {
	if name, ok := strings.CutPrefix(text, "Insufficient "+perNode); ok {
		return "node(s) already had the most pods of " + name
	}
	return text
}
