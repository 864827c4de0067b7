package health

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

// found are the findings of manifests as "rule line", sorted by line.
func found(t *testing.T, text string, r release.Release) []string {
	t.Helper()
	objects, problems := object.Split("x.yaml", []byte(text))
	if len(problems) > 0 {
		t.Fatalf("%v", problems)
	}
	list := Check(objects, r)
	slices.SortStableFunc(list, func(a, b v1alpha1.Finding) int { return a.Place.Line - b.Place.Line })
	var out []string
	for _, f := range list {
		if f.Message == "" || f.Message != strings.TrimSuffix(f.Message, ".") || f.Place == nil {
			t.Errorf("finding %+v", f)
		}
		out = append(out, fmt.Sprintf("%s %d", strings.TrimPrefix(f.ID, "health."), f.Place.Line))
	}
	return out
}

// good is a check without a fault; line 9 is the selector's label, 10 the conditions.
const good = `apiVersion: machine.openshift.io/v1beta1
kind: MachineHealthCheck
metadata:
  name: workers
  namespace: openshift-machine-api
spec:
  selector:
    matchLabels:
      machine.openshift.io/cluster-api-machine-role: worker
  unhealthyConditions:
  - type: Ready
    status: Unknown
    timeout: 600s
  maxUnhealthy: 30
`

func edited(pairs ...string) string {
	text := good
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			panic(pairs[i])
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return text
}

