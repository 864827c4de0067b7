package audit_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/audit"
	"plimsoll.dev/engine/load"
	"plimsoll.dev/source/live/keep"
)

// read objects as YAML, one a line, of which all kinds that rules need were read.
func read(t *testing.T, text string) *audit.Cloud {
	t.Helper()
	var objects []map[string]any
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		var o map[string]any
		if err := yaml.Unmarshal([]byte(line), &o); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		objects = append(objects, o)
	}
	var all []string
	for _, r := range audit.Rules() {
		all = append(all, r.Needs...)
	}
	return cloud(t, objects, map[string]any{"kind": "Seen", "read": all})
}

const (
	version  = "{kind: ClusterVersion, status: {desired: {version: 4.14.9}}}\n"
	operands = "\n" +
		`{kind: Network, metadata: {name: cluster}, spec: {networkType: OVNKubernetes, clusterNetwork: [{cidr: 10.128.0.0/14, hostPrefix: 23}]}}
{kind: Scheduler, metadata: {name: cluster}, spec: {mastersSchedulable: false}}
{kind: StorageClass, metadata: {name: gp3-csi, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}, provisioner: ebs.csi.aws.com}
{kind: StorageClass, metadata: {name: gp2-csi}, provisioner: ebs.csi.aws.com}
{kind: Tuned, metadata: {namespace: openshift-cluster-node-tuning-operator, name: default}, spec: {recommend: [{profile: openshift-control-plane, priority: 30, match: [{label: node-role.kubernetes.io/master}, {label: node-role.kubernetes.io/infra}]}, {profile: openshift-node, priority: 40}]}}
{kind: MachineConfigPool, metadata: {name: master}, spec: {machineConfigSelector: {matchLabels: {machineconfiguration.openshift.io/role: master}}, nodeSelector: {matchLabels: {node-role.kubernetes.io/master: ""}}}, status: {machineCount: 3, updatedMachineCount: 3, readyMachineCount: 3, conditions: [{type: Updated, status: "True"}]}}
{kind: MachineConfigPool, metadata: {name: worker}, spec: {machineConfigSelector: {matchLabels: {machineconfiguration.openshift.io/role: worker}}, nodeSelector: {matchLabels: {node-role.kubernetes.io/worker: ""}}}, status: {machineCount: 3, updatedMachineCount: 3, readyMachineCount: 3, conditions: [{type: Updated, status: "True"}]}}
`
)

// member is a node with what runs on each: its roles are master, worker or both.
func member(name, zone, profile string, roles ...string) string {
	labels := fmt.Sprintf("kubernetes.io/os: linux, topology.kubernetes.io/zone: %s", zone)
	for _, r := range roles {
		labels += fmt.Sprintf(`, node-role.kubernetes.io/%s: ""`, r)
	}
	return fmt.Sprintf(`{kind: Node, metadata: {name: %[1]s, labels: {%[2]s}}, spec: {providerID: aws:///%[1]s}, status: {capacity: {cpu: "4", memory: 16Gi, pods: "250"}, allocatable: {cpu: 3500m, memory: 15Gi, pods: "250"}, conditions: [{type: Ready, status: "True"}], nodeInfo: {architecture: amd64}}}
{kind: Profile, metadata: {namespace: openshift-cluster-node-tuning-operator, name: %[1]s}, spec: {config: {tunedProfile: %[3]s}}, status: {tunedProfile: %[3]s, conditions: [{type: Applied, status: "True"}, {type: Degraded, status: "False"}]}}
{kind: CSINode, metadata: {name: %[1]s}, spec: {drivers: [{name: ebs.csi.aws.com, allocatable: {count: 25}}]}}
`, name, labels, profile) + runs("openshift-cluster-node-tuning-operator", "tuned-"+name, name, "DaemonSet/tuned")
}

// runs is a pod of a controller.
func runs(namespace, name, node, owner string, more ...string) string {
	kind, by, _ := strings.Cut(owner, "/")
	return fmt.Sprintf("{kind: Pod, metadata: {namespace: %s, name: %s, ownerReferences: [{kind: %s, name: %s, "+
		"controller: true}]%s}, spec: {nodeName: %s}, status: {phase: Running}}\n", namespace, name, kind, by,
		strings.Join(more, ""), node)
}

const ofDefault = ", labels: {ingresscontroller.operator.openshift.io/deployment-ingresscontroller: default}"

