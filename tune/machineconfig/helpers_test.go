package machineconfig

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/pool"
)

func named(name, role string) openshift.ObjectMeta {
	return openshift.ObjectMeta{Name: name, Labels: map[string]string{openshift.LabelRole: role}}
}

// config3 is a MachineConfig of specification 3.2 with files: path, then source.
func config3(name string, pairs ...string) openshift.MachineConfig {
	return configOf(name, "3.2.0", pairs)
}

// config2 is the same of specification 2.2.
func config2(name string, pairs ...string) openshift.MachineConfig {
	return configOf(name, "2.2.0", pairs)
}

func configOf(name, version string, pairs []string) openshift.MachineConfig {
	var files []any
	for i := 0; i < len(pairs); i += 2 {
		f := map[string]any{"path": pairs[i], "mode": int64(420), "contents": map[string]any{"source": pairs[i+1]}}
		if version[0] == '2' {
			f["filesystem"] = "root"
		}
		files = append(files, f)
	}
	return openshift.MachineConfig{Metadata: named(name, "worker"),
		Spec: openshift.MachineConfigSpec{Config: map[string]any{
			"ignition": map[string]any{"version": version}, "storage": map[string]any{"files": files}}}}
}

// worker renders the pool of workers.
func worker(r release.Release, configs ...openshift.MachineConfig) PoolConfig {
	return Render(configs, pool.Standard(release.Current), r).Pools[1]
}

// split reads manifests that can be read.
func split(t testing.TB, text string) []*object.Object {
	t.Helper()
	objects, problems := object.Split("test.yaml", []byte(text))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return objects
}

func readFileText(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// toYAML writes a MachineConfig as users do.
func toYAML(t testing.TB, mc openshift.MachineConfig) string {
	t.Helper()
	out, err := yaml.Marshal(mc)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// saidOf are findings in short: severity, id, line.
func saidOf(findings []v1alpha1.Finding) []string {
	var out []string
	for _, f := range findings {
		line := 0
		if f.Place != nil {
			line = f.Place.Line
		}
		out = append(out, fmt.Sprintf("%s %s %d", f.Severity, strings.TrimPrefix(f.ID, "machineConfig."), line))
	}
	return out
}

// ids are the ids of findings, each once.
func ids(findings []v1alpha1.Finding) []string {
	var out []string
	for _, f := range findings {
		out = append(out, strings.TrimPrefix(f.ID, "machineConfig."))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// wellSaid holds findings to the form of all findings.
func wellSaid(t *testing.T, findings []v1alpha1.Finding) {
	t.Helper()
	for _, f := range findings {
		if f.Message == "" || strings.HasSuffix(f.Message, ".") || f.Remedy == "" || strings.HasSuffix(f.Remedy, ".") ||
			strings.ContainsAny(f.Message[:1], "ABCDEFGHIJKLNOPQRSTUVWXYZ") &&
				!strings.HasPrefix(f.Message, "ATTR") && !strings.HasPrefix(f.Message, "CPU") {
			t.Errorf("%s: %q (%q)", f.ID, f.Message, f.Remedy)
		}
	}
}