// TestCheck has each rule find what it is for, at its line, in the releases in which it holds.
func TestCheck(t *testing.T) {
	const role = "\n    matchLabels:\n      machine.openshift.io/cluster-api-machine-role: worker"
	for name, c := range map[string]struct {
		text string
		// want by release; what is missing is the last one before.
		want map[release.Release]string
	}{
		"nothing":             {good, map[release.Release]string{release.V43: ""}},
		"unquoted percentage": {edited("30", "100%"), map[release.Release]string{release.V43: ""}},
		"apiVersion":          {edited("v1beta1", "v1beta"), map[release.Release]string{release.V43: "apiVersion 1"}},
		"name":                {edited("workers", "example 1"), map[release.Release]string{release.V43: "name 4"}},
		"namespace": {edited("openshift-machine-api", "default"),
			map[release.Release]string{release.V43: "namespace 5"}},
		"label key":      {edited("machine-role", "machinestype"), map[release.Release]string{release.V43: "labelKey 9"}},
		"label value":    {edited("role: worker", "role: <role>"), map[release.Release]string{release.V43: "selector 8"}},
		"empty selector": {edited(role, " {}"), map[release.Release]string{release.V43: "emptySelector 7"}},
		"no selector": {edited("  selector:"+role+"\n", ""),
			map[release.Release]string{release.V43: "required 7", release.Current: "emptySelector 7"}},
		"control plane": {edited("role: worker", "role: master"), map[release.Release]string{release.V43: "controlPlane 8"}},
		"no conditions": {edited("\n  - type: Ready\n    status: Unknown\n    timeout: 600s", " []"),
			map[release.Release]string{release.V43: "noConditions 10"}},
		"conditions missing": {edited("  unhealthyConditions:\n  - type: Ready\n    status: Unknown\n    timeout: 600s\n",
			""), map[release.Release]string{release.V43: "required 7", release.Current: "noConditions 7"}},
		"timeout missing": {edited("    timeout: 600s\n", ""),
			map[release.Release]string{release.V43: "required 11", release.Current: "timeoutMissing 11"}},
		"timeout unreadable": {edited("600s", "soon"),
			map[release.Release]string{release.V43: "timeout 13", release.Current: "pattern 13"}},
		"timeout without unit": {edited("600s", `"600"`),
			map[release.Release]string{release.V43: "timeout 13", release.Current: "pattern 13"}},
		"timeout as a number": {edited("600s", "600"), map[release.Release]string{release.V43: "object.wrongType 13"}},
		"timeout too long": {edited("600s", "9999999999h"),
			map[release.Release]string{release.V43: "timeout 13", release.Current: "undecodable 13"}},
		"short timeout": {edited("600s", "30s"), map[release.Release]string{release.V43: "timeoutShort 13"}},
		"restart of a kubelet": {edited("Unknown", `"False"`, "600s", "30s"),
			map[release.Release]string{release.V43: "silentNode 11,timeoutShort 13"}},
		"silent pressure": {edited("Ready", "DiskPressure", "600s", "30s"),
			map[release.Release]string{release.V43: "timeoutShort 13"}},
		"disk full": {edited("Ready", "DiskPressure", "Unknown", `"True"`, "600s", "30s"),
			map[release.Release]string{release.V43: ""}},
		"spot instance": {edited("Ready", "Terminating", "Unknown", `"True"`, "600s", "0s"),
			map[release.Release]string{release.V43: ""}},
		"quoted timeout": {edited("600s", `"300s"`), map[release.Release]string{release.V43: ""}},
		"status in small": {edited("Unknown", `"unknown"`),
			map[release.Release]string{release.V43: "conditionStatus 12"}},
		"status as a boolean": {edited("Unknown", "false"), map[release.Release]string{release.V43: "object.wrongType 12"}},
		"healthy status":      {edited("Unknown", `"True"`), map[release.Release]string{release.V43: "healthyStatus 12"}},
		"twice": {edited("600s", "600s\n  - {type: Ready, status: Unknown, timeout: 700s}"),
			map[release.Release]string{release.V43: "duplicateCondition 14"}},
		"startup": {good + "  nodeStartupTimeout: 10m\n",
			map[release.Release]string{release.V43: "startupIgnored 15", release.V45: ""}},
		"startup 0": {good + "  nodeStartupTimeout: \"0\"\n",
			map[release.Release]string{release.V43: "startupIgnored 15", release.V45: "startupNegative 15",
				release.Current: ""}},
		"startup as a number": {good + "  nodeStartupTimeout: 10\n",
			map[release.Release]string{release.V43: "object.wrongType 15"}},
		"startup negative": {good + "  nodeStartupTimeout: -5m\n",
			map[release.Release]string{release.V43: "startupIgnored 15", release.V45: "startupNegative 15"}},
		"startup unreadable": {good + "  nodeStartupTimeout: 0soon\n",
			map[release.Release]string{release.V43: "startupIgnored 15", release.V45: "timeout 15",
				release.Current: "undecodable 15"}},
		"startup in words": {good + "  nodeStartupTimeout: soon\n",
			map[release.Release]string{release.V43: "startupIgnored 15", release.V45: "timeout 15",
				release.Current: "pattern 15"}},
		"max missing": {edited("  maxUnhealthy: 30\n", ""), map[release.Release]string{release.V43: "noLimit 7"}},
		"max two": {edited("30", `"2"`),
			map[release.Release]string{release.V43: "maxText 14"}},
		"max in words": {edited("30", "half"),
			map[release.Release]string{release.V43: "maxInvalid 14", release.Current: "pattern 14"}},
		"max fraction": {edited("30", "1.5"), map[release.Release]string{release.V43: "maxInvalid 14"}},
		"max negative": {edited("30", "-1"), map[release.Release]string{release.V43: "maxNegative 14"}},
		"max negative text": {edited("30", `"-1%"`),
			map[release.Release]string{release.V43: "maxNegative 14", release.Current: "pattern 14"}},
		"max zero": {edited("30", `"0%"`), map[release.Release]string{release.V43: "maxZero 14"}},
		"max above 100 %": {edited("30", `"150%"`),
			map[release.Release]string{release.V43: "maxOver100 14", release.Current: "pattern 14"}},
		"percent in between": {edited("30", `"1%00"`),
			map[release.Release]string{release.V43: "", release.V45: "maxInvalid 14", release.Current: "pattern 14"}},
		"small number": {edited("30", "24"), map[release.Release]string{release.V43: ""}},
		"percentage":   {edited("30", "40%"), map[release.Release]string{release.V43: ""}},
		"label of nodes": {edited("machine.openshift.io/cluster-api-machine-role: worker",
			`node-role.kubernetes.io/worker: ""`), map[release.Release]string{release.V43: "nodeLabel 9"}},
		"label of a machine": {edited("machine.openshift.io/cluster-api-machine-role: worker", "team: a"),
			map[release.Release]string{release.V43: ""}},
		"condition in small": {edited("Ready", "ready"), map[release.Release]string{release.V43: "conditionType 11"}},
		"condition of others": {edited("Ready", "KernelDeadlock", "Unknown", `"True"`),
			map[release.Release]string{release.V43: "conditionType 11"}},
		"startup short": {good + "  nodeStartupTimeout: 1m\n",
			map[release.Release]string{release.V43: "startupIgnored 15", release.V45: "startupShort 15"}},
		"both states": {edited("600s", "600s\n  - {type: Ready, status: \"False\", timeout: 600s}"),
			map[release.Release]string{release.V43: ""}},
		"paused": {edited("  name: workers", "  name: workers\n  annotations: {cluster.x-k8s.io/paused: \"\"}"),
			map[release.Release]string{release.V43: "pauseIgnored 5", release.Current: ""}},
		"strategy": {
			edited("  name: workers", "  name: workers\n  annotations: {machine.openshift.io/remediation-strategy: "+
				"external-baremetal}"), map[release.Release]string{release.V43: "strategy 5", release.V44: ""},
		},
		"unknown strategy": {edited("  name: workers", "  name: workers\n  annotations: "+
			"{machine.openshift.io/remediation-strategy: reboot}"), map[release.Release]string{release.V43: "strategy 5"}},
		"template": {good + "  remediationTemplate: {kind: T}\n",
			map[release.Release]string{release.V43: "templateIgnored 15", release.Current: ""}},
	} {
		want := ""
		for _, r := range release.Documented() {
			if w, ok := c.want[r]; ok {
				want = w
			}
			if got := strings.Join(found(t, c.text, r), ","); got != want {
				t.Errorf("%s, release %s: %q, want %q", name, r, got, want)
			}
		}
	}
}

