package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/controller/cluster"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/profile"
	"plimsoll.dev/tune/tuned"
)

// The kinds of the Node Tuning Operator, which are read as they stand.
var (
	ProfileKind = cluster.Tuning.WithKind("Profile")
	TunedKind   = cluster.Tuning.WithKind("Tuned")
)

// Kube is the API of a cluster: Client reads what was watched, of the objects of a namespace, Live what the server has.
type Kube struct {
	Client          client.Client
	Live            client.Reader
	Clock           *cluster.Clock
	Namespace, Node string
	// Release whose rules say which of several profiles of one name counts.
	Release release.Release
	// Installed are the profiles of the installed TuneD, by which others are included.
	Installed []tuned.Directory
}

// profile is the Profile of the node.
func (k *Kube) profile(ctx context.Context) (*unstructured.Unstructured, error) {
	p := cluster.Object(ProfileKind, k.Namespace, k.Node)
	return p, k.Client.Get(ctx, client.ObjectKeyFromObject(p), p)
}

// spec is what the agent reads of a Profile's spec.
type spec struct {
	Config struct {
		TunedProfile string                      `json:"tunedProfile"`
		TunedConfig  openshift.TunedDaemonConfig `json:"tunedConfig"`
	} `json:"config"`
	// Profile are the texts of all profiles, from 4.14 on.
	Profile []struct {
		Name string `json:"name"`
		Data string `json:"data"`
	} `json:"profile"`
}

// Desired is the Profile of the node with the texts that it has, or where it has none those of the Tuned objects.
func (k *Kube) Desired(ctx context.Context) (Desired, error) {
	p, err := k.profile(ctx)
	if client.IgnoreNotFound(err) != nil {
		return Desired{}, err
	}
	var s spec
	if err == nil {
		err = cluster.Convert(p.Object["spec"], &s)
		if err != nil {
			return Desired{}, Unreadable{fmt.Errorf("Profile %s: %w", p.GetName(), err)}
		}
	}
	if err != nil || s.Config.TunedProfile == "" || p.GetDeletionTimestamp() != nil {
		return Desired{}, nil
	}
	want := Desired{Found: true, UID: string(p.GetUID()), Profile: s.Config.TunedProfile,
		Deferred: Deferral(p.GetAnnotations()[deferred])}
	if again := s.Config.TunedConfig.ReapplySysctl; again != nil {
		want.SysctlsWin = !*again
	}
	for i, one := range s.Profile {
		want.Profiles = append(want.Profiles, tuned.Profile{Name: one.Name, Source: tuned.Source{Body: one.Data,
			File: fmt.Sprintf("Profile %s, spec.profile[%d]", k.Node, i)}})
	}
	if len(want.Profiles) == 0 {
		if want.Profiles, err = k.tuneds(ctx); err != nil {
			return Desired{}, err
		}
	}
	want.Version = k.Version(&want)
	return want, nil
}

// Version is another one whenever the node's profile may come to something else.
func (k *Kube) Version(d *Desired) string { return version(d, k.Installed) }

// deferred is the annotation that says what waits for a restart of the node, from 4.17 on.
const deferred = "tuned.openshift.io/deferred"

// tuneds are the profiles of all Tuned objects.
func (k *Kube) tuneds(ctx context.Context) ([]tuned.Profile, error) {
	list := cluster.List(TunedKind)
	if err := k.Client.List(ctx, list, client.InNamespace(k.Namespace)); err != nil {
		return nil, err
	}
	var tuneds []object.Typed[openshift.Tuned]
	for i := range list.Items {
		one, err := tunedOf(&list.Items[i])
		if err != nil {
			return nil, Unreadable{err}
		}
		tuneds = append(tuneds, one)
	}
	return profile.DirectoryOf(&profile.Input{Tuneds: tuneds, Release: k.Release}).Profiles, nil
}

// Rival is the Node Tuning Operator, where it is alive.
func (k *Kube) Rival(ctx context.Context) (string, error) {
	return cluster.Operator(ctx, k.Live, k.Namespace, time.Now().Add(-k.Clock.Skew()))
}

// tunedOf reads a Tuned object.
func tunedOf(u *unstructured.Unstructured) (out object.Typed[openshift.Tuned], err error) {
	u = u.DeepCopy()
	u.SetNamespace(openshift.NamespaceTuned) // where the operator of OpenShift looks for it
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

// Report writes the status of the Profile, also where it says that by what was watched, which may be behind.
func (k *Kube) Report(ctx context.Context, r Report) error {
	p, err := k.profile(ctx)
	if err != nil {
		return client.IgnoreNotFound(err) // one that is gone has no status
	}
	list, _, _ := unstructured.NestedSlice(p.Object, "status", "conditions")
	now := time.Now()
	list = cluster.WithCondition(list, condition("Applied", r.Applied, &r, "Deferred"), now)
	list = cluster.WithCondition(list, condition("Degraded", r.Problem != "", &r, "TunedDeferredUpdate"), now)
	body, err := json.Marshal(map[string]any{"status": map[string]any{"conditions": list, "tunedProfile": r.Profile}})
	if err != nil {
		return err
	}
	return client.IgnoreNotFound(k.Client.Status().Patch(ctx, p, client.RawPatch(types.MergePatchType, body)))
}

// condition of the Profile; later is the operator's reason for what waits.
func condition(kind string, is bool, r *Report, later string) map[string]any {
	status, reason := "False", "AsExpected"
	if is {
		status = "True"
	}
	switch {
	case r.Deferred:
		reason = later
	case r.Problem != "":
		reason = "Failed"
	}
	return map[string]any{"type": kind, "status": status, "reason": reason, "message": cmp.Or(r.Problem, r.Note)}
}
