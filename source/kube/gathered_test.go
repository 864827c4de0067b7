package kube

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"plimsoll.dev/internal/yamlpos"
)

// A must-gather has an object a file, lists of pods beside the single ones, and much
// that is none of our business, some of it broken.
func TestReadClusterFiles(t *testing.T) {
	at := "gather/quay-io-digest/"
	text := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	fsys := fstest.MapFS{
		at + "cluster-scoped-resources/core/nodes/worker-2.yaml": text("---\n" +
			"apiVersion: v1\nkind: Node\nmetadata:\n  name: worker-2\n  labels: {a: b}\n"),
		at + "cluster-scoped-resources/core/nodes/worker-1.yaml": text("---\n" +
			"apiVersion: v1\nkind: Node\nmetadata:\n  name: worker-1\nstatus:\n  capacity: {cpu: \"8\"}\n"),
		at + "cluster-scoped-resources/core/nodes.yaml": text(
			"apiVersion: v1\nkind: NodeList\nitems:\n- metadata:\n    name: worker-1\n"),
		at + "cluster-scoped-resources/machineconfiguration.openshift.io/machineconfigpools/cnf.yaml": text(
			"kind: MachineConfigPool\nmetadata: {name: cnf}\nspec: {paused: true}\n"),
		at + "namespaces/openshift-dns/core/pods.yaml": text("apiVersion: " +
			"v1\nkind: PodList\nitems:\n- metadata: {name: dns-1, namespace: openshift-dns, labels: {app: dns}}\n" +
			"  spec: {nodeName: worker-1}\n"),
		at + "namespaces/openshift-dns/pods/dns-1/dns-1.yaml": text("kind: Pod\n" +
			"metadata: {name: dns-1, namespace: openshift-dns, labels: {app: dns}}\nspec: {nodeName: worker-1}\n"),
		at + "namespaces/openshift-dns/core/events.yaml":       text("kind: EventList\nitems: [\n"),
		at + "namespaces/openshift-dns/pods/dns-1/current.log": text("kind: Node\n"),
		at + "namespaces/shop/templates.yaml": text("apiVersion: v1\nitems:\n" +
			"- kind: Pod\n  metadata: {name: [}\n"),
		at + "pools.json": text(`{"kind":"List","items":[{"kind":"MachineConfigPool","metadata":{"name":"worker"}}]}`),
		at + "cluster-scoped-resources/apps/any-set.yaml": text("kind: DaemonSet\nmetadata: {name: x}\n"),
	}
	c, err := ReadClusterFiles(fsys, "mg", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Passed) != 1 || !strings.HasSuffix(c.Passed[0].Place, "templates.yaml") {
		t.Errorf("passed over: %v", c.Passed)
	}
	var names []string
	for _, n := range c.Nodes {
		names = append(names, n.Metadata.Name+"="+n.Status.Capacity["cpu"])
	}
	for _, p := range c.Pools {
		names = append(names, p.Metadata.Name)
	}
	for _, p := range c.Pods {
		names = append(names, p.Namespace+"/"+p.Name)
	}
	if got, want := strings.Join(names, " "), "worker-1=8 worker-2= cnf worker openshift-dns/dns-1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// All files that surely are of interest are told when they can't be read, and what
// stands twice is taken once.
func TestReadClusterFilesTellsAll(t *testing.T) {
	bad := &fstest.MapFile{Data: []byte("kind: Node\nmetadata: {name: [}\n")}
	_, err := ReadClusterFiles(fstest.MapFS{"a.yaml": bad, "b.yaml": bad}, "mg", Options{})
	var all yamlpos.Problems
	if !errors.As(err, &all) || len(all) != 2 || all[0].File != "mg/a.yaml" || all[1].File != "mg/b.yaml" {
		t.Errorf("%v: %+v", err, all)
	}
	budget := "---\nkind: PodDisruptionBudget\nmetadata: {name: db, namespace: shop}\n"
	c, err := ReadCluster(strings.NewReader("kind: Node\nmetadata: {name: w}\n"+budget+budget), "two",
		Options{Drains: true})
	if err != nil || len(c.Budgets) != 1 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestReadClusterFilesRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"no node":   {"kind: Pod\nmetadata: {name: p}\nspec: {nodeName: n}\n", "mg:1:1: there is no node in it"},
		"broken":    {"kind: Node\nmetadata: {name: [}\n", "mg/f.yaml:2"},
		"a pattern": {"kind: Nodes\n", "there is no node in it"},
	} {
		if _, err := ReadClusterFiles(fstest.MapFS{"f.yaml": {Data: []byte(c.text)}}, "mg", Options{}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// A file that ends in the middle gives all or nothing: its first half is no cluster.
func TestReadClusterFilesTakesNoHalf(t *testing.T) {
	whole := `{"kind": "List", "items": [{"kind": "Node", "metadata": {"name": "w-1"}},
{"kind": "Node", "metadata": {"name": "w-2"}}]}`
	inYAML := "apiVersion: v1\nitems:\n- kind: Node\n  metadata:\n    name: w-3\n" +
		"- kind: Node\n  metadata:\n    name: w-4\nkind: List\n"
	good := &fstest.MapFile{Data: []byte("kind: Node\nmetadata: {name: good}\n")}
	read := func(name, text string) (*Cluster, error) {
		return ReadClusterFiles(fstest.MapFS{"a.yaml": good, name: {Data: []byte(text)}}, "mg", Options{})
	}
	for cut := 1; cut < len(whole); cut++ {
		c, err := read("nodes.json", whole[:cut])
		var bad yamlpos.Problems
		switch {
		case errors.As(err, &bad):
		case err != nil || len(c.Passed) != 1 || len(c.Nodes) != 1:
			t.Fatalf("%q: %+v, %v", whole[:cut], c, err)
		}
	}
	for cut := strings.Index(inYAML, "kind: Node") + len("kind: Node"); cut < strings.LastIndex(inYAML, "kind:")+5; cut++ {
		if c, err := read("nodes.yaml", inYAML[:cut]); err != nil || len(c.Passed) != 1 || len(c.Nodes) != 1 {
			t.Fatalf("%q: %+v, %v", inYAML[:cut], c, err)
		}
	}
	for name, text := range map[string]string{"nodes.json": whole, "nodes.yaml": inYAML} {
		if c, err := read(name, text); err != nil || len(c.Passed) != 0 || len(c.Nodes) != 3 {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
}

// A link isn't followed, and said where it may lead to a dump.
func TestReadClusterFilesTellsLinks(t *testing.T) {
	c, err := ReadClusterFiles(fstest.MapFS{"a.yaml": {Data: []byte("kind: Node\nmetadata: {name: good}\n")},
		"latest.json": {Data: []byte("a.yaml"), Mode: fs.ModeSymlink},
		"current":     {Data: []byte("logs"), Mode: fs.ModeSymlink},
	}, "mg", Options{})
	if err != nil || len(c.Passed) != 1 || c.Passed[0].Place != "mg/latest.json" {
		t.Errorf("%+v, %v", c, err)
	}
}
