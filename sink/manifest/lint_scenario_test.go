package manifest

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/examples"
	"plimsoll.dev/facts"
	"plimsoll.dev/plan"
	"plimsoll.dev/source/scenario"
)

// writtenFor are the manifests of a scenario, or why there are none.
func writtenFor(t failing, doc *scenario.Document, err error) ([]File, error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v", err)
	}
	return Render(FromPlan(plan.Make(doc.Scenario, doc.Assumptions, facts.Load()), "plan.yaml"))
}

// failing is a test, or one of rapid's.
type failing interface {
	Helper()
	Fatalf(format string, args ...any)
}

// TestLintAgreesWithExamples: what the example scenarios come to, in any release, is
// right.
func TestLintAgreesWithExamples(t *testing.T) {
	paths := examples.Scenarios("../../examples")
	looked := 0
	for _, path := range paths {
		for _, release := range []string{"", "4.3", "4.4", "4.5", "4.12", "4.20"} {
			doc, err := scenario.ReadFile(path, nil, scenario.ForRelease(release))
			if release != "" && err != nil {
				continue // a scenario of Helion, or with what the release lacks
			}
			if err == nil && doc.Scenario.Platform.Type != "openshift" {
				break
			}
			files, err := writtenFor(t, doc, err)
			if err != nil {
				if release == "" {
					t.Errorf("%s: %v", path, err)
				}
				continue
			}
			for _, what := range lint(t, doc.Scenario.Platform.Release, forClusters(files)) {
				t.Errorf("%s for %s: %s", path, release, what)
			}
			looked++
		}
	}
	if looked < 20 {
		t.Errorf("only %d examples were looked at", looked)
	}
}

// optional draws a line of a scenario, or none.
func optional(t *rapid.T, indent, name string, values ...string) string {
	v := rapid.SampledFrom(append(values, "")).Draw(t, name)
	if v == "" {
		return ""
	}
	return indent + name + ": " + v + "\n"
}

// nodeType draws a node type.
func nodeType(t *rapid.T, name, role string) string {
	return fmt.Sprintf("    - name: %s\n      role: %s\n", name, role) +
		fmt.Sprintf("      cpus: %d\n      memory: %dGi\n", rapid.SampledFrom([]int{4, 8, 16, 64}).Draw(t, "cpus"),
			rapid.SampledFrom([]int{16, 32, 256}).Draw(t, "memory")) +
		optional(t, "      ", "disk", "120Gi", "1T") + optional(t, "      ", "maxPods", "10", "110", "250", "500") +
		optional(t, "      ", "podsPerCore", "0", "1", "10") +
		optional(t, "      ", "systemReserved", "{cpu: 1, memory: 2Gi}", "{memory: 1.5Gi}", "{cpu: 250m}") +
		optional(t, "      ", "count", "2", "7") +
		optional(t, "      ", "labels", "{tier: shop}", "{example.com/kind: a.b_c}") +
		optional(t, "      ", "taints", "[{key: reserved, effect: NoSchedule}]",
			"[{key: reserved, value: x, effect: NoExecute}]") +
		optional(t, "      ", "hugePages", "{2Mi: 1Gi}", "{1Gi: 4Gi}", "{1Gi: 2Gi, 2Mi: 64Mi}")
}

// drawScenario draws a scenario of OpenShift: many of its settings, and their
// least and greatest values.
func drawScenario(t *rapid.T) string {
	text := "apiVersion: plimsoll.dev/v1alpha1\nkind: Scenario\nmetadata: {name: x}\nplatform:\n" +
		fmt.Sprintf("  release: %q\n",
			rapid.SampledFrom([]string{"4.3", "4.4", "4.5", "4.8", "4.12", "4.14", "4.16", "4.19", "4.20"}).Draw(t, "release")) +
		optional(t, "  ", "provider", "aws", "azure", "gcp", "openstack", "vsphere", "baremetal", "none") +
		"hardware:\n  nodeTypes:\n"
	for i := range rapid.IntRange(1, 3).Draw(t, "types") {
		text += nodeType(t, []string{"small", "m5.x", "m5-x"}[i], "worker")
	}
	if rapid.Bool().Draw(t, "infra") {
		text += nodeType(t, "infra.x", "infra")
	}
	text += "workload:\n  podTypes:\n    - {name: a, replicas: 40, cpu: 250m, memory: 1Gi, storage: 10Gi}\n"
	if rapid.Bool().Draw(t, "pages") {
		text += "    - {name: b, replicas: 3, cpu: 1, memory: 1Gi, hugePages: {2Mi: 64Mi}}\n"
	}
	text += "policy:\n  spareNodes: 1\n" + optional(t, "  ", "zones", "1", "2", "3", "5") +
		optional(t, "  ", "growth", "50%", "4") + optional(t, "  ", "maxUnavailable", "1", "3", "10%", "100%") +
		optional(t, "  ", "infraNodes", "0", "2", "3") + optional(t, "  ", "batchSize", "1", "25", "50") +
		optional(t, "  ", "expectedNodes", "50", "500")
	text += "monitoring:\n  replicas: 2\n" + optional(t, "  ", "retention", "1h", "36h", "15d", "90d", "400d") +
		optional(t, "  ", "storageClass", "fast") + optional(t, "  ", "alertmanagerSize", "1Gi", "1500M")
	return text + "router:\n  spare: 1\n" + optional(t, "  ", "threads", "1", "4", "64") +
		optional(t, "  ", "maxConnections", "1", "1999", "2000", "20000", "2000000") +
		optional(t, "  ", "publishing", "LoadBalancerService", "HostNetwork") +
		optional(t, "  ", "applicationsPerRouter", "1", "100") +
		optional(t, "  ", "traffic",
			"[{name: p, encryption: edge, requestsPerSecond: 9000, connections: 5000, applications: 250}]")
}

// drawnScenarios bounds the test below: each is planned, which takes time.
const drawnScenarios = 25

// TestLintAgreesWithAnyScenario: the same from a scenario to the files.
func TestLintAgreesWithAnyScenario(t *testing.T) {
	scenarios, written, refused := rapid.Custom(drawScenario), 0, []string{}
	for seed := range drawnScenarios {
		text := scenarios.Example(seed)
		doc, err := scenario.Read("x.yaml", []byte(text))
		var files []File
		if err == nil {
			files, err = writtenFor(t, doc, nil)
		}
		if err != nil {
			refused = append(refused, err.Error())
			continue
		}
		written++
		if out := lint(t, doc.Scenario.Platform.Release, forClusters(files)); len(out) > 0 {
			t.Errorf("%s\n%s", strings.Join(out, "\n"), text)
		}
	}
	if written < drawnScenarios/2 {
		t.Errorf("%d scenarios are written; refused are %q", written, refused)
	}
}
