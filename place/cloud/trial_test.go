package cloud

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/nova"
)

// loadsOf writes what runs on each host, host by host, from what Make tells of single
// VMs.
func loadsOf(p *v1alpha1.ServerPlacement) []string {
	on := map[string]map[int]int{}
	for _, v := range p.Servers {
		if on[v.Host] == nil {
			on[v.Host] = map[int]int{}
		}
		on[v.Host][v.ServerType]++
	}
	var out []string
	for _, l := range on {
		out = append(out, fmt.Sprint(l))
	}
	slices.Sort(out)
	return out
}

// TestTrialsAreMake: what a trial tells on any number of hosts is what Make tells of
// a cloud of so many, whichever trials came before.
func TestTrialsAreMake(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &v1alpha1.Scenario{}
		s.Scheduling.Rules = rapid.SampledFrom([]string{string(nova.HCG40), string(nova.StarlingX), string(nova.Nova)}).
			Draw(t, "rules")
		s.Scheduling.HostStrategy = rapid.SampledFrom([]string{"spread", "pack"}).Draw(t, "strategy")
		s.Scheduling.Order = rapid.SampledFrom([]string{"runs", "shuffled", "largestFirst"}).Draw(t, "order")
		s.Hardware.NodeTypes = []v1alpha1.NodeType{drawHosts(t, 0)}
		s.Workload.ServerGroups = []v1alpha1.ServerGroup{
			{Name: "g", Policy: rapid.SampledFrom([]string{"affinity", "anti-affinity", "soft-affinity", "soft-anti-affinity"}).
				Draw(t, "group")},
		}
		for i := range rapid.IntRange(1, 4).Draw(t, "servers") {
			drawServer(t, s, i)
		}
		const most = 7
		trials, problems := NewTrials(s, Pool{Type: 0, Count: 99}, most)
		if len(problems) > 0 {
			t.Skip(problems[0])
		}
		for range 4 {
			n := rapid.IntRange(1, most).Draw(t, "hosts")
			c, _ := New(s, []Pool{{Type: 0, Count: n}})
			compareTrial(t, trials.On(n), Make(c, Options{Failures: 2}), n)
		}
	})
}

// compareTrial holds a trial against Make's placement on n hosts.
func compareTrial(t *rapid.T, got *Trial, want *v1alpha1.ServerPlacement, n int) {
	refused := 0
	for _, o := range want.ServerTypes {
		refused += o.Refused
	}
	if got.Refused() != refused {
		t.Fatalf("%d hosts: %d VMs find none, want %d", n, got.Refused(), refused)
	}
	var loads []string
	for _, l := range got.Loads() {
		for range l.Hosts {
			loads = append(loads, fmt.Sprint(l.VMs))
		}
	}
	slices.Sort(loads)
	if want := loadsOf(want); !slices.Equal(loads, want) {
		t.Fatalf("%d hosts: loads %v, want %v", n, loads, want)
	}
	for i, r := range got.Resources(0) {
		if w := want.Resources[i]; r.Resource != w.Resource || r.Allocatable != w.Allocatable || r.Requested != w.Requested {
			t.Fatalf("%d hosts: %+v, want %+v", n, r, w)
		}
	}
	for k := 1; k <= 2 && k < n && len(want.Servers) > 0; k++ {
		l := want.Losses[k-1]
		if survives := l.Survived == l.Of; got.Survives(k) != survives {
			t.Fatalf("%d hosts, %d lost: survives is %v, want %v", n, k, !survives, survives)
		}
	}
	if again := got.Loads(); len(again) > 0 &&
		fmt.Sprint(again[0].VMs) != fmt.Sprint(got.load(got.r.indexOf(again[0].Host)).VMs) {
		t.Fatalf("losing hosts has changed %v", again[0])
	}
}

// indexOf is the index of the host of a name.
func (r *run) indexOf(name string) int32 {
	return int32(slices.IndexFunc(r.c.hosts, func(h host) bool { return h.name == name }))
}

// TestTook: two hosts with two VMs each, of which either takes what the other had.
func TestTook(t *testing.T) {
	s := scenario(nova.HCG40, compute(dual, "64Gi", 2), vms("a", 4, 2, "2Gi", pinned))
	trials, _ := NewTrials(s, Pool{Type: 0}, 2)
	p := trials.On(2)
	p.Keep()
	if took := p.Took(); len(took) != 0 {
		t.Errorf("before a loss: %v", took)
	}
	for _, l := range p.Loads() { // both on node 1, which has more room, or one beside the other
		if len(l.On[0]) != 2 || l.On[0][0]+l.On[0][1] != float64(l.VMs[0]) {
			t.Errorf("%d VMs, by node %v", l.VMs[0], l.On[0])
		}
	}
	if !p.Survives(1) || len(p.Took()) != 1 || !maps.Equal(p.Took()[0].VMs, map[int]int{0: 4}) {
		t.Errorf("after a loss: %v", p.Took())
	}
	if p.Survives(2) {
		t.Error("nothing is left when both hosts are lost")
	}
	if r := p.Resources(3); r[0].Resource != dedicatedCPUs || r[0].Allocatable != 5*26 || r[0].Requested != 8 {
		t.Errorf("two hosts and three empty ones: %+v, want 130 CPUs, 8 of them pinned", r[0])
	}
}

// TestHostsFloor: the floor alone is that of the whole search.
func TestHostsFloor(t *testing.T) {
	s := scenario(nova.HCG40, compute(dual, "64Gi", 1), vms("a", 9, 6, "4Gi", pinned),
		vms("b", 5, 4, "8Gi", pinned+" hw:numa_nodes=2"))
	floor, method, _, problems := HostsFloor(s, Pool{Type: 0})
	if want := needs(t, s); floor != want.Floor || method != want.Method || len(problems) > 0 || floor == 0 {
		t.Errorf("%d by %q, want %d by %q", floor, method, want.Floor, want.Method)
	}
	s.Workload.Flavors[0].VCPUs = 40
	if floor, _, nowhere, _ := HostsFloor(s, Pool{Type: 0}); floor != 0 || len(nowhere) != 1 {
		t.Errorf("%d hosts for VMs that fit on none", floor)
	}
	s.Workload.Servers[1].Flavor = "none"
	if _, _, _, problems := HostsFloor(s, Pool{Type: 0}); len(problems) == 0 {
		t.Error("an unknown flavor is no problem")
	}
}
