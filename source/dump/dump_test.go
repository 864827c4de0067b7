package dump

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// taken are the objects that a reader hands on.
func taken(read func(r *Reader) error) (got []string, r *Reader, err error) {
	r = &Reader{}
	r.Take = func(o Object) {
		f := o.Fields()
		meta := f["metadata"].(map[string]any)
		got = append(got, fmt.Sprintf("%v %v %v/%v", f["apiVersion"], f["kind"], meta["namespace"], meta["name"]))
	}
	err = read(r)
	return got, r, err
}

// A must-gather has lists and single files of the same, some of them cut.
func TestDir(t *testing.T) {
	at := "quay-io-x/namespaces/shop/"
	tree := fstest.MapFS{"version": {Data: []byte("4.17")}, "current.log": {Mode: fs.ModeSymlink, Data: []byte("version")}}
	for name, text := range map[string]string{
		at + "core/configmaps.yaml": "---\napiVersion: v1\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n" +
			"  metadata: {name: a, namespace: shop}\n- metadata: {name: b, namespace: shop}\nkind: ConfigMapList\n",
		at + "core/pods.yaml": "apiVersion: v1\nkind: PodList\n" +
			"items:\n- {metadata: {name: p, namespace: shop}}\n",
		at + "pods/p/p.yaml":                 "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: shop}\n",
		at + "apps/deployments.yaml":         "apiVersion: apps/v1\nkind: DeploymentList\nitems: [",
		at + "pods/p/c/logs/current.log":     "kind: Pod",
		"quay-io-x/namespaces/kube-x/y.yaml": "kind: Pod\nmetadata: {name: not, namespace: kube-x}\n",
		"quay-io-x/members.json":             "[1, 2]",
		"quay-io-x/z.json":                   `{"kind": "List", "items": [`,
	} {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	got, r, err := taken(func(r *Reader) error {
		r.Want = func(path string) bool { return !strings.Contains(path, "/kube-x/") }
		return r.Dir(tree, "mg")
	})
	want := []string{"v1 ConfigMap shop/a", "v1 ConfigMap shop/b", "v1 Pod shop/p"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	if len(r.Passed) != 2 || r.Passed[0].Place != "mg/"+at+"apps/deployments.yaml" {
		t.Errorf("%+v", r.Passed)
	}
}

// Lists of kubectl, one behind the other, wherever their kind stands; an object by itself; and what is none.
func TestStream(t *testing.T) {
	for text, want := range map[string]string{
		`{"items": [{"kind": "A", "metadata": {"name": "x"}}, {"kind": "A", "metadata": {"name": "x"}},
{"kind": "A", "apiVersion": "other/v1", "metadata": {"name": "x"}}], "kind": "List",
"metadata": {}}{"kind": "B", "apiVersion": "v1", "metadata": {"name": "y"}}`: "[<nil> A <nil>/x other/v1 A <nil>/x v1 B <nil>/y]",
		`{"kind": "List", "items": []}`: "[]",
		``:                              "it is empty",
		`[]`:                            "where a list of objects is expected",
		`{"kind": "List", "items": [{`:  "unexpected EOF",
		`{"items": 7}`:                  "where a list of objects is expected",
		`{"items": [7]}`:                "cannot unmarshal",
	} {
		got, _, err := taken(func(r *Reader) error { return r.Stream(strings.NewReader(text)) })
		if err != nil && !strings.Contains(err.Error(), want) || err == nil && fmt.Sprint(got) != want {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
}

// A list is read item by item, and comes to the same as it does whole: names at every depth, texts of several
// lines, comments, empty lines.
func TestCut(t *testing.T) {
	list := "---\napiVersion: v1\nitems:\n- apiVersion: v1\n  data:\n    a: |\n      - b\n\n      items:\n# c\n" +
		"  kind: ConfigMap\n  metadata:\n    name: x\n- metadata: {name: y}\n  data:\n    k:\n    - l\n" +
		"kind: ConfigMapList\nmetadata:\n  name: ''\n"
	for text, pieces := range map[string]int{list: 2, strings.ReplaceAll(list, "\n", "\r\n"): 2,
		strings.Replace(list, "a: |", "z: &d 1\n    a: |", 1): 1, "kind: Pod\nmetadata: {name: p}\n": 1,
		list + "---\n" + list: 1, strings.ReplaceAll(list, "- ", " - "): 1} {
		if got := cut([]byte(text)); len(got) != pieces {
			t.Errorf("%d pieces of %q", len(got), text)
		}
	}
	read := func(text string) (out []string) {
		for _, o := range decode("f.yaml", []byte(text)).objects {
			out = append(out, fmt.Sprint(o.Fields()))
		}
		return out
	}
	whole := read(strings.Replace(list, "metadata:\n  name: ''", "metadata: {name: &a ''}", 1))
	if got := read(list); len(got) != 2 || !slices.Equal(got, whole) || !strings.Contains(got[0], "- b\n\nitems:\n") {
		t.Errorf("%q\n%q", got, whole)
	}
	if got := read("items:\n- kind: A\n  metadata: {name: x}\nkind: List\n"); len(got) != 1 { // as kubectl has them
		t.Errorf("%q", got)
	}
	if got := read(list[:strings.Index(list, "kind: ConfigMapList")]); got != nil {
		t.Errorf("half a list is %q", got)
	}
}

// What a path says of the kind is that of its directory, whatever the group; a pod's logs are no objects.
func TestResource(t *testing.T) {
	at := "must-gather.local/quay-io-x/"
	for path, want := range map[string]string{
		at + "cluster-scoped-resources/core/nodes/worker-1.yaml":                     "nodes",
		at + "cluster-scoped-resources/core/nodes.yaml":                              "nodes",
		at + "cluster-scoped-resources/machineconfiguration.openshift.io/kubes.yaml": "kubes",
		at + "namespaces/openshift-dns/core/events.yaml":                             "events",
		at + "namespaces/openshift-dns/pods/dns-1/dns-1.yaml":                        "pods",
		at + "namespaces/openshift-dns/apps/deployments/web.v1.yaml":                 "deployments",
		at + "namespaces/openshift-dns/openshift-dns.yaml":                           "",
		"namespaces/openshift-dns/tuned.openshift.io/profiles/worker-1.example.yaml": "profiles",
		"events.yaml": "", "objects/secrets/x.yaml": "",
	} {
		if got := Resource(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// Several goroutines read files, and the objects come as if one had: the first of each name counts, in the order of the
// files. A pod that stands in the list of its namespace is not read again; one that does not, is.
func TestOrder(t *testing.T) {
	tree := fstest.MapFS{}
	var want []string
	for i := range 200 {
		name := fmt.Sprintf("%03d.yaml", i)
		tree[name] = &fstest.MapFile{Data: []byte(strings.Repeat("# long\n", (200-i)*20) +
			fmt.Sprintf("apiVersion: v1\nkind: A\nmetadata: {name: x%d}\nof: %d\n", i/2, i))}
		if i%2 == 0 {
			want = append(want, fmt.Sprintf("v1 A <nil>/x%d", i/2))
		}
	}
	at := "namespaces/shop/"
	tree[at+"core/pods.yaml"] = &fstest.MapFile{Data: []byte("apiVersion: v1\nitems:\n" +
		"- metadata:\n    name: a\n    namespace: shop\nkind: PodList\n")}
	tree[at+"pods/a/a.yaml"] = &fstest.MapFile{Data: []byte("kind: Pod\nmetadata: {name: [")}
	tree[at+"pods/b/b.yaml"] = &fstest.MapFile{Data: []byte("apiVersion: v1\nkind: Pod\n" +
		"metadata: {name: b, namespace: shop}\n")}
	got, r, err := taken(func(r *Reader) error { return r.Dir(tree, "mg") })
	want = append(want, "v1 Pod shop/a", "v1 Pod shop/b")
	if err != nil || !slices.Equal(got, want) || len(r.Passed) > 0 {
		t.Errorf("%q, %v, %v", got, r.Passed, err)
	}
}
