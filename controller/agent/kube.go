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
	"sigs.k8s.io/controller-runtime/pkg/client"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/controller/cluster"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/profile"
)

// The kinds of the Node Tuning Operator, which are read as they stand.
var (
	ProfileKind = cluster.Tuning.WithKind("Profile")
	TunedKind   = cluster.Tuning.WithKind("Tuned")
)

// Kube is the API of a cluster: Client reads what was watched, of the objects of a namespace.
type Kube struct {
	Client          client.Client
	Namespace, Node string
	// Release whose rules say which of several profiles of one name counts.
	Release release.Release
}

// profile is the Profile of the node.
func (k *Kube) profile(ctx context.Context) (*unstructured.Unstructured, error) {
	p := cluster.Object(ProfileKind, k.Namespace, k.Node)
	return p, k.Client.Get(ctx, client.ObjectKeyFromObject(p), p)
}

// Desired is the Profile of the node, and the profiles of all Tuned objects.
func (k *Kube) Desired(ctx context.Context) (Desired, error) {
	p, err := k.profile(ctx)
	if client.IgnoreNotFound(err) != nil {
		return Desired{}, err
	}
	name, _, _ := unstructured.NestedString(p.Object, "spec", "config", "tunedProfile")
	if err != nil || name == "" || p.GetDeletionTimestamp() != nil {
		return Desired{}, nil
	}
	list := cluster.List(TunedKind)
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
	p, err := k.profile(ctx)
	if err != nil {
		return client.IgnoreNotFound(err) // one that is gone has no status
	}
	before := p.DeepCopy()
	list, _, _ := unstructured.NestedSlice(p.Object, "status", "conditions")
	now := time.Now()
	list = cluster.WithCondition(list, condition("Applied", r.Applied, r.Problem), now)
	list = cluster.WithCondition(list, condition("Degraded", r.Problem != "", r.Problem), now)
	err = errors.Join(unstructured.SetNestedSlice(p.Object, list, "status", "conditions"),
		unstructured.SetNestedField(p.Object, r.Profile, "status", "tunedProfile"))
	if err != nil || reflect.DeepEqual(before.Object["status"], p.Object["status"]) {
		return err
	}
	return client.IgnoreNotFound(k.Client.Status().Patch(ctx, p, client.MergeFrom(before)))
}

// condition of the Profile.
func condition(kind string, is bool, problem string) map[string]any {
	status, reason := "False", "AsExpected"
	if is {
		status = "True"
	}
	if problem != "" {
		reason = "Failed"
	}
	return map[string]any{"type": kind, "status": status, "reason": reason, "message": problem}
}
