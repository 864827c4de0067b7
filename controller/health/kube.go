package health

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/tune/health"
)

// The kinds of the machine API, which are read as they stand.
var (
	checkKind   = schema.GroupVersionKind{Group: "machine.openshift.io", Version: "v1beta1", Kind: "MachineHealthCheck"}
	machineKind = schema.GroupVersionKind{Group: "machine.openshift.io", Version: "v1beta1", Kind: "Machine"}
)

// operatorLease is the lease of the operator's own controller of checks (machine-api-operator,
// cmd/machine-healthcheck/main.go), in the namespace of the machines.
const operatorLease = "cluster-api-provider-healthcheck-leader"

// Leadership is the lease of the leader election; the zero value is a process that runs without one.
type Leadership struct{ Namespace, Name, Identity string }

// kube is the API of a cluster.
type kube struct {
	client.Client
	live   client.Reader
	clock  *Clock
	leader Leadership
	events events.EventRecorder
}

// Clock knows how far this machine's clock is ahead of the API server's, by the Date of its answers.
type Clock struct{ skew atomic.Int64 }

// Transport takes note of each answer's Date.
func (c *Clock) Transport(next http.RoundTripper) http.RoundTripper { return noting{c, next} }

type noting struct {
	clock *Clock
	next  http.RoundTripper
}

// RoundTrip is what [http.RoundTripper] demands.
func (n noting) RoundTrip(r *http.Request) (*http.Response, error) {
	asked := time.Now()
	answer, err := n.next.RoundTrip(r)
	if err != nil {
		return answer, err
	}
	if at, bad := http.ParseTime(answer.Header.Get("Date")); bad == nil {
		n.clock.skew.Store(int64(skewOf(at, asked, time.Now())))
	}
	return answer, nil
}

// skewOf is how far a clock is ahead of a Date, which is cut to the second, that came between two times.
func skewOf(date, asked, answered time.Time) time.Duration {
	switch {
	case asked.After(date.Add(time.Second)):
		return asked.Sub(date.Add(time.Second))
	case answered.Before(date):
		return answered.Sub(date)
	}
	return 0
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
	w.Skew = time.Duration(k.clock.skew.Load())
	w.Now = time.Now().Add(-w.Skew)
	other := types.NamespacedName{Namespace: check.Namespace, Name: operatorLease}
	if w.Other, err = k.holder(ctx, other, w.Now); err != nil {
		return w, err
	}
	w.Leads = k.leader == Leadership{}
	if !w.Leads {
		holder, err := k.holder(ctx, types.NamespacedName{Namespace: k.leader.Namespace, Name: k.leader.Name}, w.Now)
		if err != nil {
			return w, err
		}
		w.Leads = holder == k.leader.Identity
	}
	return w, nil
}

// holder of a lease that has not run out; empty where there is none.
func (k *kube) holder(ctx context.Context, name types.NamespacedName, now time.Time) (string, error) {
	var l coordinationv1.Lease
	if err := k.live.Get(ctx, name, &l); err != nil {
		return "", client.IgnoreNotFound(err)
	}
	if l.Spec.HolderIdentity == nil || l.Spec.RenewTime == nil || l.Spec.LeaseDurationSeconds == nil ||
		now.Sub(l.Spec.RenewTime.Time) > time.Duration(*l.Spec.LeaseDurationSeconds)*time.Second {
		return "", nil
	}
	return *l.Spec.HolderIdentity, nil
}

// read is a check with the machines of its namespace and all nodes.
func (k *kube) read(ctx context.Context, from client.Reader, check Ref) (World, error) {
	w := World{Now: time.Now().Add(-time.Duration(k.clock.skew.Load())), Nodes: map[string]*health.Node{}}
	one := &unstructured.Unstructured{}
	one.SetGroupVersionKind(checkKind)
	err := from.Get(ctx, types.NamespacedName{Namespace: check.Namespace, Name: check.Name}, one)
	if err != nil {
		return w, client.IgnoreNotFound(err)
	}
	if w.Check, err = checkOf(one); err != nil {
		return w, err
	}
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(machineKind)
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
	return Machine{refOf(u), *m}, nil
}

func refOf(o client.Object) Ref {
	return Ref{Namespace: o.GetNamespace(), Name: o.GetName(), UID: string(o.GetUID()), Version: o.GetResourceVersion()}
}

func convert(u *unstructured.Unstructured, to any) error {
	text, err := json.Marshal(u.Object)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
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

// changed tells a conflict, or an object that is gone, from other errors.
func changed(err error) error {
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return ErrChanged
	}
	return err
}

func (k *kube) machine(m Ref) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(machineKind)
	u.SetNamespace(m.Namespace)
	u.SetName(m.Name)
	return u
}

// Delete a machine.
func (k *kube) Delete(ctx context.Context, m Ref) error {
	uid := types.UID(m.UID)
	return changed(k.Client.Delete(ctx, k.machine(m),
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
	return changed(k.Patch(ctx, k.machine(m), client.RawPatch(types.MergePatchType, text)))
}
