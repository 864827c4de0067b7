package keep

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/source/live"
)

// TestKinds: of each kind that is read something is kept, and of no other.
func TestKinds(t *testing.T) {
	var want []string
	for _, k := range live.Kinds {
		if k.How != live.Counted && k.Name == "" {
			want = append(want, k.Kind)
		}
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(kept))); diff != "" {
		t.Errorf("(-read +kept):\n%s", diff)
	}
	for _, kind := range []string{"Secret", "ConfigMap"} {
		if Fields(map[string]any{"kind": kind}) != nil {
			t.Errorf("%s is kept", kind)
		}
	}
}

// TestKept lists all that a snapshot holds of a cluster: a field that is added must be added there, too.
func TestKept(t *testing.T) {
	text, err := os.ReadFile("testdata/kept.txt")
	if err != nil {
		t.Fatal(err)
	}
	got := listed()
	if diff := cmp.Diff(strings.Split(strings.TrimSpace(string(text)), "\n"), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// listed are the paths that are kept, those of all kinds once, and kinds of which the same is kept together.
func listed() []string {
	out := paths("  metadata", kept["Namespace"]["metadata"])
	same := map[string][]string{}
	for _, kind := range slices.Sorted(maps.Keys(kept)) {
		list := maps.Clone(kept[kind])
		for _, all := range []string{"kind", "apiVersion", "metadata"} {
			delete(list, all)
		}
		key := strings.Join(paths(" ", list), "\n")
		same[key] = append(same[key], kind)
	}
	var kinds []string
	for key, of := range same {
		kinds = append(kinds, strings.TrimSpace(strings.Join(of, " ")+"\n"+key))
	}
	slices.Sort(kinds)
	return append(append([]string{"all"}, out...), strings.Split(strings.Join(kinds, "\n"), "\n")...)
}

func paths(of string, list fields) (out []string) {
	for _, name := range slices.Sorted(maps.Keys(list)) {
		if list[name] == nil {
			out = append(out, strings.Replace(of+"."+name, " .", " ", 1))
		} else {
			out = append(out, paths(of+"."+name, list[name])...)
		}
	}
	return out
}

// TestSecrets: what people put into objects beside what plans are made of does not pass.
func TestSecrets(t *testing.T) {
	var o map[string]any
	err := json.Unmarshal([]byte(`{"apiVersion": "v1", "kind": "Pod",
"metadata": {"name": "p", "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "HIDDEN",
  "kubernetes.io/config.mirror": "x"}, "managedFields": [{"manager": "HIDDEN"}], "selfLink": "HIDDEN"},
"spec": {"nodeName": "n", "imagePullSecrets": [{"name": "HIDDEN"}], "serviceAccountName": "HIDDEN",
  "hostAliases": [{"ip": "HIDDEN"}],
  "containers": [{"name": "c", "image": "i", "env": [{"name": "PASSWORD", "value": "HIDDEN"}],
    "envFrom": [{"secretRef": {"name": "HIDDEN"}}], "command": ["HIDDEN"], "args": ["--token=HIDDEN"],
    "livenessProbe": {"httpGet": {"httpHeaders": [{"name": "Authorization", "value": "HIDDEN"}]}}}],
  "volumes": [{"name": "v", "secret": {"secretName": "HIDDEN"}}, {"name": "w", "csi": {"volumeAttributes": {"key":
    "HIDDEN"}}}, {"name": "x", "persistentVolumeClaim": {"claimName": "data"}}]},
"status": {"phase": "Running", "podIP": "HIDDEN", "message": "HIDDEN"}}`), &o)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(Fields(o))
	const want = `{"apiVersion":"v1","kind":"Pod","metadata":{"annotations":{"kubernetes.io/config.mirror":"x"},` +
		`"name":"p"},"spec":{"containers":[{"image":"i","name":"c"}],"nodeName":"n","volumes":[{"name":"v"},` +
		`{"name":"w"},{"name":"x","persistentVolumeClaim":{"claimName":"data"}}]},"status":{"phase":"Running"}}`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
