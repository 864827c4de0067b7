package audit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/audit"
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
		{"node.memoryOvercommit", oneGi + limited + evicted, "ok"},
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
		if got := remedyOf(t, c.rule, c.objects); !strings.Contains(got, c.has) || strings.Contains(got, c.lacks) {
			t.Errorf("%s: %s", c.rule, got)
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

// TestOddServices: what is scaled to nothing by whatever controller, and the platform's services, are meant so.
func TestOddServices(t *testing.T) {
	service := func(namespace string) string {
		return "- {kind: Service, metadata: {name: s, namespace: " + namespace + "}, spec: {selector: {app: s}}}\n"
	}
	none := "- {kind: %s, metadata: {name: s, namespace: x}, spec: {%s, selector: {app: s}, " +
		"template: {metadata: {labels: {app: s}}}}}\n"
	for _, o := range []odd{
		{"net.serviceEmpty", service("x"), "warning Service/x/s"},
		{"net.serviceEmpty", service("openshift-apiserver"), "ok"},
		{"net.serviceEmpty", service("x") + fmt.Sprintf(none, "DeploymentConfig", "replicas: 0"), "ok"},
		{"net.serviceEmpty", service("x") + fmt.Sprintf(none, "DaemonSet", "minReadySeconds: 0"), "ok"},
	} {
		o.judged(t)
	}
}

// TestOddPlatform: networks that take no hostPrefix, routers without nodes, and classes that can't be the default.
func TestOddPlatform(t *testing.T) {
	network := `- {kind: Network, metadata: {name: cluster}, spec: {networkType: %s, clusterNetwork: ` +
		`[{cidr: 10.128.0.0/14, hostPrefix: 30}]}}` + "\n" + onePod + "- {kind: Node, metadata: {name: a}}\n"
	router := "- {kind: Node, metadata: {name: w, labels: {%s}}}\n" +
		"- {kind: IngressController, metadata: {name: r, namespace: x}, spec: {replicas: 2}, " +
		"status: {availableReplicas: 0, conditions: [{type: Available}]}}"
	windows := fmt.Sprintf(router, `kubernetes.io/os: windows, node-role.kubernetes.io/worker: ""`)
	for _, o := range []odd{
		{"net.nodeSubnetUse", fmt.Sprintf(network, "OVNKubernetes"), "warning Node/a"},
		{"net.nodeSubnetUse", fmt.Sprintf(network, "Calico"), "notApplicable"},
		{"scale.routerNodes", windows, "error IngressController/x/r"},
		{"router.replicas", windows, "ok"}, // scale.routerNodes tells of it
		{"router.replicas", fmt.Sprintf(router, `node-role.kubernetes.io/worker: ""`), "error IngressController/x/r"},
	} {
		o.judged(t)
	}
	for classes, want := range map[string]string{
		"- {kind: StorageClass, metadata: {name: a}, provisioner: kubernetes.io/no-provisioner}\n" +
			"- {kind: StorageClass, metadata: {name: b}, provisioner: openshift-storage.noobaa.io/obc}\n" +
			"- {kind: StorageClass, metadata: {name: c}, provisioner: ebs.csi.aws.com}": "StorageClass/c storage",
		"- {kind: StorageClass, metadata: {name: a}, provisioner: x}\n" +
			"- {kind: StorageClass, metadata: {name: b}, provisioner: other}": "choose one",
		class("old", "2025-01-01") + class("young", "2026-01-01"): "keep StorageClass/young",
	} {
		if got := remedyOf(t, "store.defaultClass", classes); !strings.Contains(got, want) {
			t.Errorf("%s: %s", classes, got)
		}
	}
}

func class(name, made string) string {
	return fmt.Sprintf(`- {kind: StorageClass, metadata: {name: %s, creationTimestamp: "%sT00:00:00Z", `+
		`annotations: {storageclass.kubernetes.io/is-default-class: "true"}}, provisioner: x}`+"\n", name, made)
}

// remedyOf the only finding of a rule.
func remedyOf(t *testing.T, rule, objects string) string {
	t.Helper()
	var list []map[string]any
	if err := yaml.Unmarshal([]byte(objects), &list); err != nil {
		t.Fatal(err)
	}
	o := outcome(t, cloud(t, list, everything()), rule)
	if len(o.Findings) != 1 {
		t.Fatalf("%s: %+v", rule, o)
	}
	return o.Findings[0].Remedy
}

// TestGathered: rules that look into one namespace of the platform can judge a must-gather that has it.
func TestGathered(t *testing.T) {
	for _, c := range []struct {
		namespace string
		want      audit.State
	}{{"openshift-ingress", audit.OK}, {"openshift-console", audit.NotSeen}} {
		var list []map[string]any
		err := yaml.Unmarshal([]byte("- {kind: IngressController, metadata: {name: r}}\n"+
			"- {kind: Node, metadata: {name: w}}\n"+
			"- {kind: Pod, metadata: {name: p, namespace: "+c.namespace+"}}"), &list)
		if err != nil {
			t.Fatal(err)
		}
		cloud := cloud(t, list, everything())
		cloud.OnlyPlatform("no other namespace")
		if o := outcome(t, cloud, "router.together"); o.State != c.want {
			t.Errorf("%s: %+v", c.namespace, o)
		}
		if o := outcome(t, cloud, "pod.oomKilled"); o.State != audit.NotSeen {
			t.Errorf("%+v", o)
		}
	}
}

// TestSupposed: what a check of tune says of a step that nobody takes is no finding of an audit.
func TestSupposed(t *testing.T) {
	a := audit.Answer(audit.Input{Cloud: cloud(t, nil, everything()),
		Checked: []v1alpha1.Finding{{ID: "health.burst"}, {ID: "health.overlap"}}})
	if got := ids(a.Findings); !slices.Equal(got, []string{"health.overlap"}) {
		t.Errorf("%v", got)
	}
}

// TestOddPrometheus: the platform's own series do not shrink with the cluster, nor does the volume that is advised.
func TestOddPrometheus(t *testing.T) {
	got := remedyOf(t, "mon.noPVC", "- {kind: Node, metadata: {name: a}}\n"+
		"- {kind: Pod, metadata: {name: prometheus-k8s-0, "+
		"namespace: openshift-monitoring, ownerReferences: [{kind: StatefulSet, name: prometheus-k8s, controller: true}]}}")
	_, text, _ := strings.Cut(got, "storage: ")
	var size int
	if _, err := fmt.Sscanf(text, "%dGi", &size); err != nil || size < 80 {
		t.Errorf("%d GiB: %s", size, got)
	}
}

// TestKilledOnce: a container that does not start because its memory runs out is told once, with what is to be done.
func TestKilledOnce(t *testing.T) {
	starves := pod("s-0", "StatefulSet", "s", "15T10",
		`spec: {containers: [{name: app, resources: {limits: {memory: 1Gi}}}]}, `+
			`status: {phase: Running, containerStatuses: [{name: app, state: {waiting: {reason: CrashLoopBackOff}}, `+
			`lastState: {terminated: {reason: OOMKilled, finishedAt: "2026-01-15T11:50:00Z"}}}]}`)
	odd{"pod.notStarting", starves, "CrashLoopBackOff, killed for lack of memory"}.judged(t)
	odd{"pod.oomKilled", starves, "ok"}.judged(t)
	const fix = "StatefulSet/x/s: raise the limit of memory of container app above 1Gi, or mend what leaks"
	if got := remedyOf(t, "pod.notStarting", starves); got != fix {
		t.Error(got)
	}
}

// TestNothingSet: where nobody has set what a rule judges, it is not about the cluster.
func TestNothingSet(t *testing.T) {
	plain := onePod + "- {kind: Node, metadata: {name: a}}\n- {kind: IngressController, metadata: {name: r}}\n" +
		"- {kind: MachineConfigPool, metadata: {name: worker}}\n"
	for _, rule := range []string{"router.threads", "router.bufferMemory", "cpu.staticNotEffective", "pages.emptyDir"} {
		odd{rule, plain, "notApplicable"}.judged(t)
	}
}

// TestTunedStarts: a pod of TuneD that is being replaced is no node without settings.
func TestTunedStarts(t *testing.T) {
	tuned := "- {kind: Node, metadata: {name: a}}\n- {kind: Pod, metadata: {name: tuned, " +
		"namespace: openshift-cluster-node-tuning-operator, creationTimestamp: \"2026-01-15T%s:00Z\", " +
		"ownerReferences: [{kind: DaemonSet, name: tuned, controller: true}]}, spec: {nodeName: a}, status: {phase: Pending}}"
	odd{"tuned.notRunning", fmt.Sprintf(tuned, "11:58"), "ok"}.judged(t)
	odd{"tuned.notRunning", fmt.Sprintf(tuned, "10:58"), "error Node/a"}.judged(t)
}

// TestOpen: what a plan leaves open is no gap in what was seen, or no cluster with a pod without requests is ever fine.
func TestOpen(t *testing.T) {
	plan := &v1alpha1.Plan{}
	plan.Verdict.Open = []string{"requests: 1 pod requests neither CPU nor memory"}
	var list []map[string]any
	if err := yaml.Unmarshal([]byte(onePod), &list); err != nil {
		t.Fatal(err)
	}
	a := audit.Answer(audit.Input{Cloud: cloud(t, list, everything()), Plan: plan})
	if got := strings.Join(a.Verdict.Open, "\n"); strings.Contains(got, "requests: ") {
		t.Error(got)
	}
}
