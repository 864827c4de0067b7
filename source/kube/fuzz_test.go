package kube

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
)

// small bounds what a fuzzed input may cost.
var small = Options{MaxFile: 1 << 20, MaxTotal: 1 << 21}

// checkResult demands of any input: problems with places, or an inventory that
// makes sense.
func checkResult(t *testing.T, inv *v1alpha1.Inventory, err error) {
	var found yamlpos.Problems
	switch {
	case err == nil:
	case !errors.As(err, &found):
		t.Fatalf("%v is no list of problems", err)
	case inv != nil:
		t.Fatal("both an inventory and an error")
	default:
		for _, p := range found {
			if p.File == "" || p.Line < 1 || p.Col < 1 || p.What == "" {
				t.Fatalf("a problem without a place: %+v", p)
			}
		}
		return
	}
	names := map[string]bool{}
	for _, p := range inv.PodTypes {
		if p.Name == "" || names[p.Name] || p.Replicas < 0 || p.CPU < 0 || p.Memory < 0 || p.Storage < 0 ||
			p.Containers < 1 || p.QOSClass == "" {
			t.Fatalf("a pod type makes no sense: %+v", p)
		}
		names[p.Name] = true
	}
	for _, n := range inv.NodeTypes {
		if n.Name == "" || n.CPUs < 1 || n.Memory < 1 || n.SystemReserved.CPU < 0 || n.SystemReserved.Memory < 0 ||
			*n.EvictionHard < 0 {
			t.Fatalf("a node type makes no sense: %+v", n)
		}
	}
	for _, s := range inv.Skipped {
		if s.What == "" || s.Why == "" || s.Place == "" {
			t.Fatalf("left out without a reason: %+v", s)
		}
	}
}

func FuzzManifests(f *testing.F) {
	f.Add([]byte(bomb()), false)
	f.Add([]byte(shop), true)
	f.Add([]byte(shop), false)
	f.Add([]byte("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, labels: &l {a: b}}\nspec: {replicas: "+
		"3, template: {metadata: {labels: *l}, spec: {containers: [{resources: {limits: {cpu: 1}}}]}}}\n---\n- a\n"), false)
	f.Add([]byte("apiVersion: batch/v1\nkind: CronJob\nspec: {jobTemplate: {spec: {parallelism: 2, template: {spec: "+
		"{initContainers: [{restartPolicy: Always}], containers: [{}]}}}}}\n"), false)
	f.Add([]byte("a: {{ .Values.x }}\n"), false)
	f.Add([]byte("a: &a [*a]\nb: {<<: *a}\n<<: [{x: 1}, {y: 2}]\n"), false)
	f.Add(bytes.Repeat([]byte("["), 300), false)
	f.Add(bytes.Repeat([]byte("["), 300), true)
	f.Fuzz(func(t *testing.T, text []byte, isJSON bool) {
		name := "a.yaml"
		if isJSON {
			name = "a.json"
		}
		inv, err := ReadManifests(mapFS(name, string(text)), []string{name}, small)
		checkResult(t, inv, err)
	})
}

func FuzzSnapshot(f *testing.F) {
	f.Add([]byte(`{"kind": "List", "items": [` + barePod("a") + "," +
		nodeJSON("n", "", "", `"cpu": "2", "memory": "1Gi"`, "") + `]}`))
	f.Add([]byte("items:\n- kind: Pod\n  apiVersion: v1\n  spec: {containers: [{}]}\nkind: List\n---\nkind: Pod\n"))
	f.Add([]byte(shop))
	f.Add([]byte(`{"items": [{"items": [{"items": ` +
		`[1, null, "x"], "kind": "List"}], "kind": "PodList", "apiVersion": "v1"}]} {"a": 1} [2]`))
	f.Add([]byte("items:\n  # c\n  - a: |\n     - b\n  -\n  - c\nmetadata: {}\nitems:\n- d\n"))
	f.Add(made(f, 6, 40)[:40000])
	f.Fuzz(func(t *testing.T, text []byte) {
		inv, err := ReadSnapshot(bytes.NewReader(text), "s", small)
		checkResult(t, inv, err)
	})
}

// FuzzJSON compares the values that are read where they stand with what
// encoding/json makes of the same text.
func FuzzJSON(f *testing.F) {
	f.Add([]byte(`{"a": [1, -2.5e3, true, null, "x\"\\\u00e9\n"], "b\t": {}, "c": [[], {"d": {}}]} [ ] "e"`))
	f.Fuzz(func(t *testing.T, text []byte) {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		err := readJSON("a.json", text, func(v value) {
			var want any
			for want == nil {
				if err := d.Decode(&want); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(plain(want), decoded(v)); diff != "" {
				t.Fatalf("(-want +got):\n%s", diff)
			}
		})
		_ = err // what isn't JSON is another test's subject
	})
}

// plain makes texts of all scalars, as value does.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			out[k] = plain(x)
		}
		return out
	case []any:
		out := []any{}
		for _, x := range v {
			out = append(out, plain(x))
		}
		return out
	case nil:
		return nil
	}
	return fmt.Sprint(v)
}

func decoded(v value) any {
	switch v.kind() {
	case mapping:
		out := map[string]any{}
		for k, f := range v.fields() {
			// One in two is looked up, so that skipping is tested as well.
			if len(k)%2 == 0 {
				f = v.get(string(k))
			}
			out[string(k)] = decoded(f)
		}
		return out
	case list:
		out := []any{}
		for e := range v.elems() {
			out = append(out, decoded(e))
		}
		return out
	case nothing:
		return nil
	}
	return v.text()
}
