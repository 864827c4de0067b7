package scenario_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"sigs.k8s.io/yaml"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/examples"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/schema"
	"plimsoll.dev/source/scenario"
	"plimsoll.dev/unit"
)

func read(t testing.TB, file string) *scenario.Document {
	t.Helper()
	doc, err := scenario.ReadFile(file, nil)
	if err != nil {
		t.Fatalf("%s:\n%v", file, err)
	}
	return doc
}

// goodFiles are the test data and the examples that users see.
func goodFiles(t testing.TB) []string {
	return append(append(glob(t, "testdata/good/*.yaml"), glob(t, "testdata/good/*.json")...),
		examples.Scenarios("../../examples")...)
}

func TestGoodFiles(t *testing.T) {
	for _, file := range goodFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) { read(t, file) })
	}
}

// The full scenarios leave nothing open, and no field zero but those that say so.
func TestFullIsFull(t *testing.T) {
	// A restartPolicy is for init containers.
	const byProgram = "workload.podTypes.bare workload.podTypes.containerSpecs.restartPolicy workload.podTypes.held " +
		"workload.podTypes.origin workload.podTypes.spec"
	for file, c := range map[string]struct{ platform, want string }{"full": {"openshift", byProgram},
		"full-helion": {"helion", ""}} {
		doc := read(t, "testdata/good/"+file+".yaml")
		if len(doc.Assumptions) > 0 {
			t.Errorf("%s: left open: %+v", file, doc.Assumptions)
		}
		missing := slices.DeleteFunc(absent(doc.Tree.Root, reflect.TypeFor[v1alpha1.Scenario](), ""), func(path string) bool {
			f, err := schema.Lookup(path)
			return err == nil && len(f.Platforms) > 0 && !slices.Contains(f.Platforms, c.platform)
		})
		if diff := cmp.Diff(strings.Fields(c.want), missing, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("fields that %s doesn't set (-want +got):\n%s", file, diff)
		}
	}
}

// absent lists the fields of t that n doesn't have.
func absent(n *yamlpos.Node, t reflect.Type, path string) []string {
	if n == nil {
		return []string{path}
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct {
		return absentFromAll(n, t.Elem(), path)
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	var out []string
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		out = append(out, absent(n.Get(name), t.Field(i).Type, strings.TrimPrefix(path+"."+name, "."))...)
	}
	return out
}

// absentFromAll lists the fields that no item of a list has.
func absentFromAll(list *yamlpos.Node, t reflect.Type, path string) []string {
	var each [][]string
	for i := 0; i == 0 || list.Item(i) != nil; i++ {
		each = append(each, absent(list.Item(i), t, path))
	}
	var out []string
	for _, field := range slices.Concat(each...) {
		misses := func(fields []string) bool {
			return slices.ContainsFunc(fields, func(f string) bool { return f == field || strings.HasPrefix(field, f+".") })
		}
		if !slices.Contains(out, field) && !slices.ContainsFunc(each, func(fields []string) bool { return !misses(fields) }) {
			out = append(out, field)
		}
	}
	slices.Sort(out)
	return out
}

// YAML and JSON, plain and with all the liberties of YAML, say the same.
func TestSameInEveryForm(t *testing.T) {
	want := read(t, "testdata/good/shop.json").Scenario
	if want.Metadata.Description != "A \"shop\" \u2013 caf\u00e9 \U0001F600 a/b\ttab" {
		t.Errorf("the description is %q", want.Metadata.Description)
	}
	for _, file := range []string{"testdata/good/tabs.json", "testdata/good/shop.yaml"} {
		got := read(t, file).Scenario
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s differs from shop.json (-json +this):\n%s", file, diff)
		}
	}
}

// What is read is what the YAML library of Kubernetes reads, and Go's for JSON.
func TestAgainstAnotherReader(t *testing.T) {
	for _, file := range goodFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			doc := read(t, file)
			unmarshal := func(text []byte, into any) error { return yaml.Unmarshal(text, into) }
			if filepath.Ext(file) == ".json" {
				unmarshal = json.Unmarshal
			}
			var other any
			if err := unmarshal(bytes.TrimPrefix(readFile(t, file), []byte("\ufeff")), &other); err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(prune(other))
			if err != nil {
				t.Fatal(err)
			}
			again, err := scenario.Read("again", text)
			if err != nil {
				t.Fatalf("%s\n%v", text, err)
			}
			if diff := cmp.Diff(again.Scenario, doc.Scenario); diff != "" {
				t.Errorf("(-other +ours):\n%s", diff)
			}
		})
	}
}

