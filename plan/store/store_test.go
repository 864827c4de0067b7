package store_test

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
	"plimsoll.dev/part"
	"plimsoll.dev/plan/store"
	"plimsoll.dev/unit"
)

// TestTable102 checks every cell of table 10.2 of the document.
func TestTable102(t *testing.T) {
	const r, c, n = store.Recommended, store.Configurable, store.NotConfigurable
	table := []struct {
		technology                                       string
		rox, rwx                                         bool
		registry, scaledRegistry, metrics, logging, apps store.Level
	}{
		{"block", true, false, c, n, r, r, r},
		{"file", true, true, c, c, c, c, r},
		{"object", true, true, r, r, n, n, n},
	}
	facts := facts.Load()
	for _, row := range table {
		if got := store.Serves(facts, row.technology, "", "ROX"); got != row.rox {
			t.Errorf("%s ROX: %v, want %v", row.technology, got, row.rox)
		}
		if got := store.Serves(facts, row.technology, "", "RWX"); got != row.rwx {
			t.Errorf("%s RWX: %v, want %v", row.technology, got, row.rwx)
		}
		for use, want := range map[string]store.Level{"registry": row.registry, "scaledRegistry": row.scaledRegistry,
			"metrics": row.metrics, "logging": row.logging, "apps": row.apps} {
			got := store.Judge(facts, store.Need{Use: use, AccessMode: "RWO", Provider: "aws"}, row.technology, "")
			if got.Table != want {
				t.Errorf("%s for %s: table says %q, want %q", row.technology, use, got.Table, want)
			}
		}
	}
}

// TestFootnote4 checks the exceptions of ReadOnlyMany.
func TestFootnote4(t *testing.T) {
	c := facts.Load()
	for product, technology := range map[string]string{"physical-disk": "block", "vm-physical-disk": "block",
		"vmdk": "block", "loopback-nfs": "file", "aws-ebs": "block", "azure-disk": "block"} {
		if store.Serves(c, technology, product, "ROX") {
			t.Errorf("%s can be mounted read-only by many", product)
		}
		if !store.Serves(c, technology, product, "RWO") {
			t.Errorf("%s can't be mounted at all", product)
		}
	}
	for product, technology := range map[string]string{"cinder": "block", "netapp-nfs": "file", "s3": "object"} {
		if !store.Serves(c, technology, product, "ROX") {
			t.Errorf("%s can't be mounted read-only by many", product)
		}
	}
}

