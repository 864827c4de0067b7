package kubelet

import (
	"plimsoll.dev/podres"
	"plimsoll.dev/unit"
)

// Shared are the CPUs of all containers without CPUs of their own, reserved ones
// included; empty without the static policy. What stale pods held is not in it
// before the next admission.
func (n *Node) Shared() unit.CPUSet { return n.cpu.Shared() }

// Requested is what the running pods request of each resource that Allocatable has.
func (n *Node) Requested() map[string]int64 {
	out := map[string]int64{podres.CPU: n.used.milliCPU, podres.Memory: n.used.memory, podsResource: n.used.pods}
	if n.s.capacity.storage >= 0 {
		out[podres.EphemeralStorage] = n.used.storage
	}
	for i, s := range n.s.capacity.scalars {
		out[s.name] = n.used.scalars[i]
	}
	return out
}
