package controlplane

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/limit"
	"plimsoll.dev/unit"
)

func input(release string, workers, infra int) Input {
	return Input{
		Workers: derive.Given("policy.expectedNodes", workers, "nodes"),
		Infra:   derive.Default("policy.infraNodes", infra, "nodes"),
		Members: derive.Default("policy.controlPlaneNodes", 3, "nodes"),
		Pods:    derive.Given("workload.podTypes", 1000, "pods"),
		Objects: map[string]derive.Value{}, Storage: v1alpha1.Storage{Etcd: "nvme", EtcdQuota: 8 * unit.GB},
		Platform: v1alpha1.Platform{Type: "openshift", Release: release}, Facts: facts.Load(),
	}
}

// with sets numbers of objects: "secrets", 1000, "services", 20.
func (in Input) with(pairs ...any) Input {
	in.Objects = map[string]derive.Value{}
	for i := 0; i < len(pairs); i += 2 {
		name := pairs[i].(string)
		in.Objects[name] = derive.Given("workload.objects."+name, pairs[i+1].(int), name)
	}
	return in
}

func plan(t interface{ Fatal(...any) }, in Input) (Result, *derive.Book) {
	var b derive.Book
	r := Plan(&b, in)
	for _, err := range b.Verify() {
		t.Fatal(err)
	}
	for _, id := range slices.Concat(r.Part.Section.Figures, r.Part.Section.Details) {
		if _, ok := b.Get(id); !ok {
			t.Fatal("the section shows a figure that does not exist: " + id)
		}
	}
	return r, &b
}

func find(r Result, id string) (v1alpha1.Finding, bool) {
	for _, f := range r.Part.Findings {
		if f.ID == id {
			return f, f.Remedy != ""
		}
	}
	return v1alpha1.Finding{}, false
}

// P3: the three rows of OCP 2.3, the next larger one between them, and no
// extrapolation beyond.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		workers, infra int
		cores          float64
		memory         unit.Bytes
		beyond         bool
	}{
		{1, 0, 4, 16 * unit.GB, false},
		{25, 0, 4, 16 * unit.GB, false},
		{26, 0, 8, 32 * unit.GB, false},
		{23, 3, 8, 32 * unit.GB, false}, // infrastructure nodes count
		{100, 0, 8, 32 * unit.GB, false},
		{101, 0, 16, 96 * unit.GB, false},
		{250, 0, 16, 96 * unit.GB, false},
		{251, 0, 16, 96 * unit.GB, true},
		{2000, 3, 16, 96 * unit.GB, true},
	} {
		r, _ := plan(t, input("4.4", c.workers, c.infra))
		if r.Cores.Number != c.cores*1000 || r.Memory.Number != float64(c.memory) || r.Beyond != c.beyond {
			t.Errorf("%d workers and %d infra: %s, %s, beyond %v", c.workers, c.infra, r.Cores, r.Memory, r.Beyond)
		}
		f, ok := find(r, "control.size.beyond")
		if ok != c.beyond || c.beyond && f.Severity != v1alpha1.Warning {
			t.Errorf("%d workers: finding %+v", c.workers, f)
		}
		if r.Decision.CPUs != int(c.cores) || r.Decision.Memory != c.memory || r.Decision.Count != 3 {
			t.Errorf("%d workers: decision %+v", c.workers, r.Decision)
		}
	}
}

