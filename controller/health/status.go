package health

import (
	"context"
	"reflect"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"plimsoll.dev/controller/cluster"
	"plimsoll.dev/tune/health"
)

// remediationAllowed is the condition of a check by which users see whether machines are remediated.
const remediationAllowed = "RemediationAllowed"

// Tell writes the status of a check where it says something else, and where it is ours to say: not beside the
// operator's own controller, nor another leader.
func (k *kube) Tell(ctx context.Context, check Ref, s Status) error {
	if u, err := with(ctx, k.Client, check, s); err != nil || u == nil {
		return client.IgnoreNotFound(err)
	}
	other, err := k.operator(ctx, check.Namespace, time.Now().Add(-k.clock.Skew()))
	if err != nil || other != "" {
		return err
	}
	if leads, err := k.leader.Held(ctx, k.live); err != nil || !leads {
		return err
	}
	u, err := with(ctx, k.live, check, s) // what was watched may be old
	if err != nil || u == nil {
		return client.IgnoreNotFound(err)
	}
	return cluster.Changed(k.Status().Patch(ctx, u.now,
		client.MergeFromWithOptions(u.before, client.MergeFromWithOptimisticLock{})))
}

// changed is a check that is to have another status.
type changed struct{ before, now *unstructured.Unstructured }

// with is a check as somebody has it, with a status; nil where it has that already.
func with(ctx context.Context, from client.Reader, check Ref, s Status) (*changed, error) {
	u := cluster.Object(checkKind, check.Namespace, check.Name)
	if err := from.Get(ctx, client.ObjectKeyFromObject(u), u); err != nil {
		return nil, err
	}
	before := u.DeepCopy()
	status, _, _ := unstructured.NestedMap(u.Object, "status")
	if status == nil {
		status = map[string]any{}
	}
	status["expectedMachines"], status["currentHealthy"] = int64(s.Expected), int64(s.Healthy)
	if s.Allowed != nil {
		status["remediationsAllowed"] = int64(*s.Allowed)
		list, _, _ := unstructured.NestedSlice(status, "conditions")
		status["conditions"] = cluster.WithCondition(list, condition(s), time.Now())
	}
	u.Object["status"] = status
	if reflect.DeepEqual(before.Object["status"], u.Object["status"]) {
		return nil, nil
	}
	return &changed{before, u}, nil
}

// condition of a status.
func condition(s Status) map[string]any {
	c := map[string]any{"type": remediationAllowed, "status": "True"}
	if s.Held != "" {
		c["status"], c["reason"], c["message"], c["severity"] = "False", s.Reason, s.Held, "Warning"
	}
	return c
}

// Event is told of a check or of a machine.
func (k *kube) Event(check Ref, machine *Ref, name health.EventName, note string) {
	of, which := checkKind, check
	if machine != nil {
		of, which = machineKind, *machine
	}
	u := cluster.Object(of, which.Namespace, which.Name)
	u.SetUID(types.UID(which.UID))
	kind := corev1.EventTypeNormal
	if name == health.RemediationRestricted || name == Withheld {
		kind = corev1.EventTypeWarning
	}
	k.events.Eventf(u, nil, kind, string(name), "Remediate", "%s", cluster.Note(note))
}
