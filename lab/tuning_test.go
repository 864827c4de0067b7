package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

const tunedNamespace = "openshift-cluster-node-tuning-operator"

var tunedAPI = schema.GroupVersion{Group: "tuned.openshift.io", Version: "v1"}

// TestTuningController has a Tuned CR made on a cluster without OpenShift, with the definitions and the rights of the
// manifests alone: the Profile of each node follows, also when a label changes, and goes with its node.
func TestTuningController(t *testing.T) {
	t.Parallel()
	dir, program := t.TempDir(), controllers(t)
	var nodes []corev1.Node
	for i := range 5 {
		n := machine(i + 1)
		n.Spec.ProviderID = fmt.Sprintf("lab:///%d", i)
		if i < 2 {
			n.Labels["fast"] = ""
		}
		nodes = append(nodes, n)
	}
	fill(t, dir, `{"profile": "fast", "platform": "kubernetes"}`, nodes...)
	l := begin(t, dir)
	defer l.end()
	l.applied("../controller/deploy/crds-tuning.yaml")
	l.applied("../controller/deploy/tuning.yaml")
	l.until(time.Minute, "the kinds are served", func() bool {
		_, err := l.dynamic().Resource(tunedAPI.WithResource("profiles")).List(t.Context(), metav1.ListOptions{})
		_, also := l.dynamic().Resource(tunedAPI.WithResource("tuneds")).List(t.Context(), metav1.ListOptions{})
		return err == nil && also == nil
	})
	config := l.asController("plimsoll-tuning", filepath.Join(dir, "controller.yaml"))
	l.tuned("quick", 10)

	dry := l.controller(program, config, "tuning")
	l.until(time.Minute, "five nodes are told of", func() bool { return l.withheld() == 5 })
	if got := l.profiles(); len(got) > 0 {
		t.Errorf("a dry run made %v", got)
	}
	dry.stop(syscall.SIGTERM)

	r := l.controller(program, config, "tuning", "--act")
	want := map[string]string{"node-1": "quick", "node-2": "quick", "node-3": "openshift-node",
		"node-4": "openshift-node", "node-5": "openshift-node"}
	l.follow("the CR", want)
	l.beside("node-1")

	l.labelled("node-1", `{"fast": null}`)
	l.labelled("node-3", `{"fast": "yes"}`)
	want["node-1"], want["node-3"] = "openshift-node", "quick"
	l.follow("the labels", want)

	if err := l.CoreV1().Nodes().Delete(t.Context(), "node-5", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	delete(want, "node-5")
	l.follow("the node that is gone", want)

	l.byPods(want)
	l.besideOperator(want)
	if text := r.log.String(); strings.Contains(text, "forbidden") {
		t.Errorf("the manifest lacks a right:\n%s", text)
	}
}

// TestTuningPools has a CR select nodes by their pool on OpenShift: while there are no pools nothing is changed, and
// when there are the nodes of the pool follow.
func TestTuningPools(t *testing.T) {
	t.Parallel()
	dir, program := t.TempDir(), controllers(t)
	one, two := machine(1), machine(2)
	one.Labels["node-role.kubernetes.io/fast"], one.Labels["node-role.kubernetes.io/worker"] = "", ""
	two.Labels["node-role.kubernetes.io/worker"] = ""
	fill(t, dir, `{"profile": "fast", "platform": "openshift"}`, one, two)
	l := begin(t, dir)
	defer l.end()
	l.applied("../controller/deploy/tuning.yaml")
	l.namespace(tunedNamespace)
	config := l.asController("plimsoll-tuning", filepath.Join(dir, "controller.yaml"))
	role := map[string]any{"machineconfiguration.openshift.io/role": "fast"}
	l.create(tunedAPI.WithResource("tuneds"), map[string]any{"apiVersion": tunedAPI.String(), "kind": "Tuned",
		"metadata": map[string]any{"name": "fast", "namespace": tunedNamespace},
		"spec": map[string]any{"recommend": []any{map[string]any{"profile": "network-latency", "priority": int64(5),
			"machineConfigLabels": role}}}})
	r := l.controller(program, config, "tuning", "--act")
	l.until(time.Minute, "it is told", func() bool { return l.eventsIn(tunedNamespace, "PoolsUnknown") == 1 })
	l.follow("nothing", map[string]string{})

	pools := schema.GroupVersion{Group: "machineconfiguration.openshift.io", Version: "v1"}
	l.create(pools.WithResource("machineconfigpools"), map[string]any{"apiVersion": pools.String(),
		"kind": "MachineConfigPool", "metadata": map[string]any{"name": "fast"}, "spec": map[string]any{
			"machineConfigSelector": map[string]any{"matchLabels": role},
			"nodeSelector":          map[string]any{"matchLabels": map[string]any{"node-role.kubernetes.io/fast": ""}}}})
	l.follow("the pool", map[string]string{"node-1": "network-latency", "node-2": "openshift-node"})
	if text := r.log.String(); strings.Contains(text, "forbidden") {
		t.Errorf("the manifest lacks a right:\n%s", text)
	}
}

// withheld are the Profiles of which was told what they would be.
func (l *lab) withheld() int { return l.eventsIn(tunedNamespace, "ProfileWithheld") }

// byPods has a CR ask for pods, which the controller only watches from then on.
func (l *lab) byPods(want map[string]string) {
	l.t.Helper()
	l.create(tunedAPI.WithResource("tuneds"), map[string]any{"apiVersion": tunedAPI.String(), "kind": "Tuned",
		"metadata": map[string]any{"name": "pods", "namespace": tunedNamespace},
		"spec": map[string]any{"recommend": []any{map[string]any{"profile": "throughput-performance", "priority": int64(5),
			"match": []any{map[string]any{"label": "app", "value": "db", "type": "pod"}}}}}})
	p := &corev1.Pod{Spec: template(nil, corev1.RestartPolicyAlways).Spec}
	p.Name, p.Labels = "db", map[string]string{"app": "db"}
	p.Spec.NodeName = "node-2"
	if _, err := l.CoreV1().Pods("default").Create(l.t.Context(), p, metav1.CreateOptions{}); err != nil {
		l.t.Fatal(err)
	}
	want["node-2"] = "throughput-performance"
	l.follow("a pod", want)
}

// besideOperator has the operator itself come to life: nothing is written until its lease has run out.
func (l *lab) besideOperator(want map[string]string) {
	l.t.Helper()
	lease, holder, seconds := &coordinationv1.Lease{}, "operator-0", int32(5)
	lease.Name, lease.Spec.HolderIdentity, lease.Spec.LeaseDurationSeconds = "node-tuning-operator-lock", &holder, &seconds
	lease.Spec.RenewTime = &metav1.MicroTime{Time: time.Now()}
	leases := l.CoordinationV1().Leases(tunedNamespace)
	if _, err := leases.Create(l.t.Context(), lease, metav1.CreateOptions{}); err != nil {
		l.t.Fatal(err)
	}
	before := maps.Clone(want)
	l.labelled("node-4", `{"fast": ""}`)
	l.until(time.Minute, "it is told", func() bool { return l.withheld() > 5 })
	if got := l.profiles(); !maps.Equal(got, before) {
		l.t.Errorf("beside the operator there are %v", got)
	}
	want["node-4"] = "quick"
	l.follow("the operator's end", want)
}

// tuned makes a CR with one profile, for nodes with the label fast.
func (l *lab) tuned(name string, priority int64) {
	l.t.Helper()
	l.create(tunedAPI.WithResource("tuneds"), map[string]any{"apiVersion": tunedAPI.String(), "kind": "Tuned",
		"metadata": map[string]any{"name": name, "namespace": tunedNamespace},
		"spec": map[string]any{
			"profile": []any{map[string]any{"name": name,
				"data": "[main]\nsummary=<quick>\n[sysctl]\nvm.swappiness=1\n"}},
			"recommend": []any{map[string]any{"profile": name, "priority": priority,
				"match": []any{map[string]any{"label": "fast"}}, "operand": map[string]any{"debug": true}}}}})
}

// profiles are what nodes are asked for.
func (l *lab) profiles() map[string]string {
	l.t.Helper()
	list, err := l.dynamic().Resource(tunedAPI.WithResource("profiles")).Namespace(tunedNamespace).
		List(l.t.Context(), metav1.ListOptions{})
	if err != nil {
		l.t.Fatal(err)
	}
	out := map[string]string{}
	for _, o := range list.Items {
		out[o.GetName()], _, _ = unstructured.NestedString(o.Object, "spec", "config", "tunedProfile")
	}
	return out
}

// follow waits until the Profiles are these.
func (l *lab) follow(what string, want map[string]string) {
	l.t.Helper()
	began := time.Now()
	l.until(time.Minute, "the Profiles follow "+what, func() bool { return maps.Equal(l.profiles(), want) })
	l.t.Logf("the Profiles followed %s after %s", what, time.Since(began).Round(time.Millisecond))
}

// beside looks at what a Profile has beside the name, and at the condition of the CR.
func (l *lab) beside(node string) {
	l.t.Helper()
	o, err := l.dynamic().Resource(tunedAPI.WithResource("profiles")).Namespace(tunedNamespace).
		Get(l.t.Context(), node, metav1.GetOptions{})
	if err != nil {
		l.t.Fatal(err)
	}
	debug, _, _ := unstructured.NestedBool(o.Object, "spec", "config", "debug")
	provider, _, _ := unstructured.NestedString(o.Object, "spec", "config", "providerName")
	texts, _, _ := unstructured.NestedSlice(o.Object, "spec", "profile")
	has := slices.ContainsFunc(texts, func(t any) bool {
		return strings.Contains(fmt.Sprint(t), "summary=<quick>\n[sysctl]\nvm.swappiness=1\n")
	})
	if !debug || provider != "lab" || !has {
		l.t.Errorf("debug %v, provider %q, texts %v", debug, provider, texts)
	}
	l.until(time.Minute, "the CR is told to be valid", func() bool {
		u, err := l.dynamic().Resource(tunedAPI.WithResource("tuneds")).Namespace(tunedNamespace).
			Get(l.t.Context(), "quick", metav1.GetOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			l.t.Fatal(err)
		}
		list, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
		return len(list) == 1 && list[0].(map[string]any)["status"] == "True"
	})
}

// labelled changes labels of a node.
func (l *lab) labelled(node, labels string) {
	l.t.Helper()
	if _, err := l.CoreV1().Nodes().Patch(l.t.Context(), node, types.MergePatchType,
		[]byte(`{"metadata": {"labels": `+labels+`}}`), metav1.PatchOptions{}); err != nil {
		l.t.Fatal(err)
	}
}
