package plan_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/plan"
	"plimsoll.dev/source/scenario"
)

// remedies are those that name what to set: a pattern, and what it does to a scenario.
var remedies = []struct {
	says  *regexp.Regexp
	apply func(s map[string]any, said []string)
}{
	{regexp.MustCompile(`(?:^|, or )set ((?:policy|network|storage)\.\w+) to (\d+%?|[A-Z]\w+)`),
		func(s map[string]any, said []string) {
			section, field, _ := strings.Cut(said[1], ".")
			within(s, section)[field] = value(said[2])
		}},
	{regexp.MustCompile(`leave policy\.infraNodes out|set policy\.infraNodes to \d+ or leave it out`),
		func(s map[string]any, _ []string) { delete(within(s, "policy"), "infraNodes") }},
	{regexp.MustCompile(`set policy\.expectedNodes .* or leave it out`),
		func(s map[string]any, _ []string) { delete(within(s, "policy"), "expectedNodes") }},
	{regexp.MustCompile(`set network\.clusterMTU to \d+ or(?: less, or)? leave it out`),
		func(s map[string]any, _ []string) { delete(within(s, "network"), "clusterMTU") }},
	{regexp.MustCompile(`^set hostPrefix to (\d+)`), func(s map[string]any, said []string) {
		clusterNetwork(s)["hostPrefix"] = value(said[1])
	}},
	{regexp.MustCompile(`^set cidr (\S+) with hostPrefix (\d+)`), func(s map[string]any, said []string) {
		clusterNetwork(s)["cidr"], clusterNetwork(s)["hostPrefix"] = said[1], value(said[2])
	}},
	{regexp.MustCompile(`move the cluster network to ([0-9./]+)`), func(s map[string]any, said []string) {
		clusterNetwork(s)["cidr"] = said[1]
	}},
	{regexp.MustCompile(`^give each (\w+) node a disk of (\d+) GB`), func(s map[string]any, said []string) {
		for _, t := range within(s, "hardware")["nodeTypes"].([]any) {
			if t := t.(map[string]any); t["name"] == said[1] {
				t["disk"] = said[2] + "G"
			}
		}
	}},
	{regexp.MustCompile(`^leave disk out of (\w+)`), func(s map[string]any, said []string) {
		for _, t := range within(s, "hardware")["nodeTypes"].([]any) {
			if t := t.(map[string]any); t["name"] == said[1] {
				delete(t, "disk")
			}
		}
	}},
	{regexp.MustCompile(`^take (\d+) nodes`), func(s map[string]any, said []string) {
		for _, o := range within(s, "hardware")["options"].([]any) {
			o.(map[string]any)["nodes"].([]any)[0].(map[string]any)["count"] = value(said[1])
		}
	}},
}

func within(s map[string]any, section string) map[string]any {
	if s[section] == nil {
		s[section] = map[string]any{}
	}
	return s[section].(map[string]any)
}

func clusterNetwork(s map[string]any) map[string]any {
	n := within(s, "network")
	if n["clusterNetwork"] == nil {
		n["clusterNetwork"] = []any{map[string]any{"cidr": "10.128.0.0/14"}}
	}
	return n["clusterNetwork"].([]any)[0].(map[string]any)
}

// value is a number where the text is one.
func value(s string) any {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	return s
}

