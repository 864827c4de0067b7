package cluster

import (
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
	spec := podres.Of(t)
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
	return len(t.HostPorts) > 0 || node.Alone(t)
}

// hostname is the label that tells nodes apart.
const hostname = "kubernetes.io/hostname"

// Reason is a scheduler's reason in words, where the resource is one of our own.
func Reason(text string) string {
	if name, ok := strings.CutPrefix(text, "Insufficient "+perNode); ok {
		return "node(s) already had the most pods of " + name
	}
	return text
}
