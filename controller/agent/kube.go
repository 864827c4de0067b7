package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sort"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/profile"
)

// The kinds of the Node Tuning Operator, which are read as they stand.
var (
	ProfileKind = schema.GroupVersionKind{Group: "tuned.openshift.io", Version: "v1", Kind: "Profile"}
	TunedKind   = schema.GroupVersionKind{Group: "tuned.openshift.io", Version: "v1", Kind: "Tuned"}
)

// Kube is the API of a cluster: Client reads what was watched, of the objects of a namespace.
type Kube struct {
	Client          client.Client
	Namespace, Node string
	// Release whose rules say which of several profiles of one name counts.
	Release release.Release
}

// Desired is the Profile of the node, and the profiles of all Tuned objects.
func (k *Kube) Desired(ctx context.Context) (Desired, error) {
	p := &unstructured.Unstructured{}
	p.SetGroupVersionKind(ProfileKind)
	err := k.Client.Get(ctx, types.NamespacedName{Namespace: k.Namespace, Name: k.Node}, p)
	if client.IgnoreNotFound(err) != nil {
		return Desired{}, err
	}
	name, _, _ := unstructured.NestedString(p.Object, "spec", "config", "tunedProfile")
	if err != nil || name == "" || p.GetDeletionTimestamp() != nil {
		return Desired{}, nil
	}
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(TunedKind)
	if err := k.Client.List(ctx, list, client.InNamespace(k.Namespace)); err != nil {
		return Desired{}, err
	}
	want := Desired{Found: true, Profile: name}
	var versions []string
	var tuneds []object.Typed[openshift.Tuned]
	for i := range list.Items {
		one, err := tunedOf(&list.Items[i])
		if err != nil {
			return Desired{}, err
		}
		tuneds = append(tuneds, one)
		u := &list.Items[i]
		versions = append(versions, fmt.Sprint(u.GetName(), " ", u.GetGeneration(), " ", u.GetUID()))
	}
	want.Profiles = profile.DirectoryOf(&profile.Input{Tuneds: tuneds, Release: k.Release}).Profiles
	sort.Strings(versions)
	want.Version = name + " " + strings.Join(versions, " ")
	return want, nil
}

// tunedOf reads a Tuned object.
func tunedOf(u *unstructured.Unstructured) (out object.Typed[openshift.Tuned], err error) {
	text, err := json.Marshal(u.Object)
	if err != nil {
		return out, err
	}
	list, bad := object.Split("Tuned "+u.GetName(), text)
	if len(bad) > 0 || len(list) != 1 {
		return out, fmt.Errorf("Tuned %s can't be read: %w", u.GetName(), bad)
	}
	out, wrong := object.Decode[openshift.Tuned](list[0])
	for _, f := range wrong {
		if f.Severity == v1alpha1.Error {
			return out, fmt.Errorf("Tuned %s: %s", u.GetName(), f.Message)
		}
	}
	return out, nil
}

// Report writes the status of the Profile.
func (k *Kube) Report(ctx context.Context, r Report) error {
	p := &unstructured.Unstructured{}
	p.SetGroupVersionKind(ProfileKind)
	err := k.Client.Get(ctx, types.NamespacedName{Namespace: k.Namespace, Name: k.Node}, p)
	if err != nil {
		return client.IgnoreNotFound(err) // one that is gone has no status
	}
	before := p.DeepCopy()
	list, _, _ := unstructured.NestedSlice(p.Object, "status", "conditions")
	now := time.Now().UTC()
	list = withCondition(list, "Applied", r.Applied, r.Problem, now)
	list = withCondition(list, "Degraded", r.Problem != "", r.Problem, now)
	err = errors.Join(unstructured.SetNestedSlice(p.Object, list, "status", "conditions"),
		unstructured.SetNestedField(p.Object, r.Profile, "status", "tunedProfile"))
	if err != nil || reflect.DeepEqual(before.Object["status"], p.Object["status"]) {
		return err
	}
	return client.IgnoreNotFound(k.Client.Status().Patch(ctx, p, client.MergeFrom(before)))
}

// withCondition puts a condition into a list; its time is when its status changed.
func withCondition(list []any, kind string, is bool, problem string, now time.Time) []any {
	status, reason := "False", "AsExpected"
	if is {
		status = "True"
	}
	if problem != "" {
		reason = "Failed"
	}
	c := map[string]any{"type": kind, "status": status, "reason": reason, "message": problem,
		"lastTransitionTime": now.Format(time.RFC3339)}
	for i, one := range list {
		old, _ := one.(map[string]any)
		if old["type"] != kind {
			continue
		}
		if old["status"] == status {
			c["lastTransitionTime"] = old["lastTransitionTime"]
		}
		list[i] = c
		return list
	}
	return append(list, c)
}
