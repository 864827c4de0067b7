package scheduler

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/apis/core"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/apis/core/validation"
)

// valid says whether the API server would take the pod: a session that it would
// refuse shows behaviour that nobody can meet.
func valid(pod *v1.Pod) error {
	named := pod.DeepCopy()
	named.Name = "pod"
	var internal core.Pod
	if err := corev1.Convert_v1_Pod_To_core_Pod(named, &internal, nil); err != nil {
		return err
	}
	internal.Spec.SecurityContext = &core.PodSecurityContext{}
	errs := validation.ValidatePodCreate(&internal, validation.PodValidationOptions{
		ResourceIsPod:                                       true,
		AllowMatchLabelKeysInPodTopologySpread:              true,
		AllowMatchLabelKeysInPodTopologySpreadSelectorMerge: true,
	})
	if len(errs) > 0 {
		return fmt.Errorf("the API server would refuse the pod: %w", errs.ToAggregate())
	}
	return nil
}
