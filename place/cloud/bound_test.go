package cloud

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// running is a host of so many NUMA nodes with eight cores each, on which VMs of so
// many vCPUs run already.
func running(rules nova.Rules, nodes int, vcpus ...int) *v1alpha1.Scenario {
	n := compute(fmt.Sprintf("%d sockets x 8 cores", nodes), "256Gi", 1)
	n.Compute = &v1alpha1.Compute{PlatformCores: []int{0}, VSwitchCores: []int{0}}
	var servers []server
	for i, c := range vcpus {
		servers = append(servers, vms(fmt.Sprint("v", i), 1, c, "1Gi",
			pinned+" hw:mem_page_size=2048").with(func(v *v1alpha1.Server) { v.Host = "compute-1" }))
	}
	return scenario(rules, n, servers...)
}

// TestRunningTogether: 3, 8 and 2 vCPUs on two nodes of 5 and 8 cores fit in one way
// only, which neither the order of the list nor Nova's order of nodes comes to.
func TestRunningTogether(t *testing.T) {
	for _, rules := range []nova.Rules{nova.HCG40, nova.StarlingX, nova.Nova} {
		s := running(rules, 2, 3, 8, 2)
		s.Hardware.NodeTypes[0].Compute = &v1alpha1.Compute{PlatformCores: []int{1}, VSwitchCores: []int{2}}
		p := made(t, s, Options{Failures: 1})
		if !p.Verdict.Fits || len(p.Servers) != 3 {
			t.Fatalf("%s: %+v", rules, p.Verdict)
		}
		for _, v := range p.Servers {
			if want := map[string]int{"v0": 0, "v1": 1, "v2": 0}[v.Name]; v.Cells[0].Node != want ||
				!slices.Contains(v.Why, "runs there already: NUMA nodes and CPUs are guessed") {
				t.Errorf("%s: %+v", rules, v)
			}
		}
		if f := p.Findings[len(p.Findings)-1]; f.ID != "place.guessed" || !strings.HasPrefix(f.Message, "3 VMs run already") {
			t.Errorf("%s: %+v", rules, f)
		}
	}
}

// TestRunningTooMuch: what no arrangement holds is an error, the rest keeps its place.
func TestRunningTooMuch(t *testing.T) {
	p := made(t, running(nova.HCG40, 2, 5, 5, 5), Options{})
	if p.Verdict.Fits || !slices.Equal(placed(p), []int{1, 1, 0}) {
		t.Errorf("%v", placed(p))
	}
	if f := p.Findings[0]; f.ID != "place.bound[v2]" ||
		!strings.Contains(f.Message, "no other arrangement with the VMs beside it was found") {
		t.Errorf("%+v", f)
	}
	p = made(t, running(nova.HCG40, 2, 9), Options{})
	if f := p.Findings[0]; f.ID != "place.bound[v0]" || strings.Contains(f.Message, "arrangement") {
		t.Errorf("%+v", f)
	}
}

// TestRunningAgainstFilters: a VM that runs where no filter would let it start is
// told, and so are local disks that don't hold what is on them.
func TestRunningAgainstFilters(t *testing.T) {
	s := running(nova.HCG40, 2, 2)
	s.Workload.Servers[0].AvailabilityZone, s.Workload.Servers[0].BootFrom = "west", "image"
	s.Workload.Flavors[0].Disk = 2 * unit.TB
	s.Hardware.NodeTypes[0].Disks = []v1alpha1.Disk{{Use: "local", Count: 1, Size: unit.TB}}
	s.Hardware.NodeTypes[0].Labels = map[string]string{"zone": "east"}
	p := made(t, s, Options{})
	var ids []string
	for _, f := range p.Findings {
		ids = append(ids, f.ID)
	}
	if want := []string{"place.boundFilter[v0]", "place.boundDisk[compute-1]", "place.guessed"}; !slices.Equal(ids,
		want) || !p.Verdict.Fits {
		t.Errorf("%v, want %v", ids, want)
	}
}

// arrangeable is the naive twin: it tries each VM on each node.
func arrangeable(free []int, vcpus []int) bool {
	if len(vcpus) == 0 {
		return true
	}
	for i := range free {
		if free[i] < vcpus[0] {
			continue
		}
		free[i] -= vcpus[0]
		ok := arrangeable(free, vcpus[1:])
		free[i] += vcpus[0]
		if ok {
			return true
		}
	}
	return false
}

// TestRunningTwin: running VMs find a place together whenever there is one.
func TestRunningTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(2, 3).Draw(t, "nodes")
		vcpus := rapid.SliceOfN(rapid.IntRange(1, 8), 1, 7).Draw(t, "vcpus")
		s := running(rapid.SampledFrom([]nova.Rules{nova.HCG40, nova.StarlingX, nova.Nova}).Draw(t, "rules"), nodes, vcpus...)
		s.Scheduling.NUMAStrategy = rapid.SampledFrom([]string{"spread", "pack"}).Draw(t, "strategy")
		c, problems := New(s, poolsOf(s))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		free := slices.Repeat([]int{8}, nodes)
		if got, want := Make(c, Options{}).Verdict.Fits, arrangeable(free, vcpus); got != want {
			t.Fatalf("fits %t, by the twin %t", got, want)
		}
	})
}

// A host whose zone nothing says is in that of the VMs of an export which run there: a
// new VM for the zone finds it, and no other. Zones are numbered, or called as VMs ask.
func TestZonesOfAnExport(t *testing.T) {
	s := scenario(nova.HCG40, compute(single, "64Gi", 4), vms("a", 1, 2, "1Gi", pinned), vms("b", 1, 2, "1Gi", pinned),
		vms("new", 3, 2, "1Gi", pinned))
	for i, host := range []string{"compute-2", "compute-3", ""} {
		s.Workload.Servers[i].Host = host
	}
	s.Workload.Servers[0].AvailabilityZone, s.Workload.Servers[2].AvailabilityZone = "az1", "az1"
	p := made(t, s, Options{})
	for _, v := range p.Servers {
		if v.ServerType == 2 && v.Host != "compute-2" || !p.Verdict.Fits {
			t.Errorf("%s on %s: %+v", v.Name, v.Host, p.Verdict)
		}
	}
	for i := range s.Workload.Servers {
		s.Workload.Servers[i].Host = ""
	}
	for _, set := range []func(){
		func() { s.Policy.Zones = 2 },
		func() { s.Hardware.NodeTypes[0].Domains = map[string]int{"topology.kubernetes.io/zone": 2} },
	} {
		s.Policy.Zones, s.Hardware.NodeTypes[0].Domains = 0, nil
		set()
		p := made(t, s, Options{Failures: 1})
		var zones []string
		for _, l := range p.Losses {
			zones = append(zones, l.What)
		}
		if want := []string{"any 1 host", "zone az1", "zone zone-2"}; !p.Verdict.Fits || !slices.Equal(zones, want) {
			t.Errorf("%v, losses %v, want %v", p.Verdict, zones, want)
		}
	}
}
