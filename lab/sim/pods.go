package sim

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// pod is what is remembered of one that is bound to a node.
type pod struct {
	plan Plan
	seen time.Time
	// latest is the pod as it was last seen, while there is something to do about it.
	latest   *corev1.Pod
	restarts int32
	timer    *time.Timer
	deleting bool
}

// shown is the delay from which a pod is shown as being created first. Shorter ones go
// straight to running, which saves a request for each pod.
const shown = time.Second

func (s *Sim) podStore(ctx context.Context) store[corev1.Pod] {
	return store[corev1.Pod]{
		seen: func(p *corev1.Pod) { s.seePod(ctx, p) },
		gone: func(p *corev1.Pod) { s.forgetPod(p.UID) },
		all: func(list []*corev1.Pod) {
			there := map[types.UID]bool{}
			for _, p := range list {
				there[p.UID] = true
			}
			s.mu.Lock()
			var gone []types.UID
			for uid := range s.pods {
				if !there[uid] {
					gone = append(gone, uid)
				}
			}
			s.mu.Unlock()
			for _, uid := range gone {
				s.forgetPod(uid)
			}
		},
	}
}

func (s *Sim) forgetPod(uid types.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.pods[uid]; p != nil && p.timer != nil {
		p.timer.Stop()
	}
	delete(s.pods, uid)
}

// seePod begins what is to become of a pod when it is first seen, and its end when it is
// being deleted.
func (s *Sim) seePod(ctx context.Context, seen *corev1.Pod) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.pods[seen.UID]
	if p == nil {
		p = &pod{seen: time.Now(), plan: s.opt.Behaviour.Of(seen), latest: slim(seen)}
		s.pods[seen.UID] = p
		s.ips = max(s.ips, number(seen.Status.PodIP))
		if seen.DeletionTimestamp == nil {
			s.begin(ctx, p)
		}
	} else if p.latest != nil {
		p.latest = slim(seen)
	}
	if seen.DeletionTimestamp != nil && !p.deleting {
		p.deleting = true
		if p.timer != nil {
			p.timer.Stop()
		}
		namespace, name, uid := seen.Namespace, seen.Name, seen.UID
		p.latest = nil
		s.queue.push(func() { s.end(ctx, namespace, name, uid) })
	}
}

// begin arranges for what comes first. A pod that ran before the simulator started goes on.
func (s *Sim) begin(ctx context.Context, p *pod) {
	uid := p.latest.UID
	switch p.latest.Status.Phase {
	case corev1.PodSucceeded, corev1.PodFailed:
		p.latest = nil
	case corev1.PodRunning:
		s.after(p, p.plan.After, func() { s.next(ctx, uid) })
	default:
		switch {
		case p.plan.Outcome == Never:
			s.queue.push(func() { s.post(ctx, uid, creating, &told{truth: true}) })
			return
		case p.plan.Delay >= shown:
			s.queue.push(func() { s.post(ctx, uid, creating, nil) })
		}
		s.after(p, p.plan.Delay, func() { s.start(ctx, uid) })
	}
}

// after does the job when the time has come; s.mu is held.
func (s *Sim) after(p *pod, wait time.Duration, job func()) {
	if wait <= 0 {
		s.queue.push(job)
		return
	}
	p.timer = time.AfterFunc(wait, func() { s.queue.push(job) })
}

// start runs the containers of a pod, or fails to.
func (s *Sim) start(ctx context.Context, uid types.UID) {
	if p, ok := s.of(uid); ok && p.plan.Outcome == ImagePullBackOff {
		s.post(ctx, uid, pulling, &told{reason: "Failed", kind: corev1.EventTypeWarning,
			message: "Error: ImagePullBackOff", truth: true})
		s.done(uid)
		return
	}
	s.post(ctx, uid, s.running, &told{reason: "Started", kind: corev1.EventTypeNormal, message: "Container started",
		truth: true})
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.pods[uid]
	switch {
	case p == nil || p.deleting:
	case p.plan.Outcome == Complete || p.plan.Outcome == CrashLoop:
		s.after(p, p.plan.After, func() { s.next(ctx, uid) })
	default:
		p.latest = nil
	}
}

// next is what follows upon running: the end, or a crash and after it another start.
func (s *Sim) next(ctx context.Context, uid types.UID) {
	p, ok := s.of(uid)
	if !ok {
		return
	}
	switch p.plan.Outcome {
	case Complete:
		s.post(ctx, uid, succeeded, nil)
		s.done(uid)
	case CrashLoop:
		if p.latest != nil && p.latest.Spec.RestartPolicy == corev1.RestartPolicyNever {
			s.post(ctx, uid, failed, nil)
			s.done(uid)
			return
		}
		s.crash(ctx, uid)
	default:
		s.done(uid)
	}
}

// The back-off of a kubelet: ten seconds, twice as long each time, five minutes at most.
const (
	firstBackOff   = 10 * time.Second
	longestBackOff = 5 * time.Minute
)