// TestText checks what the text of 10.2 and 2.4 adds to the table.
func TestText(t *testing.T) {
	tests := []struct {
		name                string
		use, mode, provider string
		technology, product string
		want                store.Level
		reason              string // part of the deciding reason
		section             string
	}{
		{"registry on object", "registry", "RWO", "aws", "object", "s3", store.Recommended, "recommended", "10.2"},
		{"registry on block", "registry", "RWO", "aws", "block", "aws-ebs", store.Configurable, "configurable", "10.2"},
		{"registry on file", "registry", "RWX", "aws", "file", "netapp-nfs", store.NotRecommended, "in production",
			"10.2.1.1"},
		{"scaled registry in a cloud", "scaledRegistry", "RWX", "gcp", "object", "gcs", store.Recommended, "", "10.2"},
		{"scaled registry, other object store", "scaledRegistry", "RWX", "openstack", "object", "other", store.Configurable,
			"S3 or Swift", "10.2.1.2"},
		{"scaled registry on file", "scaledRegistry", "RWX", "aws", "file", "", store.NotRecommended, "in production",
			"10.2.1.2"},
		{"scaled registry on block", "scaledRegistry", "RWX", "aws", "block", "", store.NotConfigurable, "", ""},
		{"scaled registry, bare metal, object", "scaledRegistry", "RWX", "baremetal", "object", "s3", store.NotConfigurable,
			"only file", "10.2.1.2"},
		{"scaled registry, vSphere, file", "scaledRegistry", "RWX", "vsphere", "file", "", store.NotRecommended,
			"in production", "10.2.1.2"},
		{"metrics on block", "metrics", "RWO", "aws", "block", "", store.Recommended, "", ""},
		{"metrics on file", "metrics", "RWO", "aws", "file", "", store.NotRecommended, "in production", "10.2.1.3"},
		{"metrics on file, RWX", "metrics", "RWX", "aws", "file", "", store.NotConfigurable, "unreliable", "10.2"},
		{"metrics on object", "metrics", "RWO", "aws", "object", "", store.NotConfigurable, "", "10.2"},
		{"logging on block", "logging", "RWO", "aws", "block", "", store.Recommended, "", ""},
		{"logging on shared file", "logging", "RWX", "aws", "file", "", store.NotConfigurable, "anti-pattern", "10.2"},
		{"logging on file", "logging", "RWO", "aws", "file", "", store.NotRecommended, "slip", "10.2.1.4"},
		{"apps on file", "apps", "RWX", "aws", "file", "", store.Recommended, "", ""},
		{"apps on RHEL NFS: no core service", "apps", "RWX", "aws", "file", "rhel-nfs", store.Recommended, "", ""},
		{"apps RWX on block", "apps", "RWX", "aws", "block", "", store.NotConfigurable, "writing by many", "10.2"},
		{"apps ROX on Cinder", "apps", "ROX", "openstack", "block", "cinder", store.Recommended, "", ""},
		{"apps ROX on EBS", "apps", "ROX", "aws", "block", "aws-ebs", store.NotConfigurable, "exception", "10.2"},
		{"apps on object", "apps", "RWO", "aws", "object", "s3", store.NotConfigurable, "", "10.2"},
		{"database on block", "database", "RWO", "none", "block", "", store.Recommended, "", ""},
		{"database on file", "database", "RWO", "none", "file", "", store.Configurable, "dedicated block", "10.2.2"},
		{"database on object", "database", "RWO", "none", "object", "", store.NotConfigurable, "", ""},
		{"etcd on NVMe", "etcd", "RWO", "none", "block", "nvme", store.Recommended, "", ""},
		{"etcd on a spinning disk", "etcd", "RWO", "none", "block", "hdd", store.NotRecommended, "spinning", "10.2.2"},
		{"etcd on Ceph", "etcd", "RWO", "none", "block", "ceph-rbd", store.NotRecommended, "Ceph", "10.2.2"},
		{"etcd on NFS", "etcd", "RWO", "none", "file", "vendor-nfs", store.NotRecommended, "NFS", "10.2.2"},
	}
	c := facts.Load()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := store.Judge(c, store.Need{Use: tt.use, AccessMode: tt.mode, Provider: tt.provider}, tt.technology, tt.product)
			if got.Level != tt.want {
				t.Errorf("%s (%s), want %s", got.Level, got.Words(), tt.want)
			}
			told := slices.ContainsFunc(got.Why(), func(r store.Reason) bool {
				return strings.Contains(r.Text, tt.reason) && (tt.section == "" || c.Must(r.Fact).Source.Section == tt.section)
			})
			if !told {
				t.Errorf("no reason with %q from section %s in %q", tt.reason, tt.section, got.Words())
			}
		})
	}
}

// TestRHELNFS checks that RHEL NFS is no storage for core services.
func TestRHELNFS(t *testing.T) {
	c := facts.Load()
	for _, use := range []string{"registry", "scaledRegistry", "metrics", "logging"} {
		got := store.Judge(c, store.Need{Use: use, AccessMode: "RWO", Provider: "baremetal"}, "file", "rhel-nfs")
		told := slices.ContainsFunc(got.Reasons,
			func(r store.Reason) bool { return r.Fact == "ocp.storage.rhelNFS" && r.Level == store.NotRecommended })
		if !told {
			t.Errorf("%s on RHEL NFS: no reason says that it is not recommended: %v", use, got.Reasons)
		}
	}
}

func TestRanking(t *testing.T) {
	for _, tt := range []struct{ use, mode, provider, want string }{
		{"registry", "RWO", "aws", "object, block, file"},
		{"scaledRegistry", "RWX", "azure", "object, file, block"},
		{"scaledRegistry", "RWX", "vsphere", "file, object, block"},
		{"metrics", "RWO", "aws", "block, file, object"},
		{"logging", "RWO", "none", "block, file, object"},
		{"apps", "RWO", "none", "block, file, object"},
		{"apps", "RWX", "none", "file, block, object"},
		{"apps", "ROX", "aws", "file, block, object"},
		{"apps", "ROX", "openstack", "block, file, object"},
		{"database", "RWO", "none", "block, file, object"},
		{"etcd", "RWO", "none", "block, file, object"},
	} {
		var got []string
		for _, c := range store.Advise(facts.Load(), store.Need{Use: tt.use, AccessMode: tt.mode, Provider: tt.provider}) {
			got = append(got, c.Technology)
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s %s on %s (-want +got):\n%s", tt.use, tt.mode, tt.provider, diff)
		}
	}
}