// Later releases have tables of their own, with the namespaces of the test and
// larger nodes for OVN-Kubernetes.
func TestSizesOfLaterReleases(t *testing.T) {
	for _, c := range []struct {
		release, plugin     string
		workers, namespaces int
		cores, memory       float64
		beyond              bool
	}{
		{"4.5", "OpenShiftSDN", 25, 500, 4, 16, false},
		{"4.5", "OpenShiftSDN", 25, 501, 8, 32, false}, // the namespaces decide
		{"4.5", "OpenShiftSDN", 250, 4000, 16, 96, false},
		{"4.5", "OpenShiftSDN", 250, 4001, 16, 96, true},
		{"4.9", "OpenShiftSDN", 113, 100, 16, 96, false}, // 4.6 to 4.9 have the rows of 4.5
		{"4.10", "OpenShiftSDN", 24, 500, 4, 16, false},
		{"4.14", "OVNKubernetes", 113, 100, 8, 32, false},
		{"4.16", "OVNKubernetes", 250, 100, 16, 64, false},
		{"4.16", "OVNKubernetes", 254, 100, 16, 96, false},
		{"4.16", "OpenShiftSDN", 502, 100, 16, 96, true},
		{"4.17", "OpenShiftSDN", 25, 100, 8, 32, false},
		{"4.17", "OpenShiftSDN", 252, 100, 16, 64, false},
		{"4.17", "OpenShiftSDN", 501, 100, 16, 96, false},
		{"4.17", "OVNKubernetes", 252, 100, 24, 128, false},
		{"4.17", "OVNKubernetes", 501, 100, 24, 128, false}, // never less than for 252
		{"4.17", "OVNKubernetes", 502, 100, 24, 128, true},
		{"3.11", "OpenShiftSDN", 100, 10000, 8, 32, false}, // OCP 2.3 has no namespaces
	} {
		in := input(c.release, c.workers, 0).with("namespaces", c.namespaces)
		in.Plugin = c.plugin
		r, _ := plan(t, in)
		if r.Cores.Number != c.cores*1000 || r.Memory.Number != c.memory*1e9 || r.Beyond != c.beyond {
			t.Errorf("%+v: %s, %s, beyond %v", c, r.Cores, r.Memory, r.Beyond)
		}
	}
}

// 4.5 says half, 4.6 and later 60 percent.
func TestShareToUse(t *testing.T) {
	for release, want := range map[string]float64{"4.5": 2000, "4.6": 2400, "4.14": 2400, "4.17": 2400} {
		_, b := plan(t, input(release, 10, 0))
		if f, _ := b.Get("control.cores.use"); f.Value.Number != want {
			t.Errorf("%s: %s of 4 cores, want %g", release, f.Value, want)
		}
	}
}

func TestBeyondNamesALaterTable(t *testing.T) {
	r, _ := plan(t, input("4.4", 400, 0))
	f, _ := find(r, "control.size.beyond")
	if !strings.Contains(f.Message, "501 workers") || !strings.Contains(f.Message, "16 cores and 96 GB are the least") {
		t.Errorf("message %q", f.Message)
	}
	r, _ = plan(t, input("4.5", 10, 0).with("namespaces", 9000))
	f, _ = find(r, "control.size.beyond")
	if !strings.Contains(f.Message, "9,000 namespaces are beyond the 4,000 namespaces") {
		t.Errorf("message %q", f.Message)
	}
}

func TestInfraMayBeLeftOut(t *testing.T) {
	in := input("4.4", 25, 0)
	in.Infra = derive.Value{}
	if r, b := plan(t, in); r.Cores.Text != "4 cores" {
		f, _ := b.Get("control.workers")
		t.Errorf("%s for %s", r.Cores, f.Value)
	}
}

func TestNodeTypeIsCompared(t *testing.T) {
	for _, c := range []struct {
		cpus   int
		memory unit.Bytes
		small  bool
	}{
		{8, 32 * unit.GB, false}, {8, 32 * unit.GiB, false}, {16, 64 * unit.GiB, false},
		{4, 32 * unit.GB, true}, {8, 16 * unit.GiB, true}, {8, 31 * unit.GB, true},
	} {
		in := input("4.4", 60, 3)
		in.NodeType, in.NodeTypePath = &v1alpha1.NodeType{Name: "m5", CPUs: c.cpus, Memory: c.memory}, "hardware.nodeTypes[1]"
		r, _ := plan(t, in)
		f, small := find(r, "control.nodeType.tooSmall")
		if small != c.small || small && (f.Severity != v1alpha1.Error || f.Field != "hardware.nodeTypes[1]") {
			t.Errorf("%d cores, %s: %+v", c.cpus, c.memory, f)
		}
		if r.Decision.Type != "m5" || r.Decision.CPUs != c.cpus {
			t.Errorf("decision %+v", r.Decision)
		}
	}
}

