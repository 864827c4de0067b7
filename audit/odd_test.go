package audit_test

import (
	"strings"
	"testing"
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
		{"node.notReady", `- {kind: Node, metadata: {name: a, creationTimestamp: "2026-01-15T11:58:00Z"}, ` + down + "}", "ok"},
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
- {kind: MachineConfigPool, metadata: {name: worker, labels: {p: w}}, spec: {nodeSelector: {matchLabels: {node-role.kubernetes.io/worker: ""}}}, ` +
			`status: {conditions: [{type: Updated, status: "True"}]}}
- {kind: KubeletConfig, metadata: {name: k}, spec: {machineConfigPoolSelector: {matchLabels: {p: w}}, kubeletConfig: {maxPods: 500}}}`, "ok"},
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
