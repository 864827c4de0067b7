package nova_test

import (
	"slices"
	"testing"

	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// nodes are the nodes that the cells get; nil where the VM does not fit.
func nodes(h *nova.Host, r *nova.Request, rules nova.Rules) []int {
	f, ok := h.Fit(r, rules)
	if !ok {
		return nil
	}
	var out []int
	for _, c := range f.Cells {
		out = append(out, c.Node)
	}
	return out
}

// TestNovaOrder: free devices count most, then free CPUs, then free memory; packed,
// all but the devices turn round; and nothing is sorted when all nodes are needed.
func TestNovaOrder(t *testing.T) {
	host := func() *nova.Host { return dualSocket(1, 4, 6, 6) }
	packed := host()
	packed.PackNodes = true
	fuller := host()
	fuller.Cells[1].MemoryUsage = 1024
	devices := host()
	devices.Pools = []nova.DevicePool{{Kind: "vf", Node: 1, Total: 9, Free: 2}, {Kind: "gpu", Node: 2, Total: 1, Free: 1}}
	usage := old(host())
	usage.Cells[0].CPUUsage, usage.Cells[2].CPUUsage = 3, 1
	wantsVF := dedicated(1)
	wantsVF.Devices = []nova.DeviceRequest{{Kind: "vf", Count: 1, Policy: nova.Preferred}}
	for name, c := range map[string]struct {
		h    *nova.Host
		r    *nova.Request
		want []int
	}{
		"most free CPUs, then the host's order":   {host(), dedicated(1), []int{1}},
		"most free CPUs, then most free memory":   {fuller, dedicated(1), []int{2}},
		"packed: fewest free CPUs":                {packed, dedicated(1), []int{0}},
		"no devices wanted: a node without":       {devices, dedicated(1), []int{0}},
		"no devices wanted, two nodes":            {devices, dedicated(1, 1), []int{0, 2}},
		"devices wanted: the node with most":      {devices, wantsVF, []int{1}},
		"floating: fewest vCPUs":                  {usage, floating(dedicated(1)), []int{1}},
		"all nodes are needed: the host's order":  {host(), dedicated(1, 1, 1), []int{0, 1, 2}},
		"the first that leaves room for the rest": {dualSocket(1, 2, 6, 4), dedicated(2, 6), []int{2, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := nodes(c.h, c.r, nova.Nova); !slices.Equal(got, c.want) {
				t.Errorf("nodes %v, want %v", got, c.want)
			}
		})
	}
}

// TestCarrierGradeOrder: nodes without devices come first, then the lowest id; a
// preferred vSwitch counts more; both are only wishes.
func TestCarrierGradeOrder(t *testing.T) {
	host := func(vswitch ...int) *nova.Host {
		h := old(dualSocket(1, 4, 4, 4))
		h.Pools = []nova.DevicePool{{Kind: "vf", Node: 0, Total: 2}}
		for _, k := range vswitch {
			h.Cells[k].VSwitch = true
		}
		return h
	}
	wish := func(r *nova.Request, affinity string) *nova.Request { r.VSwitchAffinity = affinity; return r }
	toNode := func(r *nova.Request, ids ...int) *nova.Request {
		for i, id := range ids {
			r.Cells[i].HostNode = id
		}
		return r
	}
	for name, c := range map[string]struct {
		h    *nova.Host
		r    *nova.Request
		want []int
	}{
		"off the devices":               {host(), dedicated(1), []int{1}},
		"two nodes off the devices":     {host(), dedicated(1, 1), []int{1, 2}},
		"three need them all":           {host(), dedicated(1, 1, 1), []int{0, 1, 2}},
		"vSwitch preferred":             {host(0), wish(dedicated(1), nova.Preferred), []int{0}},
		"vSwitch preferred, no room":    {host(0), wish(toNode(dedicated(1), 2), nova.Preferred), []int{2}},
		"vSwitch required":              {host(2), wish(dedicated(1), nova.Required), []int{2}},
		"vSwitch required, one is full": {host(2), wish(dedicated(1, 1), nova.Required), nil},
		"vSwitch required on two":       {host(0, 2), wish(dedicated(1, 1), nova.Required), []int{0, 2}},
		"pinned to nodes":               {host(), toNode(dedicated(1, 1), 1, 0), []int{1, 0}},
		"pinned to the same node":       {host(), toNode(dedicated(1, 1), 1, 1), nil},
	} {
		for _, rules := range []nova.Rules{nova.HCG40, nova.StarlingX} {
			if got := nodes(c.h, c.r, rules); !slices.Equal(got, c.want) {
				t.Errorf("%s, %s: nodes %v, want %v", name, rules, got, c.want)
			}
		}
	}
}

// TestCarrierGradeDevices: strict wants the device's node (the fork takes devices of
// unknown nodes for near ones), prefer falls back to any node.
func TestCarrierGradeDevices(t *testing.T) {
	for _, c := range []struct {
		rules  nova.Rules
		policy string
		at     int
		want   []int
	}{
		{nova.HCG40, nova.Required, 1, []int{1}}, {nova.HCG40, nova.Required, 2, nil}, {nova.HCG40, nova.Required, -1, nil},
		{nova.HCG40, nova.Preferred, 1, []int{1}}, {nova.HCG40, nova.Preferred, 2, []int{0}},
		{nova.HCG40, nova.Preferred, -1, []int{0}},
		{nova.StarlingX, nova.Required, 1, []int{1}}, {nova.StarlingX, nova.Required, 2, nil},
		{nova.StarlingX, nova.Required, -1, []int{0}},
		{nova.StarlingX, nova.Preferred, 1, []int{1}}, {nova.StarlingX, nova.Preferred, 2, []int{0}},
		{nova.Nova, "", -1, []int{0}}, {nova.HCG40, "", -1, nil},
	} {
		h := old(dualSocket(1, 4, 4, 2))
		h.Pools = []nova.DevicePool{{Kind: "vf", Node: c.at, Total: 1, Free: 1}}
		r := dedicated(4)
		r.Devices = []nova.DeviceRequest{{Kind: "vf", Count: 1, Policy: c.policy}}
		if got := nodes(h, r, c.rules); !slices.Equal(got, c.want) {
			t.Errorf("%s, %q, device on node %d: nodes %v, want %v", c.rules, c.policy, c.at, got, c.want)
		}
	}
}

// TestOvercommitSixteen: sixteen floating vCPUs a CPU that is not pinned, and no
// pinned vCPU takes the last CPU from those that float.
func TestOvercommitSixteen(t *testing.T) {
	for _, rules := range []nova.Rules{nova.HCG40, nova.StarlingX} {
		h := old(dualSocket(1, 4))
		small := paged(dedicated(1), 2, 2048)
		if got := fill(h, paged(floating(dedicated(2)), 2, 2048), rules); got != 32 {
			t.Errorf("%s: %d VMs of two floating vCPUs on four CPUs, want 32", rules, got)
		}
		h = old(dualSocket(1, 4))
		h.Cells[0].CPUUsage = 17
		if got := fill(h, small, rules); got != 2 {
			t.Errorf("%s: %d pinned vCPUs beside 17 floating ones on four CPUs, want 2", rules, got)
		}
		h = old(dualSocket(2, 2))
		h.Cells[0].CPUUsage = 17
		if got := fill(h, threads(small, nova.Isolate), rules); got != 1 {
			t.Errorf("%s: %d isolated vCPUs beside 17 floating ones on two cores, want 1", rules, got)
		}
		small.ThreadPolicy = ""
		h = old(dualSocket(1, 2, 2))
		h.FloatingVCPUs = 33
		if got := fill(h, small, rules); got != 1 {
			t.Errorf("%s: %d pinned vCPUs beside 33 that float over four CPUs, want 1", rules, got)
		}
	}
}

// TestTrap9Networks: every network of the VM that is near to some node must be near
// to a chosen one, whatever cell is on it.
func TestTrap9Networks(t *testing.T) {
	h := dualSocket(1, 4, 4, 4, 4)
	h.Cells[2].Physnets, h.Cells[3].Tunneled = []string{"a", "b"}, true
	for _, c := range []struct {
		physnets []string
		tunneled bool
		cells    []int
		want     []int
	}{
		{nil, false, []int{1, 1}, []int{0, 1}}, {[]string{"a"}, false, []int{1}, []int{2}},
		{[]string{"a", "b"}, false, []int{1, 1}, []int{0, 2}},
		{[]string{"a"}, true, []int{1, 1}, []int{2, 3}}, {[]string{"a"}, true, []int{1}, nil},
		{[]string{"c"}, false, []int{1}, []int{0}},
	} {
		r := dedicated(c.cells...)
		r.Physnets, r.Tunneled = c.physnets, c.tunneled
		if got := nodes(h, r, nova.Nova); !slices.Equal(got, c.want) {
			t.Errorf("%v, tunnelled %v: nodes %v, want %v", c.physnets, c.tunneled, got, c.want)
		}
	}
	h.Cells[2].Pinned = unit.CPUSetOf(8)
	r := dedicated(4)
	r.Physnets = []string{"a"}
	if h.Fits(r, nova.Nova) {
		t.Error("it fits although the network's node is short of CPUs")
	}
}

// TestManyNodes: sixteen nodes, eight cells and a device on the last node are no
// trouble; more than 64 nodes are refused with the reason.
func TestManyNodes(t *testing.T) {
	h := dualSocket(1, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4)
	h.Cells[15].Physnets = []string{"a"}
	r := dedicated(1, 1, 1, 1, 1, 1, 1, 4)
	r.Physnets = []string{"a"}
	if got := nodes(h, r, nova.Nova); !slices.Equal(got, []int{0, 1, 2, 3, 4, 5, 6, 15}) {
		t.Errorf("nodes %v", got)
	}
	h.Pools = []nova.DevicePool{{Kind: "vf", Node: 14, Total: 1, Free: 1}, {Kind: "gpu", Node: 13, Total: 1, Free: 1}}
	r.Devices = []nova.DeviceRequest{{Kind: "vf", Count: 1, Policy: nova.Required},
		{Kind: "gpu", Count: 1, Policy: nova.Required}}
	if got := nodes(h, r, nova.Nova); !slices.Equal(got, []int{13, 14, 0, 1, 2, 3, 4, 15}) {
		t.Errorf("nodes %v", got)
	}
	many := dualSocket(1, make([]int, 65)...)
	if got := tell(many.Explain(dedicated(1), nova.Nova)); !slices.Equal(got,
		[]string{"host cells: 65 NUMA nodes on the host > 64"}) {
		t.Errorf("reasons %q", got)
	}
}

// TestSearchAcceptsWrongly: a mixed cell that is packed on node 1 keeps that id
// although it passes the ratio there; so what is remembered of it on node 2 counts
// for the second cell, which fits nowhere.
func TestSearchAcceptsWrongly(t *testing.T) {
	h := dualSocket(1, 4, 6, 5)
	for i := range h.Cells {
		h.Cells[i].Shared = unit.CPUSetOf(100 + i)
	}
	h.Cells[1].CPUUsage = 16
	r := dedicated(1, 9)
	r.CPUPolicy = nova.Mixed
	r.Cells[0].VCPUs = unit.CPUSetOf(10)
	f, ok := h.Search(r)
	if !ok || f.Cells[0].Node != 0 || f.Cells[1].Node != 2 || len(f.Cells[1].Pins) != 0 {
		t.Errorf("Nova's search gives %+v, %v", f, ok)
	}
	if h.Fits(r, nova.Nova) {
		t.Error("nine vCPUs fit on nodes of six CPUs and fewer")
	}
}

// TestSearchSecondVisit: the second cell is packed on node 10 and passes the ratio
// there, but its new id is one that fitted before: with the same two nodes the next
// permutation goes further than the one before it.
func TestSearchSecondVisit(t *testing.T) {
	h := dualSocket(1, 6, 5, 4, 3)
	for i := range h.Cells {
		h.Cells[i].ID, h.Cells[i].Shared = 10+i, unit.CPUSetOf(100+i, 200+i)
	}
	h.Cells[0].CPUUsage = 31
	r := dedicated(1, 6, 1)
	r.CPUPolicy = nova.Mixed
	r.Cells[1].VCPUs = unit.CPUSetOf(8, 9)
	f, ok := h.Search(r)
	if !ok || f.Cells[0].Node != 11 || f.Cells[1].Node != 10 || f.Cells[2].Node != 13 {
		t.Errorf("Nova's search gives %+v, %v, want nodes 11, 10 and 13", f, ok)
	}
}

// TestPreferNearDevices: the document's prefer leaves a device's node only if no
// node with such a device is free, also where one node has too few of them.
func TestPreferNearDevices(t *testing.T) {
	host := func() *nova.Host {
		h := old(dualSocket(1, 4, 4, 4, 4))
		h.Pools = []nova.DevicePool{{Kind: "qat", Node: 2, Total: 1, Free: 1}, {Kind: "qat", Node: 3, Total: 1, Free: 1},
			{Kind: "vf", Node: 1, Total: 4, Free: 0}}
		return h
	}
	vm := func(policy string, vcpus ...int) *nova.Request {
		r := dedicated(vcpus...)
		r.Devices = []nova.DeviceRequest{{Kind: "qat", Count: 2, Policy: policy}}
		return r
	}
	full := host()
	full.Cells[2].Pinned = full.Cells[2].Dedicated
	none := full.Clone()
	none.Cells[3].Pinned = none.Cells[3].Dedicated
	vswitch := host()
	vswitch.Cells[0].VSwitch = true
	near := vm(nova.Preferred, 4)
	near.VSwitchAffinity = nova.Preferred
	for name, c := range map[string]struct {
		h    *nova.Host
		r    *nova.Request
		want []int
	}{
		"a node with one":            {host(), vm(nova.Preferred, 4), []int{2}},
		"the other node with one":    {full, vm(nova.Preferred, 4), []int{3}},
		"no node with one is free":   {none, vm(nova.Preferred, 4), []int{0}},
		"both are near":              {host(), vm(nova.Required, 2, 2), []int{2, 3}},
		"one of two cells":           {full, vm(nova.Preferred, 4, 4), []int{0, 3}},
		"the vSwitch is wanted more": {vswitch, near, []int{0}},
	} {
		if got := nodes(c.h, c.r, nova.HCG40); !slices.Equal(got, c.want) {
			t.Errorf("%s: nodes %v, want %v", name, got, c.want)
		}
	}
	if got := nodes(host(), vm(nova.Preferred, 4), nova.StarlingX); !slices.Equal(got, []int{0}) {
		t.Errorf("the fork: nodes %v, want any node, the lowest id first", got)
	}
}
