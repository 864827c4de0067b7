package machineconfig

import (
	"encoding/json"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/release"
)

// texts of all parts of an answer.
func printed(a v1alpha1.Answer) string {
	var b strings.Builder
	for _, p := range a.Parts {
		b.WriteString(p.Title + "\n" + strings.Join(p.Lead, "\n") + "\n")
		for _, t := range p.Tables {
			for _, r := range t.Rows {
				for _, c := range r {
					b.WriteString(c.Text + " | ")
				}
				b.WriteString("\n")
			}
		}
		for _, t := range p.Texts {
			b.WriteString(t.Title + "\n" + t.Body)
		}
	}
	return b.String()
}

func TestAnswer(t *testing.T) {
	a := Answer(split(t, readFileText(t, "repaired-4.4.yaml")), nil, release.V44)
	if a.Kind != "MachineConfigRender" || a.Release != "4.4" || !a.Verdict.OK ||
		a.Verdict.Summary != "1 pool of 2 rendered, with 3 files; the cluster's own MachineConfigs, such as 00-worker, "+
			"are not among these" || len(a.Findings) > 0 {
		t.Errorf("%+v %v", a.Verdict, a.Findings)
	}
	text := printed(a)
	for _, want := range []string{
		"Pool master\nNot rendered: no MachineConfig has the labels that it selects.",
		"Joined in this order, what comes later wins: 50-network-tuning.",
		"/etc/udev/rules.d/71-net-tunings.rules | 0644 | ",
		"192.0.2.0/24 via 198.51.100.1 dev enc9000\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	out, err := json.Marshal(a)
	if err != nil || !strings.Contains(string(out), `"from":"50-network-tuning"`) {
		t.Errorf("%s %v", out, err)
	}
}

func TestAnswerOfAChange(t *testing.T) {
	before := split(t, manifest("2.2.0", "path: /etc/x\nmode: 420\nfilesystem: root\ncontents: {source: \"data:,x\"}"))
	after := split(t, manifest("2.2.0", "path: /etc/x\nmode: 420\nfilesystem: root\ncontents: {source: \"data:,y\"}"))
	for _, r := range release.Documented() {
		a := Answer(after, before, r)
		text := printed(a)
		if !strings.Contains(text, "What the nodes of pool worker do\nEach node is drained and rebooted") ||
			!strings.Contains(text, "file /etc/x | ") {
			t.Errorf("%s: %s", r, text)
		}
		if same := printed(Answer(after, after, r)); !strings.Contains(same, "Nothing: the configuration is the same.") {
			t.Errorf("%s: %s", r, same)
		}
	}
	links := split(t, manifest("2.2.0", "path: /etc/x\nmode: 420\nfilesystem: root\ncontents: {source: \"data:,x\"}")+
		"      links: [{path: /l, target: /x, filesystem: root}]\n")
	a := Answer(links, before, release.V44)
	if a.Verdict.OK || !strings.Contains(printed(a), "The change is refused by the node: links change.") {
		t.Errorf("%+v\n%s", a.Verdict, printed(a))
	}
}

func TestAnswerOfUnclaimed(t *testing.T) {
	text := strings.Replace(readFileText(t, "repaired-4.4.yaml"), "machineconfiguration.openshift.io/role: worker",
		"role: infra", 1)
	a := Answer(split(t, text), nil, release.V44)
	if a.Verdict.OK || !strings.Contains(printed(a),
		"In no pool\nNo pool here takes these, so that they have no effect: 50-network-tuning.") {
		t.Errorf("%+v\n%s", a.Verdict, printed(a))
	}
}

// Where a MachineConfiguration would count and none is given, the answer says so, and is not good.
func TestAnswerWithoutPolicies(t *testing.T) {
	const none = "MachineConfiguration"
	const given = "---\nkind: MachineConfiguration\nmetadata: {name: cluster}\nspec: {managementState: Managed}\n"
	const policies = "---\nkind: MachineConfiguration\nmetadata: {name: cluster}\nspec: {nodeDisruptionPolicy: " +
		"{files: [{path: /etc/x, actions: [{type: None}]}]}}\n"
	before := manifest("3.2.0", "path: /etc/x\nmode: 420\ncontents: {source: \"data:,x\"}")
	after := strings.Replace(before, "data:,x", "data:,y", 1)
	arguments := before + "  kernelArguments: [quiet]\n"
	both := after + "  kernelArguments: [quiet]\n"
	for _, c := range []struct {
		after string
		of    release.Release
		said  bool
	}{
		{after, release.Current, true}, {after, 17, true}, {after, 16, false}, {after + given, 17, false},
		{before, 17, false}, {arguments, 17, false}, {both, 17, false},
		{after + policies, 16, true}, {after + policies, 15, false},
	} {
		a := Answer(split(t, c.after), split(t, before), c.of)
		got := strings.Contains(strings.Join(a.Verdict.Open, ","), none)
		if got != c.said {
			t.Errorf("%s: %+v\n%s", c.of, a.Verdict, printed(a))
		}
	}
}

// What keeps nodes from being drained, and what isn't known of it.
func TestAnswerOfDrains(t *testing.T) {
	file := func(path, source string) string {
		return manifest("3.2.0", "path: "+path+"\nmode: 420\ncontents: {source: \"data:,"+source+"\"}")
	}
	const policies = "---\nkind: MachineConfiguration\nmetadata: {name: cluster}\n"
	const override = "---\nkind: ConfigMap\nmetadata: {name: image-registry-override-drain}\n"
	const quiet = "---\nkind: MachineConfig\nmetadata: {name: 70-q, labels: " +
		"{machineconfiguration.openshift.io/role: worker}}\nspec: {kernelArguments: [quiet]}\n"
	const single = "---\nkind: Infrastructure\nmetadata: {name: cluster}\n" +
		"status: {controlPlaneTopology: SingleReplica}\n"
	other := strings.Replace(file("/etc/other", "a"), "50-x", "60-y", 1)
	registry := file(registriesFile, "%5B%5Bregistry%5D%5D%0Alocation%3D%22a%22")
	again := strings.Replace(other, "data:,a", "data:,b", 1) + single
	none, old := other+policies, registry+"---\n"+other+policies
	for name, c := range map[string]struct {
		before, after string
		of            release.Release
		lead, open    string
	}{
		"removed":             {old, file(registriesFile, "") + "---\n" + none, 21, "Each node is drained and not", ""},
		"not given before":    {none, old, 21, "Each node is drained and not", "registries.conf before and after"},
		"no override yet":     {none, old + override, 13, "Each node is drained and not", "registries.conf before and after"},
		"override":            {none, old + override, 14, "Neither drain nor reboot", ""},
		"override, at last":   {none, old + override, 19, "Neither drain nor reboot", ""},
		"override no more":    {none, old + override, 20, "Each node is drained and not", "registries.conf before and after"},
		"one node":            {other, again, 8, "because of this: file /etc/other. None is drained", ""},
		"one node, drained":   {old, file(registriesFile, "") + "---\n" + none + single, 21, "No reboot. " + undrained, ""},
		"one node, not known": {none, old + single, 21, "No reboot. None is drained", ""},
		"reboots anyway":      {none, old + quiet, 21, "Each node is drained and rebooted", ""},
		"one node, before":    {other, again, 7, "Each node is drained and rebooted", ""},
	} {
		a := Answer(split(t, c.after), split(t, c.before), c.of)
		if text, open := printed(a), strings.Join(a.Verdict.Open, ", "); !strings.Contains(text, c.lead) ||
			!strings.Contains(open, c.open) || (open == "") != (c.open == "") {
			t.Errorf("%s: %+v\n%s", name, a.Verdict, text)
		}
	}
}

// The pool of a role may be in another file: it is supposed, and takes worker's too.
func TestAnswerOfASupposedPool(t *testing.T) {
	base := manifest("2.2.0", "path: /etc/x\nmode: 420\nfilesystem: root\ncontents: {source: \"data:,x\"}")
	more := base + "---\n" + strings.NewReplacer("50-x", "60-y", "role: worker", "role: rt", "/etc/x",
		"/etc/y").Replace(base)
	for _, of := range release.Documented() {
		a := Answer(split(t, more), split(t, base), of)
		r, text := a.Result.(Result), printed(a)
		if len(r.Pools) != 3 || !r.Pools[2].Supposed || r.Pools[1].Supposed || len(r.Pools[2].Files) != 2 ||
			r.Unclaimed != nil || a.Verdict.OK || !strings.Contains(a.Verdict.Summary, "pool rt is not given but supposed; "+
			"the cluster's own MachineConfigs, such as 00-worker, are not among these") {
			t.Errorf("%s: %+v %v", of, r.Pools, a.Verdict)
		}
		if !strings.Contains(text, "Pool rt\nThe pool is not among these. It is supposed to take the roles worker and rt") ||
			!strings.Contains(text, "What the nodes of pool rt do") {
			t.Errorf("%s:\n%s", of, text)
		}
	}
	const infra = "---\nkind: MachineConfigPool\nmetadata: {name: infra}\n" +
		"spec: {machineConfigSelector: {matchLabels: {machineconfiguration.openshift.io/role: infra}}}\n"
	if r := Answer(split(t, more+infra), nil, release.V44).Result.(Result); len(r.Pools) != 3 || len(r.Unclaimed) != 1 {
		t.Errorf("beside a custom pool: %+v", r)
	}
}

// A document's MachineConfig keeps its pool from being rendered; the answer says why.
func TestAnswerOfDocument(t *testing.T) {
	a := Answer(split(t, readFileText(t, "document001-rps.yaml")), nil, release.V45)
	if a.Verdict.OK || a.Verdict.Problem == "" ||
		!strings.Contains(printed(a), "Not rendered: MachineConfig 50-enable-rps: filesystem stands below contents") {
		t.Errorf("%+v\n%s", a.Verdict, printed(a))
	}
}
