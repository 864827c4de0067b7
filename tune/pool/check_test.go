package pool

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

func objectsOf(t testing.TB, text string) []*object.Object {
	t.Helper()
	objects, problems := object.Split("test.yaml", []byte(text))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return objects
}

func ids(list []v1alpha1.Finding) (out []string) {
	for _, f := range list {
		out = append(out, strings.TrimPrefix(f.ID, "pool."))
	}
	return out
}

// pool is a manifest of a pool with sound selectors, and more of its spec.
func manifest(name string, spec ...string) string {
	return "---\napiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfigPool\nmetadata: {name: " + name +
		"}\nspec:\n" +
		"  machineConfigSelector: {matchExpressions: [{key: machineconfiguration.openshift.io/role, " +
		"operator: In, values: [worker, " + name + "]}]}\n" +
		"  nodeSelector: {matchLabels: {node-role.kubernetes.io/" + name + ": \"\"}}\n  " + strings.Join(spec, "\n  ") + "\n"
}

// bare is a manifest of a pool with a spec of its own.
func bare(name string, spec ...string) string {
	return "---\napiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfigPool\nmetadata: {name: " + name +
		"}\nspec:\n  " + strings.Join(spec, "\n  ") + "\n"
}

func node(name string, roles ...string) string {
	out := "---\napiVersion: v1\nkind: Node\nmetadata:\n  name: " + name + "\n  labels: {kubernetes.io/os: linux"
	for _, r := range roles {
		out += ", node-role.kubernetes.io/" + r + ": \"\""
	}
	return out + "}\nstatus: {nodeInfo: {machineID: x}}\n"
}

const (
	nodes   = "nodeSelector: {matchLabels: {node-role.kubernetes.io/infra: \"\"}}"
	configs = "machineConfigSelector: {matchExpressions: [{key: machineconfiguration.openshift.io/role, operator: " +
		"In, values: [worker, infra]}]}"
)

var faults = []struct {
	name    string
	release release.Release
	text    string
	want    []string
}{
	{"sound", release.V44, manifest("infra", "maxUnavailable: 3"), nil},
	{"percentage", release.V44, manifest("worker", "maxUnavailable: 10%"), nil},
	{"number in quotes", release.V44, manifest("worker", `maxUnavailable: "3"`), []string{"textNumber"}},
	{"number in quotes today", release.Current, manifest("worker", `maxUnavailable: "3"`), []string{"badMaxUnavailable"}},
	{"words", release.V44, manifest("worker", `maxUnavailable: one`), []string{"badMaxUnavailable"}},
	{"half a node", release.V44, manifest("worker", `maxUnavailable: 1.5`), []string{"badMaxUnavailable"}},
	{"negative", release.V44, manifest("worker", `maxUnavailable: -1`), []string{"negative"}},
	{"zero", release.V44, manifest("worker", `maxUnavailable: 0`), []string{"zeroIsOne"}},
	{"no percent", release.Current, manifest("worker", `maxUnavailable: 0%`), []string{"zeroIsOne"}},
	{"masters", release.V44, manifest("master", `maxUnavailable: 2`), []string{"mastersAtOnce"}},
	{"masters today", release.Current, manifest("master", `maxUnavailable: 2`), []string{"mastersAtOnce"}},
	{"one master", release.Current, manifest("master", `maxUnavailable: 1`), nil},
	{"all", release.Current, manifest("worker", `maxUnavailable: 100%`), []string{"allAtOnce"}},
	{"half", release.Current, manifest("worker", `maxUnavailable: 50%`) + node("a", "worker") + node("b", "worker"), nil},
	{"all that there are", release.Current, manifest("worker", `maxUnavailable: 5`) + node("a", "worker") +
		node("b", "worker"), []string{"allAtOnce"}},
	{"a pool of one", release.Current, manifest("worker", `maxUnavailable: 1`) + node("a", "worker"), nil},
	{"paused", release.V44, manifest("worker", "paused: true"), []string{"paused"}},
	{"a patch of pool worker", release.V44, bare("worker", "maxUnavailable: 3"), nil},
	{"pool worker of all nodes", release.V44, bare("worker", "nodeSelector: {}"), []string{"selectsNothing"}},
	{"no node selector", release.V44, bare("infra", configs), []string{"selectsNothing"}},
	{"empty node selector", release.V44, bare("infra", configs, "nodeSelector: {}"), []string{"selectsNothing"}},
	{"bad node selector", release.V44, bare("infra", configs,
		"nodeSelector: {matchExpressions: [{key: a, operator: Gt, values: [x]}]}"), []string{"badSelector"}},
	{"a selector without a role", release.V44, bare("infra", configs, "nodeSelector: {matchLabels: {rack: a}}"),
		[]string{"noRole"}},
	{"no MachineConfigs", release.V44, bare("infra", nodes), []string{"noConfigs"}},
	{"other MachineConfigs", release.V44, bare("infra", nodes,
		"machineConfigSelector: {matchLabels: {machineconfiguration.openshift.io/role: intra}}"), []string{"noConfigs"}},
	{"only its own MachineConfigs", release.V44, bare("infra", nodes,
		"machineConfigSelector: {matchLabels: {machineconfiguration.openshift.io/role: infra}}"), []string{"withoutWorker"}},
	{"worker's MachineConfigs alone", release.V44,
		bare("infra", nodes, "machineConfigSelector: {matchLabels: {machineconfiguration.openshift.io/role: worker}}"), nil},
	{"wrong type", release.V44, manifest("worker", `paused: "no"`), []string{"object.wrongType"}},
	{"S14: relabelled to infra, no pool", release.V44, node("a", "infra"), []string{"unmanaged"}},
	{"relabelled beside worker", release.V44, node("a", "infra", "worker"), nil},
	{"relabelled, with a pool", release.V44, node("a", "infra") + manifest("infra"), nil},
	{"another role", release.V44, node("a", "edge"), []string{"unmanaged"}},
	{"no role", release.V44, node("a"), nil},
	{"two custom pools", release.V44, node("a", "infra", "rt", "worker") + manifest("infra") + manifest("rt"),
		[]string{"severalPools"}},
	{"a pool that stands there twice", release.Current, node("a", "infra", "worker") + manifest("infra") +
		manifest("infra", "maxUnavailable: 2"), nil},
	{"a pool that stands there twice, of which the first is not valid", release.Current, node("a", "infra", "worker") +
		bare("infra", configs, "nodeSelector: {matchExpressions: [{key: a, operator: Gt, values: [x]}]}") +
		manifest("infra"), []string{"badSelector"}},
	{"a master in a custom pool", release.V45, node("a", "infra", "master") + manifest("infra"), []string{"severalPools"}},
	{"a master in a custom pool today", release.Current, node("a", "infra", "master") + manifest("infra"),
		[]string{"masterAndCustom"}},
	{"S15: master and worker", release.V44, node("a", "master", "worker") + node("b", "worker"),
		[]string{"masterAndWorker"}},
	{"S15: master and worker", release.Current, node("a", "master", "worker") + node("b", "worker"),
		[]string{"masterAndWorker"}},
	{"compact", release.Current, node("a", "master", "worker") + node("b", "master", "worker"), nil},
}