// installed is what an installer leaves on AWS: three masters and three workers.
func installed() string {
	out := version + operands
	for i, zone := range []string{"a", "b", "c"} {
		out += member(fmt.Sprintf("m%d", i), zone, "openshift-control-plane", "master", "control-plane")
		out += member(fmt.Sprintf("w%d", i), zone, "openshift-node", "worker")
	}
	for i := range 2 {
		node := fmt.Sprintf("w%d", i)
		out += runs("openshift-monitoring", fmt.Sprintf("prometheus-k8s-%d", i), node, "StatefulSet/prometheus-k8s") +
			runs("openshift-monitoring", fmt.Sprintf("alertmanager-main-%d", i), node, "StatefulSet/alertmanager-main") +
			runs("openshift-monitoring", fmt.Sprintf("thanos-querier-5d-%d", i), node, "ReplicaSet/thanos-querier-5d") +
			runs("openshift-ingress", fmt.Sprintf("router-default-%d", i), node, "ReplicaSet/router-default-5d", ofDefault)
	}
	return out + `{kind: IngressController, metadata: {namespace: openshift-ingress-operator, name: default}, spec: {replicas: 2}, status: {availableReplicas: 2, conditions: [{type: Available, status: "True"}]}}
{kind: Config, metadata: {name: cluster}, spec: {managementState: Managed, replicas: 2, storage: {managementState: Managed, s3: {region: eu-west-3}}}}
`
}

// single is one node for all, without a cloud below.
func single() string {
	return version + strings.ReplaceAll(operands, "gp3-csi, annotations", "gp3-csi, labels") +
		strings.ReplaceAll(member("sno", "", "openshift-control-plane", "master", "control-plane", "worker"), "aws:///sno",
			"") +
		runs("openshift-monitoring", "prometheus-k8s-0", "sno", "StatefulSet/prometheus-k8s") +
		runs("openshift-ingress", "router-default-0", "sno", "ReplicaSet/router-default-5d", ofDefault) +
		`{kind: IngressController, metadata: {namespace: openshift-ingress-operator, name: default}, status: {availableReplicas: 1, conditions: [{type: Available, status: "True"}]}}
{kind: Config, metadata: {name: cluster}, spec: {managementState: Removed, replicas: 1, storage: {}}}
`
}

// TestInstalled: a cluster as it was installed has no error, and of advice only what it does lack.
func TestInstalled(t *testing.T) {
	mine := []string{"net.", "store.", "mon.", "router.", "z.", "tuned.", "load.", "cap."}
	for _, c := range []struct{ name, text, warned string }{
		{"three and three", installed(), "mon.noPVC"},
		{"single node", single(), "mon.noPVC store.defaultClass"},
		{"nothing", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var warned []string
			for _, o := range audit.Run(read(t, c.text)) {
				for _, f := range o.Findings {
					if f.Severity == v1alpha1.Error {
						t.Errorf("%s: %s", f.ID, f.Message)
					}
					for _, subject := range mine {
						if strings.HasPrefix(f.ID, subject) && f.Severity == v1alpha1.Warning {
							warned = append(warned, f.ID)
						}
					}
				}
			}
			if got := strings.Join(slices.Sorted(slices.Values(warned)), " "); got != c.warned {
				t.Errorf("warned of %q", got)
			}
		})
	}
}

// TestBare: objects of which nothing but the kind is known stop no rule, nor do fields that are null.
func TestBareAdvice(t *testing.T) {
	kinds := "Node Pod Namespace MachineConfigPool Machine MachineSet MachineHealthCheck KubeletConfig Tuned " +
		"FeatureGate IngressController Profile Route PodDisruptionBudget PersistentVolumeClaim PersistentVolume " +
		"StorageClass CSINode " +
		"Service Deployment StatefulSet DaemonSet Network Scheduler Config"
	for _, form := range []string{"{kind: %s}", "{kind: %s, metadata: {name: x}}", "{kind: %s, metadata: {name: x, " +
		"labels: null, annotations: null, ownerReferences: null}, spec: null, status: null}",
		"{kind: %s, metadata: {name: x}, spec: {}, status: {}}"} {
		text := version
		for kind := range strings.FieldsSeq(kinds) {
			text += fmt.Sprintf(form, kind) + "\n"
		}
		if out := audit.Run(read(t, text)); len(out) == 0 {
			t.Errorf("%s: no outcome", form)
		}
	}
}

