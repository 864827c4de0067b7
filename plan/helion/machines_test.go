package helion

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/cloud"
	"plimsoll.dev/unit"
)

// without leaves node types of a role out.
func (b builder) without(role string) builder {
	var left []v1alpha1.NodeType
	for _, t := range b.Hardware.NodeTypes {
		if t.Role != role {
			left = append(left, t)
		}
	}
	b.Hardware.NodeTypes = left
	return b
}

// errors are the errors of a plan, and none that it fits.
func errorsOf(p *v1alpha1.Plan) (out []string) {
	for _, f := range p.Findings {
		if f.Severity == v1alpha1.Error {
			out = append(out, f.ID)
		}
	}
	return out
}

// A cloud is judged as the model that its machines are for, and fails where they are
// not fit for it or not there: no model for which none are given is planned instead.
func TestUnfitMachinesDoNotFit(t *testing.T) {
	lvm := func(size unit.Bytes, media string) func(builder) {
		return func(b builder) {
			b.node("controller").Disks[1] = v1alpha1.Disk{Use: "lvm", Count: 1, Size: size, Media: media}
		}
	}
	for name, c := range map[string]struct {
		change      func(builder)
		model, want string
	}{
		"an ordinary hard disk for volumes": {lvm(2000*unit.GB, "hdd"), "controller-storage", "controller.lvm.media"},
		"400 GB for volumes":                {lvm(400*unit.GB, "ssd"), "controller-storage", "controller.lvm.belowMinimum"},
		"no disk for volumes": {func(b builder) { b.node("controller").Disks = b.node("controller").Disks[:1] },
			"controller-storage", "controller.lvm.missing"},
		"6 creates at once": {func(b builder) { b.Storage.Creation.Parallel = 6 }, "controller-storage", "model.creates"},
		"objects":           {func(b builder) { b.Workload.ObjectStore.Objects = 1 }, "controller-storage", "model.objects"},
		"101 VMs":           {func(b builder) { b.Workload.Servers[0].Count = 101 }, "controller-storage", "model.vms"},
		"one controller":    {func(b builder) { b.count("controller", 1) }, "controller-storage", "model.controllerAbsent"},
		"no controllers": {func(b builder) { b.without("controller").node("compute").Disks = nil }, "controller-storage",
			"model.controllerAbsent"},
		"a pair for 21 VMs": {func(b builder) { b.without("controller").count("compute", 2) }, "cpe", "model.vms"},
		"two sites": {func(b builder) { b.count("controller", 2).Policy.Sites = 2 }, "controller-storage",
			"model.sites"},
		"dedicated storage is wanted": {func(b builder) { b.Policy.Model = "dedicated-storage" }, "dedicated-storage",
			"model.storageAbsent"},
	} {
		b := cloudOf().add(21, 1, 2, nil).without("storage")
		c.change(b)
		p := b.plan(t)
		if got := errorsOf(p); modelOf(p) != c.model || p.Verdict.Fits || !strings.Contains(strings.Join(got, " "), c.want) {
			t.Errorf("%s: %s, fits %v, errors %v, want %s with %s", name, modelOf(p), p.Verdict.Fits, got, c.model, c.want)
		}
	}
	if p := cloudOf().add(90, 1, 2, nil).without("storage").count("compute", 11).plan(t); !p.Verdict.Fits ||
		modelOf(p) != "controller-storage" || !found(p, v1alpha1.Warning, "model.computes") {
		t.Errorf("11 computes, which is no fixed limit: %s, %v", p.Verdict.Summary, errorsOf(p))
	}
}

// Controllers below the minimum beside storage hosts are told of as such, however few
// the VMs are.
func TestSmallControllerIsTheHeadline(t *testing.T) {
	for _, vms := range []int{20, 300} {
		b := cloudOf().add(vms, 1, 2, nil).count("controller", 2).count("compute", 30).count("storage", 2)
		b.node("controller").Memory = 32 * unit.GiB
		p := b.plan(t)
		if modelOf(p) != "dedicated-storage" || !strings.Contains(p.Verdict.Problem, "32 GiB of memory") {
			t.Errorf("%d VMs: %s: %s", vms, p.Verdict.Summary, p.Verdict.Problem)
		}
	}
}

// Two hosts that do everything are judged as the pair that they are.
func TestPairIsJudgedAsCPE(t *testing.T) {
	b := cloudOf().add(2, 4, 8, nil, func(s *v1alpha1.Server) { s.Group = "apart" })
	b.without("controller").without("storage")
	b.Workload.ServerGroups = []v1alpha1.ServerGroup{{Name: "apart", Policy: "anti-affinity"}}
	b.count("compute", 2)
	p := b.plan(t)
	if modelOf(p) != "cpe" || p.Verdict.Fits || !strings.Contains(p.Verdict.Problem, "apart") {
		t.Errorf("%s: %s", p.Verdict.Summary, p.Verdict.Problem)
	}
}

// What a plan says that fits, the placement confirms: every VM runs on the planned hosts,
// as many as are spare can be lost, and so can any zone where that is asked for.
func TestPlacementConfirmsThePlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := cloudOf()
		for range rapid.IntRange(1, 3).Draw(t, "kinds") {
			b.add(rapid.IntRange(1, 30).Draw(t, "count"), 2*rapid.IntRange(1, 3).Draw(t, "vcpus"),
				2*rapid.Int64Range(1, 6).Draw(t, "GiB"), rapid.SampledFrom([]map[string]string{nil, dedicated,
					{"hw:cpu_policy": "dedicated", "hw:numa_nodes": "2"}, {"hw:mem_page_size": "1048576"}}).Draw(t, "properties"),
				func(s *v1alpha1.Server) { s.LiveMigration = rapid.Bool().Draw(t, "live") })
			b.Workload.Flavors[len(b.Workload.Flavors)-1].Ephemeral = rapid.SampledFrom(
				[]unit.Bytes{0, 0, 100, 300}).Draw(t, "ephemeral") * unit.GB
		}
		spares := rapid.IntRange(0, 4).Draw(t, "spares")
		b.Policy.SpareNodes, b.Policy.Zones = &spares, rapid.IntRange(1, 3).Draw(t, "zones")
		b.Policy.SurviveZoneLoss = b.Policy.Zones > 1 && rapid.Bool().Draw(t, "survive")
		p := b.plan(t)
		if !p.Verdict.Fits || modelOf(p) == "cpe" {
			t.Skip("it does not fit, or on a pair whose setting is the plan's")
		}
		c, problems := cloud.New(b.Scenario, Pools(b.Scenario, p, nil))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		placed := cloud.Make(c, cloud.Options{Failures: max(1, spares)})
		if !placed.Verdict.Fits {
			t.Fatalf("%s: %+v", p.Verdict.Summary, placed.Verdict)
		}
		for i, l := range placed.Losses {
			zone := strings.HasPrefix(l.What, "zone")
			if l.Worst != "" && (zone && b.Policy.SurviveZoneLoss || !zone && i < spares) {
				t.Fatalf("%s: not all VMs run again after the loss of %s (%s)", p.Verdict.Summary, l.What, l.Worst)
			}
		}
	})
}
