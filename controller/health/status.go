package health

import (
	"context"
	"reflect"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"plimsoll.dev/tune/health"
)

// remediationAllowed is the condition of a check by which users see whether machines are remediated.
const remediationAllowed = "RemediationAllowed"

// Tell writes the status of a check where it says something else.
func (k *kube) Tell(ctx context.Context, check Ref, s Status) error {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(checkKind)
	name := types.NamespacedName{Namespace: check.Namespace, Name: check.Name}
	if err := k.Get(ctx, name, u); err != nil {
		return client.IgnoreNotFound(err)
	}
	before := u.DeepCopy()
	status, _, _ := unstructured.NestedMap(u.Object, "status")
	if status == nil {
		status = map[string]any{}
	}
	status["expectedMachines"], status["currentHealthy"] = int64(s.Expected), int64(s.Healthy)
	if s.Allowed != nil {
		status["remediationsAllowed"] = int64(*s.Allowed)
	}
	list, _, _ := unstructured.NestedSlice(status, "conditions")
	status["conditions"] = withCondition(list, s, time.Now().UTC())
	u.Object["status"] = status
	if reflect.DeepEqual(before.Object["status"], u.Object["status"]) {
		return nil
	}
	return client.IgnoreNotFound(k.Status().Patch(ctx, u, client.MergeFrom(before)))
}

// withCondition puts the condition into a list; its time is when its status changed.
func withCondition(list []any, s Status, now time.Time) []any {
	c := map[string]any{"type": remediationAllowed, "status": "True", "lastTransitionTime": now.Format(time.RFC3339)}
	if s.Held != "" {
		c["status"], c["reason"], c["message"], c["severity"] = "False", s.Reason, s.Held, "Warning"
	}
	for i, one := range list {
		old, _ := one.(map[string]any)
		if old["type"] != remediationAllowed {
			continue
		}
		if old["status"] == c["status"] {
			c["lastTransitionTime"] = old["lastTransitionTime"]
		}
		list[i] = c
		return list
	}
	return append(list, c)
}

// Event is told of a check or of a machine.
func (k *kube) Event(check Ref, machine *Ref, name health.EventName, note string) {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(checkKind)
	of := check
	if machine != nil {
		u.SetGroupVersionKind(machineKind)
		of = *machine
	}
	u.SetNamespace(of.Namespace)
	u.SetName(of.Name)
	u.SetUID(types.UID(of.UID))
	kind := corev1.EventTypeNormal
	if name == health.RemediationRestricted || name == Withheld {
		kind = corev1.EventTypeWarning
	}
	k.events.Eventf(u, nil, kind, string(name), "Remediate", "%s", note)
}
