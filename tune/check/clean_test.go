package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/infra"
	"plimsoll.dev/tune/infra/placement"
	"plimsoll.dev/tune/monitoring"
	"plimsoll.dev/unit"
)

// goodIn says in which releases a file of testdata/clean is good: its name begins with
// the first and the last of them, or it is good in all.
func goodIn(name string, r release.Release) bool {
	parts := strings.SplitN(name, "-", 3)
	if len(parts) < 3 {
		return true
	}
	first, err1 := release.ParseName(parts[0])
	last, err2 := release.ParseName(parts[1])
	return err1 != nil || err2 != nil || r.Minor() >= first.Minor() && r.Minor() <= last.Minor()
}

// What is right is not found fault with, by itself and all together.
func TestClean(t *testing.T) {
	files, err := filepath.Glob("testdata/clean/*.yaml")
	if err != nil || len(files) < 8 {
		t.Fatal(files, err)
	}
	for _, r := range release.Documented() {
		all := map[string]string{}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.Base(file)
			if !goodIn(name, r) {
				continue
			}
			if !strings.Contains(name, "performance") { // of which is made what meets the others: TestBesideMade
				all[name] = string(text)
			}
			for _, f := range lint(r, map[string]string{name: string(text)}).Findings {
				t.Errorf("%v: %s:%d: %s: %s", r, name, f.Place.Line, f.ID, f.Message)
			}
		}
		for _, f := range lint(r, all).Findings {
			t.Errorf("%v, together: %s:%d: %s: %s", r, f.Place.File, f.Place.Line, f.ID, f.Message)
		}
	}
}

// What package infra makes for a release, with the nodes that it speaks of, is right.
func TestInfraMoveIsClean(t *testing.T) {
	taint := v1alpha1.Taint{Key: openshift.LabelInfra, Effect: placement.NoSchedule}
	for _, r := range release.Documented() {
		texts := map[string]string{}
		for _, f := range infra.Plan(infra.Options{Release: r.Minor(), Taints: []v1alpha1.Taint{taint},
			Monitoring: monitoring.Options{Users: true,
				Prometheus: monitoring.Size{Retention: 15 * 86400, Storage: 2000 * unit.GiB}}}).Files {
			texts[f.Name] = f.YAML
		}
		for name, role := range map[string]string{"m": "master", "a": "infra", "b": "infra"} {
			n := openshift.Node{APIVersion: "v1", Kind: "Node",
				Metadata: openshift.ObjectMeta{Name: name, Labels: map[string]string{"node-role.kubernetes.io/" + role: ""}}}
			if role == "infra" {
				n.Spec.Taints = []v1alpha1.Taint{taint}
			}
			text, err := yaml.Marshal(n)
			if err != nil {
				t.Fatal(err)
			}
			texts["node-"+name+".yaml"] = string(text)
		}
		for _, f := range lint(r, texts).Findings {
			t.Errorf("%v: %s:%d: %s: %s", r, f.Place.File, f.Place.Line, f.ID, f.Message)
		}
	}
}
