package cluster

import (
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/node"
	"plimsoll.dev/place/scheduler"
	"plimsoll.dev/podres"
)

// hugePages is the prefix of huge pages among the resources.
const hugePages = "hugepages-"

// perNode is the prefix of a resource of our own, with which the scheduler keeps
// a pod type to a number of pods per node. Kubernetes knows only one or any.
const perNode = "plimsoll.dev/per-node-"

// kinds turns the pod types into kinds of pod. The workload grows; the platform's
// own pods and those that no controller makes do not.
func (b *builder) kinds() {
	s := b.Scenario
	var left []string
	held := b.held()
	for i, t := range slices.Concat(s.Workload.PodTypes, held, b.Platform) {
		if b.onControlPlane(t) {
			left = append(left, t.Name)
			continue
		}
		k := b.kind(t)
		own := i < len(s.Workload.PodTypes)+len(held)
		switch {
		case t.DaemonSet, t.Held:
		case own && !t.Bare:
			k.Count = node.Replicas(t, s.Policy.Growth)
		default:
			k.Count = t.Replicas
		}
		b.c.Kinds = append(b.c.Kinds, k)
	}
	if len(left) > 0 {
		b.note("the control plane is not placed, so that these pods are left out: %s", strings.Join(left, ", "))
	}
}

// held are the pod types at the end of the snapshot's that no plan counts. Their
// kinds come behind those of the workload.
func (b *builder) held() []v1alpha1.PodType {
	if b.Snapshot == nil {
		return nil
	}
	types := b.Snapshot.PodTypes
	n := len(types)
	for n > 0 && types[n-1].Held {
		n--
	}
	return types[n:]
}

// onControlPlane reports whether pods select control plane nodes, which the nodes to
// build are not.
func (b *builder) onControlPlane(t v1alpha1.PodType) bool {
	if t.DaemonSet || b.live() {
		return false
	}
	for _, key := range []string{"node-role.kubernetes.io/master", "node-role.kubernetes.io/control-plane"} {
		_, selects := t.NodeSelector[key]
		if selects && !slices.ContainsFunc(b.Pools, func(p v1alpha1.PoolDecision) bool {
			_, has := b.Scenario.Hardware.NodeTypes[b.types[p.Type]].Labels[key]
			return has
		}) {
			return true
		}
	}
	return false
}

// kind is what scheduler and kubelet see of a pod type.
func (b *builder) kind(t v1alpha1.PodType) Kind {
	spec := podres.Of(t)
	k := Kind{Type: t, Spec: spec, QOS: podres.QOS(spec), Pod: scheduler.PodClass{
		Name: t.Name, Namespace: t.Namespace, Labels: t.Labels, NodeSelector: t.NodeSelector, Affinity: t.Affinity,
		Tolerations: t.Tolerations, TopologySpreadConstraints: t.TopologySpreadConstraints, HostPorts: t.HostPorts,
		Priority: t.Priority, PreemptionPolicy: t.PreemptionPolicy}}
	if s := t.Spec; s != nil {
		k.Pod.NodeSelector, k.Pod.Tolerations, k.Pod.DefaultSpread = s.NodeSelector, s.Tolerations, s.DefaultSpread
		k.Pod.Images, k.Pod.ImageVolumes, k.Pod.Terminating = s.Images, s.ImageVolumes, s.Terminating
		k.Pod.Volumes, k.NotTried = s.Volumes, s.NotTried
	}
	if t.Origin == "" && !t.DaemonSet && !t.Bare {
		asDeployment(&k.Pod)
	}
	if t.DaemonSet {
		k.Pod.Tolerations = slices.Concat(k.Pod.Tolerations, daemonTolerations)
	}
	b.request(&k)
	if v := k.Pod.Volumes; v != nil {
		for driver, n := range v.Attached {
			setScalar(&k.Pod.Request, scheduler.AttachLimit+driver, n)
		}
	}
	if t.MaxPerNode > 0 && t.Origin == "" && !spreadsItself(t) { // what was read says how it does that
		setScalar(&k.Pod.Request, perNode+t.Name, 1)
		b.limited = append(b.limited, t)
	}
	return k
}

