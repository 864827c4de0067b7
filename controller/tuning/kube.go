package tuning

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/controller/cluster"
	"plimsoll.dev/tune/profile"
)

// The kinds that are read as they stand.
var (
	group    = cluster.Tuning
	poolKind = schema.GroupVersion{Group: "machineconfiguration.openshift.io", Version: "v1"}.
			WithKind("MachineConfigPool")
)

// kube is the API of a cluster.
type kube struct {
	client.Client
	cached, live client.Reader
	namespace    string
	clock        *cluster.Clock
	leader       cluster.Leadership
	events       events.EventRecorder
}

// Cached is what was watched.
func (k *kube) Cached(ctx context.Context) (World, error) { return k.read(ctx, k.cached) }

// Live is what the server says now.
func (k *kube) Live(ctx context.Context) (World, error) {
	w, err := k.read(ctx, k.live)
	if err != nil {
		return w, err
	}
	// The clock is read after the server has answered: its Date is no older than the answer.
	w.Skew = k.clock.Skew()
	if w.Other, err = cluster.Operator(ctx, k.live, k.namespace, time.Now().Add(-w.Skew)); err != nil {
		return w, err
	}
	w.Leads, err = k.leader.Held(ctx, k.live)
	return w, err
}

// read is all that the choice asks for. Whatever can't be listed is an error, and never none.
func (k *kube) read(ctx context.Context, from client.Reader) (w World, err error) {
	tuneds, err := k.list(ctx, from, group.WithKind("Tuned"), client.InNamespace(k.namespace))
	if err != nil {
		return w, err
	}
	pods := false
	for i := range tuneds {
		t, bad := tunedOf(&tuneds[i])
		if bad != nil {
			return w, bad
		}
		var read openshift.Tuned
		if json.Unmarshal(t.Text, &read) == nil { // what can't be read holds everything up in any case
			pods = pods || profile.UsesPods(read.Spec.Recommend)
		}
		w.Tuneds = append(w.Tuneds, t)
	}
	profiles, err := k.list(ctx, from, group.WithKind("Profile"), client.InNamespace(k.namespace))
	if err != nil {
		return w, err
	}
	for i := range profiles {
		p := Profile{Ref: cluster.RefOf(&profiles[i]), Annotations: profiles[i].GetAnnotations()}
		if err := cluster.Convert(profiles[i].Object["spec"], &p.Spec); err != nil {
			return w, fmt.Errorf("Profile %s: %w", p.Ref.Name, err)
		}
		w.Profiles = append(w.Profiles, p)
	}
	if err := k.readPools(ctx, from, &w); err != nil {
		return w, err
	}
	if err := readNodes(ctx, from, &w); err != nil || !pods {
		return w, err
	}
	return w, readPods(ctx, from, &w)
}

// list of a kind, by name.
func (k *kube) list(ctx context.Context, from client.Reader, kind schema.GroupVersionKind,
	in ...client.ListOption) ([]unstructured.Unstructured, error) {
	list := cluster.List(kind)
	err := from.List(ctx, list, in...)
	slices.SortFunc(list.Items, func(a, b unstructured.Unstructured) int {
		return strings.Compare(a.GetName(), b.GetName())
	})
	return list.Items, err
}

// tunedOf writes a CR down as if it stood where the operator of OpenShift looks for it.
func tunedOf(u *unstructured.Unstructured) (Tuned, error) {
	t := Tuned{Ref: cluster.RefOf(u)}
	u = u.DeepCopy()
	u.SetNamespace(openshift.NamespaceTuned)
	u.SetManagedFields(nil)
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	err := e.Encode(u.Object)
	t.Text = text.Bytes()
	return t, err
}

func (k *kube) readPools(ctx context.Context, from client.Reader, w *World) error {
	pools, err := k.list(ctx, from, poolKind)
	if meta.IsNoMatchError(err) {
		return nil // a cluster without OpenShift
	}
	for i := range pools {
		var p openshift.MachineConfigPool
		if err := cluster.Convert(pools[i].Object, &p); err != nil {
			return fmt.Errorf("MachineConfigPool %s: %w", pools[i].GetName(), err)
		}
		w.Pools = append(w.Pools, p)
	}
	return err
}

func readNodes(ctx context.Context, from client.Reader, w *World) error {
	var nodes corev1.NodeList
	if err := from.List(ctx, &nodes); err != nil {
		return err
	}
	slices.SortFunc(nodes.Items, func(a, b corev1.Node) int { return strings.Compare(a.Name, b.Name) })
	w.Providers = map[string]string{}
	for i := range nodes.Items {
		n := &nodes.Items[i]
		w.Nodes = append(w.Nodes, profile.Node{Name: n.Name, Labels: n.Labels})
		w.Providers[n.Name], _, _ = strings.Cut(n.Spec.ProviderID, "://")
	}
	return nil
}

func readPods(ctx context.Context, from client.Reader, w *World) error {
	var pods corev1.PodList
	if err := from.List(ctx, &pods); err != nil {
		return err
	}
	for i := range pods.Items {
		p := &pods.Items[i]
		w.Pods = append(w.Pods, profile.Pod{Namespace: p.Namespace, Name: p.Name, Node: p.Spec.NodeName, Labels: p.Labels})
	}
	return nil
}
