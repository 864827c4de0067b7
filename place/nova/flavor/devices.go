package flavor

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/nova"
)

// PortKind is the kind of device that a whole port on a physical network is, as
// against the network's virtual functions, whose kind is its name.
func PortKind(physicalNetwork string) string { return physicalNetwork + " (port)" }

// devices reads the devices of the flavor's aliases, then those of the ports.
func (r *reader) devices(req *nova.Request, ports []v1alpha1.Port) {
	policy := r.devicePolicy()
	const key = "pci_passthrough:alias"
	if text, ok := r.specs[key]; ok {
		for part := range strings.SplitSeq(text, ",") {
			if d, ok := r.alias(key, part); ok {
				d.Policy = policy
				req.Devices = append(req.Devices, d)
			}
		}
	}
	for i, p := range ports {
		if d, ok := r.portDevice(i, p); ok {
			d.Policy = policy
			req.Devices = append(req.Devices, d)
		}
	}
}

// devicePolicy is how near the devices must be. The document does not say which
// policy holds without one: that of its public descendant does.
func (r *reader) devicePolicy() string {
	if !r.modern() {
		return r.affinity("hw:wrs:pci_numa_affinity", nova.Required)
	}
	words := []string{nova.Required, nova.Preferred, nova.Legacy, nova.Socket}
	spec, prop := r.both("pci_numa_affinity_policy")
	flavor, image := r.oneOf("hw:pci_numa_affinity_policy", spec, words...),
		r.oneOf("hw_pci_numa_affinity_policy", prop, words...)
	if flavor != "" && image != "" && flavor != image {
		r.bad("hw_pci_numa_affinity_policy",
			fmt.Sprintf("%s of the image contradicts hw:pci_numa_affinity_policy=%s of the flavor", image, flavor),
			"leave one of them out")
	}
	switch {
	case flavor != "":
		return flavor
	case image != "":
		return image
	}
	return nova.Legacy
}

// alias reads name:count.
func (r *reader) alias(key, part string) (nova.DeviceRequest, bool) {
	const fix = "name:count, separated by commas, such as qat:2"
	name, text, found := strings.Cut(part, ":")
	name = strings.TrimSpace(name)
	count, ok := wholeNumber(text)
	switch {
	case !found || name == "" || !ok || count < 0:
		r.bad(key, fmt.Sprintf("%q asks for no device", strings.TrimSpace(part)), fix)
		return nova.DeviceRequest{}, false
	case count > math.MaxInt32:
		r.bad(key, fmt.Sprintf("%q asks for more devices than any host has", strings.TrimSpace(part)), fix)
		return nova.DeviceRequest{}, false
	case count == 0:
		r.remark(key, strings.TrimSpace(part)+" asks for no device")
		return nova.DeviceRequest{}, false
	}
	return nova.DeviceRequest{Kind: name, Count: int(count)}, true
}

// portDevice is the device of a port that bypasses the vSwitch.
func (r *reader) portDevice(i int, p v1alpha1.Port) (nova.DeviceRequest, bool) {
	kind := ""
	switch p.VNICType {
	case "", "normal":
		return nova.DeviceRequest{}, false
	case "direct":
		kind = p.PhysicalNetwork
	case "direct-physical":
		kind = PortKind(p.PhysicalNetwork)
	default:
		r.bad(fmt.Sprintf("ports[%d].vnicType", i), fmt.Sprintf("%q is not known", p.VNICType),
			"one of normal, direct, direct-physical")
		return nova.DeviceRequest{}, false
	}
	if p.PhysicalNetwork == "" {
		r.bad(fmt.Sprintf("ports[%d].physicalNetwork", i), "a port of type "+p.VNICType+" needs a physical network",
			"name the one that its NICs are on")
		return nova.DeviceRequest{}, false
	}
	return nova.DeviceRequest{Kind: kind, Count: 1}, true
}

// networks reads what binds the VM to nodes where its networks enter the host:
// in Nova the physical networks of all ports, those of virtual functions too
// (network/neutron.py, create_resource_requests), before it the vSwitch's own cores.
func (r *reader) networks(req *nova.Request, ports []v1alpha1.Port) {
	req.VSwitchAffinity = r.affinity("hw:wrs:vswitch_numa_affinity", "")
	if !r.modern() {
		return
	}
	for _, p := range ports {
		switch {
		case p.PhysicalNetwork != "":
			req.Physnets = append(req.Physnets, p.PhysicalNetwork)
		case p.Network != "" && (p.VNICType == "" || p.VNICType == "normal"):
			req.Tunneled = true
		}
	}
	slices.Sort(req.Physnets)
	req.Physnets = slices.Compact(req.Physnets)
}

// bindsNothing finds affinities of a VM without virtual nodes: no rule set knows to
// which nodes such a VM would be near.
func (r *reader) bindsNothing(req *nova.Request) {
	keys := []string{"hw:wrs:vswitch_numa_affinity", "hw:numa_mempolicy"}
	if len(req.Devices) > 0 {
		keys = append(keys, "hw:wrs:pci_numa_affinity", "hw:pci_numa_affinity_policy")
	}
	for _, key := range keys {
		if r.specs[key] != "" {
			r.remark(key, "binds nothing: the VM has no virtual nodes and floats over the host (hw:numa_nodes=1 gives it one)")
		}
	}
}
