package audit_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/audit"
	"plimsoll.dev/object"
	"plimsoll.dev/tune/check"
)

// mine are the subjects of nodes, machines and pods.
var mine = []string{"node", "pod", "pool", "control", "scale", "mhc", "cpu", "topo", "pages"}

// everything says that all resources were read.
func everything() map[string]any {
	needs := map[string]bool{}
	for _, r := range audit.Rules() {
		for _, n := range r.Needs {
			needs[n] = true
		}
	}
	return map[string]any{"kind": "Seen", "read": slices.Sorted(maps.Keys(needs))}
}

// cluster of a file of YAML documents.
func cluster(t *testing.T, name string) (out []map[string]any) {
	t.Helper()
	text, err := os.ReadFile("testdata/clusters/" + name + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range strings.Split(string(text), "\n---\n") {
		var o map[string]any
		if err := yaml.Unmarshal([]byte(one), &o); err != nil {
			t.Fatal(err)
		}
		out = append(out, o)
	}
	return out
}

// TestUsual: a cluster as it is installed has nothing that anybody should mend.
func TestUsual(t *testing.T) {
	for _, o := range audit.Run(cloud(t, cluster(t, "usual"), everything())) {
		subject, _, _ := strings.Cut(o.Rule, ".")
		if slices.Contains(mine, subject) && (o.State == audit.Found || o.State == audit.NotSeen) {
			t.Errorf("%+v", o)
		}
	}
}

// TestBare: objects of which nothing is known but the kind, twice, stop no rule; nor does a cluster without any.
func TestBare(t *testing.T) {
	kinds := []string{"Node", "Pod", "Namespace", "MachineConfigPool", "Machine", "MachineSet", "MachineHealthCheck",
		"KubeletConfig", "IngressController", "PodDisruptionBudget", "Scheduler"}
	var bare []map[string]any
	for _, k := range slices.Concat(kinds, kinds) {
		for _, rest := range []string{`{}`, `{"metadata":null,"spec":null,"status":null}`,
			`{"metadata":{"name":"a","labels":null,"ownerReferences":[]},"spec":{},"status":{"conditions":[]}}`} {
			o := map[string]any{}
			if err := json.Unmarshal([]byte(rest), &o); err != nil {
				t.Fatal(err)
			}
			o["kind"] = k
			bare = append(bare, o)
		}
	}
	for _, o := range slices.Concat(audit.Run(cloud(t, bare, everything())), audit.Run(cloud(t, nil, everything()))) {
		for _, f := range o.Findings {
			if f.Severity == v1alpha1.Error && o.Rule != "scale.routerNodes" {
				t.Errorf("%+v", o)
			}
		}
	}
}

// said is the severities and messages of a rule's findings, without the effect.
func said(t *testing.T, rule, text string) string {
	t.Helper()
	var list []map[string]any
	if err := yaml.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	o := outcome(t, cloud(t, list, everything()), rule)
	var out []string
	for _, f := range o.Findings {
		message, _, _ := strings.Cut(f.Message, ";")
		out = append(out, string(f.Severity)+" "+message)
	}
	if len(out) == 0 {
		return string(o.State)
	}
	return strings.Join(out, "\n")
}

const (
	master = `{kind: Node, metadata: {name: m%d, labels: {node-role.kubernetes.io/control-plane: ""%s}}}` + "\n"
	// rolling is a node that the machine config operator works on, up to the time since when it is not Ready.
	rolling = `{kind: Node, metadata: {name: r, annotations: {machineconfiguration.openshift.io/state: Working}}, ` +
		`status: {conditions: [{type: Ready, status: "False"`
	ready = `status: {conditions: [{type: Ready, status: "True"}], allocatable: {cpu: "4", memory: 8Gi}}`
)

func masters(n int, labels string) string {
	out := ""
	for i := range n {
		out += "- " + fmt.Sprintf(master, i, labels)
	}
	return out
}

// TestLevels: what is found is as bad as it is, and no worse.
func TestLevelsOfNodes(t *testing.T) {
	const openShift = `- {kind: ClusterVersion, status: {desired: {version: 4.14.1}}}` + "\n"
	const worker = `- {kind: Node, metadata: {name: w}}` + "\n"
	const node = `- {kind: Node, metadata: {name: a}, ` + ready + `}` + "\n"
	const waits = `status: {phase: Pending, conditions: [{type: PodScheduled, status: "False", reason: Unschedulable}]}`
	const pulls = `status: {phase: Pending, containerStatuses: [{state: {waiting: {reason: ImagePullBackOff}}}]}`
	for _, c := range []struct{ rule, objects, want string }{
		{"control.count", `[]`, "notApplicable"},
		{"control.count", worker, "notApplicable"},
		{"control.count", masters(1, ""), "info Node/m0: it is the only node"},
		{"control.count", masters(1, "") + worker, "warning Node/m0: one node is the whole control plane"},
		{"control.count", masters(5, ""), "ok"},
		{"control.count", openShift + masters(5, ""), "info Node/m0, Node/m1, Node/m2 and 2 more: 5 nodes are the " +
			"control plane, which later releases take on bare metal alone"},
		{"control.count", masters(4, ""), "warning Node/m0, Node/m1, Node/m2 and 1 more: 4 nodes are the control plane: " +
			"1 may fail, as of 3"},
		{"control.count", openShift + masters(7, ""), "warning Node/m0, Node/m1, Node/m2 and 4 more: 7 nodes are the " +
			"control plane, more than any release takes"},
		{"control.count", masters(2, "") +
			`- {kind: Node, metadata: {name: a, labels: {node-role.kubernetes.io/arbiter: ""}}}`, "ok"},
		{"control.uneven", masters(3, ", topology.kubernetes.io/zone: a") +
			`- {kind: Node, metadata: {name: w, labels: {topology.kubernetes.io/zone: b}}}`,
			"warning Node/m0 (0 cores, 0, zone a), Node/m1 (0 cores, 0, zone a), Node/m2 (0 cores, 0, zone a): " +
				"all of the control plane is in one zone, and the cluster in 2"},
		{"node.notReady", worker, "notSeen"},
		{"node.notReady", `[]`, "notApplicable"},
		{"node.notReady", "- " + rolling + `, lastTransitionTime: "2026-01-15T11:55:00Z"}]}}`, "ok"},
		{"node.notReady", "- " + rolling + `, lastTransitionTime: "2026-01-15T11:35:00Z"}]}}`,
			"error Node/r (for 25 min): not Ready"},
		{"pages.oneSize", openShift, "notApplicable"},
		{"node.kubeletSkew", skew(28, 27, 26), "warning Node/n26 (v1.26.1): kubelets older than 1.28, the newest of the " +
			"cluster\ninfo Node/n27 (v1.27.1): kubelets older than 1.28, the newest of the cluster"},
		{"node.kubeletSkew", skew(30, 26), "error Node/n26 (v1.26.1): kubelets older than 1.30, the newest of the cluster"},
		{"node.kubeletSkew", skew(27, 24), "error Node/n24 (v1.24.1): kubelets older than 1.27, the newest of the cluster"},
		{"pod.unschedulable", node + pod("d-1", "DaemonSet", "d", "15T10", waits) +
			pod("j-1", "Job", "j-29467440", "15T10", waits) + pod("j-2", "Job", "j-29467380", "15T09", waits),
			"warning CronJob/x/j (2 pods for 3 h, nothing requested: there is room, but not where it may go), " +
				"DaemonSet/x/d (1 pod for 2 h, nothing requested: there is room, but not where it may go): " +
				"the scheduler finds no node"},
		{"pod.unschedulable", node + pod("g", "Job", "g", "15T10",
			`spec: {containers: [{resources: {limits: {nvidia.com/gpu: "2"}}}]}, `+waits),
			"warning Job/x/g (1 pod for 2 h, no node offers 2 of nvidia.com/gpu): the scheduler finds no node"},
		{"pod.notStarting", pod("s-0", "StatefulSet", "s", "15T10", pulls),
			"error StatefulSet/x/s (1 pod, ImagePullBackOff): containers do not start, and no other pod of theirs works"},
		{"pod.notStarting", pod("s-0", "StatefulSet", "s", "05T10", pulls), // for so long that nobody seems to need it
			"warning StatefulSet/x/s (1 pod, ImagePullBackOff): containers do not start"},
		{"scale.drainSlow", `[{kind: PodDisruptionBudget, metadata: {name: b, namespace: x}, ` +
			`status: {currentHealthy: 1, desiredHealthy: 2, expectedPods: 3}}]`,
			"warning PodDisruptionBudget/x/b (1 of 3 healthy, 2 needed): no pod may be evicted while so few are ready"},
		{"scale.routerNodes", `[{kind: IngressController, metadata: {name: r, namespace: x}, ` +
			`status: {availableReplicas: 1}}]`,
			"warning IngressController/x/r (node-role.kubernetes.io/worker): no node takes the routers once those that run end"},
		{"pool.stalled", `[{kind: MachineConfigPool, metadata: {name: worker}, status: {machineCount: 30, ` +
			`updatedMachineCount: 4, conditions: ` +
			`[{type: Updating, status: "True", lastTransitionTime: "2026-01-15T06:00:00Z"}]}}]`,
			"warning MachineConfigPool/worker (4 of 30 nodes after 6 h, expected 2 h): the update takes more than twice as " +
				"long as it should"},
	} {
		if got := said(t, c.rule, c.objects); got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", c.rule, got, c.want)
		}
	}
}

