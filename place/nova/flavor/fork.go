package flavor

import (
	"fmt"
	"slices"
	"strconv"

	"plimsoll.dev/place/nova"
)

// The keys of this file are those of Helion Carrier Grade and StarlingX.

// sharedVCPU reads which vCPU runs on a node's shared core.
func (r *reader) sharedVCPU() {
	const key = "hw:wrs:shared_vcpu"
	text := r.specs[key]
	if text == "" {
		return
	}
	n, ok := wholeNumber(text)
	switch {
	case !ok || n < 0 || n >= int64(r.vcpus):
		r.bad(key, fmt.Sprintf("%q is no vCPU of the VM", text), fmt.Sprintf("0 to %d", r.vcpus-1))
		return
	case r.cpu.policy != nova.Dedicated:
		r.bad(key, "needs pinned vCPUs beside it", "set hw:cpu_policy=dedicated")
		return
	case r.cpu.realtime.Has(int(n)):
		r.bad(key, fmt.Sprintf("vCPU %d is a realtime one", n), "leave it out of the realtime mask")
		return
	}
	if policy := r.cpu.thread; policy == nova.Require || policy == nova.Isolate {
		r.refuse(key, fmt.Sprintf("can't stand with hw:cpu_thread_policy=%s", policy),
			"set the thread policy to prefer, or leave it out")
	}
	r.shared = int(n)
}

// refuse is an error with the rules of StarlingX, and a remark with those of the
// document, which says nothing of the case.
func (r *reader) refuse(key, text, fix string) {
	if r.rules == nova.HCG40 {
		r.remark(key, text+" in StarlingX ("+fix+"); the document says nothing of it")
		return
	}
	r.bad(key, text, fix)
}

// onlyShared finds a virtual node whose one vCPU is the shared one.
func (r *reader) onlyShared(cells []nova.GuestCell) {
	for _, c := range cells {
		if r.shared >= 0 && c.VCPUs.Has(r.shared) && c.PCPUs.IsEmpty() {
			r.refuse("hw:wrs:shared_vcpu", fmt.Sprintf("a virtual node (%d) with no vCPU but the shared one is refused", c.ID),
				"leave a pinned vCPU beside it")
		}
	}
}

// affinity reads strict or prefer.
func (r *reader) affinity(key, unset string) string {
	switch r.oneOf(key, r.specs[key], "strict", "prefer") {
	case "strict":
		return nova.Required
	case "prefer":
		return nova.Preferred
	}
	return unset
}

// memoryPolicy reads where the memory of a virtual node may come from. Prefer would
// take it from another node of the host if need be; how much later, nobody says.
func (r *reader) memoryPolicy() {
	const key = "hw:numa_mempolicy"
	if value := r.specs[key]; value == "prefer" || value == "preferred" {
		r.remark(key, "is read as strict: memory comes from the virtual node's own node of the host")
	}
}

// mostHostNodes is how many NUMA nodes of a host the fork knows in flavors.
const mostHostNodes = 4

// hostNodes reads to which nodes of the host the virtual nodes are pinned.
func (r *reader) hostNodes() {
	most := int64(mostHostNodes - 1)
	if r.rules == nova.HCG40 {
		most = 63
	}
	for _, n := range r.list("numa_node") {
		node, ok := wholeNumber(n.text)
		switch {
		case !ok || node < 0 || node > most:
			r.bad(n.key, fmt.Sprintf("%q is no NUMA node of a host", n.text), fmt.Sprintf("0 to %d", most))
			node = -1
		case slices.Contains(r.pins, int(node)):
			r.bad(n.key, fmt.Sprintf("node %d of the host is given to another virtual node", node),
				"pin each virtual node to a node of its own")
		}
		r.pins = append(r.pins, int(node))
	}
}

func hostNodeKey(n int) string { return "hw:numa_node." + strconv.Itoa(n) }

// impliedByPin makes a VM that is pinned to nodes a dedicated one.
func (r *reader) impliedByPin() {
	if r.pins == nil {
		return
	}
	spec, prop := r.both("cpu_policy")
	if spec == nova.Shared || prop == nova.Shared {
		r.bad("hw:numa_node.0", "a virtual node can't be pinned to a node of the host with the shared policy",
			"set hw:cpu_policy=dedicated")
		return
	}
	r.cpu.policy = nova.Dedicated
}
