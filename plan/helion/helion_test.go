package helion

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/place/cloud"
	"plimsoll.dev/unit"
)

// count states the number of hosts of a type.
func (b builder) count(name string, n int) builder {
	for i := range b.Hardware.NodeTypes {
		if b.Hardware.NodeTypes[i].Name == name {
			b.Hardware.NodeTypes[i].Count = &n
		}
	}
	return b
}

// node is the node type of the name, to be changed.
func (b builder) node(name string) *v1alpha1.NodeType {
	for i := range b.Hardware.NodeTypes {
		if b.Hardware.NodeTypes[i].Name == name {
			return &b.Hardware.NodeTypes[i]
		}
	}
	return nil
}

// The edges of the models, in whole plans.
func TestModels(t *testing.T) {
	for _, c := range []struct {
		name string
		b    builder
		want string
	}{
		{"20 VMs that fit on one host", cloudOf().add(20, 1, 2, nil), "cpe"},
		{"21 VMs", cloudOf().add(21, 1, 2, nil), "controller-storage"},
		// 4 vCPUs pinned on the 26 CPUs of a host, less the controller's two: 8 and 16 on
		// its nodes hold 6, not 7.
		{"a CPE that fits on one host", cloudOf().add(6, 4, 4, dedicated), "cpe"},
		{"a CPE that fits on two hosts but not on one", cloudOf().add(7, 4, 4, dedicated), "controller-storage"},
		{"100 VMs", cloudOf().add(100, 1, 2, nil), "controller-storage"},
		{"101 VMs", cloudOf().add(101, 1, 2, nil), "dedicated-storage"},
		{"10 computes", cloudOf().add(90, 1, 2, nil).count("compute", 10), "controller-storage"},
		{"11 computes", cloudOf().add(90, 1, 2, nil).count("compute", 11), "dedicated-storage"},
		{"objects", func() builder {
			b := cloudOf().add(5, 1, 2, nil)
			b.Workload.ObjectStore = v1alpha1.ObjectStore{Objects: 10, Size: unit.MB}
			return b
		}(), "dedicated-storage"},
		{"remote disks", cloudOf().add(5, 1, 2, nil, func(s *v1alpha1.Server) { s.BootFrom = "remoteImage" }),
			"dedicated-storage"},
		{"6 creates at once", func() builder {
			b := cloudOf().add(30, 1, 2, nil)
			b.Storage.Creation.Parallel = 6
			return b
		}(), "dedicated-storage"},
		{"two sites", func() builder { b := cloudOf().add(30, 1, 2, nil); b.Policy.Sites = 2; return b }(), "multi-region"},
	} {
		p := c.b.plan(t)
		if modelOf(p) != c.want {
			t.Errorf("%s: %s, want %s (%s)", c.name, modelOf(p), c.want, p.Verdict.Summary)
		}
		if storage := hostsOf(p, "storage").Count; (storage > 0) != (c.want == "dedicated-storage" ||
			c.want == "multi-region") {
			t.Errorf("%s: %d storage hosts", c.name, storage)
		}
	}
}

// 100 VMs on 10 computes with 20 images of 4 GB: 39 + 40 + 100 + 50 + 160 = 389 GB, and
// a second disk of 1500 GB.
func TestControllerStorageExample(t *testing.T) {
	b := cloudOf().add(100, 1, 2, nil).count("compute", 10)
	b.Workload.Images = []v1alpha1.Image{{Name: "guest", Count: 20, Size: 4 * unit.GB, DiskSize: 8 * unit.GB}}
	p := b.plan(t)
	for id, want := range map[string]float64{"workload.vms": 100, "compute.hosts[compute]": 10, "controller.lvm": 1500e9} {
		if got := number(t, p, id); got != want {
			t.Errorf("%s: %v, want %v", id, got, want)
		}
	}
	if !strings.HasPrefix(p.Verdict.Summary, "controller storage: 2 controllers, 10 computes") ||
		!strings.Contains(p.Verdict.Summary, "no storage hosts") {
		t.Errorf("summary %q", p.Verdict.Summary)
	}
	if h := hostsOf(p, "controller"); h.LVM != 1500*unit.GB || h.Type != "controller" {
		t.Errorf("controllers %+v", h)
	}
}