// prune drops keys without values, which mean the same as no keys.
func prune(v any) any {
	if m, ok := v.(map[string]any); ok {
		for k, x := range m {
			if x == nil {
				delete(m, k)
				continue
			}
			m[k] = prune(x)
		}
	}
	return v
}

func TestReadFile(t *testing.T) {
	text := readFile(t, "testdata/good/minimal.yaml")
	doc, err := scenario.ReadFile("-", bytes.NewReader(text))
	if err != nil || doc.Scenario.Platform.Release != "4.4" {
		t.Errorf("standard input: %v, %v", doc, err)
	}
	_, err = scenario.ReadFile("-", strings.NewReader("kind: Scenario\n"))
	if err == nil || !strings.HasPrefix(err.Error(), "stdin:1:1: apiVersion: is missing") {
		t.Errorf("bad standard input: %v", err)
	}
	if _, err = scenario.ReadFile(filepath.Join(t.TempDir(), "none.yaml"), nil); !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
	endless := filepath.Join(t.TempDir(), "large.yaml")
	if err := os.WriteFile(endless, bytes.Repeat([]byte("#\n"), int(yamlpos.MaxSize)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err = scenario.ReadFile(endless, nil); err == nil ||
		!strings.Contains(err.Error(), "too large (at most 10 MiB are read)") {
		t.Errorf("too large a file: %v", err)
	}
}

func TestPath(t *testing.T) {
	doc, err := scenario.Read("dir/scenario.yaml", readFile(t, "testdata/good/minimal.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if got := filepath.ToSlash(doc.Path("a/b.yaml")); got != "dir/a/b.yaml" {
		t.Errorf("got %q", got)
	}
	if got := filepath.ToSlash(doc.Path("/a/b.yaml")); got != "/a/b.yaml" {
		t.Errorf("got %q", got)
	}
}

func TestAllowOutside(t *testing.T) {
	text := []byte("apiVersion: plimsoll.dev/v1alpha1\nkind: Scenario\nplatform: {release: \"4.4\"}\n" +
		"workload: {manifests: [/a, ../b]}\n")
	if _, err := scenario.Read("s", text); err == nil {
		t.Error("paths outside are allowed")
	}
	if _, err := scenario.Read("s", text, scenario.AllowOutside()); err != nil {
		t.Errorf("paths outside are refused: %v", err)
	}
}

// A later finding about a field is placed at the field.
func TestProblemOfAField(t *testing.T) {
	doc := read(t, "testdata/good/full.yaml")
	for _, c := range []struct{ field, want string }{
		{"platform.release", "11:12"},
		{"hardware.nodeTypes[0].podsPerCore", "47:20"},
		{"hardware.nodeTypes[0].devices.nvidia.com/gpu", "25:33"},
		{"hardware.nodeTypes[0].labels.topology.kubernetes.io/region", "52:56"},
		{"network.clusterNetwork[1].cidr", "203:14"},
		{"policy.overcommit.cpu", "250:21"},
		{"policy.nothing", "244:3"},
		{"hardware.nodeTypes[7].cpus", "18:5"},
		{"nothing.at.all", "2:1"},
	} {
		p := doc.Problem(c.field, "is wrong", "mend it")
		want := "testdata/good/full.yaml:" + c.want + ": " + c.field + ": is wrong (mend it)"
		if p.Error() != want {
			t.Errorf("got  %s\nwant %s", p.Error(), want)
		}
	}
}

func TestAliases(t *testing.T) {
	types := read(t, "testdata/good/anchors.yaml").Scenario.Hardware.NodeTypes
	got := make([]string, len(types))
	for i, n := range types {
		got[i] = n.Name + " " + n.Role + " " + unit.Format(float64(n.CPUs), "cpus") + " " + n.Memory.String() + " " +
			n.Labels["disk"]
	}
	want := []string{"small worker 4 cpus 16Gi ssd", "small-too worker 4 cpus 16Gi ssd", "infra infra 8 cpus 16Gi ssd"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
