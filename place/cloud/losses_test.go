package cloud

import (
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/nova"
)

const pages2M = " hw:mem_page_size=2048"

// loss finds what-ifs by what fails.
func loss(t *testing.T, p *v1alpha1.ServerPlacement, what string) v1alpha1.ServerLoss {
	t.Helper()
	for _, l := range p.Losses {
		if l.What == what {
			return l
		}
	}
	t.Fatalf("no loss of %s in %+v", what, p.Losses)
	return v1alpha1.ServerLoss{}
}

// TestLosses: three hosts of three VMs of 3 vCPUs each hold nine. With six, any
// host may be lost; with seven none may, but for the one with only two of them.
func TestLosses(t *testing.T) {
	for _, c := range []struct {
		vms, survived int64
		homeless      int
	}{{6, 3, 0}, {7, 0, 1}, {9, 0, 3}} {
		s := scenario(nova.HCG40, compute(single, "64Gi", 3), vms("a", int(c.vms), 3, "2Gi", pinned+pages2M))
		p := made(t, s, Options{Failures: 2})
		l := loss(t, p, "any 1 host")
		if l.Survived != c.survived || l.Of != 3 || l.Tried != 3 || l.How != "all" {
			t.Errorf("%d VMs: %+v", c.vms, l)
		}
		n := 0
		for _, h := range l.Homeless {
			n += h.Count
			if h.Reason == "" {
				t.Errorf("%d VMs: no reason: %+v", c.vms, l)
			}
		}
		if n != c.homeless {
			t.Errorf("%d VMs: %d homeless, want %d", c.vms, n, c.homeless)
		}
		if two := loss(t, p, "any 2 hosts"); two.Of != 3 || two.Survived != 0 {
			t.Errorf("%d VMs: %+v", c.vms, two)
		}
	}
}

// TestLossOfAZone: the zone's VMs move where they may.
func TestLossOfAZone(t *testing.T) {
	n := compute(single, "64Gi", 4)
	n.Domains = map[string]int{"zone": 2}
	free := vms("free", 2, 3, "2Gi", pinned+pages2M)
	bound := vms("bound", 1, 3, "2Gi", pinned+pages2M).with(func(v *v1alpha1.Server) { v.AvailabilityZone = "zone-1" })
	p := made(t, scenario(nova.Nova, n, free, bound), Options{Failures: 1})
	if l := loss(t, p, "zone zone-1"); l.Survived != 0 || len(l.Homeless) != 1 || l.Homeless[0].ServerType != 1 ||
		!strings.Contains(l.Homeless[0].Reason, "zone-1") {
		t.Errorf("%+v", l)
	}
	if l := loss(t, p, "zone zone-2"); l.Survived != 1 {
		t.Errorf("%+v", l)
	}
	if l := loss(t, p, "any 1 host"); l.Survived != 4 {
		t.Errorf("%+v", l)
	}
}

// TestPairsByClass: the cases stand for all pairs of hosts, whether equal or not.
func TestPairsByClass(t *testing.T) {
	p := made(t, scenario(nova.HCG40, compute(single, "64Gi", 40), vms("a", 60, 3, "2Gi", pinned+pages2M)),
		Options{Failures: 2})
	l := loss(t, p, "any 2 hosts")
	if l.Of != 40*39/2 || l.Survived != l.Of || l.Tried >= 40 ||
		l.How != "one of each class of equal hosts, an estimate for the others" {
		t.Errorf("%+v", l)
	}
}

// TestCPE: VMs that two hosts hold and one does not: the loss of either is not
// survived. HCG asks for 100 % spare.
func TestCPELoss(t *testing.T) {
	n := compute(dual, "64Gi", 2)
	for count, want := range map[int]int64{8: 0, 4: 2} {
		s := scenario(nova.HCG40, n, vms("a", count, 4, "4Gi", pinned+pages2M))
		s.Policy.Model = "cpe"
		p := made(t, s, Options{Failures: 1})
		if l := loss(t, p, "any 1 host"); l.Survived != want || !p.Verdict.Fits {
			t.Errorf("%d VMs: %+v", count, l)
		}
	}
}

// TestGroupsInLosses: anti-affinity holds when VMs move, affinity moves together.
func TestGroupsInLosses(t *testing.T) {
	for policy, want := range map[string]int64{antiAffinity: 0, affinity: 3, softAntiAffinity: 3} {
		s := scenario(nova.Nova, compute(single, "64Gi", 3),
			vms("a", 3, 2, "2Gi", pinned+pages2M).with(func(v *v1alpha1.Server) { v.Group = "g" }))
		s.Workload.ServerGroups = []v1alpha1.ServerGroup{{Name: "g", Policy: policy}}
		if l := loss(t, made(t, s, Options{Failures: 1}), "any 1 host"); l.Survived != want {
			t.Errorf("%s: %+v", policy, l)
		}
	}
}

