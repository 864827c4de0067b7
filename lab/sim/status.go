package sim

import (
	"net/netip"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// creating is a pod whose containers are being made.
func creating(p *corev1.Pod, now time.Time) bool {
	if p.Status.Phase != corev1.PodPending {
		return false
	}
	base(p, now)
	p.Status.Phase = corev1.PodPending
	waiting(p, "ContainerCreating", "")
	return conditions(p, now, false)
}

// pulling is a pod whose image can't be had.
func pulling(p *corev1.Pod, now time.Time) bool {
	base(p, now)
	p.Status.Phase = corev1.PodPending
	waiting(p, "ImagePullBackOff", "Back-off pulling image (simulated)")
	return conditions(p, now, false)
}

// running is a pod whose containers all run.
func (s *Sim) running(p *corev1.Pod, now time.Time) bool {
	base(p, now)
	st := &p.Status
	st.Phase = corev1.PodRunning
	if st.PodIP == "" {
		st.PodIP = s.podIP(p)
		st.PodIPs = []corev1.PodIP{{IP: st.PodIP}}
	}
	at := metav1.NewTime(now)
	st.ContainerStatuses = each(p, p.Spec.Containers, func(c *corev1.ContainerStatus) {
		c.Ready, c.Started = true, yes()
		c.State.Running = &corev1.ContainerStateRunning{StartedAt: at}
	})
	st.InitContainerStatuses = nil
	for _, c := range p.Spec.InitContainers {
		one := each(p, []corev1.Container{c}, func(status *corev1.ContainerStatus) {
			status.Ready = true
			if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways { // a sidecar
				status.Started = yes()
				status.State.Running = &corev1.ContainerStateRunning{StartedAt: at}
				return
			}
			status.State.Terminated = &corev1.ContainerStateTerminated{Reason: "Completed", StartedAt: at, FinishedAt: at}
		})
		st.InitContainerStatuses = append(st.InitContainerStatuses, one...)
	}
	return conditions(p, now, true)
}

// succeeded is a pod whose containers have all ended well; failed is one whose have not.
func succeeded(p *corev1.Pod, now time.Time) bool {
	return ended(p, now, corev1.PodSucceeded, "Completed", 0)
}
func failed(p *corev1.Pod, now time.Time) bool { return ended(p, now, corev1.PodFailed, "Error", 1) }

func ended(p *corev1.Pod, now time.Time, phase corev1.PodPhase, reason string, code int32) bool {
	base(p, now)
	started := *p.Status.StartTime
	for _, c := range p.Status.ContainerStatuses {
		if c.State.Running != nil {
			started = c.State.Running.StartedAt
		}
	}
	p.Status.Phase = phase
	p.Status.ContainerStatuses = each(p, p.Spec.Containers, func(c *corev1.ContainerStatus) {
		c.State.Terminated = &corev1.ContainerStateTerminated{Reason: reason, ExitCode: code, StartedAt: started,
			FinishedAt: metav1.NewTime(now)}
	})
	conditions(p, now, false)
	for i := range p.Status.Conditions {
		if c := &p.Status.Conditions[i]; c.Type == corev1.PodReady || c.Type == corev1.ContainersReady {
			c.Reason = "PodCompleted"
			if phase == corev1.PodFailed {
				c.Reason = "PodFailed"
			}
		}
	}
	return true
}

// crashed is a pod that waits to be started again, after so many restarts.
func crashed(p *corev1.Pod, now time.Time, restarts int32) bool {
	base(p, now)
	p.Status.Phase = corev1.PodRunning
	at := metav1.NewTime(now)
	p.Status.ContainerStatuses = each(p, p.Spec.Containers, func(c *corev1.ContainerStatus) {
		c.RestartCount, c.Started = restarts, new(bool)
		c.State.Waiting = &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff",
			Message: "back-off restarting failed container (simulated)"}
		c.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{Reason: "Error", ExitCode: 1, StartedAt: at,
			FinishedAt: at}
	})
	return conditions(p, now, false)
}

// base is what all have in common.
func base(p *corev1.Pod, now time.Time) {
	st := &p.Status
	st.ObservedGeneration = p.Generation
	if st.StartTime == nil {
		at := metav1.NewTime(now)
		st.StartTime = &at
	}
}

func waiting(p *corev1.Pod, reason, message string) {
	p.Status.ContainerStatuses = each(p, p.Spec.Containers, func(c *corev1.ContainerStatus) {
		c.Started = new(bool)
		c.State.Waiting = &corev1.ContainerStateWaiting{Reason: reason, Message: message}
	})
}

func each(p *corev1.Pod, list []corev1.Container, set func(*corev1.ContainerStatus)) []corev1.ContainerStatus {
	out := make([]corev1.ContainerStatus, len(list))
	for i, c := range list {
		out[i] = corev1.ContainerStatus{Name: c.Name, Image: c.Image}
		set(&out[i])
		if out[i].State.Waiting == nil {
			out[i].ImageID = "simulated://" + c.Image
			out[i].ContainerID = "simulated://" + string(p.UID) + "/" + c.Name
		}
	}
	return out
}

// conditions are those of a kubelet, in its order; the scheduler's stays.
func conditions(p *corev1.Pod, now time.Time, ready bool) bool {
	started := p.Status.PodIP != ""
	initialized := len(p.Spec.InitContainers) == 0 || started
	set(p, corev1.PodReadyToStartContainers, started, "", now)
	set(p, corev1.PodInitialized, initialized, "ContainersNotInitialized", now)
	set(p, corev1.PodReady, ready, "ContainersNotReady", now)
	set(p, corev1.ContainersReady, ready, "ContainersNotReady", now)
	set(p, corev1.PodScheduled, true, "", now)
	return true
}

func set(p *corev1.Pod, kind corev1.PodConditionType, is bool, reason string, now time.Time) {
	status := corev1.ConditionFalse
	if is {
		status, reason = corev1.ConditionTrue, ""
	}
	for i := range p.Status.Conditions {
		if c := &p.Status.Conditions[i]; c.Type == kind {
			if c.Status != status {
				c.LastTransitionTime = metav1.NewTime(now)
			}
			c.Status, c.Reason, c.ObservedGeneration = status, reason, p.Generation
			return
		}
	}
	p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: kind, Status: status, Reason: reason,
		ObservedGeneration: p.Generation, LastTransitionTime: metav1.NewTime(now)})
}

// podIP is an address that no pod had since the simulator started, as long as there are
// fewer than a million; a pod of the host's network has the node's.
func (s *Sim) podIP(p *corev1.Pod) string {
	if p.Spec.HostNetwork && p.Status.HostIP != "" {
		return p.Status.HostIP
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ips++
	return address(10, 128, s.ips)
}

// number is which of these addresses it is; 0 of any other.
func number(ip string) uint32 {
	a, err := netip.ParseAddr(ip)
	if err != nil || !a.Is4() || !netip.MustParsePrefix("10.128.0.0/12").Contains(a) {
		return 0
	}
	b := a.As4()
	return uint32(b[1]-128)<<16 | uint32(b[2])<<8 | uint32(b[3])
}

// host gives a pod the address of its node.
func (s *Sim) host(p *corev1.Pod) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.nodes[p.Spec.NodeName]; n != nil && n.ip != "" && p.Status.HostIP == "" {
		p.Status.HostIP, p.Status.HostIPs = n.ip, []corev1.HostIP{{IP: n.ip}}
	}
}

func yes() *bool {
	v := true
	return &v
}
