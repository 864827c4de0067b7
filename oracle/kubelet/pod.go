package kubelet

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/apis/core"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/apis/scheduling"

	"plimsoll.dev/place/kubelet"
)

// submit is the pod as the API server stores it, or why it would not.
func submit(p *kubelet.Pod) (*v1.Pod, error) {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{UID: types.UID(p.UID), Namespace: "default", Name: p.Name}}
	if p.Namespace != "" {
		pod.Namespace = p.Namespace
	}
	for _, c := range p.Init {
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, container(c))
	}
	for _, c := range p.Containers {
		pod.Spec.Containers = append(pod.Spec.Containers, container(c))
	}
	if p.Requests != nil || p.Limits != nil {
		pod.Spec.Resources = &v1.ResourceRequirements{Requests: amounts(p.Requests), Limits: amounts(p.Limits)}
	}
	corev1.SetObjectDefaults_Pod(pod)
	var internal core.Pod
	if err := corev1.Convert_v1_Pod_To_core_Pod(pod, &internal, nil); err != nil {
		return nil, err
	}
	if errs := validation.ValidatePodCreate(&internal,
		validation.PodValidationOptions{PodLevelResourcesEnabled: true}); len(errs) > 0 {
		return nil, fmt.Errorf("pod %s: %w", p.UID, errs.ToAggregate())
	}
	// What admission plug-ins set: the runtime class's overhead and the priority.
	pod.Spec.Overhead = amounts(p.Overhead)
	priority := int32(0)
	if p.Critical {
		priority = scheduling.SystemCriticalPriority
	}
	pod.Spec.Priority = &priority
	return pod, nil
}

func container(c kubelet.Container) v1.Container {
	out := v1.Container{Name: c.Name, Image: "image", TerminationMessagePolicy: v1.TerminationMessageReadFile,
		Resources: v1.ResourceRequirements{Requests: amounts(c.Requests), Limits: amounts(c.Limits)}}
	if c.Restartable {
		always := v1.ContainerRestartPolicyAlways
		out.RestartPolicy = &always
	}
	return out
}

// amounts are millicores for cpu, else bytes or counts.
func amounts(of map[string]int64) v1.ResourceList {
	if of == nil {
		return nil
	}
	list := v1.ResourceList{}
	for name, n := range of {
		if name == "cpu" {
			list[v1.ResourceCPU] = *resource.NewMilliQuantity(n, resource.DecimalSI)
			continue
		}
		list[v1.ResourceName(name)] = *resource.NewQuantity(n, resource.BinarySI)
	}
	return list
}
