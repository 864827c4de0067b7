package compute

import (
	"slices"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/part"
	"plimsoll.dev/place/cloud"
	"plimsoll.dev/unit"
)

// The host with the most bytes counts, not the one with the most VMs.
func TestHeaviest(t *testing.T) {
	size := []float64{10e9, 200e9, 0}
	for _, c := range []struct {
		name  string
		loads []cloud.Load
		vms   int
		bytes float64
	}{
		{"one large beside many small", []cloud.Load{{VMs: map[int]int{0: 9, 2: 30}}, {VMs: map[int]int{1: 1}}}, 1, 200e9},
		{"both kinds", []cloud.Load{{VMs: map[int]int{0: 3, 1: 2}}, {VMs: map[int]int{1: 2, 2: 8}}}, 5, 430e9},
		{"equal sums: the more VMs", []cloud.Load{{VMs: map[int]int{1: 1}}, {VMs: map[int]int{0: 20}}}, 20, 200e9},
		{"no local disk", []cloud.Load{{VMs: map[int]int{2: 8}}}, 0, 0},
		{"no host", nil, 0, 0},
	} {
		if n, bytes := heaviest(c.loads, size); n != c.vms || bytes != c.bytes {
			t.Errorf("%s: %d VMs with %v bytes, want %d with %v", c.name, n, bytes, c.vms, c.bytes)
		}
	}
}

// onDisk is a planner of a cloud with a server of each size of local disk.
func onDisk(sizes ...unit.Bytes) *planner {
	s := host(128*unit.GiB, dual, nil)
	in := spared(s, 1)
	for _, size := range sizes {
		with(s, 4, 2, 4*unit.GiB, pinned)
		s.Workload.Flavors[len(s.Workload.Flavors)-1].Ephemeral = size
		in.Choices = append(in.Choices, Choice{Backing: CoW})
	}
	in.VMs.Number = float64(vmsOf(s))
	in.Origin = part.NewOrigin(nil, in.Facts)
	return &planner{Sheet: part.On(in.Book, in.Facts, in.Origin, part.New(Section, "Compute hosts"), "compute"), in: in}
}

// Four VMs on two hosts are two on each, and four on the one that is left: its local
// disks have to hold all of them. (4 * 100 GB + 15 GB) * 1.25 = 518.75 GB.
func TestLocalDiskAfterLoss(t *testing.T) {
	p := onDisk(100 * unit.GB)
	f := Count(stateHosts(p, 2), 0)
	if f.Most() != 2 || f.MostAfter() != 4 {
		t.Fatalf("%d VMs on a host and %d after a loss, want 2 and 4", f.Most(), f.MostAfter())
	}
	p.needed(&f, derive.Of(1, "computes"))
	p.local(&f)
	if v, _ := p.Get("compute.local.image[compute]"); v.Value.Number != 518.75e9 {
		t.Errorf("%v bytes of local disks", v.Value.Number)
	}
}

// Hosts that are set to LVM hold their VMs so, whatever these ask for: 5 cached images
// of 8 GB and 10 VMs of 40 GB are (5 * 8 + 15) * 1.25 + 10 * 40 * 1.25 = 568.75 GB (HCG
// 4), where sparse files would take 518.75 GB. Hosts that are set to remote hold none.
func TestLocalDiskAsHostsAreSet(t *testing.T) {
	for backing, want := range map[string]float64{LVM: 568.75e9, CoW: 518.75e9, Remote: 0} {
		p := onDisk(40 * unit.GB)
		p.in.Scenario.Workload.Servers[0].Count, p.in.VMs.Number = 10, 10
		p.in.Scenario.Workload.Images = []v1alpha1.Image{{Name: "a", Count: 5, Size: 8 * unit.GB}}
		p.in.Scenario.Hardware.NodeTypes[0].Compute = &v1alpha1.Compute{LocalBacking: backing}
		p.in.CPE = true
		f := Count(p.in, 0)
		p.needed(&f, derive.Of(1, "computes"))
		p.local(&f)
		if v, _ := p.Get("compute.local." + backing + "[compute]"); v.Value.Number != want {
			t.Errorf("%s: %v bytes of local disks, want %v", backing, v.Value.Number, want)
		}
	}
}

