package tuning

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"plimsoll.dev/controller/cluster"
)

// Write does a change.
func (k *kube) Write(ctx context.Context, c Change) error {
	u := k.object(c.Kind, c.Ref)
	switch c.Do {
	case Create:
		return k.create(ctx, u, c)
	case Update:
		return k.update(ctx, u, c)
	case Delete:
		uid := types.UID(c.Ref.UID)
		return cluster.Changed(k.Client.Delete(ctx, u,
			client.Preconditions(metav1.Preconditions{UID: &uid, ResourceVersion: &c.Ref.Version})))
	case Judge:
		return k.judge(ctx, u, c)
	}
	return fmt.Errorf("nobody knows how to %s", c.Do)
}

func (k *kube) object(kind Kind, ref Ref) *unstructured.Unstructured {
	return cluster.Object(group.WithKind(string(kind)), k.namespace, ref.Name)
}

func (k *kube) create(ctx context.Context, u *unstructured.Unstructured, c Change) error {
	var spec map[string]any
	if err := cluster.Convert(c.Spec, &spec); err != nil {
		return err
	}
	u.Object["spec"] = spec
	u.SetAnnotations(c.Annotations)
	if c.Owner != (Ref{}) {
		controls := true
		u.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: group.String(), Kind: string(KindTuned),
			Name: c.Owner.Name, UID: types.UID(c.Owner.UID), Controller: &controls}})
	}
	return cluster.Changed(k.Client.Create(ctx, u))
}

// update puts the whole spec in the place of the one that was read; of another version the server takes nothing.
func (k *kube) update(ctx context.Context, u *unstructured.Unstructured, c Change) error {
	type operation struct {
		Op    string `json:"op"`
		Path  string `json:"path"`
		Value any    `json:"value"`
	}
	patch := []operation{{"replace", "/metadata/resourceVersion", c.Ref.Version}, {"add", "/spec", c.Spec}}
	if c.Annotations != nil {
		patch = append(patch, operation{"add", "/metadata/annotations", c.Annotations})
	}
	text, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	return cluster.Changed(k.Patch(ctx, u, client.RawPatch(types.JSONPatchType, text)))
}

// judge writes the condition of a CR, and leaves others alone.
func (k *kube) judge(ctx context.Context, u *unstructured.Unstructured, c Change) error {
	if err := k.live.Get(ctx, client.ObjectKeyFromObject(u), u); err != nil {
		return cluster.Changed(err)
	}
	if u.GetResourceVersion() != c.Ref.Version {
		return cluster.ErrChanged
	}
	before := u.DeepCopy()
	valid := map[string]any{"type": c.Valid.Type, "status": c.Valid.Status, "reason": c.Valid.Reason,
		"message":            c.Valid.Message,
		"lastTransitionTime": cmp.Or(c.Valid.LastTransitionTime, time.Now().UTC().Format(time.RFC3339))}
	list, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	out := []any{valid}
	for _, one := range list {
		if old, _ := one.(map[string]any); old["type"] != c.Valid.Type {
			out = append(out, one)
		}
	}
	if err := unstructured.SetNestedSlice(u.Object, out, "status", "conditions"); err != nil {
		return err
	}
	return cluster.Changed(k.Status().Patch(ctx, u,
		client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})))
}

// Event is told of an object.
func (k *kube) Event(of Kind, ref Ref, warning bool, reason, note string) {
	u := k.object(of, ref)
	u.SetUID(types.UID(ref.UID))
	kind := corev1.EventTypeNormal
	if warning {
		kind = corev1.EventTypeWarning
	}
	k.events.Eventf(u, nil, kind, reason, "Tune", "%s", cluster.Note(note))
}