// OCP 2.3 sizes what is to be built. Control plane nodes that run, and those of Kubernetes, for which
// no such table is published (kubeadm asks for 2 CPUs and 2 GB), are not refused by it.
func TestSmallControlPlanesThatAreNotRefused(t *testing.T) {
	for _, c := range []struct {
		platform, release string
		running           bool
		want              v1alpha1.Severity
	}{
		{"openshift", "4.14", false, v1alpha1.Error}, {"openshift", "4.14", true, v1alpha1.Warning},
		{"kubernetes", "1.30", false, v1alpha1.Warning}, {"kubernetes", "1.30", true, v1alpha1.Warning},
	} {
		in := input(c.release, 3, 0)
		in.Platform.Type, in.Running = c.platform, c.running
		in.NodeType, in.NodeTypePath = &v1alpha1.NodeType{Name: "m", CPUs: 2, Memory: 4 * unit.GiB}, "hardware.nodeTypes[1]"
		r, _ := plan(t, in)
		if f, ok := find(r, "control.nodeType.tooSmall"); !ok || f.Severity != c.want {
			t.Errorf("%+v: %+v", c, f)
		}
	}
}

// The Agent-based Installer takes 1 or 3 control plane nodes up to 4.17, 1, 3, 4 or 5 from 4.18 on; 4.17 can be
// scaled to 4 or 5 after the installation, on bare metal ("Node scaling for etcd", "Optional configuration
// parameters" of the guides). A cluster that runs is as it is.
func TestMembers(t *testing.T) {
	for _, c := range []struct {
		platform, release, provider string
		members                     int
		running                     bool
		fail                        float64
		want                        string // of the finding
	}{
		{"openshift", "4.4", "", 1, false, 0, "warning a single control plane node"},
		{"openshift", "4.4", "", 2, false, 0, "error 2 control plane nodes, of which etcd may lose 0: " +
			"OpenShift 4.4 is built with 1 or 3"},
		{"openshift", "4.4", "", 2, true, 0, "warning 2 nodes: an even number"},
		{"openshift", "4.19", "baremetal", 2, false, 0, "error 2 control plane nodes, of which etcd may lose 0: " +
			"OpenShift 4.19 is built with 1 or 3, on bare metal up to 5"},
		{"openshift", "4.20", "baremetal", 2, false, 0, "warning 2 control plane nodes: only with an arbiter node"},
		{"openshift", "4.20", "baremetal", 2, true, 0, "warning 2 nodes: an even number"},
		{"openshift", "4.20", "aws", 2, false, 0, "error 2 control plane nodes, of which etcd may lose 0: " +
			"OpenShift 4.20 is built with 1 or 3, on bare metal up to 5, or 2 with an arbiter node"},
		{"openshift", "4.4", "", 3, false, 1, ""},
		{"openshift", "4.16", "baremetal", 4, false, 1, "error 4 control plane nodes, of which etcd may lose 1: " +
			"OpenShift 4.16"},
		{"openshift", "4.16", "", 5, false, 2, "error 5 control plane nodes, of which etcd may lose 2: " +
			"OpenShift 4.16"},
		{"openshift", "4.16", "", 5, true, 2, "warning 5 nodes: etcd keeps its majority when 2 nodes fail; " +
			"OpenShift supports 1 or 3"},
		{"openshift", "4.17", "baremetal", 4, false, 1, "warning 4 nodes: an even number"},
		{"openshift", "4.18", "none", 5, false, 2, "info 5 nodes: etcd keeps its majority when 2 nodes fail; " +
			"OpenShift supports 1 or 3, on bare metal up to 5"},
		{"openshift", "4.18", "aws", 5, false, 2, "error 5 control plane nodes, of which etcd may lose 2: " +
			"OpenShift 4.18"},
		{"openshift", "4.18", "baremetal", 6, false, 2, "error 6 control plane nodes, of which etcd may lose 2: " +
			"OpenShift 4.18"},
		{"openshift", "3.11", "", 5, false, 2, "warning 5 nodes: etcd keeps"},
		{"kubernetes", "1.33", "", 5, false, 2, ""},
		{"kubernetes", "1.33", "", 4, false, 1, "warning 4 nodes: an even number"},
	} {
		in := input(c.release, 10, 0)
		in.Platform.Type, in.Platform.Provider, in.Running = c.platform, c.provider, c.running
		in.Members = derive.Given("policy.controlPlaneNodes", c.members, "nodes")
		r, b := plan(t, in)
		fig, _ := b.Get("control.mayFail")
		f, ok := find(r, "control.members")
		if got := string(f.Severity) + " " + f.Message; ok != (c.want != "" && f.Severity != v1alpha1.Info) ||
			!strings.HasPrefix(got, c.want) && c.want != "" ||
			fig.Value.Number != c.fail {
			t.Errorf("%+v: %v, %q", c, fig.Value, got)
		}
		if arbiter := strings.Contains(c.want, "only with an arbiter"); ok && arbiter !=
			(f.Sources[0].Section == "Installing a two-node cluster with an arbiter") {
			t.Errorf("%+v: source %+v", c, f.Sources)
		}
	}
}