// 1000 VMs on 100 computes: 62 GB of database.
func TestDedicatedStorageExample(t *testing.T) {
	p := cloudOf().add(1000, 1, 2, nil).count("compute", 100).plan(t)
	if got := number(t, p, "controller.database"); got != 62e9 || modelOf(p) != "dedicated-storage" {
		t.Errorf("%s with a database of %v, want dedicated storage with 62 GB", modelOf(p), got)
	}
	var ids []string
	for _, s := range p.Sections {
		ids = append(ids, s.ID)
	}
	want := []string{"model", "workload", "controller", "drbd", "logging", "launch", "compute", "neutron", "ceph",
		"limits", "doubts"}
	if !slices.Equal(ids, want) {
		t.Errorf("sections %v, want %v", ids, want)
	}
}

// Every region keeps the limits of one: 2500 VMs are three regions of 834.
func TestRegions(t *testing.T) {
	p := cloudOf().add(2500, 1, 2, nil).plan(t)
	d := p.Decisions.Helion
	if d.Model != "multi-region" || d.Regions != 3 || number(t, p, "workload.vms") != 834 {
		t.Errorf("%s with %d regions of %v VMs, want 3 of 834", d.Model, d.Regions, number(t, p, "workload.vms"))
	}
	if !found(p, v1alpha1.Warning, "model.regions") || !strings.Contains(p.Verdict.Summary, "3 regions of 2 controllers") {
		t.Errorf("%q, findings %+v", p.Verdict.Summary, p.Findings)
	}
}

// Growth makes more VMs, and is a figure.
func TestGrowth(t *testing.T) {
	b := cloudOf().add(90, 1, 2, nil)
	b.Policy.Growth = 0.3
	p := b.plan(t)
	if number(t, p, "workload.servers[vm0]") != 117 || modelOf(p) != "dedicated-storage" {
		t.Errorf("%v VMs with %s, want 117 with dedicated storage", number(t, p, "workload.servers[vm0]"), modelOf(p))
	}
}

// A wanted model is planned, with what speaks against it.
func TestPolicyModel(t *testing.T) {
	b := cloudOf().add(150, 1, 2, nil)
	b.Policy.Model = "controller-storage"
	p := b.plan(t)
	if modelOf(p) != "controller-storage" || !found(p, v1alpha1.Error, "model.vms") || p.Verdict.Fits {
		t.Errorf("%s, fits %v: %+v", modelOf(p), p.Verdict.Fits, p.Findings)
	}
	b = cloudOf().add(30, 1, 2, nil)
	b.Policy.Model = "cpe"
	if p := b.plan(t); modelOf(p) != "cpe" || hostsOf(p, "compute").Count != 2 || !found(p, v1alpha1.Error, "model.vms") {
		t.Errorf("%s: %+v", p.Verdict.Summary, p.Findings)
	}
}

// The cheaper type that fits is chosen, both stand side by side, and policy.node rules.
func TestOptions(t *testing.T) {
	b := cloudOf().add(60, 4, 8, dedicated)
	small := *b.node("compute")
	b.node("compute").Price = 10
	small.Name, small.Price, small.Topology, small.CPUs, small.Memory = "large", 25, "2 sockets x 24 cores x 2 threads",
		96, 384*unit.GiB
	b.Hardware.NodeTypes = append(b.Hardware.NodeTypes, small)
	p := b.plan(t)
	if len(p.Options) != 2 {
		t.Fatalf("%d options", len(p.Options))
	}
	for _, o := range p.Options {
		other := p.Options[0]
		if o.Name == other.Name {
			other = p.Options[1]
		}
		if !o.Fits || o.Floor > o.Base || o.Base == 0 || o.Total != o.Base+1 || o.Chosen && o.Price > other.Price {
			t.Errorf("option %+v", o)
		}
	}
	b.Policy.Node = "large"
	if h := hostsOf(b.plan(t), "compute"); h.Type != "large" {
		t.Errorf("policy.node large: %+v", h)
	}
}