// A CPE's hosts hold the disks of all VMs, of whatever size.
func TestLocalDiskOfCPE(t *testing.T) {
	p := onDisk(10*unit.GB, 90*unit.GB)
	p.in.CPE = true
	f := Count(p.in, 0)
	if n, size := p.perHost(&f, CoW); n != 8 || size != 50e9 {
		t.Errorf("%d VMs of %v bytes, want 8 of 50 GB", n, size)
	}
}

func stateHosts(p *planner, n int) Input {
	p.in.Scenario.Hardware.NodeTypes[0].Count = &n
	return p.in
}

// Images that a host caches grow with the cloud: (3 * 2 GB + 5 * 4 GB) / 8 = 3.25 GB.
func TestCachedImagesGrow(t *testing.T) {
	p := onDisk(unit.GB)
	p.in.Scenario.Workload.Images = []v1alpha1.Image{{Name: "a", Count: 2, Size: 2 * unit.GB},
		{Name: "b", Count: 4, Size: 4 * unit.GB}}
	p.in.Images = []derive.Value{derive.Of(3, "images"), derive.Of(5, "images")}
	if n, size := p.cached(); n.Number != 8 || size.Number != 3.25e9 {
		t.Errorf("%v images of %v bytes, want 8 of 3.25 GB", n.Number, size.Number)
	}
}

// What HCG 4 calls required of a compute host: two sockets, disks of 10,000 revolutions a
// minute at least, a core for the platform; and the vSwitch's page of 1 GB is fixed.
func TestRequiredOfAComputeHost(t *testing.T) {
	for id, change := range map[string]func(*v1alpha1.NodeType){
		"error compute.sockets":          func(n *v1alpha1.NodeType) { n.Topology = "1 socket x 16 cores" },
		"warning compute.primaryMissing": func(n *v1alpha1.NodeType) { n.Disks = n.Disks[1:] },
		"error compute.primaryMedia":     func(n *v1alpha1.NodeType) { n.Disks[0].Media = "hdd" },
		"error compute.localMedia":       func(n *v1alpha1.NodeType) { n.Disks[1].Media = "hdd" },
		"error compute.platformCores": func(n *v1alpha1.NodeType) {
			n.Compute = &v1alpha1.Compute{PlatformCores: []int{0, 0}}
		},
		"error compute.vSwitchMemory": func(n *v1alpha1.NodeType) {
			n.Compute = &v1alpha1.Compute{VSwitchMemory: []unit.Bytes{2 * unit.GiB, unit.GiB}}
		},
		"warning compute.localMedia": func(n *v1alpha1.NodeType) { n.Disks[1].Media = "hdd" },
		"error compute.cpuAllocationRatio": func(n *v1alpha1.NodeType) { // 16 vCPUs a core, HCG 7
			n.Compute = &v1alpha1.Compute{CPUAllocationRatio: 4}
		},
	} {
		p := onDisk(10 * unit.GB)
		if id == "warning compute.localMedia" { // no VM uses it
			p = onDisk(0)
			p.in.Choices[0] = Choice{}
		}
		n := &p.in.Scenario.Hardware.NodeTypes[0]
		n.Disks = []v1alpha1.Disk{{Use: "system", Count: 1, Size: 240 * unit.GB, Media: "ssd"},
			{Use: "local", Count: 1, Size: 960 * unit.GB, Media: "ssd"}}
		for _, changed := range []bool{false, true} {
			if changed {
				change(n)
			}
			_, shown := Plan(p.in, []Fleet{Count(p.in, 0)}, 0)
			found := slices.ContainsFunc(shown.Findings,
				func(f v1alpha1.Finding) bool { return string(f.Severity)+" "+f.ID == id })
			if found != changed {
				t.Errorf("%s: %v, changed %v: %+v", id, found, changed, shown.Findings)
			}
		}
	}
}