// The documents' own check: what is wrong with it, and what becomes of it by release.
func TestDocumentsCheck(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	printed := []string{"apiVersion 2", "selector 9", "labelKey 11"}
	for _, r := range release.Documented() {
		startup := []string{"startupIgnored 21"}
		if r.Minor() >= release.V45 {
			startup = nil
		}
		want := slices.Concat(printed, startup)
		if d := cmp.Diff(want, found(t, read("healthcheck-printed.yaml"), r)); d != "" {
			t.Errorf("as printed, release %s:\n%s", r, d)
		}
		if d := cmp.Diff(startup, found(t, read("healthcheck-repaired.yaml"), r)); d != "" {
			t.Errorf("repaired, release %s:\n%s", r, d)
		}
	}
	// With the numbers of the callouts it is no YAML.
	if _, problems := object.Split("x.yaml", []byte(read("healthcheck-callouts.yaml"))); len(problems) == 0 {
		t.Error("the callouts are read as YAML")
	}
}

// machinesYAML are machines and a set, for sizes that are known.
func machinesYAML(role string, count int, owner string) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, "---\napiVersion: machine.openshift.io/v1beta1\nkind: Machine\nmetadata:\n  name: %s-%d\n"+
			"  namespace: openshift-machine-api\n  labels: {machine.openshift.io/cluster-api-machine-role: %s}\n%s", role, i+1,
			role, owner)
	}
	return b.String()
}

const ownedBySet = "  ownerReferences: [{kind: MachineSet, name: a, controller: true}]\n"

func TestCheckWithMachines(t *testing.T) {
	set := "---\napiVersion: machine.openshift.io/v1beta1\nkind: MachineSet\nmetadata: {name: a, namespace: " +
		"openshift-machine-api}\nspec:\n  replicas: %d\n  template:\n" +
		"    metadata: {labels: {machine.openshift.io/cluster-api-machine-role: worker}}\n"
	percent := edited("30", "40%")
	for name, c := range map[string]struct{ text, want44, wantNow string }{
		"two of a set":      {percent + fmt.Sprintf(set, 2), "floorZero 14", "floorZero 14"},
		"two machines":      {percent + machinesYAML("worker", 2, ownedBySet), "floorZero 14", "floorZero 14"},
		"37 cannot take 25": {percent + fmt.Sprintf(set, 37), "burst 14", "burst 14"},
		"38 can take 25":    {percent + fmt.Sprintf(set, 38), "", ""},
		"none is selected":  {good + machinesYAML("infra", 2, ownedBySet), "selectsNothing 8", "selectsNothing 8"},
		"without owners":    {good + machinesYAML("worker", 2, ""), "noOwner 8", "noOwner 8"},
		"another controller": {
			good + machinesYAML("worker", 2, "  ownerReferences: [{kind: X, name: a, controller: true}]\n"), "noOwner 8", "",
		},
		"masters": {edited("\n    matchLabels:\n      machine.openshift.io/cluster-api-machine-role: worker",
			"\n    matchExpressions: [{key: machine.openshift.io/cluster-api-machine-role, operator: Exists}]") +
			machinesYAML("master", 2, ownedBySet), "controlPlane 8", "controlPlane 8"},
	} {
		for r, want := range map[release.Release]string{release.V44: c.want44, release.Current: c.wantNow} {
			got := strings.Join(found(t, c.text, r), ",")
			if got != want {
				t.Errorf("%s, release %s: %q, want %q", name, r, got, want)
			}
		}
	}
}