// TestLevels: what one rule finds of several kinds, each with its severity.
func TestLevels(t *testing.T) {
	claim := func(driver, more string) string {
		return "{kind: PersistentVolumeClaim, metadata: {namespace: openshift-image-registry, name: images}, spec: " +
			"{volumeName: v, " + more + "}}\n{kind: PersistentVolume, metadata: {name: v}, spec: {csi: {driver: " + driver +
			"}}}\n"
	}
	registry := func(replicas int, storage string) string {
		return fmt.Sprintf("{kind: Config, metadata: {name: cluster}, spec: {managementState: Managed, replicas: %d, "+
			"storage: %s}}\n", replicas, storage)
	}
	const one, many, file, rbd, aws = "accessModes: [ReadWriteOnce]", "accessModes: [ReadWriteMany]",
		"openshift-storage.cephfs.csi.ceph.com", "openshift-storage.rbd.csi.ceph.com",
		"{kind: Node, metadata: {name: node}, spec: {providerID: aws:///n}}\n"
	node := func(name, role string) string {
		return fmt.Sprintf(`{kind: Node, metadata: {name: %s, labels: {node-role.kubernetes.io/%s: ""}}}`+"\n", name, role)
	}
	applied := func(conditions string) string {
		return "{kind: Profile, metadata: {name: a}, spec: {config: {tunedProfile: db}}, status: {tunedProfile: db, " +
			"conditions: [" + conditions + "]}}\n"
	}
	prometheus := runs("openshift-monitoring", "prometheus-k8s-0", "a", "StatefulSet/prometheus-k8s")
	block, files := registry(2, "{pvc: {claim: images}}")+claim(rbd, many), registry(2, "{pvc: {claim: images}}")+
		claim(file, many)
	for _, c := range []struct{ rule, name, text, want string }{
		{"store.registry", "emptyDir", registry(1, "{emptyDir: {}}"), "error: images are kept in an emptyDir"},
		{"store.registry", "none", registry(1, "{managementState: Managed}"), "error: it has no storage"},
		{"store.registry", "claim gone", registry(1, "{pvc: {claim: images}}"), "error: its claim images is not there"},
		{"store.registry", "block alone", registry(1, "{pvc: {claim: images}}") + claim(rbd, one), ""},
		{"store.registry", "block shared", block, "error: its images are on block"},
		{"store.registry", "file alone", registry(1, "{pvc: {claim: images}}") + claim(file, many),
			"warning: its images are on file"},
		{"store.registry", "file shared, no cloud", files, "info: its images are on file"},
		{"store.registry", "file shared, cloud", aws + files, "warning: its images are on file"},
		{"store.registry", "driver not known", registry(2, "{pvc: {claim: images}}") + claim("x", many), ""},
		{"mon.infraNodes", "none", version + node("a", "worker") + node("b", "worker") + node("c", "worker") +
			node("d", "worker"), "info: there are no infrastructure nodes"},
		{"mon.infraNodes", "compact", version + node("a", "master") + node("b", "worker"), ""},
		{"mon.placement", "elsewhere", node("a", "worker") + prometheus + "{kind: ConfigMap, metadata: {namespace: " +
			"openshift-monitoring, name: cluster-monitoring-config}, data: {config.yaml: \"prometheusK8s: {nodeSelector: " +
			"{x: y}}\"}}\n", "warning: on a node that their nodeSelector in config.yaml excludes"},
		{"mon.placement", "not readable", node("a", "worker") + prometheus + "{kind: ConfigMap, metadata: {namespace: " +
			"openshift-monitoring, name: cluster-monitoring-config}, data: {config.yaml: \"{{ no yaml\"}}\n", ""},
		{"tuned.notApplied", "override", applied(`{type: Degraded, status: "True", reason: TunedSysctlOverride}`),
			"warning: degraded: TunedSysctlOverride"},
		{"tuned.notApplied", "not known", applied("{type: Applied, status: Unknown}"), "error: not applied"},
		{"tuned.notApplied", "another", "{kind: Profile, metadata: {name: a}, spec: {config: {tunedProfile: db}}, status: " +
			"{tunedProfile: openshift-node}}", "error: the node has profile openshift-node"},
		{"router.replicas", "none", node("w", "worker") +
			"{kind: IngressController, metadata: {name: default}, spec: {replicas: 2}, status: " +
			"{availableReplicas: 0, conditions: [{type: Available, status: \"False\"}]}}", "error: no router is available"},
		{"router.replicas", "single node with a worker", node("a", "master") + node("b", "worker") + node("c", "worker") +
			"{kind: IngressController, metadata: {name: default}, status: {availableReplicas: 1}}", "warning: one router"},
		{"mon.placement", "thanos-querier of 4.4", "{kind: ClusterVersion, status: {desired: {version: 4.4.1}}}\n" +
			node("i", "infra") + node("w", "worker") + runs("openshift-monitoring", "prometheus-k8s-0", "i",
			"StatefulSet/prometheus-k8s") + runs("openshift-monitoring", "t", "w", "ReplicaSet/thanos-querier-5d"), ""},
		{"mon.placement", "thanos-querier of 4.14", version + node("i", "infra") + node("w", "worker") +
			runs("openshift-monitoring", "prometheus-k8s-0", "i", "StatefulSet/prometheus-k8s") +
			runs("openshift-monitoring", "t", "w", "ReplicaSet/thanos-querier-5d"), "warning: not on the infra"},
		{"router.together", "one node", node("a", "worker") + node("b", "worker") +
			"{kind: IngressController, metadata: {name: default}}\n" +
			runs("openshift-ingress", "r0", "a", "ReplicaSet/router-default-5d", ofDefault) +
			runs("openshift-ingress", "r1", "a", "ReplicaSet/router-default-5d", ofDefault), "warning: all on Node/a"},
		{"store.defaultClass", "none", "{kind: StorageClass, metadata: {name: a}}",
			"warning: no storage class is the default"},
	} {
		t.Run(c.rule+" "+c.name, func(t *testing.T) {
			o, got := outcome(t, read(t, c.text), c.rule), ""
			for _, f := range o.Findings {
				_, what, _ := strings.Cut(f.Message, ": ")
				if !strings.Contains(f.Message, ": ") || strings.HasPrefix(c.want, "info: there") {
					what = f.Message
				}
				got += string(f.Severity) + ": " + what
			}
			if c.want == "" && got != "" || !strings.HasPrefix(got, c.want) {
				t.Errorf("%s (%s), want %q", got, o.Why, c.want)
			}
		})
	}
}