func (s *Sim) crash(ctx context.Context, uid types.UID) {
	s.mu.Lock()
	p := s.pods[uid]
	if p == nil {
		s.mu.Unlock()
		return
	}
	restarts := p.restarts
	p.restarts++
	s.mu.Unlock()
	s.post(ctx, uid, func(q *corev1.Pod, now time.Time) bool { return crashed(q, now, restarts) }, &told{reason: "BackOff",
		kind: corev1.EventTypeWarning, message: "Back-off restarting failed container"})
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.pods[uid]; p != nil && !p.deleting {
		wait := min(firstBackOff<<min(restarts, 10), longestBackOff)
		s.after(p, wait+p.plan.After, func() { s.next(ctx, uid) })
	}
}

// of is what is remembered of a pod that is not being deleted.
func (s *Sim) of(uid types.UID) (pod, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.pods[uid]; p != nil && !p.deleting {
		return *p, true
	}
	return pod{}, false
}

// done lets go of the object: nothing more becomes of the pod by itself.
func (s *Sim) done(uid types.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.pods[uid]; p != nil {
		p.latest = nil
	}
}

// told is what is said of a step, besides the status.
type told struct {
	reason, kind, message string
	truth                 bool
}

// change makes the status of a step; false where the pod is past it.
type change func(*corev1.Pod, time.Time) bool

// post writes a status, made from the pod as it is, and what is to be told of it.
func (s *Sim) post(ctx context.Context, uid types.UID, step change, say *told) {
	s.mu.Lock()
	p := s.pods[uid]
	if p == nil || p.deleting || p.latest == nil {
		s.mu.Unlock()
		return
	}
	latest, seen, plan := p.latest, p.seen, p.plan
	s.mu.Unlock()
	api := s.client.CoreV1().Pods(latest.Namespace)
	var started time.Time
	posted := false
	s.try(ctx, "pod "+latest.Namespace+"/"+latest.Name, func() error {
		changed := latest.DeepCopy()
		now := time.Now()
		s.host(changed)
		if !step(changed, now) {
			return nil
		}
		_, err := api.UpdateStatus(ctx, changed, metav1.UpdateOptions{})
		if posted = err == nil; posted && started.IsZero() {
			started = now
		}
		if apierrors.IsConflict(err) {
			fresh, failed := api.Get(ctx, latest.Name, metav1.GetOptions{})
			if failed != nil || fresh.UID != uid {
				return failed
			}
			latest = slim(fresh)
		}
		return err
	})
	if !posted || say == nil {
		return
	}
	if say.truth {
		s.truth.tell(Truth{Kind: "Pod", Namespace: latest.Namespace, Name: latest.Name, UID: string(uid),
			Node: latest.Spec.NodeName, Outcome: string(plan.Outcome), Delay: int64(plan.Delay), BoundSeen: seen.UnixNano(),
			StartedAt: nanoseconds(started, plan.Outcome), PostedAt: time.Now().UnixNano()})
	}
	if say.reason != "" {
		s.event(ctx, latest, say)
	}
}

// nanoseconds is when a pod started; 0 of one that never does.
func nanoseconds(at time.Time, o Outcome) int64 {
	if o == Never || o == ImagePullBackOff {
		return 0
	}
	return at.UnixNano()
}

// event tells what a kubelet would. One that fails is left out, as a kubelet does.
func (s *Sim) event(ctx context.Context, p *corev1.Pod, say *told) {
	now := metav1.Now()
	_, _ = s.client.CoreV1().Events(p.Namespace).Create(ctx, &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{GenerateName: p.Name + "."},
		InvolvedObject: corev1.ObjectReference{Kind: "Pod", APIVersion: "v1", Namespace: p.Namespace, Name: p.Name,
			UID: p.UID, FieldPath: "spec.containers{" + p.Spec.Containers[0].Name + "}"},
		Reason: say.reason, Message: say.message, Type: say.kind, Count: 1, FirstTimestamp: now, LastTimestamp: now,
		Source:              corev1.EventSource{Component: "kubelet", Host: p.Spec.NodeName},
		ReportingController: "kubelet", ReportingInstance: p.Spec.NodeName,
	}, metav1.CreateOptions{})
}

// end removes a pod whose containers would have ended.
func (s *Sim) end(ctx context.Context, namespace, name string, uid types.UID) {
	now := int64(0)
	s.try(ctx, "pod "+namespace+"/"+name, func() error {
		err := s.client.CoreV1().Pods(namespace).Delete(ctx, name, metav1.DeleteOptions{GracePeriodSeconds: &now,
			Preconditions: &metav1.Preconditions{UID: &uid}})
		if apierrors.IsConflict(err) { // another pod of this name
			return nil
		}
		return err
	})
}

// slim leaves out what a status update does not need.
func slim(p *corev1.Pod) *corev1.Pod {
	p.ManagedFields = nil
	return p
}