// TestTrialsLeaveNothing: what is tried is taken back.
func TestTrialsLeaveNothing(t *testing.T) {
	s := scenario(nova.HCG40, compute(dual, "64Gi", 5), vms("a", 9, 3, "2Gi", pinned+pages2M), vms("b", 9, 1, "1Gi", ""))
	c, _ := New(s, poolsOf(s))
	r := newRun(c, Options{})
	r.p = &v1alpha1.ServerPlacement{}
	r.all()
	before := stateOf(r.s)
	r.s.try(func() { r.evacuate([]int{0, 3}) })
	if after := stateOf(r.s); after != before {
		t.Errorf("%s\n%s", before, after)
	}
	r.opt.Failures = 3
	r.losses()
	if after := stateOf(r.s); after != before {
		t.Errorf("%s\n%s", before, after)
	}
}

// TestFewPairsAreAllTried: of a few hosts each pair is tried; hosts without VMs are
// lost without a trial.
func TestFewPairsAreAllTried(t *testing.T) {
	p := made(t, scenario(nova.HCG40, compute(single, "64Gi", 6), vms("a", 3, 3, "2Gi", pinned+pages2M)),
		Options{Failures: 2})
	if l := loss(t, p, "any 2 hosts"); l.Tried != 15 || l.Of != 15 || l.Survived != 15 || l.How != "all" {
		t.Errorf("%+v", l)
	}
	p = made(t, scenario(nova.HCG40, compute(single, "64Gi", 1), vms("a", 1, 3, "2Gi", pinned+pages2M)),
		Options{Failures: 1})
	if f := p.Findings[0]; f.Message != "no failure of 1 host was tried: there is only one" {
		t.Errorf("%+v", f)
	}
}

// TestStatedLosses: what the policy states and the hosts don't bear fails the placement; what
// it does not state is a warning (decision 016). Two hosts of two VMs each hold four.
func TestStatedLosses(t *testing.T) {
	type stated struct {
		failures int
		zones    bool
	}
	for _, c := range []struct {
		vms    int
		hosts  int
		zones  int
		stated stated
		fits   bool
	}{
		{4, 2, 0, stated{}, true},
		{2, 2, 0, stated{failures: 1}, true},
		{4, 2, 0, stated{failures: 1}, false},
		{4, 2, 2, stated{zones: true}, false},
		{2, 2, 2, stated{zones: true}, true},
		{1, 1, 2, stated{zones: true}, false}, // the only zone
		{1, 1, 0, stated{failures: 1}, false}, // the only host
		{1, 1, 0, stated{}, true},             //
		{0, 1, 0, stated{failures: 1}, true},  // nothing to lose
		{2, 2, 2, stated{failures: 2}, false}, // all of them
	} {
		n := compute(single, "64Gi", c.hosts)
		if c.zones > 0 {
			n.Domains = map[string]int{"zone": c.zones}
		}
		opt := Options{Failures: max(1, c.stated.failures)}
		opt.Stated.Failures, opt.Stated.Zones = c.stated.failures, c.stated.zones
		p := made(t, scenario(nova.HCG40, n, vms("a", c.vms, 5, "2Gi", pinned+pages2M)), opt)
		if p.Verdict.Fits != c.fits || !c.fits && !strings.HasSuffix(p.Verdict.Problem, ", which the policy asks for") {
			t.Errorf("%+v: %+v", c, p.Verdict)
		}
	}
}

// TestErrorsFail: a VM with more ports than the platform lets one have runs, and the
// placement is not good for all that.
func TestErrorsFail(t *testing.T) {
	p := made(t, scenario(nova.HCG40, compute(single, "64Gi", 1), vms("a", 1, 2, "2Gi", pinned+pages2M).with(
		func(v *v1alpha1.Server) { v.Ports = make([]v1alpha1.Port, 40) })), Options{})
	if p.Verdict.Fits || !strings.HasPrefix(p.Verdict.Problem, "a: 40 vNICs") {
		t.Errorf("%+v", p.Verdict)
	}
}

// What the policy states is tried whatever the flag says: of three hosts each pair; and where there
// are no more hosts than may be lost, that is told.
func TestStatedLossesAreTried(t *testing.T) {
	for failures := range 2 {
		opt := Options{Failures: failures}
		opt.Stated.Failures = 2
		p := made(t, scenario(nova.HCG40, compute(single, "64Gi", 3), vms("a", 3, 3, "2Gi", pinned+pages2M)), opt)
		if l := loss(t, p, "any 2 hosts"); !l.Asked || l.Tried != 3 {
			t.Errorf("--failures %d: %+v", failures, l)
		}
		p = made(t, scenario(nova.HCG40, compute(single, "64Gi", 2), vms("a", 1, 3, "2Gi", pinned+pages2M)), opt)
		if f := p.Findings[0]; f.Message != "no failure of 2 hosts was tried: there are only 2" || p.Verdict.Fits {
			t.Errorf("--failures %d: %+v, fits %v", failures, f, p.Verdict.Fits)
		}
	}
}
