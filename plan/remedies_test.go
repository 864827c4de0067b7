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

// remedy is a pattern of what is advised, and what it does to a scenario for a finding.
type remedy struct {
	says  *regexp.Regexp
	apply func(s map[string]any, said []string, f v1alpha1.Finding)
}

func says(pattern string, apply func(s map[string]any, said []string)) remedy {
	return remedy{regexp.MustCompile(pattern),
		func(s map[string]any, said []string, _ v1alpha1.Finding) { apply(s, said) }}
}

// remedies are those that name what to set.
var remedies = []remedy{
	says(`^leave disk out of (\w+):.*`, func(s map[string]any, said []string) { delete(nodeType(s, said[1]), "disk") }),
	says(`^give each (\w+) node a disk of ([\d.]+) ([GT])B(?:, or set logsPerNodePerDay .*)?`,
		func(s map[string]any, said []string) { nodeType(s, said[1])["disk"] = said[2] + said[3] }),
	says(`set ((?:policy|network|storage)\.\w+) to (\d+%?|[A-Z]\w+|false)`+
		`(?: or leave it out.*| or more| or less, .*| at most.*|, or .*)?`,
		func(s map[string]any, said []string) {
			section, field, _ := strings.Cut(said[1], ".")
			within(s, section)[field] = value(said[2])
		}),
	says(`set policy\.overcommit\.cpu to ([\d.]+) if pods can bear it`, func(s map[string]any, said []string) {
		f, _ := strconv.ParseFloat(said[1], 64)
		within(s, "policy")["overcommit"] = map[string]any{"cpu": f}
	}),
	says(`^leave policy\.infraNodes out.*`,
		func(s map[string]any, _ []string) { delete(within(s, "policy"), "infraNodes") }),
	says(`set policy\.expectedNodes .* or leave it out`,
		func(s map[string]any, _ []string) { delete(within(s, "policy"), "expectedNodes") }),
	says(`set network\.clusterMTU to \d+ or(?: less, or)? leave it out`,
		func(s map[string]any, _ []string) { delete(within(s, "network"), "clusterMTU") }),
	says(`^set hostPrefix to (\d+).*`, func(s map[string]any, said []string) {
		clusterNetwork(s)["hostPrefix"] = value(said[1])
	}),
	says(`^set cidr (\S+) with hostPrefix (\d+).*`, func(s map[string]any, said []string) {
		clusterNetwork(s)["cidr"], clusterNetwork(s)["hostPrefix"] = said[1], value(said[2])
	}),
	says(`.*move the cluster network to ([0-9./]+).*`, func(s map[string]any, said []string) {
		clusterNetwork(s)["cidr"] = said[1]
	}),
	{regexp.MustCompile(`take (\d+) nodes(?:, or ask for less under .*)?`),
		func(s map[string]any, said []string, f v1alpha1.Finding) {
			if options, ok := within(s, "hardware")["options"].([]any); ok {
				options[0].(map[string]any)["nodes"].([]any)[0].(map[string]any)["count"] = value(said[1])
				return
			}
			nodeType(s, strings.TrimSuffix(strings.TrimPrefix(f.ID, "nodes.option["), "]"))["count"] = value(said[1])
		}},
	says(`have (\d+) (\w+) in stock`,
		func(s map[string]any, said []string) { nodeType(s, said[2])["available"] = value(said[1]) }),
	says(`take a (?:larger|smaller) node type than (\w+), such as one of (\d+) CPUs and (\w+)`, resize),
	says(`take a (?:larger|smaller) node type with role: (infra), such as one of (\d+) CPUs and (\w+)`, resize),
	says(`^take a machine of at least (\d+) cores and (\d+) GB(?:; .*)?`, func(s map[string]any, said []string) {
		nodeType(s, "controlPlane")["cpus"], nodeType(s, "controlPlane")["memory"] = value(said[1]), said[2]+"Gi"
	}),
	says(`set maxPods of (\w+) to (\d+)`, func(s map[string]any, said []string) {
		nodeType(s, said[1])["maxPods"] = value(said[2])
	}),
	says(`give (\w+) the label ([^= ]+)=(\w*)`, func(s map[string]any, said []string) {
		within(nodeType(s, said[1]), "labels")[said[2]] = said[3]
	}),
	says(`give each (\w+) (\d+) (\S+\w)`, func(s map[string]any, said []string) {
		within(nodeType(s, said[1]), "devices")[said[3]] = value(said[2])
	}),
	says(`leave hugePages out of (\w+): the plan then says how many pages of \w+ it takes`,
		func(s map[string]any, said []string) { delete(nodeType(s, said[1]), "hugePages") }),
	says(`let (\w+) tolerate (\w+)=(\w*):(\w+)`, func(s map[string]any, said []string) {
		list, _ := pods(s, said[1])["tolerations"].([]any)
		pods(s, said[1])["tolerations"] = append(list,
			map[string]any{"key": said[2], "operator": "Equal", "value": said[3], "effect": said[4]})
	}),
	says(`leave (nodeSelector|maxPerNode|hostPorts) out of (\w+)`,
		func(s map[string]any, said []string) { delete(pods(s, said[2]), said[1]) }),
	says(`make the required (podA\w+) of (\w+) a preferred one`, func(s map[string]any, said []string) {
		a := within(within(pods(s, said[2]), "affinity"), said[1])
		wished, _ := a["preferredDuringSchedulingIgnoredDuringExecution"].([]any)
		for _, term := range a["requiredDuringSchedulingIgnoredDuringExecution"].([]any) {
			wished = append(wished, map[string]any{"weight": 100, "podAffinityTerm": term})
		}
		delete(a, "requiredDuringSchedulingIgnoredDuringExecution")
		a["preferredDuringSchedulingIgnoredDuringExecution"] = wished
	}),
	says(`set whenUnsatisfiable of (\w+)'s topologySpreadConstraints to ScheduleAnyway`,
		func(s map[string]any, said []string) {
			for _, c := range pods(s, said[1])["topologySpreadConstraints"].([]any) {
				c.(map[string]any)["whenUnsatisfiable"] = "ScheduleAnyway"
			}
		}),
	says(`ask for (\d+)(?: cores|(\w+)) for each pod of (\w+)`, func(s map[string]any, said []string) {
		if said[2] == "" {
			pods(s, said[3])["cpu"] = said[1]
		} else {
			pods(s, said[3])["memory"] = said[1] + said[2]
		}
	}),
	says(`mix types under hardware\.options: (\d+) x (\w+) for \w+, and (\w+)`, func(s map[string]any, said []string) {
		within(s, "hardware")["options"] = []any{map[string]any{"name": "mix", "nodes": []any{
			map[string]any{"type": said[2], "count": value(said[1])}, map[string]any{"type": said[3]}}}}
	}),
}