// The planned hosts hold the VMs when they are placed on them.
func TestPoolsHoldTheVMs(t *testing.T) {
	for _, b := range []builder{
		cloudOf().add(40, 2, 4, dedicated),
		cloudOf().add(10, 1, 1, nil),
		cloudOf().add(30, 2, 4, map[string]string{"hw:cpu_policy": "dedicated", "hw:mem_page_size": "1048576"}).add(30,
			1, 4, nil),
	} {
		p := b.plan(t)
		pools := Pools(b.Scenario, p, nil)
		if len(pools) != 1 {
			t.Fatalf("pools %+v", pools)
		}
		c, problems := cloud.New(b.Scenario, pools)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		for _, o := range cloud.Make(c, cloud.Options{}).ServerTypes {
			if o.Refused > 0 {
				t.Errorf("%s: %d of %d VMs find no host on %+v", o.Name, o.Refused, o.Wanted, pools)
			}
		}
	}
}

// Pages of 1 GiB are made where VMs name them, and only there.
func TestPages(t *testing.T) {
	large := map[string]string{"hw:cpu_policy": "dedicated", "hw:mem_page_size": "1048576"}
	p := cloudOf().add(30, 2, 8, large).add(30, 2, 8, dedicated).plan(t)
	pages := hostsOf(p, "compute").Pages
	if pages["1Gi"] == nil || pages["2Mi"] == nil {
		t.Errorf("pages %v, want both sizes", pages)
	}
	if pages := hostsOf(cloudOf().add(30, 2, 8, dedicated).plan(t), "compute").Pages; pages["1Gi"] != nil ||
		pages["2Mi"][0] != 55*512 || pages["2Mi"][1] != 61*512 {
		t.Errorf("pages %v, want all of 2 MiB", pages)
	}
}

// In mode refuse a row that contradicts itself is an error when the plan depends on it.
func TestRefuse(t *testing.T) {
	b := cloudOf().add(120, 1, 2, nil)
	b.Policy.Doubtful = "refuse"
	p := b.plan(t)
	if p.Verdict.Fits || !found(p, v1alpha1.Error, "doubts.row[1]") {
		t.Errorf("fits %v: %+v", p.Verdict.Fits, p.Findings)
	}
	b.Policy.RemoteLogging = false
	if p := b.plan(t); found(p, v1alpha1.Error, "doubts.row[1]") {
		t.Error("row 1 is refused though nothing is logged remotely")
	}
}

// What can't be planned is an error and no panic.
func TestWhatDoesNotFit(t *testing.T) {
	for _, c := range []struct {
		name string
		b    builder
		id   string
	}{
		{"no compute type", func() builder {
			b := cloudOf().add(5, 1, 2, nil)
			b.Hardware.NodeTypes = b.Hardware.NodeTypes[:1]
			return b
		}(), "compute.none"},
		{"a VM too large", cloudOf().add(1, 40, 4, dedicated), "compute.option[compute]"},
		{"an unknown flavor", cloudOf().add(1, 1, 1, nil, func(s *v1alpha1.Server) { s.Flavor = "none" }),
			"compute.problem[0]"},
		{"too few hosts", cloudOf().add(60, 4, 4, dedicated).count("compute", 3), "compute.option[compute]"},
		{"little memory", func() builder {
			b := cloudOf().add(1, 1, 1, nil)
			b.node("compute").Memory = 24 * unit.GiB
			return b
		}(), "compute.memoryMin"},
		{"few cores", func() builder {
			b := cloudOf().add(1, 1, 1, nil)
			b.node("compute").Topology, b.node("compute").CPUs = "2 sockets x 4 cores", 8
			return b
		}(), "compute.coresMin"},
		{"small local disks", cloudOf().add(60, 1, 2, nil,
			func(s *v1alpha1.Server) { s.BootFrom, s.Volumes = "image", nil }).disk(100 * unit.GB), "compute.localSize"},
		{"nothing at all", cloudOf(), ""},
	} {
		p := c.b.plan(t)
		if c.id != "" && (!found(p, v1alpha1.Error, c.id) || p.Verdict.Fits) {
			t.Errorf("%s: no error %s in %+v", c.name, c.id, p.Findings)
		}
	}
}

// disk sets the size of the computes' local disks.
func (b builder) disk(size unit.Bytes) builder {
	for i := range b.node("compute").Disks {
		if d := &b.node("compute").Disks[i]; d.Use == "local" {
			d.Size = size
		}
	}
	return b
}

