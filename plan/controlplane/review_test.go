package controlplane

import (
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/part"
	"plimsoll.dev/unit"
)

// A message never says both that nobody has published more and that a table
// has more; it cites the table that the plan uses.
func TestBeyondIsOneSentence(t *testing.T) {
	for _, c := range []struct {
		name, release       string
		workers, namespaces int
		has, hasNot, source string
	}{
		{"a later table reaches", "4.4", 400, 1, "has a row for 501 workers: 16 cores and 96 GB", "nothing larger",
			"OCP 2.3"},
		{"no table reaches", "4.4", 2000, 1, "catalogue has nothing larger", "has a row", "OCP 2.3"},
		{"namespaces beyond all", "4.5", 10, 9000, "the namespaces decide, not the workers", "has a row",
			"OpenShift 4.5 docs Control plane node sizing"},
		{"later table", "4.17", 600, 1, "nothing larger", "has a row", "OpenShift 4.17 docs Control plane node sizing"},
		{"workers and later table", "4.5", 300, 1, "OpenShift 4.10 docs Control plane node sizing, of a later release, " +
			"has a row for 501 workers", "namespaces decide", "OpenShift 4.5 docs Control plane node sizing"},
	} {
		r, _ := plan(t, input(c.release, c.workers, 0).with("namespaces", c.namespaces))
		f, _ := find(r, "control.size.beyond")
		if !strings.Contains(f.Message, c.has) || strings.Contains(f.Message, c.hasNot) ||
			f.Sources[0].String() != c.source || !strings.Contains(f.Message, c.source) {
			t.Errorf("%s: %q with %v", c.name, f.Message, f.Sources)
		}
	}
}

func TestNamespacesDecide(t *testing.T) {
	for namespaces, want := range map[int]bool{500: false, 501: true, 9000: true} {
		_, b := plan(t, input("4.5", 25, 0).with("namespaces", namespaces))
		f, _ := b.Get("control.cores")
		if got := strings.Contains(strings.Join(f.Notes, " "),
			"The namespaces decide, not the workers: 25 workers alone would take 4 cores and 16 GB"); got != want {
			t.Errorf("%d namespaces: %q", namespaces, f.Notes)
		}
	}
}

// What OCP 2.3 says of a running 4.4 cluster is said of no other platform.
func TestResizingIsOf44(t *testing.T) {
	for _, c := range []struct {
		platform, release string
		want              bool
	}{
		{"openshift", "4.4", true}, {"openshift", "4.1", true}, {"openshift", "3.11", false}, {"openshift", "4.5", false},
		{"openshift", "4.17", false}, {"kubernetes", "1.36", false},
	} {
		in := input(c.release, 3000, 0)
		in.Platform.Type = c.platform
		in.NodeType, in.NodeTypePath = &v1alpha1.NodeType{Name: "m", CPUs: 2, Memory: unit.GB}, "hardware.nodeTypes[0]"
		r, b := plan(t, in)
		var texts []string
		for _, f := range b.Figures() {
			texts = append(texts, f.Notes...)
		}
		for _, f := range r.Part.Findings {
			texts = append(texts, f.Message, f.Remedy)
		}
		for _, table := range r.Part.Section.Tables {
			texts = append(texts, table.Notes...)
		}
		said := slices.ContainsFunc(texts,
			func(s string) bool { return strings.Contains(s, "resized") || strings.Contains(s, "running 4.4") })
		if said != c.want {
			t.Errorf("%s %s: says that nodes can't be resized: %v, want %v", c.platform, c.release, said, c.want)
		}
	}
}

// The quota of the release's operator is doubted by OCP 10.3; one that the user
// wrote is not. Both sides are written in decimal multiples.
func TestDoubtOfTheQuota(t *testing.T) {
	for _, c := range []struct {
		name    string
		quota   unit.Bytes
		assumed bool
		doubts  int
	}{
		{"the operator's 7 GiB", 7 * unit.GiB, true, 1},
		{"the document's 8 GB", 8 * unit.GB, true, 0},
		{"the user's 7 GiB", 7 * unit.GiB, false, 0},
	} {
		in := input("4.4", 10, 0)
		in.Storage.EtcdQuota = c.quota
		if c.assumed {
			in.Origin = part.NewOrigin([]v1alpha1.Assumption{{Field: "storage.etcdQuota"}}, in.Facts)
		}
		r, _ := plan(t, in)
		for _, g := range r.Part.Gauges {
			if !strings.HasPrefix(g.ID, "etcd") {
				continue
			}
			if len(g.Doubts) != c.doubts || strings.Contains(g.Limit.Text, "iB") ||
				strings.Contains(r.Part.Section.Summary, "iB") {
				t.Errorf("%s: %+v, %q", c.name, g, r.Part.Section.Summary)
			}
			if c.doubts > 0 && (g.Doubts[0].Limit.From.ID != "ocp.etcd.dbMax" ||
				!strings.Contains(strings.Join(g.Notes, " "), "7 GiB; OCP 10.3 says")) {
				t.Errorf("%s: doubt %+v, notes %q", c.name, g.Doubts[0], g.Notes)
			}
		}
	}
}

func TestMachineInDecimal(t *testing.T) {
	in := input("4.4", 60, 3)
	in.NodeType, in.NodeTypePath = &v1alpha1.NodeType{Name: "m5", CPUs: 8, Memory: 16 * unit.GiB}, "hardware.nodeTypes[1]"
	r, b := plan(t, in)
	if f, _ := find(r, "control.nodeType.tooSmall"); !strings.Contains(f.Message, "17.18 GB") ||
		!strings.Contains(f.Message, "32 GB") {
		t.Errorf("message %q", f.Message)
	}
	if _, ok := b.Get("control.cores"); !ok || r.Cores.From.Kind != derive.FromFigure {
		t.Errorf("cores %+v", r.Cores)
	}
}

// W4: the row of 501 workers is untested with OVN-Kubernetes (4.17), and the tables up
// to 4.9 were taken with OpenShiftSDN: it is said, never passed over.
func TestUntestedWithOVN(t *testing.T) {
	for _, c := range []struct {
		release, plugin string
		workers         int
		want            v1alpha1.Severity
	}{
		{"4.17", "OVNKubernetes", 252, ""}, {"4.17", "OVNKubernetes", 253, v1alpha1.Warning},
		{"4.17", "OpenShiftSDN", 253, ""}, {"4.14", "OVNKubernetes", 297, v1alpha1.Warning},
		{"4.8", "OVNKubernetes", 3, v1alpha1.Info}, {"4.8", "OpenShiftSDN", 3, ""},
	} {
		in := input(c.release, c.workers, 0)
		in.Plugin = c.plugin
		r, _ := plan(t, in)
		if f, _ := find(r, "control.size.untested"); f.Severity != c.want {
			t.Errorf("%+v: %+v", c, f)
		}
	}
}
