package sim

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

func conditionOf(p *corev1.Pod, kind corev1.PodConditionType) corev1.ConditionStatus {
	for _, c := range p.Status.Conditions {
		if c.Type == kind {
			return c.Status
		}
	}
	return corev1.ConditionUnknown
}

// A pod passes through the conditions in the order in which a kubelet sets them.
func TestStatusesOfAPod(t *testing.T) {
	s := &Sim{nodes: map[string]*node{"node-1": {ip: "172.16.0.1"}}, pods: map[types.UID]*pod{}}
	always := corev1.ContainerRestartPolicyAlways
	p := &corev1.Pod{Spec: corev1.PodSpec{NodeName: "node-1",
		InitContainers: []corev1.Container{{Name: "first"}, {Name: "sidecar", RestartPolicy: &always}},
		Containers:     []corev1.Container{{Name: "web"}}}, Status: corev1.PodStatus{Phase: corev1.PodPending}}
	at := time.Unix(1_000_000, 0)
	s.host(p)
	if !creating(p, at) || p.Status.ContainerStatuses[0].State.Waiting.Reason != "ContainerCreating" ||
		conditionOf(p, corev1.PodInitialized) != corev1.ConditionFalse || p.Status.HostIP != "172.16.0.1" {
		t.Errorf("creating: %+v", p.Status)
	}
	s.running(p, at.Add(time.Second))
	if init := p.Status.InitContainerStatuses; init[0].State.Terminated == nil || init[1].State.Running == nil {
		t.Errorf("init containers: %+v", init)
	}
	if p.Status.Phase != corev1.PodRunning || conditionOf(p, corev1.PodReady) != corev1.ConditionTrue ||
		p.Status.PodIP != "10.128.0.1" {
		t.Errorf("running: %+v", p.Status)
	}
	if creating(p, at) {
		t.Error("a pod that runs is being created again")
	}
	crashed(p, at.Add(2*time.Second), 3)
	if c := p.Status.ContainerStatuses[0]; c.RestartCount != 3 || c.State.Waiting.Reason != "CrashLoopBackOff" ||
		c.LastTerminationState.Terminated.ExitCode != 1 || conditionOf(p, corev1.PodReady) != corev1.ConditionFalse {
		t.Errorf("crashed: %+v", p.Status)
	}
	s.running(p, at.Add(3*time.Second))
	succeeded(p, at.Add(5*time.Second))
	if c := p.Status.ContainerStatuses[0].State.Terminated; p.Status.Phase != corev1.PodSucceeded || c.ExitCode != 0 ||
		c.FinishedAt.Sub(c.StartedAt.Time) != 2*time.Second {
		t.Errorf("succeeded: %+v", p.Status)
	}
}

func TestAddresses(t *testing.T) {
	for _, n := range []uint32{1, 255, 256, 65536, 1<<20 - 1} {
		if got := number(address(10, 128, n)); got != n {
			t.Errorf("address %d, %s, is read as %d", n, address(10, 128, n), got)
		}
	}
	if number("172.16.0.1") != 0 || number("") != 0 {
		t.Error("an address of a node is one of a pod")
	}
}