// The same scenario makes the same plan.
func TestDeterministic(t *testing.T) {
	b := cloudOf().add(30, 2, 4, dedicated).add(20, 1, 2, map[string]string{"hw:mem_page_size": "1048576"})
	x, y := b.plan(t), b.plan(t)
	if x.Verdict.Summary != y.Verdict.Summary || len(x.Figures) != len(y.Figures) {
		t.Errorf("%+v and %+v", x.Verdict, y.Verdict)
	}
	for i := range x.Figures {
		if x.Figures[i].ID != y.Figures[i].ID || x.Figures[i].Value.Text != y.Figures[i].Value.Text {
			t.Errorf("%s is %s, then %s is %s", x.Figures[i].ID, x.Figures[i].Value, y.Figures[i].ID, y.Figures[i].Value)
		}
	}
}

// Whatever the workload, the plan's figures hold, no fleet is below its floor, and more
// VMs never lower the floor or make a smaller model.
func TestRandomClouds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := cloudOf()
		properties := []map[string]string{nil, dedicated, {"hw:cpu_policy": "dedicated", "hw:numa_nodes": "2"},
			{"hw:mem_page_size": "1048576"},
			{"hw:mem_page_size": "large"}, {"hw:cpu_policy": "dedicated", "hw:cpu_thread_policy": "isolate"}}
		for range rapid.IntRange(1, 3).Draw(t, "kinds") {
			b.add(rapid.IntRange(0, 40).Draw(t, "count"), 2*rapid.IntRange(1, 2).Draw(t, "vcpus"),
				2*rapid.Int64Range(1, 4).Draw(t, "GiB"),
				properties[rapid.IntRange(0, len(properties)-1).Draw(t, "properties")], func(s *v1alpha1.Server) {
					s.BootFrom = rapid.SampledFrom([]string{"volume", "image", "remoteImage"}).Draw(t, "boot")
					s.LiveMigration, s.KeepData, s.IOIntensive = rapid.Bool().Draw(t, "live"), rapid.Bool().Draw(t, "keep"),
						rapid.Bool().Draw(t, "io")
				})
		}
		b.Policy.Doubtful = rapid.SampledFrom([]string{"careful", "as-printed", "refuse"}).Draw(t, "doubtful")
		p := b.plan(t)
		for _, o := range p.Options {
			if o.Fits && (o.Base < o.Floor || o.Total < o.Base) {
				t.Fatalf("option %+v", o)
			}
		}
		b.Workload.Servers[0].Count += rapid.IntRange(1, 60).Draw(t, "more")
		more := b.plan(t)
		if more.Options[0].Floor < p.Options[0].Floor &&
			len(hostsOf(p, "compute").Pages) == len(hostsOf(more, "compute").Pages) {
			t.Fatalf("floor %d, with more VMs %d", p.Options[0].Floor, more.Options[0].Floor)
		}
		// Whether the VMs of one host of a CPE find a place on the other depends on where
		// they happen to run, not on their number alone; so does the number of hosts beyond
		// those that hold the VMs, which makes a cloud large.
		if slices.Index(names, modelOf(more)) < slices.Index(names, modelOf(p)) && modelOf(more) != "cpe" &&
			!figured(p, "compute.beyond[compute]") {
			t.Fatalf("%s, with more VMs %s", modelOf(p), modelOf(more))
		}
	})
}

// Measurements of one's own take the place of facts.
func TestOwnLimit(t *testing.T) {
	b := cloudOf().add(60, 1, 1, nil).count("compute", 2)
	crowded := b.plan(t)
	if crowded.Verdict.Fits || !found(crowded, v1alpha1.Error, "limits.vmsPerCompute") {
		t.Errorf("30 VMs on a host, 20 tested: %+v", crowded.Verdict)
	}
	own := facts.Load().Must("hcg.max.vmsPerCompute/4.0")
	own.Number = 40
	if p := Make(b.Scenario, nil, facts.Load().With(own), nil); !p.Verdict.Fits {
		t.Errorf("40 VMs on a host as measured: %+v", p.Verdict)
	}
}