// pod of a controller, made at an hour of January.
func pod(name, kind, owner, hour, rest string) string {
	return fmt.Sprintf("- {kind: Pod, metadata: {name: %s, namespace: x, creationTimestamp: \"2026-01-%s:00:00Z\", "+
		"ownerReferences: [{kind: %s, name: %s, controller: true}]}, %s}\n", name, hour, kind, owner, rest)
}

// skew are nodes with kubelets of these minor releases.
func skew(minors ...int) string {
	out := ""
	for _, m := range minors {
		out += fmt.Sprintf("- {kind: Node, metadata: {name: n%d}, status: {nodeInfo: {kubeletVersion: v1.%[1]d.1}}}\n", m)
	}
	return out
}

// TestRemedies: what is to be done can be copied.
func TestRemedies(t *testing.T) {
	all := examples(t)
	for rule, want := range map[string]string{
		"node.cordoned":           "kubectl uncordon a,",
		"pool.nodeInTwo":          "oc label node a node-role.kubernetes.io/infra-",
		"pool.maxUnavailableSlow": `oc patch mcp worker --type merge -p '{"spec":{"maxUnavailable":2}}'`,
		"scale.drainSlow": `kubectl -n shop patch pdb web --type merge -p ` +
			`'{"spec":{"minAvailable":null,"maxUnavailable":1}}'`,
		"control.userPods": "kubectl taint node m0 node-role.kubernetes.io/control-plane=:NoSchedule",
		"node.kubeletQPS":  "kubeAPIQPS: 100 and kubeAPIBurst: 200",
	} {
		got := outcome(t, cloud(t, all[rule].Fails, everything()), rule).Findings[0].Remedy
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s", rule, got)
		}
	}
	got := outcome(t, cloud(t, all["mhc.missing"].Fails, everything()), "mhc.missing").Findings[0].Remedy
	list, bad := object.Split("remedy", []byte(strings.TrimPrefix(got, "a check for each: ")))
	if len(bad) > 0 || len(list) != 1 {
		t.Fatalf("%s: %v", got, bad)
	}
	for _, f := range check.Run(check.Input{Objects: list}).Findings {
		if f.Severity != v1alpha1.Info {
			t.Errorf("%s: %+v", got, f)
		}
	}
}