func resize(s map[string]any, said []string) {
	nodeType(s, said[1])["cpus"], nodeType(s, said[1])["memory"] = value(said[2]), said[3]
}

// nodeType is that of a name, or else the first of a role.
func nodeType(s map[string]any, name string) map[string]any {
	for _, key := range []string{"name", "role"} {
		for _, t := range within(s, "hardware")["nodeTypes"].([]any) {
			if t := t.(map[string]any); t[key] == name {
				return t
			}
		}
	}
	return map[string]any{}
}

func pods(s map[string]any, name string) map[string]any {
	return named(s, "workload", "podTypes", name)
}

// follow does all that a remedy says; false is that some of it is left to people.
func follow(s map[string]any, text string, f v1alpha1.Finding, known []remedy) bool {
	rest := text
	for _, r := range known {
		rest = r.says.ReplaceAllStringFunc(rest, func(said string) string {
			r.apply(s, r.says.FindStringSubmatch(said), f)
			return ""
		})
	}
	return rest != text && strings.Trim(strings.ReplaceAll(rest, "and", ""), " ,") == ""
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
	if s == "false" {
		return false
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

// constrained draws a small cluster whose pods want more than room.
func constrained(t *rapid.T) map[string]any {
	pick := func(label string, list ...any) any { return rapid.SampledFrom(list).Draw(t, label) }
	likely := func(label string) bool { return rapid.IntRange(0, 3).Draw(t, label) == 0 }
	const zone = "topology.kubernetes.io/zone"
	types := []any{}
	for i := range rapid.IntRange(1, 2).Draw(t, "node types") {
		n := map[string]any{"name": fmt.Sprint("t", i), "cpus": pick("cpus", 2, 4, 8),
			"memory": pick("memory", "8Gi", "16Gi")}
		if likely("labelled") {
			n["labels"] = map[string]any{"pool": pick("pool", "a", "b")}
		}
		if likely("tainted") {
			n["taints"] = []any{map[string]any{"key": "ded", "value": "x", "effect": "NoSchedule"}}
		}
		if likely("stocked") {
			n["available"] = rapid.IntRange(1, 4).Draw(t, "stock")
		}
		if likely("counted") {
			n["count"] = rapid.IntRange(1, 4).Draw(t, "count")
		}
		types = append(types, n)
	}
	workload := []any{}
	for i := range rapid.IntRange(1, 3).Draw(t, "pod types") {
		name := fmt.Sprint("p", i)
		labels := map[string]any{"app": name}
		selector := map[string]any{"matchLabels": labels}
		p := map[string]any{"name": name, "replicas": rapid.IntRange(1, 8).Draw(t, "replicas"), "labels": labels,
			"cpu": pick("cpu", "250m", "1", "1800m", "3"), "memory": pick("memory", "1Gi", "7Gi")}
		key := pick("key", zone, "kubernetes.io/hostname")
		switch rapid.IntRange(0, 7).Draw(t, "wants") {
		case 0:
			p["nodeSelector"] = map[string]any{"pool": "a"}
		case 1, 2:
			p["affinity"] = map[string]any{pick("affinity", "podAffinity", "podAntiAffinity").(string): map[string]any{
				"requiredDuringSchedulingIgnoredDuringExecution": []any{
					map[string]any{"labelSelector": selector, "topologyKey": key}}}}
		case 3:
			p["topologySpreadConstraints"] = []any{map[string]any{"maxSkew": 1, "topologyKey": key, "labelSelector": selector}}
		case 4:
			p["devices"] = map[string]any{"nvidia.com/gpu": 1}
		case 5:
			p["maxPerNode"] = 1
		}
		workload = append(workload, p)
	}
	policy := map[string]any{"spareNodes": rapid.IntRange(0, 2).Draw(t, "spare")}
	if zones := rapid.IntRange(1, 3).Draw(t, "zones"); zones > 1 {
		policy["zones"], policy["surviveZoneLoss"] = zones, rapid.Bool().Draw(t, "loses a zone")
	}
	return map[string]any{"apiVersion": v1alpha1.APIVersion, "kind": v1alpha1.KindScenario,
		"platform": map[string]any{"type": "kubernetes", "release": "1.33"}, "hardware": map[string]any{"nodeTypes": types},
		"workload": map[string]any{"podTypes": workload}, "policy": policy}
}

// replanned is the plan of a scenario; nil where it can't be read.
func replanned(t rapid.TB, s map[string]any) (*v1alpha1.Plan, error) {
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

// TestRemediesHelp: what a finding advises to set is set, each of several ways by itself, and the finding is
// gone, while no new error comes in its place.
func TestRemediesHelp(t *testing.T) {
	tried, left := map[string]int{}, map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		s := mistaken(t)
		if rapid.Bool().Draw(t, "constrained") {
			s = constrained(t)
		}
		tryRemedies(t, s, remedies, tried, left)
	})
	if len(tried) < 8 {
		t.Errorf("only %v were tried", tried)
	}
	t.Logf("tried: %v, left to people: %v", tried, left)
}

// tryRemedies does what the plan of a scenario advises.
func tryRemedies(t rapid.TB, s map[string]any, known []remedy, tried, left map[string]int) {
	before, err := replanned(t, s)
	if err != nil {
		return
	}
	for _, f := range before.Findings {
		if f.Severity == v1alpha1.Info || f.Remedy == "" {
			continue
		}
		kind, _, _ := strings.Cut(f.ID, "[")
		if strings.Contains(f.Remedy, "whether all holds then is not known") {
			left[kind+" in part"]++
			continue
		}
		for _, way := range strings.Split(f.Remedy, "; or ") {
			changed := copied(s)
			if !follow(changed, way, f, known) {
				left[kind]++
				continue
			}
			after, err := replanned(t, changed)
			if err != nil {
				t.Errorf("%s: %q can't be done: %v", f.ID, way, err)
				continue
			}
			tried[kind]++
			better(t, f, way, before, after)
		}
	}
}

// better demands that a finding is gone, or milder, and that there is no error about a matter in which there
// was none. (Where some pods find no place, others may lack one when those do.)
func better(t rapid.TB, f v1alpha1.Finding, way string, before, after *v1alpha1.Plan) {
	severity := slices.Index(v1alpha1.Severities(), f.Severity)
	matter := func(f v1alpha1.Finding) string { return strings.Split(f.ID, ".")[0] }
	for _, g := range after.Findings {
		if g.ID == f.ID && slices.Index(v1alpha1.Severities(), g.Severity) <= severity {
			t.Errorf("%s (%s): after %q it says %s", f.ID, f.Message, way, g.Message)
		}
		if f.ID == "control.members" && matter(g) == "nodes" {
			continue // Prometheus watches more nodes, and takes more of those that are stated
		}
		if g.Severity == v1alpha1.Error && !slices.ContainsFunc(before.Findings, func(b v1alpha1.Finding) bool {
			return b.Severity == v1alpha1.Error && matter(b) == matter(g)
		}) {
			t.Errorf("%s (%s): %q brings %s: %s", f.ID, f.Message, way, g.ID, g.Message)
		}
	}
}
