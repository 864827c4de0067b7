package cloud

import (
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/nova"
)

// needs is the hosts that a scenario needs of its first node type.
func needs(t *testing.T, s *v1alpha1.Scenario) Needed {
	t.Helper()
	n, problems := HostsNeeded(s, Pool{Type: 0})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return n
}

// TestHostsNeeded: by the traps of the summed capacity, 13 cores as 5 and 8. The
// floor knows of NUMA nodes: by the sum of cores alone, 12 VMs of 3 vCPUs need 3
// hosts and 4 of 6 need 2.
func TestHostsNeeded(t *testing.T) {
	for _, c := range []struct {
		count, vcpus int
		specs        string
		want, floor  int
	}{
		{12, 3, pages2M, 4, 4},
		{4, 6, pages2M, 4, 4},
		{6, 6, pages2M + " hw:numa_nodes=2", 6, 6},
		{6, 4, pages2M + " hw:numa_nodes=2", 3, 3},
		{13, 1, pages2M, 1, 1},
		{14, 1, pages2M, 2, 2},
		{2, 5, pages2M, 1, 1},
	} {
		n := needs(t, scenario(nova.HCG40, compute(single, "64Gi", 1), vms("a", c.count, c.vcpus, "2Gi", pinned+c.specs)))
		if !n.OK || n.Hosts != c.want || n.Floor != c.floor {
			t.Errorf("%d VMs of %d vCPUs %s: %+v; want %d, floor %d", c.count, c.vcpus, c.specs, n, c.want, c.floor)
		}
	}
}

// TestHostsNeededMixed: VMs of 5 and of 8 vCPUs fill hosts to the last core; what
// arrives in the wrong order needs more.
func TestHostsNeededMixed(t *testing.T) {
	s := scenario(nova.Nova, compute(single, "64Gi", 1), vms("small", 6, 5, "2Gi", pinned+pages2M),
		vms("large", 6, 8, "2Gi", pinned+pages2M))
	n := needs(t, s)
	if !n.OK || n.Hosts != 6 || n.Floor != 6 {
		t.Errorf("%+v", n)
	}
	s.Hardware.NodeTypes[0].Count = ref(8)
	p := made(t, s, Options{Compare: true})
	if c := p.Comparison; c == nil || c.Floor != 6 || c.Packed != 6 || c.Nova < 6 || c.Given != 8 {
		t.Errorf("%+v", c)
	}
}

// TestHomeless: a VM that fits on no host is named, with the reasons.
func TestHomeless(t *testing.T) {
	s := scenario(nova.HCG40, compute(single, "64Gi", 1), vms("a", 1, 2, "2Gi", pinned), vms("b", 1, 9, "2Gi", pinned))
	if n := needs(t, s); n.OK || n.Homeless != 1 || len(n.Reasons) != 2 {
		t.Errorf("%+v", n)
	}
	s = scenario(nova.HCG40, compute(single, "64Gi", 1),
		vms("a", 7, 2, "2Gi", pinned).with(func(v *v1alpha1.Server) { v.Group = "g" }))
	s.Workload.ServerGroups = []v1alpha1.ServerGroup{{Name: "g", Policy: affinity}}
	if n := needs(t, s); n.OK || n.Homeless != 0 || n.Why == "" {
		t.Errorf("a group that is too large for a host: %+v", n)
	}
}

// TestAntiAffinityNeedsHosts: nine VMs, at most two on a host, need five.
func TestAntiAffinityNeedsHosts(t *testing.T) {
	s := scenario(nova.HCG40, compute(single, "64Gi", 1),
		vms("a", 9, 1, "1Gi", pinned).with(func(v *v1alpha1.Server) { v.Group = "g" }))
	s.Workload.ServerGroups = []v1alpha1.ServerGroup{{Name: "g", Policy: antiAffinity, MaxServerPerHost: 2}}
	if n := needs(t, s); !n.OK || n.Hosts != 5 || n.Floor != 5 {
		t.Errorf("%+v", n)
	}
}

// TestFloorIsBelowAnyPlacement: no placement of any cloud, by whatever choice of
// hosts, uses fewer hosts than the floor.
func TestFloorIsBelowAnyPlacement(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := clouds().Draw(t, "cloud")
		s.Hardware.NodeTypes = s.Hardware.NodeTypes[:1]
		for i := range s.Workload.Servers {
			s.Workload.Servers[i].Count *= rapid.IntRange(1, 4).Draw(t, "times")
		}
		pool, n, _ := placeable(s, Pool{Type: 0})
		if !n.OK {
			return
		}
		if n.Floor > n.Hosts {
			t.Fatalf("floor %d, packed on %d", n.Floor, n.Hosts)
		}
		// VMs in any order on any host that takes them, a new one at the worst.
		sm := newSim(pool.c, pool.states, pool.vms)
		order := pool.c.arrivals("runs")
		shuffled := rapid.Permutation(order).Draw(t, "order")
		for _, k := range shuffled {
			st := &pool.c.servers[k]
			candidates := &candidateStates{sim: sm, spec: st.spec, seen: map[int32]bool{}}
			candidates.add(sm.live)
			hosts := candidates.heads(nil)
			if st.group >= 0 {
				hosts = sm.groupHeads(st, nil)
			}
			best := sm.fullest(hosts, pool.states.empty[0], rapid.Bool().Draw(t, "fullest"))
			if best < 0 {
				return // an affinity group that began on a full host
			}
			sm.put(k, best)
		}
		if used := pool.vms - sm.sets[pool.states.empty[0]].size(); used < n.Floor {
			t.Fatalf("floor %d, placed on %d", n.Floor, used)
		}
		if nova, ok := pool.nova(n.Floor, n.Hosts); ok && nova < n.Floor {
			t.Fatalf("floor %d, Nova on %d", n.Floor, nova)
		}
	})
}