// TestAdviseProperties: each technology once, in order of the levels, and each
// level is the worst of its reasons.
func TestAdviseProperties(t *testing.T) {
	c := facts.Load()
	rapid.Check(t, func(t *rapid.T) {
		need := store.Need{
			Use: rapid.SampledFrom([]string{"registry", "scaledRegistry", "metrics", "logging", "apps", "database",
				"etcd"}).Draw(t, "use"),
			AccessMode: rapid.SampledFrom([]string{"RWO", "ROX", "RWX"}).Draw(t, "mode"),
			Provider: rapid.SampledFrom([]string{"aws", "azure", "gcp", "openstack", "vsphere", "baremetal", "ibmz", "none"}).
				Draw(t, "provider"),
		}
		choices := store.Advise(c, need)
		seen, last := map[string]bool{}, 0
		for _, choice := range choices {
			seen[choice.Technology] = true
			rank := slices.Index(store.Levels(), choice.Level)
			if rank < last {
				t.Fatalf("%v: %s stands after a worse one", need, choice.Technology)
			}
			last = rank
			worst := 0
			for _, r := range choice.Reasons {
				worst = max(worst, slices.Index(store.Levels(), r.Level))
				if _, ok := c.Get(r.Fact); !ok {
					t.Fatalf("no fact %q behind %q", r.Fact, r.Text)
				}
			}
			if worst != rank {
				t.Fatalf("%v %s is %s, its worst reason %s", need, choice.Technology, choice.Level, store.Levels()[worst])
			}
		}
		if len(seen) != 3 || len(choices) != 3 {
			t.Fatalf("%v: %d choices of %v", need, len(choices), seen)
		}
	})
}

func plan(t *testing.T, in store.Input) store.Result {
	t.Helper()
	in.Facts = facts.Load()
	in.Origin = part.NewOrigin([]v1alpha1.Assumption{{Field: "storage.uses[*].accessMode"}}, in.Facts)
	in.Release = "4.4"
	if in.Storage.EtcdQuota == 0 {
		in.Storage.EtcdQuota = 8 * unit.GB
	}
	var b derive.Book
	r := store.Plan(&b, in)
	for _, err := range b.Verify() {
		t.Error(err)
	}
	return r
}

