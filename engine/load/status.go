package load

import (
	"fmt"
	"strings"
	"time"
)

// reported is a workload as its controller reports it. Fields that a kind does not have stay empty.
type reported struct {
	Metadata struct {
		Name, Namespace, UID string
		Generation           int
		DeletionTimestamp    *time.Time
	}
	Spec struct {
		Replicas         *int
		Completions      *int
		Suspend, Paused  bool
		StorageClassName string
	}
	Status struct {
		ObservedGeneration                                int
		ReadyReplicas, UpdatedReplicas, AvailableReplicas int
		// Of a DaemonSet.
		DesiredNumberScheduled, UpdatedNumberScheduled, NumberReady int
		// Of a Job: its pods that are ready, and those that have done their work.
		Ready, Succeeded       int
		Phase, Reason, Message string
		Conditions             []struct{ Type, Status, Reason, Message string }
	}
	// bindsAtOnce says of a claim that its storage class makes a volume without waiting for a pod.
	bindsAtOnce bool
}

// state of a workload. It waits unless it is ready, failed or idle.
type state struct {
	ready bool
	// failed for good.
	failed bool
	// idle workloads are not waited for: nothing will act on them, or only something else that is.
	idle bool
	// working says that it is on its way, however long that takes.
	working bool
	// reason is empty where none is told; message says how far it is.
	reason, message string
}

// rule reads the state of a kind.
type rule func(o *reported) state

// rules of the kinds that a run waits for, by API group and kind. The conditions are those of "kubectl
// rollout status" and of kube-burner's waiters. Pods are waited for one by one, and a CronJob makes Jobs
// when it is time.
var rules = map[string]rule{
	"apps/Deployment":                    availableUpdated,
	"apps/StatefulSet":                   readyUpdated,
	"apps/ReplicaSet":                    readyReplicas,
	"/ReplicationController":             readyReplicas,
	"apps/DaemonSet":                     daemons,
	"batch/Job":                          jobState,
	"apps.openshift.io/DeploymentConfig": availableUpdated,
	"build.openshift.io/Build":           buildState,
	"/PersistentVolumeClaim":             claimState,
}

func availableUpdated(o *reported) state {
	if o.Spec.Paused {
		return state{idle: true}
	}
	return o.replicas("available", min(o.Status.UpdatedReplicas, o.Status.AvailableReplicas))
}

func readyUpdated(o *reported) state {
	return o.replicas("ready", min(o.Status.UpdatedReplicas, o.Status.ReadyReplicas))
}

func readyReplicas(o *reported) state { return o.replicas("ready", o.Status.ReadyReplicas) }

// replicas compares those that are as they should be with those that are asked for.
func (o *reported) replicas(what string, good int) state {
	want := 1
	if o.Spec.Replicas != nil {
		want = *o.Spec.Replicas
	}
	s := o.reaches(what, good, want)
	for _, c := range o.Status.Conditions {
		switch {
		case s.ready:
		case c.Type == "Progressing" && c.Status == "False" && c.Reason == "ProgressDeadlineExceeded":
			s.failed, s.reason, s.message = true, c.Reason, c.Message
		case c.Type == "ReplicaFailure" && c.Status == "True" && !s.failed:
			s.reason, s.message = c.Reason, c.Message
		}
	}
	return s
}

// reaches says how many of those that are wanted there are. A status of an earlier generation says
// nothing.
func (o *reported) reaches(what string, good, want int) state {
	return state{ready: o.Status.ObservedGeneration >= o.Metadata.Generation && good >= want,
		message: fmt.Sprintf("%d of %d are %s", good, want, what)}
}

// daemons of a DaemonSet; where no node takes one, none is enough.
func daemons(o *reported) state {
	return o.reaches("ready", min(o.Status.UpdatedNumberScheduled, o.Status.NumberReady),
		o.Status.DesiredNumberScheduled)
}

func jobState(o *reported) state {
	for _, c := range o.Status.Conditions {
		switch {
		case c.Status != "True":
		case c.Type == "Complete":
			return state{ready: true}
		case c.Type == "Failed":
			return state{failed: true, reason: c.Reason, message: c.Message}
		}
	}
	want := 1
	if o.Spec.Completions != nil {
		want = *o.Spec.Completions
	}
	return state{idle: o.Spec.Suspend, working: o.Status.Ready > 0,
		message: fmt.Sprintf("%d of %d are completed", o.Status.Succeeded, want)}
}

func buildState(o *reported) state {
	s := state{reason: o.Status.Reason, message: o.Status.Message}
	switch o.Status.Phase {
	case "Complete":
		return state{ready: true}
	case "Failed", "Error", "Cancelled":
		s.failed = true
	case "Running":
		s.working = true
	}
	if s.message == "" {
		s.message = "its phase is " + o.Status.Phase
	}
	return s
}

// claimState of a PersistentVolumeClaim. One that waits for its first consumer is bound when that pod is
// ready, which is waited for; one without a storage class is bound only to volumes that are made by hand.
func claimState(o *reported) state {
	s := state{ready: o.Status.Phase == "Bound", failed: o.Status.Phase == "Lost", idle: !o.bindsAtOnce,
		message: "its phase is " + o.Status.Phase}
	if s.failed {
		s.reason = "Lost"
	}
	return s
}

// condition is a rule of a custom kind: the condition must be true.
func condition(name string) rule {
	return func(o *reported) state {
		for _, c := range o.Status.Conditions {
			if c.Type == name {
				return state{ready: c.Status == "True", reason: c.Reason,
					message: strings.TrimSpace(name + " is " + c.Status + " " + c.Message)}
			}
		}
		return state{message: "no condition " + name + " is told"}
	}
}

// WaitFor says what of a kind is waited for, in place of what is by itself.
type WaitFor struct {
	Kind string `json:"kind"`
	// Condition of its status that must be true; none is not waited for.
	Condition string `json:"condition"`
}

// ParseWaitFor reads "Certificate=Ready" or "Job=none".
func ParseWaitFor(text string) (WaitFor, error) {
	kind, name, _ := strings.Cut(text, "=")
	if kind == "" || name == "" || strings.ContainsAny(name, "= ") {
		return WaitFor{}, fmt.Errorf("%q does not say what is waited for (write a kind and its condition like "+
			"Certificate=Ready, or Job=none)", text)
	}
	return WaitFor{kind, name}, nil
}
