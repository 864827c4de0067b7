package health

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/controller/cluster"
	"plimsoll.dev/tune/health"
)

// The kinds of the machine API, which are read as they stand.
var (
	checkKind   = schema.GroupVersionKind{Group: "machine.openshift.io", Version: "v1beta1", Kind: "MachineHealthCheck"}
	machineKind = schema.GroupVersionKind{Group: "machine.openshift.io", Version: "v1beta1", Kind: "Machine"}
)

// operatorLease is the lease of the operator's own controller of checks (machine-api-operator,
// cmd/machine-healthcheck/main.go), in the namespace of the machines; in 4.5 and 4.6 a ConfigMap, before that nothing.
const operatorLease = "cluster-api-provider-healthcheck-leader"

// kube is the API of a cluster.
type kube struct {
	client.Client
	live   client.Reader
	clock  *cluster.Clock
	leader cluster.Leadership
	events events.EventRecorder
}

// Cached is what was watched.
func (k *kube) Cached(ctx context.Context, check Ref) (World, error) {
	return k.read(ctx, k.Client, check)
}

// Live is what the server says now.
func (k *kube) Live(ctx context.Context, check Ref) (World, error) {
	w, err := k.read(ctx, k.live, check)
	if err != nil || w.Check == nil {
		return w, err
	}
	var leases coordinationv1.LeaseList
	if err := k.live.List(ctx, &leases, client.InNamespace(corev1.NamespaceNodeLease)); err != nil {
		return w, err
	}
	w.Leases = map[string]time.Time{}
	for _, l := range leases.Items {
		if l.Spec.RenewTime != nil {
			w.Leases[l.Name] = l.Spec.RenewTime.Time
		}
	}
	// The clock is read after the server has answered: its Date is no older than the answer.
	w.Skew = k.clock.Skew()
	w.Now = time.Now().Add(-w.Skew)
	if w.Other, err = k.operator(ctx, check.Namespace, w.Now); err != nil {
		return w, err
	}
	w.Leads, err = k.leader.Held(ctx, k.live)
	return w, err
}

// operator is who runs the operator's own controller.
func (k *kube) operator(ctx context.Context, namespace string, now time.Time) (string, error) {
	name := types.NamespacedName{Namespace: namespace, Name: operatorLease}
	holder, err := cluster.Holder(ctx, k.live, name, now)
	if holder != "" || err != nil {
		return holder, err
	}
	return cluster.LockHolder(ctx, k.live, name, now)
}

// read is a check with the machines of its namespace and all nodes.
func (k *kube) read(ctx context.Context, from client.Reader, check Ref) (World, error) {
	w := World{Now: time.Now().Add(-k.clock.Skew()), Nodes: map[string]*health.Node{}}
	one := cluster.Object(checkKind, check.Namespace, check.Name)
	err := from.Get(ctx, client.ObjectKeyFromObject(one), one)
	if err != nil {
		return w, client.IgnoreNotFound(err)
	}
	if w.Check, err = checkOf(one); err != nil {
		return w, err
	}
	list := cluster.List(machineKind)
	if err := from.List(ctx, list, client.InNamespace(check.Namespace)); err != nil {
		return w, err
	}
	for i := range list.Items {
		m, err := machineOf(&list.Items[i])
		if err != nil {
			return w, err
		}
		w.Machines = append(w.Machines, m)
	}
	slices.SortFunc(w.Machines, func(a, b Machine) int { return strings.Compare(a.Name, b.Name) })
	w.Requests, w.TemplateErr = k.requests(ctx, w.Check)
	var nodes corev1.NodeList
	if err := from.List(ctx, &nodes); err != nil {
		return w, err
	}
	for i := range nodes.Items {
		n := nodeOf(&nodes.Items[i])
		w.Nodes[n.Name] = n
	}
	return w, nil
}

// checkOf reads a check. Its numbers are whole.
func checkOf(u *unstructured.Unstructured) (*openshift.MachineHealthCheck, error) {
	out := &openshift.MachineHealthCheck{}
	if err := convert(u, out); err != nil {
		return nil, err
	}
	if n, ok := out.Spec.MaxUnhealthy.(float64); ok {
		out.Spec.MaxUnhealthy = int64(n)
	}
	return out, nil
}

func machineOf(u *unstructured.Unstructured) (Machine, error) {
	var o openshift.Machine
	if err := convert(u, &o); err != nil {
		return Machine{}, err
	}
	m, err := health.MachineOf(&o)
	if err != nil {
		return Machine{}, err
	}
	return Machine{cluster.RefOf(u), *m}, nil
}

func convert(u *unstructured.Unstructured, to any) error {
	if err := cluster.Convert(u.Object, to); err != nil {
		return fmt.Errorf("%s %s/%s: %w", u.GetKind(), u.GetNamespace(), u.GetName(), err)
	}
	return nil
}

func nodeOf(n *corev1.Node) *health.Node {
	out := &health.Node{Name: n.Name, Labels: n.Labels, Cordoned: n.Spec.Unschedulable}
	for _, c := range n.Status.Conditions {
		out.Conditions = append(out.Conditions, health.Condition{Type: string(c.Type), Status: string(c.Status),
			Since: c.LastTransitionTime.Time})
	}
	return out
}

// Node asks the server for one.
func (k *kube) Node(ctx context.Context, name string) (*health.Node, error) {
	var n corev1.Node
	if err := k.live.Get(ctx, types.NamespacedName{Name: name}, &n); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	return nodeOf(&n), nil
}

func machine(m Ref) *unstructured.Unstructured {
	return cluster.Object(machineKind, m.Namespace, m.Name)
}

// Delete a machine.
func (k *kube) Delete(ctx context.Context, m Ref) error {
	uid := types.UID(m.UID)
	return cluster.Changed(k.Client.Delete(ctx, machine(m),
		client.Preconditions(metav1.Preconditions{UID: &uid, ResourceVersion: &m.Version})))
}

// Annotate a machine.
func (k *kube) Annotate(ctx context.Context, m Ref, key string) error {
	patch := map[string]any{"metadata": map[string]any{"uid": m.UID, "resourceVersion": m.Version,
		"annotations": map[string]string{key: ""}}}
	text, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	return cluster.Changed(k.Patch(ctx, machine(m), client.RawPatch(types.MergePatchType, text)))
}