// Two checks over one machine are told; over different ones, or in other namespaces, not.
func TestOverlaps(t *testing.T) {
	second := "---\n" + edited("name: workers", "name: second", "machine.openshift.io/cluster-api-machine-role: worker",
		"machine.openshift.io/cluster-api-machine-role: worker\n      zone: a")
	other := "---\n" + edited("name: workers", "name: other", "role: worker", "role: infra")
	elsewhere := "---\n" + edited("name: workers", "name: elsewhere", "namespace: openshift-machine-api", "namespace: x")
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"one asks for less":     {good + second, true},
		"different roles":       {good + other, false},
		"different namespaces":  {good + elsewhere, false},
		"no machine is of both": {good + second + machinesYAML("worker", 3, ownedBySet), false},
		"two of one role": {good + "---\n" + edited("name: workers", "name: again") +
			machinesYAML("worker", 3, ownedBySet), true},
		"without any other kind": {good, false},
	} {
		got := slices.ContainsFunc(found(t, c.text, release.Current),
			func(s string) bool { return strings.HasPrefix(s, "overlap ") })
		if got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// Rules have unique ids, titles and sources; all that are found are among them.
func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		if seen[r.ID] || !strings.HasPrefix(r.ID, "health.") || r.Title == "" || r.Severity == "" ||
			len(r.Sources) == 0 && r.ID != stalledRule.ID {
			t.Errorf("%+v", r)
		}
		seen[r.ID] = true
	}
}

// A slip of a label is told with the label that it resembles most.
func TestRightLabel(t *testing.T) {
	for key, want := range map[string]string{
		"machine.openshift.io/cluster-api-machinestype": "write machine.openshift.io/cluster-api-machine-type",
		"machine.openshift.io/cluster-api-machinerole":  "write machine.openshift.io/cluster-api-machine-role",
		"machine.openshift.io/cluster-api-machine-set":  "write machine.openshift.io/cluster-api-machineset",
		"machine.openshift.io/cluster-api-" + strings.Repeat("x",
			40): "write one of machine.openshift.io/cluster-api-cluster, machine.openshift.io/cluster-api-machine-role, " +
			"machine.openshift.io/cluster-api-machine-type, machine.openshift.io/cluster-api-machineset",
	} {
		if got := rightLabel(key); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
}

// What depends on the machines is told where they are among the input alone: the size of the pool, and servers of
// metal, whose reboots take long.
func TestMachinesMakeItMatter(t *testing.T) {
	const machine = `---
apiVersion: machine.openshift.io/v1beta1
kind: Machine
metadata: {name: m, namespace: openshift-machine-api, labels: {machine.openshift.io/cluster-api-machine-role: worker}, ownerReferences: [{kind: MachineSet, controller: true}]}
spec: {providerSpec: {value: {kind: %s}}}
`
	check := edited("30", "24", "600s", "300s")
	for more, want := range map[string]string{
		"": "",
		fmt.Sprintf(machine, "AWSMachineProviderConfig"):     "burst 14",
		fmt.Sprintf(machine, "BareMetalMachineProviderSpec"): "rebootTime 13,burst 14",
	} {
		for _, r := range release.Documented() {
			if got := strings.Join(found(t, check+more, r), ","); got != want {
				t.Errorf("%v: %q, want %q", r, got, want)
			}
		}
	}
}

// Many machines are counted, and checks that cover the same ones are told together.
func TestManyMachinesInFew(t *testing.T) {
	var text strings.Builder
	for i := range 4 {
		text.WriteString(strings.Replace(good, "name: workers", fmt.Sprintf("name: check-%d", i), 1) + "---\n")
	}
	for i := range 40 {
		fmt.Fprintf(&text, "kind: Machine\nmetadata: {name: odd-%d, namespace: openshift-machine-api, labels: "+
			"{machine.openshift.io/cluster-api-machine-role: worker}}\n---\n", 7*i)
	}
	objects, _ := object.Split("c.yaml", []byte(text.String()))
	var covers []string
	for _, f := range Check(objects, release.V44) {
		if len(f.Message) > 200 {
			t.Error(f.Message)
		}
		if f.ID == overlap.ID {
			covers = append(covers, f.Message)
		}
	}
	if len(covers) != 3 || !strings.HasPrefix(covers[2], "check check-3 covers odd-0,odd-7,odd-14,odd-21,odd-28 and "+
		"others (40 machines), which checks check-0, check-1, check-2 cover, too:") {
		t.Error(strings.Join(covers, "\n"))
	}
}