// hashLabel tells the pods of one ReplicaSet from all others.
const hashLabel = "pod-template-hash"

// asDeployment makes pods of the scenario those of a Deployment: they have a label
// that no others have, and the scheduler spreads them by it.
func asDeployment(c *scheduler.PodClass) {
	c.Labels = maps.Clone(c.Labels)
	if c.Labels == nil {
		c.Labels = map[string]string{}
	}
	c.Labels[hashLabel] = c.Name
	c.DefaultSpread = &v1alpha1.LabelSelector{MatchLabels: map[string]string{hashLabel: c.Name}}
}

// limits are how many pods of a type a node takes, where the scheduler keeps them to it.
func (b *builder) limits(r *scheduler.Resources) {
	for i := range b.limited {
		setScalar(r, perNode+b.limited[i].Name, int64(b.limited[i].MaxPerNode))
	}
}

// request counts what one pod takes, with the share that may not be overcommitted.
func (b *builder) request(k *Kind) {
	r := &k.Pod.Request
	*r = resourcesOf(podres.Requests(k.Spec))
	k.Pod.NonZeroCPU, k.Pod.NonZeroMemory = podres.NonZero(k.Spec)
	if k.Spec.PodLevel() {
		k.Pod.Incoming = incoming(k.Spec)
	}
	if b.over == node.NoOvercommit {
		return
	}
	cpu, memory := b.over.Pod(k.Type)
	r.CPU, r.Memory = max(r.CPU, cpu), max(r.Memory, memory)
	k.Pod.NonZeroCPU, k.Pod.NonZeroMemory = max(k.Pod.NonZeroCPU, r.CPU), max(k.Pod.NonZeroMemory, r.Memory)
}

func resourcesOf(by map[string]int64) scheduler.Resources {
	var r scheduler.Resources
	for name, n := range by {
		switch {
		case name == "cpu":
			r.CPU = n
		case name == "memory":
			r.Memory = n
		case name == "ephemeral-storage":
			r.EphemeralStorage = n
		case n > 0:
			setScalar(&r, name, n)
		}
	}
	return r
}

// incoming is what a pod requests without what it requests as a whole.
func incoming(p podres.Pod) *scheduler.Resources {
	p.Requests, p.Limits = nil, nil
	r := resourcesOf(podres.Requests(p))
	r.CPU, r.Memory = podres.NonZero(p)
	return &r
}

func setScalar(r *scheduler.Resources, name string, n int64) {
	if r.Scalar == nil {
		r.Scalar = map[string]int64{}
	}
	r.Scalar[name] = n
}

// daemonTolerations are those that the controller adds to the pods of each
// DaemonSet (pkg/controller/daemon/util, AddOrUpdateDaemonPodTolerations).
var daemonTolerations = func() []v1alpha1.Toleration {
	list := []v1alpha1.Toleration{{Key: "node.kubernetes.io/not-ready", Operator: "Exists", Effect: "NoExecute"},
		{Key: "node.kubernetes.io/unreachable", Operator: "Exists", Effect: "NoExecute"}}
	for _, key := range []string{"disk-pressure", "memory-pressure", "pid-pressure", "unschedulable"} {
		list = append(list, v1alpha1.Toleration{Key: "node.kubernetes.io/" + key, Operator: "Exists", Effect: "NoSchedule"})
	}
	return list
}()

// spreadsItself reports whether the pods themselves see to it that there is one per
// node: by a host port, or by anti-affinity to their like.
func spreadsItself(t v1alpha1.PodType) bool {
	if t.MaxPerNode != 1 {
		return false
	}
	return len(t.HostPorts) > 0 || node.Alone(t)
}

// Reason is a scheduler's reason or message in words, where resources are our own.
func Reason(text string) string {
	return strings.ReplaceAll(text, "Insufficient "+perNode, "node(s) already had the most pods of ")
}

// MostOf is the pod type that is kept to a number of pods per node by a resource
// of our own; ok is false of all other resources.
func MostOf(resource string) (podType string, ok bool) { return strings.CutPrefix(resource, perNode) }
