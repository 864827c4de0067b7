package kube

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
)

// spreads are what the pods of each type are spread by, "none" where nothing does.
func spreads(inv *v1alpha1.Inventory) map[string]any {
	out := map[string]any{}
	for _, p := range inv.PodTypes {
		out[p.Name] = "none"
		if p.Spec != nil && p.Spec.DefaultSpread != nil {
			out[p.Name] = p.Spec.DefaultSpread.MatchLabels
		}
	}
	return out
}

// TestBelongs is component-helpers' DefaultSelector: the selectors of all Services that
// take the pod, and that of its ReplicaSet, StatefulSet or ReplicationController; a
// DaemonSet, a Job and a bare pod have Services only.
func TestBelongs(t *testing.T) {
	const services = `
{apiVersion: v1, kind: Service, metadata: {name: a, namespace: n}, spec: {selector: {app: web}}}
---
{apiVersion: v1, kind: Service, metadata: {name: b, namespace: n}, spec: {selector: {tier: front}}}
---
{apiVersion: v1, kind: Service, metadata: {name: other, namespace: m}, spec: {selector: {app: web}}}
---
`
	for name, c := range map[string]struct {
		text string
		want map[string]any
	}{
		"a Deployment's pods have a hash of their own": {`
{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: n}, spec: {selector: {matchLabels: {app: web}},
 template: {metadata: {labels: {app: web}}, spec: {containers: [{}]}}}}`,
			map[string]any{"n/d": map[string]string{"app": "web", "pod-template-hash": "d"}}},
		"a StatefulSet": {`
{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: s, namespace: n}, spec: {selector: {matchLabels: {db: x}},
 template: {metadata: {labels: {db: x, tier: front}}, spec: {containers: [{}]}}}}`,
			map[string]any{"n/s": map[string]string{"db": "x", "tier": "front"}}},
		"constraints of their own": {`
{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: n}, spec: {template: {metadata: {labels: {app: web}},
 spec: {containers: [{}], topologySpreadConstraints: [{maxSkew: 1, topologyKey: x, whenUnsatisfiable: ScheduleAnyway}]}}}}`,
			map[string]any{"n/d": "none"}},
		"a Job without a Service, and one behind two": {`
{apiVersion: batch/v1, kind: Job, metadata: {name: j, namespace: n}, spec: {template: {spec: {containers: [{}]}}}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: k, namespace: n}, spec: {template: {metadata: {labels: {app: web, tier: front}},
 spec: {containers: [{}]}}}}`,
			map[string]any{"n/j": "none", "n/k": map[string]string{"app": "web", "tier": "front"}}},
	} {
		if diff := cmp.Diff(c.want, spreads(manifests(t, services+c.text))); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

// TestBelongsLive: pods of two ReplicaSets of a Deployment are two types while one of
// them waits. Without the ReplicaSet in the input its hash is known; without the
// StatefulSet all labels count, and that is told.
func TestBelongsLive(t *testing.T) {
	web := func(name, hash, spec string) string {
		return livePod(name, "ReplicaSet", "web-"+hash, `"app": "web", "pod-template-hash": "`+hash+`"`, spec+oneCPU)
	}
	inv := snapshot(t, asList(worker("a", "", ""), web("1", "5d", `"nodeName": "a", `), web("2", "77", ""),
		livePod("db-0", "StatefulSet", "db", `"app": "db", "statefulset.kubernetes.io/pod-name": "db-0"`, oneCPU)))
	want := map[string]any{"n/web": map[string]string{"pod-template-hash": "5d"},
		"n/web-2": map[string]string{"pod-template-hash": "77"}, "n/db": map[string]string{"app": "db"}}
	if diff := cmp.Diff(want, spreads(inv)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	said := []string{
		"s.json:4: StatefulSet n/db: it is not in the input; its pods are spread as if it selected all of their labels"}
	if diff := cmp.Diff(said, skips(inv)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestHashOfADeployment: a Deployment gives its ReplicaSet its own selector and the hash. So pods of
// two with templates of one hash are not spread together, when the ReplicaSets are not in the input.
func TestHashOfADeployment(t *testing.T) {
	var items []string
	want := map[string]any{}
	for _, name := range []string{"a", "b"} {
		items = append(items, `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "`+name+
			`", "namespace": "n"}, "spec": {"selector": {"matchLabels": {"app": "`+name+`"}}, "template": {"metadata": `+
			`{"labels": {"app": "`+name+`"}}, "spec": {`+oneCPU+`}}}}`,
			livePod(name+"-5d-1", "ReplicaSet", name+"-5d", `"app": "`+name+`", "pod-template-hash": "5d"`,
				`"nodeName": "w", `+oneCPU))
		want["n/"+name] = map[string]string{"app": name, "pod-template-hash": "5d"}
	}
	inv := snapshot(t, asList(append(items, worker("w", "", ""))...))
	if diff := cmp.Diff(want, spreads(inv)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestQueue: pods that wait come by priority, then by age, then as they stand; pods with
// gates are not in the queue, those of a DaemonSet with their node.
func TestQueue(t *testing.T) {
	pod := func(name, created, spec string) string {
		return `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "` + name + `", "namespace": "n", ` +
			`"creationTimestamp": "` + created + `"}, "spec": {` + spec + oneCPU + `}}`
	}
	const early, late = "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"
	const onA = `"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": ` +
		`[{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["a"]}]}]}}}, `
	inv := snapshot(t, asList(worker("a", "", ""), pod("late", late, ""), pod("early", early, ""),
		pod("high", late, `"priority": 7, `), pod("gated", early, `"schedulingGates": [{"name": "x"}], `),
		pod("also", early, ""), livePod("ds-x", "DaemonSet", "ds", "", `"priority": 9, `+onA+oneCPU)))
	var got []string
	for _, q := range inv.Queue {
		name := inv.PodTypes[q.PodType].Name
		if q.Node >= 0 {
			name += " on " + inv.Nodes[q.Node].Name
		}
		got = append(got, name)
	}
	if diff := cmp.Diff([]string{"n/ds on a", "n/high", "n/early", "n/also", "n/late"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestRuntimeClass: the API server gives the pods of a runtime class its overhead, its
// nodes and its tolerations; one that is not in the input is in doubt.
func TestRuntimeClass(t *testing.T) {
	const deployment = `
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: n}, spec: {template: {spec: {runtimeClassName: kata,
 nodeSelector: {disk: ssd}, containers: [{resources: {requests: {cpu: 1, memory: 1Gi}}}]}}}}`
	inv := manifests(t, `{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: kata}, handler: kata,
 overhead: {podFixed: {cpu: 250m, memory: 120Mi}},
 scheduling: {nodeSelector: {kata: "yes"}, tolerations: [{key: kata, operator: Exists}]}}`+deployment)
	p := inv.PodTypes[0]
	nodes := map[string]string{"disk": "ssd", "kata": "yes"}
	tolerated := []v1alpha1.Toleration{{Key: "kata", Operator: "Exists"}}
	if p.CPU != 1250 || p.Memory != 1144<<20 || *p.ContainerSpecs[0].CPU != 1000 ||
		!cmp.Equal(p.NodeSelector, nodes) || !cmp.Equal(p.Spec.NodeSelector, nodes) ||
		!cmp.Equal(p.Spec.Tolerations, tolerated) || p.Spec.Overhead["cpu"] != 250 {
		t.Errorf("%+v, %+v", p, p.Spec)
	}
	if inv = manifests(t, deployment); len(inv.Skipped) != 1 || !inv.Skipped[0].Decides {
		t.Errorf("%+v, want the class in doubt", inv.Skipped)
	}
}

// TestDoubts: what can change where a pod that waits goes, and is not known, is told so.
func TestDoubts(t *testing.T) {
	const claim = `"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}], `
	for want, items := range map[string][]string{
		"it mounts claims, and the input has none: it may fit nowhere, or on other nodes " +
			"(give pvc,pv,storageclasses,csinodes)": {livePod("x-0", "StatefulSet", "x", "", claim+oneCPU)},
		"the input has no volumes: its own may be in another zone (give pv)": {
			livePod("x-0", "StatefulSet", "x", "", claim+oneCPU),
			`{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "c", "namespace": "n", ` +
				`"annotations": {"pv.kubernetes.io/bind-completed": "yes"}}, "spec": {"volumeName": "pv"}}`},
		"not counted: a toleration with operator Gt, of an alpha feature": {
			livePod("x-0", "StatefulSet", "x", "", `"tolerations": [{"key": "a", "operator": "Gt", "value": "3"}], `+oneCPU)},
		"not counted: that kubelets of another system than windows refuse it (PodOSNotSupported): it selects no " +
			"kubernetes.io/os": {livePod("x-0", "StatefulSet", "x", "", `"os": {"name": "windows"}, `+oneCPU)},
		"not counted: resource claims (dynamic resource allocation)": {
			livePod("x-0", "StatefulSet", "x", "", `"resourceClaims": [{"name": "gpu"}], `+oneCPU)},
		"not counted: that preemption has made room for the pod on node a, which the scheduler tries first": {
			`{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x", "namespace": "n"}, "spec": {` + oneCPU +
				`}, "status": {"nominatedNodeName": "a"}}`},
	} {
		found := false
		inv := snapshot(t, asList(append(items, worker("a", "", ""))...))
		for _, s := range inv.Skipped {
			found = found || s.Why == want && s.Decides
		}
		if !found {
			t.Errorf("no doubt that %s: %+v", want, inv.Skipped)
		}
	}
}

// TestOwnersAbove: pods belong to what owns their ReplicaSet, by its ownerReferences, where no label
// tells it; so an autoscaler of the Deployment finds them.
func TestOwnersAbove(t *testing.T) {
	owned := func(kind, name string) string {
		return `, "ownerReferences": [{"kind": "` + kind + `", "name": "` + name + `", "controller": true}]`
	}
	made := func(kind, name, owner, spec string) string {
		return `{"apiVersion": "apps/v1", "kind": "` + kind + `", "metadata": {"name": "` + name +
			`", "namespace": "n"` + owner + `}, "spec": {` + spec + `}}`
	}
	const template = `"replicas": 2, "template": {"spec": {"containers": [{}]}}`
	const pod = `"nodeName": "x", "containers": [{}]`
	inv := snapshot(t, asList(made("Deployment", "web", "", template),
		made("ReplicaSet", "web-5f", owned("Deployment", "web"), template),
		made("ReplicaSet", "web-77", owned("Deployment", "web"), template),
		strings.Replace(made("Pod", "web-5f-1", owned("ReplicaSet", "web-5f"), pod), "apps/v1", "v1", 1),
		strings.Replace(made("Pod", "web-77-1", owned("ReplicaSet", "web-77"), pod), "apps/v1", "v1", 1),
		strings.Replace(made("HorizontalPodAutoscaler", "h", "", `"maxReplicas": 5, `+
			`"scaleTargetRef": {"kind": "Deployment", "name": "web"}`), "apps/v1", "autoscaling/v2", 1)))
	if diff := cmp.Diff([]string{"n/web x2 BestEffort cpu=0 mem=0"}, lines(inv)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want := "HorizontalPodAutoscaler n/h: Deployment web has 2 pods now, which are counted; it may grow to 5"
	if got := skips(inv); len(got) != 1 || !strings.HasSuffix(got[0], want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