func TestFindings(t *testing.T) {
	use := func(use, mode, technology, product string) v1alpha1.StorageUse {
		return v1alpha1.StorageUse{Name: use, Use: use, AccessMode: mode, Technology: technology, Product: product}
	}
	tests := []struct {
		name string
		use  v1alpha1.StorageUse
		want []string
	}{
		{"sound", use("apps", "RWO", "block", "aws-ebs"), nil},
		{"only advice wanted", use("apps", "RWX", "", ""), nil},
		{"technology from the product", use("registry", "RWO", "", "s3"), nil},
		{"configurable", use("registry", "RWO", "block", ""), []string{"info storage.choice.configurable"}},
		{"not recommended", use("metrics", "RWO", "file", "rhel-nfs"), []string{"warning storage.choice.notRecommended"}},
		{"not configurable", use("logging", "RWO", "object", ""), []string{"error storage.choice.notConfigurable"}},
		{"no shared block storage", use("apps", "RWX", "block", ""), []string{"error storage.choice.notConfigurable"}},
		{"mismatch", use("apps", "RWO", "block", "s3"), []string{"error storage.choice.mismatch"}},
		{"scaled registry without RWX", use("scaledRegistry", "RWO", "file", ""),
			[]string{"warning storage.choice.notRecommended", "info storage.scaledRegistry.accessMode"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := plan(t, store.Input{Provider: "aws", Storage: v1alpha1.Storage{Uses: []v1alpha1.StorageUse{tt.use}}})
			var got []string
			for _, f := range r.Part.Findings {
				got = append(got, string(f.Severity)+" "+f.ID)
				if f.Severity != v1alpha1.Info && (f.Remedy == "" || len(f.Sources) == 0) {
					t.Errorf("%s has no remedy or no source", f.ID)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDisks checks table 10.3 for each role.
func TestDisks(t *testing.T) {
	given := func(path string, b unit.Bytes) derive.Value { return derive.Given(path, b, unit.ByteUnit) }
	tests := []struct {
		name    string
		storage v1alpha1.Storage
		node    store.Node
		want    map[string][2]float64 // GB
		need    float64
		finding string
	}{
		{"worker of 16 GB", v1alpha1.Storage{}, store.Node{Type: "w", Role: "worker", Memory: given("m", 16*unit.GB)},
			map[string][2]float64{"/var/lib/containers": {50, 50}, "/var/lib/kubelet": {0, 0}, "/var/log": {10, 30}}, 100, ""},
		{"worker of 8 GB: not less than the document's 50 GB", v1alpha1.Storage{},
			store.Node{Type: "w", Role: "worker", Memory: given("m", 8*unit.GB)},
			map[string][2]float64{"/var/lib/containers": {50, 50}, "/var/lib/kubelet": {0, 0}, "/var/log": {10, 30}}, 100, ""},
		{"worker of 64 GB with ephemeral storage", v1alpha1.Storage{},
			store.Node{Type: "w", Role: "worker", Memory: given("m", 64*unit.GB), Ephemeral: given("e", 40*unit.GB),
				Disk: given("d", 250*unit.GB)},
			map[string][2]float64{"/var/lib/containers": {170, 200}, "/var/lib/kubelet": {40, 40}, "/var/log": {10, 30}}, 270,
			"storage.disk.tight"},
		{"infra, logs known, disk too small", v1alpha1.Storage{LogsPerNodePerDay: 2 * unit.GB, LogRetention: 7 * 86400},
			store.Node{Type: "i", Role: "infra", Memory: given("m", 24*unit.GB), Disk: given("d", 80*unit.GB)},
			map[string][2]float64{"/var/lib/containers": {70, 75}, "/var/lib/kubelet": {0, 0}, "/var/log": {14, 14}}, 100,
			"storage.disk.tooSmall"},
		{"control plane of 16 GB", v1alpha1.Storage{},
			store.Node{Type: "m", Role: "controlPlane", Memory: given("m", 16*unit.GB), Disk: given("d", 200*unit.GB)},
			map[string][2]float64{"/var/lib/etcd": {8, 20}, "/var/lib/containers": {50, 50}, "/var/lib/kubelet": {0, 0},
				"/var/log": {10, 30}}, 100, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := plan(t, store.Input{Storage: tt.storage, Nodes: []store.Node{tt.node}})
			d := r.Disks[0]
			got := map[string][2]float64{}
			low, high := 0.0, 0.0
			for _, dir := range d.Directories {
				got[dir.Path] = [2]float64{dir.Min.Number / 1e9, dir.Max.Number / 1e9}
				low, high = low+dir.Min.Number, high+dir.Max.Number
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("directories in GB (-want +got):\n%s", diff)
			}
			if d.Min.Number != low || d.Max.Number != high || d.Need.Number != tt.need*1e9 {
				t.Errorf("sums %s to %s, to provide %s; want %v GB", d.Min, d.Max, d.Need, tt.need)
			}
			finding := ""
			if len(r.Part.Findings) > 0 {
				finding = r.Part.Findings[0].ID
			}
			if finding != tt.finding {
				t.Errorf("finding %q, want %q", finding, tt.finding)
			}
			if wantGauges := min(1, int(tt.node.Disk.Number)); len(r.Part.Gauges) != wantGauges {
				t.Errorf("%d gauges, want %d", len(r.Part.Gauges), wantGauges)
			}
		})
	}
}

// TestContainersSize: more memory never needs less disk, and 8 GB more need
// exactly one step more.
func TestContainersSize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		memory := rapid.Float64Range(0, 1e12).Draw(t, "memory")
		per := rapid.Float64Range(20e9, 25e9).Draw(t, "per")
		size := func(m float64) float64 { return store.ContainersSize(m, 50e9, 16e9, per, 8e9) }
		if size(memory) < 50e9 || size(memory+1e9) < size(memory) {
			t.Fatalf("%v bytes of memory: %v", memory, size(memory))
		}
		if memory >= 16e9 {
			if more := size(memory+8e9) - size(memory); more < per-1 || more > per+1 {
				t.Fatalf("8 GB more need %v, want %v", more, per)
			}
		}
	})
}