// TestRunLabel: what a load test leaves is known by the label that it writes.
func TestRunLabel(t *testing.T) {
	o := outcome(t, read(t, "{kind: Namespace, metadata: {name: left, creationTimestamp: \"2026-01-01T00:00:00Z\", "+
		"labels: {"+load.RunLabel+": r}}}"), "load.leftovers")
	if len(o.Findings) != 1 || o.Findings[0].Remedy != "plimsoll load destroy r" {
		t.Errorf("%+v", o)
	}
}

// TestForeign: of kinds whose name several groups have, only the right one counts.
func TestForeign(t *testing.T) {
	c := read(t, `{apiVersion: samples.operator.openshift.io/v1, kind: Config, metadata: {name: cluster}, spec: {managementState: Managed}}
{apiVersion: operator.openshift.io/v1, kind: Network, metadata: {name: cluster}}
{apiVersion: serving.knative.dev/v1, kind: Service, metadata: {name: s}}
{apiVersion: v1, kind: Service, metadata: {name: t}}
{apiVersion: config.openshift.io/v1, kind: Scheduler, metadata: {name: cluster}}`)
	if c.Registry != nil || c.Network != nil || len(c.Services) != 1 || c.Scheduler == nil {
		t.Errorf("%+v %+v %+v %+v", c.Registry, c.Network, c.Services, c.Scheduler)
	}
}

// TestKept: a snapshot holds all that rules read of an object, so that it gives the findings of the cluster itself. Of
// ConfigMaps there is none in it.
func TestKept(t *testing.T) {
	all := examples(t)
	for _, r := range audit.Rules() {
		if slices.Contains(r.Needs, "configmaps/cluster-monitoring-config") || strings.HasPrefix(r.ID, "etcd.") ||
			ofStack(fmt.Sprint(r.Needs)) {
			continue // metrics are given beside a snapshot; clouds of OpenStack have one of their own
		}
		var cut []map[string]any
		for _, o := range all[r.ID].Fails {
			text, err := json.Marshal(o)
			var whole map[string]any
			if err = cmp.Or(err, json.Unmarshal(text, &whole)); err != nil {
				t.Fatal(err)
			}
			cut = append(cut, keep.Fields(whole))
		}
		seen := map[string]any{"kind": "Seen", "read": r.Needs}
		if len(cut) == 0 {
			continue
		}
		want, got := outcome(t, cloud(t, all[r.ID].Fails, seen), r.ID), outcome(t, cloud(t, cut, seen), r.ID)
		if !reflect.DeepEqual(want, got) {
			t.Errorf("%s: %+v of a snapshot, %+v of the cluster", r.ID, got, want)
		}
	}
}