func TestCheck(t *testing.T) {
	found := map[string]bool{}
	for _, c := range faults {
		t.Run(c.name, func(t *testing.T) {
			list := Check(objectsOf(t, c.text), c.release)
			if got := ids(list); !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v: %+v", got, c.want, list)
			}
			for _, f := range list {
				found[f.ID] = true
				if f.Place == nil || f.Place.Line < 4 || f.Message == "" || f.Remedy == "" {
					t.Errorf("%+v %+v", f, f.Place)
				}
			}
		})
	}
	for _, r := range Rules() {
		if !found[r.ID] || r.Title == "" || len(r.Sources) == 0 {
			t.Errorf("no case for %s", r.ID)
		}
	}
}

// What becomes of the node is said once.
func TestCheckSaysOnce(t *testing.T) {
	list := Check(objectsOf(t, node("a", "infra", "rt", "worker")+manifest("infra")+manifest("rt")), release.Current)
	const want = "node a gets no configuration: the custom pools infra and rt both select the node"
	if len(list) != 1 || list[0].Message != want {
		t.Errorf("%+v, want %q", list, want)
	}
}

// A fault of many nodes is told once, with their number; a few are told one by one.
func TestCheckManyNodes(t *testing.T) {
	for n, want := range map[int]int{3: 3, 4: 1, 1000: 1} {
		var text strings.Builder
		for i := range n {
			text.WriteString(node(fmt.Sprintf("n%d", i), "infra"))
		}
		text.WriteString(node("other", "edge") + node("both", "master", "worker") + node("w", "worker"))
		list := Check(objectsOf(t, text.String()), release.V44)
		if len(list) != want+2 || strings.HasSuffix(list[0].Message,
			fmt.Sprintf(" (%d more nodes likewise)", n-1)) != (want == 1) || list[0].Place.Line > 9 {
			t.Errorf("%d: %d findings, %+v", n, len(list), list[0])
		}
	}
}

// FuzzCheck feeds manifests, and plays rollouts of what it reads.
func FuzzCheck(f *testing.F) {
	for _, c := range faults {
		f.Add(c.text, byte(c.release))
	}
	f.Fuzz(func(t *testing.T, text string, e byte) {
		objects, problems := object.Split("fuzz.yaml", []byte(text))
		if len(problems) > 0 || int(e) >= len(release.Documented()) {
			return
		}
		for _, found := range Check(objects, release.Release(e)) {
			if found.Place == nil || found.Message == "" {
				t.Fatalf("%+v", found)
			}
		}
		o := fromManifests(objects)
		o.Release = release.Release(e)
		if _, err := Explain(o); err != nil && len(o.Problems()) == 0 {
			t.Fatal(err)
		}
	})
}