// mistaken draws a small cluster in which much may be wrong.
func mistaken(t *rapid.T) map[string]any {
	pick := func(label string, list ...any) any { return rapid.SampledFrom(list).Draw(t, label) }
	pods := []any{}
	for i := range rapid.IntRange(1, 3).Draw(t, "types") {
		pods = append(pods, map[string]any{"name": fmt.Sprint("p", i), "replicas": rapid.IntRange(1, 60).Draw(t, "replicas"),
			"cpu": fmt.Sprintf("%dm", rapid.IntRange(1, 30).Draw(t, "cpu")*100), "memory": pick("memory", "256Mi", "1Gi", "6Gi"),
			"ephemeralStorage": pick("ephemeral", "0", "1Gi", "20Gi")})
	}
	s := map[string]any{"apiVersion": v1alpha1.APIVersion, "kind": v1alpha1.KindScenario,
		"platform": map[string]any{"release": pick("release", "4.4", "4.9", "4.14", "4.17", "4.20"),
			"provider": pick("provider", "none", "aws", "baremetal", "vsphere")},
		"hardware": map[string]any{"nodeTypes": []any{
			map[string]any{"name": "w", "cpus": pick("cpus", 4, 8, 16), "memory": "32Gi",
				"disk": pick("disk", "0", "60G", "120G", "500G"), "maxPods": pick("maxPods", 100, 250, 500)},
			map[string]any{"name": "m", "role": "controlPlane", "cpus": pick("masterCPUs", 2, 4, 8), "memory": "16Gi"}}},
		"workload": map[string]any{"podTypes": pods},
		"network": map[string]any{"type": pick("plugin", "OVNKubernetes", "OpenShiftSDN"),
			"nicMTU": pick("nicMTU", 600, 1000, 1500, 9000)},
		"policy": map[string]any{"spareNodes": rapid.IntRange(0, 2).Draw(t, "spare"),
			"maxUnavailable":    pick("away", 1, 2, 5, "50%"),
			"controlPlaneNodes": pick("masters", 1, 2, 3, 4, 5), "batchSize": pick("batch", 5, 25, 60),
			"expectedNodes": pick("expected", 3, 100, 600, 2100)}}
	if rapid.Bool().Draw(t, "mtu") {
		n := within(s, "network")
		n["clusterMTU"] = min(pick("clusterMTU", 600, 1400, 8900).(int), n["nicMTU"].(int))
	}
	if rapid.Bool().Draw(t, "cidr") {
		clusterNetwork(s)["cidr"] = pick("network", "10.128.0.0/20", "10.128.0.0/14", "10.0.0.0/14", "172.30.0.0/16")
		clusterNetwork(s)["hostPrefix"] = pick("prefix", 23, 24, 25)
	}
	if rapid.Bool().Draw(t, "infra") {
		within(s, "policy")["infraNodes"] = rapid.IntRange(0, 3).Draw(t, "infraNodes")
	}
	if rapid.Bool().Draw(t, "stated") {
		within(s, "hardware")["options"] = []any{map[string]any{"name": "o", "nodes": []any{map[string]any{"type": "w",
			"count": rapid.IntRange(1, 12).Draw(t, "count")}}}}
	}
	return s
}

// replanned is the plan of a scenario; nil where it can't be read.
func replanned(t *rapid.T, s map[string]any) (*v1alpha1.Plan, error) {
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := scenario.Read("test.json", text)
	if err != nil {
		return nil, err
	}
	return plan.Make(doc.Scenario, doc.Assumptions, facts.Load()), nil
}

func copied(s map[string]any) (out map[string]any) {
	text, _ := json.Marshal(s)
	if err := json.Unmarshal(text, &out); err != nil {
		panic(err)
	}
	return out
}

// TestRemediesHelp: what a finding advises to set is set, and the finding is gone, while no new error comes
// in its place.
func TestRemediesHelp(t *testing.T) {
	tried := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		s := mistaken(t)
		before, err := replanned(t, s)
		if err != nil {
			t.Skip(err)
		}
		for _, f := range before.Findings {
			for _, r := range remedies {
				said := r.says.FindStringSubmatch(f.Remedy)
				if said == nil || f.Severity == v1alpha1.Info {
					continue
				}
				changed := copied(s)
				r.apply(changed, said)
				after, err := replanned(t, changed)
				if err != nil {
					t.Errorf("%s: %q can't be done: %v", f.ID, f.Remedy, err)
					continue
				}
				tried[f.ID]++
				better(t, f, before, after)
			}
		}
	})
	if len(tried) < 6 {
		t.Errorf("only %v were tried", tried)
	}
	t.Log(tried)
}

// better demands that a finding is gone, or milder, and that there is no error about a matter in which there
// was none. (Where some pods find no place, others may lack one when those do.)
func better(t *rapid.T, f v1alpha1.Finding, before, after *v1alpha1.Plan) {
	severity := slices.Index(v1alpha1.Severities(), f.Severity)
	matter := func(f v1alpha1.Finding) string { return strings.Split(f.ID, ".")[0] }
	for _, g := range after.Findings {
		if g.ID == f.ID && slices.Index(v1alpha1.Severities(), g.Severity) <= severity {
			t.Errorf("%s (%s): after %q it says %s", f.ID, f.Message, f.Remedy, g.Message)
		}
		if f.ID == "control.members" && matter(g) == "nodes" {
			continue // Prometheus watches more nodes, and takes more of those that are stated
		}
		if g.Severity == v1alpha1.Error && !slices.ContainsFunc(before.Findings, func(b v1alpha1.Finding) bool {
			return b.Severity == v1alpha1.Error && matter(b) == matter(g)
		}) {
			t.Errorf("%s (%s): %q brings %s: %s", f.ID, f.Message, f.Remedy, g.ID, g.Message)
		}
	}
}
