package audit_test

import (
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// odd clusters, one a line in YAML, and what a rule says of each: its states, or severities, and words of its findings.
type odd struct{ rule, objects, want string }

func (o odd) judged(t *testing.T) {
	t.Helper()
	got := said(t, o.rule, o.objects)
	for _, want := range strings.Split(o.want, "|") {
		if !strings.Contains(got, want) || o.want == "ok" && got != "ok" {
			t.Errorf("%s of %s:\n%s\nwant:\n%s", o.rule, o.objects, got, o.want)
		}
	}
}

const (
	version414 = "- {kind: ClusterVersion, status: {desired: {version: 4.14.9}}}\n"
	onePod     = "- {kind: Pod, metadata: {name: p, namespace: x}, spec: {nodeName: a}, status: {phase: Running}}\n"
	limited    = `- {kind: Pod, metadata: {name: p, namespace: x}, spec: {nodeName: a, ` +
		`containers: [{resources: {limits: {memory: 3Gi}}}]}, status: {phase: Running}}` + "\n"
	oneGi   = "- {kind: Node, metadata: {name: a}, status: {allocatable: {memory: 1Gi}}}\n"
	evicted = `- {kind: Pod, metadata: {name: e, namespace: x}, spec: {nodeName: a}, ` +
		`status: {phase: Failed, reason: Evicted}}` + "\n"
	killed = `- {kind: Pod, metadata: {name: k, namespace: x}, spec: {nodeName: a, containers: [{name: c}]}, ` +
		`status: {phase: Running, containerStatuses: [{name: c, lastState: {terminated: {reason: OOMKilled}}}]}}` + "\n"
	down = `status: {conditions: [{type: Ready, status: "False"}]}`
)

// TestOddNodes: nodes that are full, join, leave, are of Windows, or of other distributions.
func TestOddNodes(t *testing.T) {
	full := onePod + `- {kind: Node, metadata: {name: a}, status: {allocatable: {pods: "1"}}}` + "\n"
	for _, o := range []odd{
		{"node.podsUse", full, "error Node/a"},
		{"node.podsUse", full + `- {kind: Node, metadata: {name: b}, status: {allocatable: {pods: "9"}}}`, "warning Node/a"},
		{"node.podsUse", full + `- {kind: Node, metadata: {name: m, labels: {node-role.kubernetes.io/control-plane: ""}}, ` +
			`spec: {taints: [{key: node-role.kubernetes.io/control-plane, effect: NoSchedule}]}, ` +
			`status: {allocatable: {pods: "9"}}}`, "error Node/a"},
		{"node.notReady", `- {kind: Node, metadata: {name: a, creationTimestamp: "2026-01-15T11:58:00Z"}, ` +
			down + "}", "ok"},
		{"node.cordoned", "- {kind: Node, metadata: {name: a}, spec: {unschedulable: true}, " + down + "}", "ok"},
		{"node.cordoned", "- {kind: Node, metadata: {name: a}, spec: {unschedulable: true, " +
			"taints: [{key: karpenter.sh/disrupted, effect: NoSchedule}]}}", "ok"},
		{"node.cordoned", "- {kind: Node, metadata: {name: a}, spec: {unschedulable: true}}\n" +
			"- {kind: Machine, metadata: {name: m, namespace: x}, status: {phase: Deleting, nodeRef: {name: a}}}", "ok"},
		{"control.count", "- {kind: Node, metadata: {name: c0, labels: {node-role.kubernetes.io/controlplane: \"\"}}}\n" +
			"- {kind: Node, metadata: {name: c1, labels: {node-role.kubernetes.io/controlplane: \"\"}}}\n" +
			"- {kind: Node, metadata: {name: e0, labels: {node-role.kubernetes.io/etcd: \"\"}}}\n" +
			"- {kind: Node, metadata: {name: e1, labels: {node-role.kubernetes.io/etcd: \"\"}}}\n" +
			"- {kind: Node, metadata: {name: e2, labels: {node-role.kubernetes.io/etcd: \"\"}}}", "ok"},
		{"control.reserved", version414 + "- {kind: Node, metadata: {name: w, labels: {kubernetes.io/os: windows}}, " +
			`status: {capacity: {cpu: "4"}, allocatable: {cpu: "4"}}}`, "ok"},
		{"node.maxPodsNotRolledOut", version414 +
			`- {kind: Node, metadata: {name: w, labels: {kubernetes.io/os: windows, node-role.kubernetes.io/worker: ""}}, ` +
			`status: {allocatable: {pods: "250"}}}
- {kind: MachineConfigPool, metadata: {name: worker, labels: {p: w}},
   spec: {nodeSelector: {matchLabels: {node-role.kubernetes.io/worker: ""}}}, ` +
			`status: {conditions: [{type: Updated, status: "True"}]}}
- {kind: KubeletConfig, metadata: {name: k},
   spec: {machineConfigPoolSelector: {matchLabels: {p: w}}, kubeletConfig: {maxPods: 500}}}`, "ok"},
	} {
		o.judged(t)
	}
}

// TestMemoryOnce: memory is told of by one rule, and evictions that may be for lack of disk are no warning.
func TestMemoryOnce(t *testing.T) {
	for _, o := range []odd{
		{"node.memoryOvercommit", oneGi + limited + evicted, "info Node/a|for some reason"},
		{"node.memoryOvercommit", oneGi + limited + evicted + killed, "warning Node/a|2 pods"},
		{"cap.overcommitMemory", oneGi + limited, "warning Node/a"},
		{"cap.overcommitMemory", oneGi + limited + killed, "ok"},
	} {
		o.judged(t)
	}
}

// budget of three pods, all of which are healthy and needed.
func budget(namespace, owners, conditions string, healthy int) string {
	return fmt.Sprintf("- {kind: PodDisruptionBudget, metadata: {name: b, namespace: %s, ownerReferences: [%s]}, "+
		"status: {currentHealthy: %d, desiredHealthy: 3, expectedPods: 3, conditions: [%s]}}\n", namespace, owners, healthy,
		conditions)
}

// TestOddPods: pods that wait on purpose, and budgets that operators keep or that are shut for a while.
func TestOddPods(t *testing.T) {
	const two = "- {kind: Node, metadata: {name: a}}\n- {kind: Node, metadata: {name: b}}\n"
	closed := `{type: DisruptionAllowed, status: "False", lastTransitionTime: "2026-01-15T%s:00Z"}`
	for _, o := range []odd{
		{"pod.unschedulable", two + pod("p", "Job", "j", "15T10", `spec: {priority: -10}, status: {phase: Pending, `+
			`conditions: [{type: PodScheduled, status: "False", reason: Unschedulable}]}`), "ok"},
		{"scale.drainSlow", two + budget("x", "", "", 3), "no pod may be evicted, ever"},
		{"scale.drainSlow", two + budget("x", "{kind: CephCluster, name: c, controller: true}", "", 3),
			"all 3 healthy, 3 needed, made by CephCluster/c"},
		{"scale.drainSlow", two + budget("openshift-console", "", "", 3), "made by the platform"},
		{"scale.drainSlow", two + budget("x", "", fmt.Sprintf(closed, "11:58"), 2), "ok"},
		{"scale.drainSlow", two + budget("x", "", fmt.Sprintf(closed, "09:58"), 2), "2 of 3 healthy"},
		{"scale.drainSlow", "- {kind: Node, metadata: {name: a}}\n" + budget("x", "", "", 3), "notApplicable"},
	} {
		o.judged(t)
	}
}

// TestOddRemedies: what is to be done names the container, and harms neither the platform nor etcd.
func TestOddRemedies(t *testing.T) {
	crash := func(namespace string) string {
		return "- {kind: Pod, metadata: {name: s-0, namespace: " + namespace +
			`, creationTimestamp: "2026-01-15T10:00:00Z", ownerReferences: [{kind: StatefulSet, name: s, controller: true}]}, ` +
			`status: {phase: Running, containerStatuses: ` +
			`[{name: side, state: {running: {}}}, {name: app, state: {waiting: {reason: CrashLoopBackOff}}}]}}`
	}
	for _, c := range []struct{ rule, objects, has, lacks string }{
		{"pod.notStarting", crash("x"), "logs s-0 -c app --previous tells why it ends; scale StatefulSet/x/s to 0",
			"all-containers"},
		{"pod.notStarting", crash("openshift-monitoring"), "logs s-0 -c app --previous", "scale"},
		{"scale.machineStuck", "- {kind: Machine, metadata: {name: m, namespace: x, " +
			"labels: {machine.openshift.io/cluster-api-machine-role: master}}, status: {phase: Failed}}",
			"don't delete it before", "so that its set"},
	} {
		var list []map[string]any
		if err := yaml.Unmarshal([]byte(c.objects), &list); err != nil {
			t.Fatal(err)
		}
		o := outcome(t, cloud(t, list, everything()), c.rule)
		if len(o.Findings) != 1 || !strings.Contains(o.Findings[0].Remedy, c.has) ||
			strings.Contains(o.Findings[0].Remedy, c.lacks) {
			t.Errorf("%s: %+v", c.rule, o)
		}
	}
}

// TestOddMachines: machines that have failed are not being made, and only a provider runs out of a type.
func TestOddMachines(t *testing.T) {
	set := "- {kind: MachineSet, metadata: {name: s, namespace: x}, spec: {replicas: 60}, status: {readyReplicas: 0}}\n"
	var failed, nodes strings.Builder
	for i := range 60 {
		fmt.Fprintf(&failed, "- {kind: Machine, metadata: {name: m%d, namespace: x}, status: {phase: Failed}}\n", i)
		fmt.Fprintf(&nodes, "- {kind: Node, metadata: {name: n%d, labels: {node.kubernetes.io/instance-type: t}}, "+
			"spec: {providerID: 'PROVIDER:///%[1]d'}}\n", i)
	}
	of := func(provider string) string { return set + strings.ReplaceAll(nodes.String(), "PROVIDER", provider) }
	for _, o := range []odd{
		{"scale.batch", set, "warning MachineSet/x/s"},
		{"scale.batch", set + failed.String(), "ok"},
		{"scale.oneInstanceType", of("aws"), "60 nodes of t"},
		{"scale.oneInstanceType", of("vsphere"), "notApplicable"},
	} {
		o.judged(t)
	}
}
