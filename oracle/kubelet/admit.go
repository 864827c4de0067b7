package kubelet

import (
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	api "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
	v1qos "k8s.io/kubernetes/pkg/apis/core/v1/helper/qos"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"

	"plimsoll.dev/place/kubelet"
	"plimsoll.dev/unit"
)

func list(p *plugin) *api.ListAndWatchResponse {
	return &api.ListAndWatchResponse{Devices: p.devices}
}

// active are the pods that are not at their end, the one being admitted included.
func (n *node) active() []*v1.Pod { return n.snapshot() }

// kill ends a pod for the sake of a critical one.
func (n *node) kill(pod *v1.Pod, _ bool, _ *int64, _ func(*v1.PodStatus)) error {
	n.preempted = append(n.preempted, string(pod.UID))
	n.remove(string(pod.UID))
	return nil
}

// admit does what the kubelet does when a pod appears: the handlers in their order
// until one refuses, then the start of its containers.
func (n *node) admit(pod *v1.Pod) kubelet.Verdict {
	n.preempted = nil
	attrs := &lifecycle.PodAdmitAttributes{Pod: pod, OtherPods: n.snapshot(), Operation: lifecycle.AddOperation}
	n.add(pod)
	v := kubelet.Verdict{Admitted: true, QOS: string(v1qos.GetPodQOS(pod))}
	for _, h := range n.handlers {
		if r := h.Admit(attrs); !r.Admit {
			v.Admitted, v.Reason, v.Message = false, r.Reason, r.Message
			break
		}
	}
	v.Preempted = n.preempted
	for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		v.Containers = append(v.Containers, n.allocation(string(pod.UID), c.Name))
	}
	if v.Admitted {
		n.startContainers(pod)
	} else {
		n.remove(string(pod.UID))
	}
	return v
}

// startContainers tells the managers of each container, as the runtime's hook does;
// those that have ended are told as well.
func (n *node) startContainers(pod *v1.Pod) {
	log := klog.Background()
	for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		id := string(pod.UID) + "/" + c.Name
		n.cpus.AddContainer(log, pod, &c, id)
		n.memory.AddContainer(log, pod, &c, id)
		n.topology.AddContainer(pod, &c, id)
	}
}

// allocation is what the managers' states hold for a container.
func (n *node) allocation(pod, container string) kubelet.Allocation {
	a := kubelet.Allocation{Container: container}
	if set, ok := n.cpus.State().GetCPUSet(pod, container); ok {
		a.CPUs = unit.CPUSetOf(set.List()...)
	}
	if hint := n.topology.GetAffinity(pod, container); hint.NUMANodeAffinity != nil {
		a.Affinity, a.Preferred = hint.NUMANodeAffinity.GetBits(), hint.Preferred
	} else {
		a.Preferred = hint.Preferred
	}
	for _, b := range n.memory.GetMemory(pod, container) {
		a.Memory = append(a.Memory, kubelet.MemoryBlock{Nodes: b.NUMAAffinity, Type: string(b.Type),
			Size: unit.Bytes(b.Size)})
	}
	slices.SortFunc(a.Memory, func(x, y kubelet.MemoryBlock) int { return strings.Compare(x.Type, y.Type) })
	for resource, devices := range n.devices.GetDevices(pod, container) {
		if len(devices) == 0 {
			continue
		}
		if a.Devices == nil {
			a.Devices = map[string][]string{}
		}
		a.Devices[resource] = slices.Sorted(maps.Keys(devices))
	}
	return a
}

func (n *node) add(pod *v1.Pod) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.pods = append(n.pods, pod)
}

// remove ends a pod; what it held is free at the next admission.
func (n *node) remove(uid string) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.pods = slices.DeleteFunc(n.pods, func(p *v1.Pod) bool { return string(p.UID) == uid })
}

// snapshot copies the list: managers look at it from goroutines of their own.
func (n *node) snapshot() []*v1.Pod {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	return slices.Clone(n.pods)
}
