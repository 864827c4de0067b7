package tuning

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	source "plimsoll.dev/source/kube"
	"plimsoll.dev/tune/pool"
	"plimsoll.dev/tune/profile"
)

// explained is what "tune explain" says of the Tuned CRs of a file, and whether that may be acted on.
func explained(in profile.Input, file string, text []byte) (map[string]string, *profile.Explanation, bool) {
	objects, problems := object.Split(file, text)
	tuneds, found := object.All[openshift.Tuned](objects, "Tuned")
	unmanaged := in.Release >= 6 && slices.ContainsFunc(tuneds, func(t object.Typed[openshift.Tuned]) bool {
		return t.Value.Spec.ManagementState == "Unmanaged" || t.Value.Spec.ManagementState == "Removed"
	})
	bad := unmanaged || len(problems) > 0 || len(tuneds) == 0 || wrong(found) || wrong(profile.Check(objects, in.Release))
	in.Tuneds = tuneds
	out := map[string]string{}
	x := profile.Explain(in)
	for _, n := range x.Nodes {
		if n.Class >= 0 {
			out[n.Name] = n.Profile
		}
	}
	return out, x, !bad
}

func wrong(found []v1alpha1.Finding) bool {
	return slices.ContainsFunc(found, func(f v1alpha1.Finding) bool { return f.Severity == v1alpha1.Error })
}

// written are the CRs of a file as a cluster has them: JSON, each by itself.
func written(t *testing.T, text []byte) (out []Tuned) {
	for part := range strings.SplitSeq("\n"+string(text), "\n---") {
		var o map[string]any
		if err := yaml.Unmarshal([]byte(part), &o); err != nil {
			t.Fatal(err)
		}
		if o["kind"] != "Tuned" {
			continue
		}
		name := o["metadata"].(map[string]any)["name"].(string)
		var b bytes.Buffer
		if err := json.NewEncoder(&b).Encode(o); err != nil {
			t.Fatal(err)
		}
		out = append(out, Tuned{Ref{Name: name, UID: "u-" + name, Version: "1"}, b.Bytes()})
	}
	return out
}

// For all Tuned CRs of the examples and the tests, and all releases that have Profile objects, the Profiles name what
// "tune explain" says; what "tune check" calls an error is not acted on.
func TestExplain(t *testing.T) {
	text, err := os.ReadFile("../../examples/tune/nodes.json")
	if err != nil {
		t.Fatal(err)
	}
	c, err := source.ReadCluster(bytes.NewReader(text), "nodes.json", source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, p := range []string{"../../examples/tune/*", "../../tune/profile/testdata", "../../tune/check/testdata/*",
		"../../tune/tuned/testdata/documents"} {
		some, _ := filepath.Glob(p + "/*.yaml")
		files = append(files, some...)
	}
	compared, refused, profiles := 0, 0, map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(text, []byte("kind: Tuned")) {
			continue
		}
		for r := Since; r <= release.Newest; r++ {
			in := profile.Input{Nodes: profile.Nodes(c.Nodes), Pods: c.Pods, Pools: pool.Complete(c.Pools, r), Release: r,
				Stored: true}
			want, x, good := explained(in, file, text)
			f := &fake{t: t, World: World{Leads: true, Tuneds: written(t, text), Nodes: in.Nodes, Pods: in.Pods,
				Pools: in.Pools}}
			f.pass(acting(r))
			if !good || x.Frozen != "" {
				if refused++; len(f.Profiles) > 0 {
					t.Errorf("%s, %s: there are errors, and %v", file, r, f.chosen())
				}
				continue
			}
			if compared++; !maps.Equal(f.chosen(), want) {
				t.Errorf("%s, %s: %v, want %v", file, r, f.chosen(), want)
			}
			for _, name := range want {
				profiles[name] = true
			}
		}
	}
	t.Logf("%d compared, %d refused, profiles %v", compared, refused, profiles)
	if compared < 100 || len(profiles) < 4 || refused == 0 {
		t.Errorf("%d were compared, with %d profiles; %d were refused", compared, len(profiles), refused)
	}
}