func TestStorageOfEtcd(t *testing.T) {
	for disk, want := range map[string]string{
		"nvme": "", "ssd": "", "": "control.etcd.storage.open", "hdd": "control.etcd.storage", "ceph": "control.etcd.storage",
		"nfs": "control.etcd.storage",
	} {
		in := input("4.4", 10, 0)
		in.Storage.Etcd = disk
		r, _ := plan(t, in)
		var got string
		for _, f := range r.Part.Findings {
			if strings.HasPrefix(f.ID, "control.etcd.storage") {
				got = f.ID
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", disk, got, want)
		}
		if f, _ := find(r, "control.etcd.watch"); !strings.Contains(f.Message, "50 ms") ||
			!strings.Contains(f.Message, "10 ms") {
			t.Errorf("watch says %q", f.Message)
		}
	}
}

// The row of OCP 10.3 at both its readings.
func TestDirectory(t *testing.T) {
	for _, c := range []struct {
		workers   int
		low, high float64
	}{
		{25, 20e9, 20e9},              // 16 GB, the base of the neighbouring row
		{100, 20e9, 20e9 + 2*25e9},    // 32 GB
		{250, 20e9, 20e9 + 10*25e9},   // 96 GB
		{25000, 20e9, 20e9 + 10*25e9}, // no size is published
	} {
		r, _ := plan(t, input("4.4", c.workers, 0))
		if r.DiskMin.Number != c.low || r.DiskMax.Number != c.high {
			t.Errorf("%d workers: %s to %s", c.workers, r.DiskMin, r.DiskMax)
		}
	}
}

// The estimate, counted by hand from the assumed bytes.
func TestEstimateOfEtcd(t *testing.T) {
	in := input("4.4", 100, 3).with("secrets", 10000, "configMaps", 4000, "services", 500, "deployments", 600,
		"namespaces", 200)
	r, b := plan(t, in)
	objects := 212e6 + // the platform
		1000*6000 + 2000*1000 + 1000*400 + // pods, events, back ends
		200*30000 + 10000*2500 + 4000*2500 + 500*2500 + // namespaces, secrets, config maps, services
		600*3000 + 1800*2500 + // deployments, replica sets
		106*16000 + 106*600 // nodes, leases
	history := 106*600*60.0 + 106*16000*2 + 0.05*objects
	for id, want := range map[string]float64{
		"control.etcd.live": objects, "control.etcd.history": history,
		"control.etcd.inUse": (objects + history) / 0.9, "control.etcd.total": (objects + history) / 0.9 / 0.5,
	} {
		if f, _ := b.Get(id); f.Value.Number < want-1 || f.Value.Number > want+1 {
			t.Errorf("%s = %s, want %.0f", id, f.Value, want)
		}
	}
	if r.InUse.Number == 0 || len(r.Part.Section.Tables) != 2 {
		t.Errorf("in use %s, %d tables", r.InUse, len(r.Part.Section.Tables))
	}
	if _, ok := find(r, "control.etcd.uncounted"); ok {
		t.Error("all kinds were given, the plan says some were not counted")
	}
}

func TestQuota(t *testing.T) {
	for _, c := range []struct {
		name, release string
		secrets       int
		quota         unit.Bytes
		want, text    string
	}{
		{"small", "4.4", 1000, 8 * unit.GB, "", ""},
		{"free space passes", "4.4", 1700000, 8 * unit.GB, "warning control.etcd.defragment", "by hand"},
		{"free space passes, 4.12", "4.12", 1700000, 8 * unit.GB, "warning control.etcd.defragment", "by itself"},
		{"objects pass", "4.4", 4000000, 8 * unit.GB, "error control.etcd.overQuota", "split"},
		{"quota of 8 GiB", "4.4", 1000, 8 * unit.GiB, "", ""},
		{"quota too large", "4.4", 1000, 16 * unit.GB, "warning control.etcd.quota", "default"},
	} {
		in := input(c.release, 10, 0).with("secrets", c.secrets, "configMaps", 1, "services", 1, "deployments", 1,
			"namespaces", 1)
		in.Storage.EtcdQuota = c.quota
		r, _ := plan(t, in)
		var got, remedy string
		for _, f := range r.Part.Findings {
			if f.Severity != v1alpha1.Info {
				got, remedy = string(f.Severity)+" "+f.ID, f.Remedy
			}
		}
		if got != c.want || !strings.Contains(remedy, c.text) {
			t.Errorf("%s: %s %q, want %s %q", c.name, got, remedy, c.want, c.text)
		}
	}
}

func TestGauges(t *testing.T) {
	r, _ := plan(t, input("4.4", 200, 3))
	got := map[string]limit.Kind{}
	for _, g := range r.Part.Gauges {
		got[g.ID] = g.Kind
	}
	want := map[string]limit.Kind{"controlPlaneWorkers": limit.Recommended, "etcdInUse": limit.Hard,
		"etcdTotal": limit.Recommended}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The naive twin of Pick looks at every row, and more is never smaller.
func TestPickProperties(t *testing.T) {
	c := facts.Load()
	rapid.Check(t, func(t *rapid.T) {
		release := rapid.SampledFrom([]string{"3.11", "4.4", "4.5", "4.12", "4.17", "4.20"}).Draw(t, "release")
		plugin := rapid.SampledFrom([]string{"OpenShiftSDN", "OVNKubernetes"}).Draw(t, "plugin")
		rows := Rows(c, release, plugin)
		workers, namespaces := rapid.Float64Range(0, 600).Draw(t, "workers"),
			rapid.Float64Range(0, 5000).Draw(t, "namespaces")
		at, beyond := Pick(rows, workers, namespaces)
		want := -1
		for i := len(rows) - 1; i >= 0; i-- {
			if rows[i].Workers.Number >= workers && (rows[i].Namespaces.Number == 0 || rows[i].Namespaces.Number >= namespaces) {
				want = i
			}
		}
		if beyond != (want < 0) || !beyond && at != want {
			t.Fatalf("picked %d (beyond %v) of %d rows, want %d", at, beyond, len(rows), want)
		}
		more, _ := Pick(rows, workers+rapid.Float64Range(0, 100).Draw(t, "more"), namespaces)
		if rows[more].Cores.Number < rows[at].Cores.Number || rows[more].Memory.Number < rows[at].Memory.Number {
			t.Fatalf("more workers get less: row %d after %d", more, at)
		}
	})
}

func TestPlanProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := input(rapid.SampledFrom([]string{"3.11", "4.4", "4.9", "4.17"}).Draw(t, "release"),
			rapid.IntRange(0, 3000).Draw(t, "workers"), rapid.IntRange(0, 10).Draw(t, "infra"))
		if rapid.Bool().Draw(t, "kubernetes") {
			in.Platform = v1alpha1.Platform{Type: "kubernetes", Release: "1.36"}
		}
		for _, kind := range []string{"namespaces", "secrets", "services", "deployments", "crds", "builds", "routes"} {
			in.Objects[kind] = derive.Given("workload.objects."+kind, rapid.IntRange(0, 200000).Draw(t, kind), kind)
		}
		r, _ := plan(t, in)
		if r.Total.Number < r.InUse.Number || r.InUse.Number <= 0 || r.DiskMax.Number < r.DiskMin.Number {
			t.Fatalf("in use %s, total %s, disk %s to %s", r.InUse, r.Total, r.DiskMin, r.DiskMax)
		}
	})
}
