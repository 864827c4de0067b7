package cluster

import (
	"context"
	"encoding/json"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Leadership is the lease of the leader election; the zero value is a process that runs without one.
type Leadership struct{ Namespace, Name, Identity string }

// Held says whether this process leads, as the server has it. The time of its own lease is by its own clock, whatever
// the server's.
func (l Leadership) Held(ctx context.Context, from client.Reader) (bool, error) {
	if l == (Leadership{}) {
		return true, nil
	}
	holder, err := Holder(ctx, from, types.NamespacedName{Namespace: l.Namespace, Name: l.Name}, time.Now())
	return holder == l.Identity && err == nil, err
}

// LockHolder is the holder of the ConfigMap that was the lock of leaders before leases were (client-go, resourcelock).
func LockHolder(ctx context.Context, from client.Reader, name types.NamespacedName, now time.Time) (string, error) {
	var m corev1.ConfigMap
	if err := from.Get(ctx, name, &m); err != nil {
		return "", client.IgnoreNotFound(err)
	}
	var r resourcelock.LeaderElectionRecord
	if err := json.Unmarshal([]byte(m.Annotations[resourcelock.LeaderElectionRecordAnnotationKey]), &r); err != nil ||
		now.Sub(r.RenewTime.Time) > time.Duration(r.LeaseDurationSeconds)*time.Second {
		return "", nil
	}
	return r.HolderIdentity, nil
}

// Holder of a lease that has not run out; empty where there is none.
func Holder(ctx context.Context, from client.Reader, name types.NamespacedName, now time.Time) (string, error) {
	var l coordinationv1.Lease
	if err := from.Get(ctx, name, &l); err != nil {
		return "", client.IgnoreNotFound(err)
	}
	if l.Spec.HolderIdentity == nil || l.Spec.RenewTime == nil || l.Spec.LeaseDurationSeconds == nil ||
		now.Sub(l.Spec.RenewTime.Time) > time.Duration(*l.Spec.LeaseDurationSeconds)*time.Second {
		return "", nil
	}
	return *l.Spec.HolderIdentity, nil
}

// operatorLock is the lease of the Node Tuning Operator (cluster-node-tuning-operator, pkg/config/config.go); up to
// 4.11 it was a ConfigMap of that name.
const operatorLock = "node-tuning-operator-lock"

// Operator is what shows that the Node Tuning Operator is alive; empty where it is not.
func Operator(ctx context.Context, from client.Reader, namespace string, now time.Time) (string, error) {
	name := types.NamespacedName{Namespace: namespace, Name: operatorLock}
	holder, err := Holder(ctx, from, name, now)
	if err != nil || holder != "" {
		return holder, err
	}
	if err := from.Get(ctx, name, &corev1.ConfigMap{}); err != nil {
		return "", client.IgnoreNotFound(err)
	}
	return "ConfigMap " + operatorLock + ", the lock of an operator up to 4.11", nil
}
