package cloud

import (
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// TestSummedCapacityLies: 13 free cores as 5 and 8 hold three VMs of 3 vCPUs and
// not four, one of 6, one of 6 over two NUMA nodes, two of 4 over two.
func TestSummedCapacityLies(t *testing.T) {
	for _, rules := range []nova.Rules{nova.HCG40, nova.StarlingX, nova.Nova} {
		for _, c := range []struct {
			vcpus int
			specs string
			want  int
		}{{3, "hw:mem_page_size=2048", 3}, {6, "hw:mem_page_size=2048", 1}, {6, "hw:mem_page_size=2048 hw:numa_nodes=2", 1},
			{4, "hw:mem_page_size=2048 hw:numa_nodes=2", 2}} {
			p := made(t, scenario(rules, compute(single, "64Gi", 1), vms("a", 5, c.vcpus, "2Gi", pinned+" "+c.specs)), Options{})
			o := p.ServerTypes[0]
			if o.Placed != c.want || o.Refused != 5-c.want || o.More != 0 || p.Verdict.Fits {
				t.Errorf("%s: %d vCPUs, %s: %d of 5 placed, %d more; want %d", rules, c.vcpus, c.specs, o.Placed, o.More, c.want)
			}
			s := scenario(rules, compute(single, "64Gi", 1), vms("a", 0, c.vcpus, "2Gi", pinned+" "+c.specs))
			if o := made(t, s, Options{}).ServerTypes[0]; o.More != c.want || o.AtLeast {
				t.Errorf("%s: %d more VMs of %d vCPUs, want %d", rules, o.More, c.vcpus, c.want)
			}
		}
	}
}

// TestRequireStrandsThreads: three vCPUs with require on 26 threads are 6 VMs, and
// 8 threads are stranded; with prefer there are 8 VMs.
func TestRequireStrandsThreads(t *testing.T) {
	for specs, want := range map[string]int{"require": 6, "prefer": 8} {
		s := scenario(nova.Nova, compute(dual, "64Gi", 1),
			vms("a", 10, 3, "2Gi", pinned+" hw:mem_page_size=2048 hw:cpu_thread_policy="+specs))
		p := made(t, s, Options{})
		if p.ServerTypes[0].Placed != want {
			t.Errorf("%s: %d placed, want %d", specs, p.ServerTypes[0].Placed, want)
		}
		stranded := int64(0)
		for _, x := range p.Stranding {
			if x.Unit == threads {
				stranded += x.Amount
			}
		}
		if free := int64(26 - 3*want); stranded != free {
			t.Errorf("%s: %d threads stranded, want %d: %+v", specs, stranded, free, p.Stranding)
		}
		if specs == "require" && !strings.Contains(p.Stranding[0].Why, "require with 3 vCPUs") {
			t.Errorf("%+v", p.Stranding)
		}
	}
}

// TestIsolate: by the document two vCPUs with isolate take two cores: six VMs on
// 5 and 8 cores. Nova refuses them on hosts with hyperthreading.
func TestIsolate(t *testing.T) {
	specs := pinned + " hw:cpu_thread_policy=isolate hw:mem_page_size=2048"
	p := made(t, scenario(nova.HCG40, compute(dual, "64Gi", 1), vms("a", 10, 2, "2Gi", specs)), Options{})
	if p.ServerTypes[0].Placed != 6 {
		t.Errorf("%d placed", p.ServerTypes[0].Placed)
	}
	if i := slices.IndexFunc(p.Stranding, func(s v1alpha1.Stranding) bool {
		return strings.HasPrefix(s.Why, "isolate")
	}); i < 0 || p.Stranding[i].Amount != 12 {
		t.Errorf("%+v", p.Stranding)
	}
	p = made(t, scenario(nova.Nova, compute(dual, "64Gi", 1), vms("a", 1, 2, "2Gi", specs)), Options{})
	if p.ServerTypes[0].Placed != 0 || len(p.Refusals) != 1 ||
		!slices.Contains(p.Refusals[0].Remedies, "no isolate (hw:cpu_thread_policy=prefer)") {
		t.Errorf("%+v", p.Refusals)
	}
}

// TestSpreadAndPack: spread gives each of three hosts one VM, pack fills the first.
func TestSpreadAndPack(t *testing.T) {
	for strategy, want := range map[string][]int{"spread": {1, 1, 1}, "pack": {3, 0, 0}} {
		s := scenario(nova.Nova, compute(dual, "64Gi", 3), vms("a", 3, 2, "2Gi", pinned+" hw:mem_page_size=2048"))
		s.Scheduling.HostStrategy = strategy
		at := where(made(t, s, Options{}))
		n := make([]int, 3)
		for _, h := range at {
			n[h[len(h)-1]-'1']++
		}
		if !slices.Equal(n, want) {
			t.Errorf("%s: %v, want %v", strategy, n, want)
		}
	}
}

// TestGroups: affinity keeps together, anti-affinity apart, as many as
// maxServerPerHost says; soft policies only weigh.
func TestGroups(t *testing.T) {
	for _, c := range []struct {
		group  v1alpha1.ServerGroup
		count  int
		placed int
		most   int // VMs on one host
	}{
		{v1alpha1.ServerGroup{Policy: affinity}, 4, 4, 4},
		{v1alpha1.ServerGroup{Policy: affinity}, 8, 6, 6}, // 13 cores of 2: no more go on one host
		{v1alpha1.ServerGroup{Policy: antiAffinity}, 4, 3, 1},
		{v1alpha1.ServerGroup{Policy: antiAffinity, MaxServerPerHost: 2}, 7, 6, 2},
		{v1alpha1.ServerGroup{Policy: softAntiAffinity}, 6, 6, 2},
		{v1alpha1.ServerGroup{Policy: softAffinity}, 8, 8, 6}, // the group weighs more than what room is left
	} {
		c.group.Name = "g"
		s := scenario(nova.Nova, compute(single, "64Gi", 3),
			vms("a", c.count, 2, "2Gi", pinned+" hw:mem_page_size=2048").with(func(v *v1alpha1.Server) { v.Group = "g" }))
		s.Workload.ServerGroups = []v1alpha1.ServerGroup{c.group}
		p := made(t, s, Options{})
		n := map[string]int{}
		most := 0
		for _, h := range where(p) {
			n[h]++
			most = max(most, n[h])
		}
		if p.ServerTypes[0].Placed != c.placed || most != c.most {
			t.Errorf("%+v: %d placed, at most %d on a host; want %d, %d", c.group, p.ServerTypes[0].Placed, most,
				c.placed, c.most)
		}
	}
}

// TestZonesAndAggregates: a VM runs in its zone and on hosts with its metadata.
func TestZonesAndAggregates(t *testing.T) {
	plain, labelled := compute(single, "64Gi", 4), compute(single, "64Gi", 1)
	plain.Domains = map[string]int{"zone": 2}
	labelled.Name, labelled.Labels = "dpdk", map[string]string{"dpdk": "true,yes", "cores": "16"}
	specs := pinned + " hw:mem_page_size=2048 "
	s := scenario(nova.Nova, plain,
		vms("zoned", 3, 8, "2Gi", specs).with(func(v *v1alpha1.Server) { v.AvailabilityZone = "zone-2" }),
		vms("dpdk", 1, 2, "2Gi", specs+"aggregate_instance_extra_specs:dpdk=yes"),
		vms("nowhere", 1, 2, "2Gi", specs+"aggregate_instance_extra_specs:cores=s==8"))
	s.Hardware.NodeTypes = append(s.Hardware.NodeTypes, labelled)
	p := made(t, s, Options{})
	at := where(p)
	if at["zoned-1"] != "compute-2" || at["zoned-2"] != "compute-4" || at["dpdk"] != "dpdk-1" ||
		!slices.Equal(placed(p), []int{2, 1, 0}) {
		t.Errorf("%v", at)
	}
	if r := p.Refusals[0]; r.Reasons[0] != (v1alpha1.UnfitReason{Reason: "not in the availability zone zone-2",
		Nodes: 3}) || !slices.Contains(r.Remedies, "the availability zone zone-1") &&
		!slices.Contains(r.Remedies, "the availability zone nova") {
		t.Errorf("%+v", r)
	}
	if r := p.Refusals[1]; r.Reasons[0].Nodes != 5 || !strings.Contains(r.Reasons[0].Reason, "cores s==8") ||
		!slices.Contains(r.Remedies, "a host outside its aggregate") {
		t.Errorf("%+v", r)
	}
}

// TestDefaultZone: hosts in no zone's aggregate are in the zone nova, as Nova's
// default_availability_zone has it, and those of a zone are not.
func TestDefaultZone(t *testing.T) {
	plain, zoned := compute(single, "64Gi", 1), compute(single, "64Gi", 1)
	zoned.Name, zoned.Labels = "other", map[string]string{"zone": "az1"}
	in := func(zone string) func(*v1alpha1.Server) {
		return func(v *v1alpha1.Server) { v.AvailabilityZone = zone }
	}
	s := scenario(nova.Nova, zoned, vms("default", 1, 2, "2Gi", pinned).with(in("nova")),
		vms("az1", 1, 2, "2Gi", pinned).with(in("az1")), vms("none", 1, 2, "2Gi", pinned).with(in("az2")))
	s.Hardware.NodeTypes = append(s.Hardware.NodeTypes, plain)
	p := made(t, s, Options{})
	if at := where(p); at["default"] != "compute-1" || at["az1"] != "other-1" || !slices.Equal(placed(p), []int{1, 1, 0}) {
		t.Errorf("%v", at)
	}
}

// TestBound: VMs that run already keep their host, which is called as they call it.
func TestBound(t *testing.T) {
	specs := pinned + " hw:mem_page_size=2048"
	s := scenario(nova.Nova, compute(single, "64Gi", 3),
		vms("new", 1, 8, "2Gi", specs),
		vms("old", 1, 8, "2Gi", specs).with(func(v *v1alpha1.Server) { v.Host = "overcloud-compute-10" }),
		vms("too", 1, 8, "2Gi", specs).with(func(v *v1alpha1.Server) { v.Host = "overcloud-compute-10" }),
		vms("two", 1, 8, "2Gi", specs).with(func(v *v1alpha1.Server) { v.Host = "overcloud-compute-2" }))
	p := made(t, s, Options{})
	at := where(p)
	if at["two"] != "overcloud-compute-2" || at["old"] != "overcloud-compute-10" || at["new"] != "compute-3" ||
		p.Hosts[0].Name != "overcloud-compute-2" {
		t.Errorf("%v", at)
	}
	if p.ServerTypes[1].Bound != 1 || p.ServerTypes[2].Refused != 1 || p.Findings[0].ID != "place.bound[too]" ||
		p.Findings[0].Severity != v1alpha1.Error {
		t.Errorf("%+v", p.Findings)
	}
	s.Workload.Servers[0].Host = "a"
	s.Workload.Servers[2].Host = "b"
	// the last in natural order
	if _, problems := New(s, poolsOf(s)); len(problems) != 1 || problems[0].Field != "workload.servers[1].host" {
		t.Errorf("four names for three hosts: %v", problems)
	}
}

// TestElsewhere: a list of what runs may name hosts that the scenario does not count;
// those servers hold nothing here and are told.
func TestElsewhere(t *testing.T) {
	s := scenario(nova.Nova, compute(single, "64Gi", 1),
		vms("here", 1, 8, "2Gi", pinned+" hw:mem_page_size=2048").with(func(v *v1alpha1.Server) { v.Host = "host-1" }),
		vms("there", 2, 8, "2Gi", pinned+" hw:mem_page_size=2048").with(func(v *v1alpha1.Server) { v.Host = "host-2" }))
	s.Workload.ServerFile = "servers.json"
	p := made(t, s, Options{})
	if p.Verdict.Fits || p.Verdict.Summary != "1 of 1 VMs run on 1 host" || where(p)["here"] != "host-1" ||
		len(p.Servers) != 1 {
		t.Errorf("%+v %v", p.Verdict, where(p))
	}
	if len(p.Skipped) != 1 || p.Skipped[0].What != "server there" ||
		!strings.Contains(p.Skipped[0].Why, "runs on host-2") || p.Findings[0].ID != "place.elsewhere" {
		t.Errorf("%+v %+v", p.Skipped, p.Findings)
	}
	if s.Workload.Servers[1].Count != 2 {
		t.Error("the scenario itself was changed")
	}
}

// TestProblems: what a scenario names must be there.
func TestProblems(t *testing.T) {
	s := scenario(nova.Nova, compute(single, "64Gi", 1), vms("a", 1, 1, "1Gi", ""),
		vms("b", 1, 1, "1Gi", "hw:cpu_policy=often"))
	s.Workload.Servers[0].Flavor, s.Workload.Servers[1].Image, s.Workload.Servers[1].Group = "none", "none", "none"
	_, problems := New(s, poolsOf(s))
	var fields []string
	for _, p := range problems {
		fields = append(fields, p.Field)
	}
	want := []string{"workload.servers[0].flavor", "workload.servers[1].image", "workload.servers[1].group",
		"workload.flavors[1].properties.hw:cpu_policy"}
	if !slices.Equal(fields, want) {
		t.Errorf("%v", problems)
	}
}

// TestLocalDisk: image-booted VMs need local disks; of a backing that suits them.
func TestLocalDisk(t *testing.T) {
	s := scenario(nova.HCG40, compute(single, "64Gi", 1),
		vms("a", 5, 1, "1Gi", "").with(func(v *v1alpha1.Server) { v.BootFrom = "image" }), vms("b", 1, 1, "1Gi", ""))
	s.Workload.Flavors[0].Disk, s.Workload.Flavors[1].Disk = 40*unit.GB, 40*unit.GB
	s.Hardware.NodeTypes[0].Disks = []v1alpha1.Disk{{Use: "local", Count: 1, Size: 100 * unit.GB},
		{Use: "system", Size: 500 * unit.GB}}
	p := made(t, s, Options{})
	if !slices.Equal(placed(p), []int{2, 1}) || p.Refusals[0].Reasons[0].Reason != "not enough local disk" {
		t.Errorf("%v: %+v", placed(p), p.Refusals)
	}
	s.Hardware.NodeTypes[0].Disks = s.Hardware.NodeTypes[0].Disks[1:]
	p = made(t, s, Options{})
	if !slices.Equal(placed(p), []int{0, 1}) || p.Refusals[0].Reasons[0].Reason != "no local disk for VMs" {
		t.Errorf("%v: %+v", placed(p), p.Refusals)
	}
	s.Hardware.NodeTypes[0].Disks = nil
	if p = made(t, s, Options{}); !slices.Equal(placed(p), []int{5, 1}) {
		t.Errorf("disks that nobody names don't bind: %v", placed(p))
	}
}
