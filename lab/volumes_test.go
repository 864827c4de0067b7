package main

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// claim asks for a volume; an empty class is the default.
func claim(name, class string) *corev1.PersistentVolumeClaim {
	c := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{
			corev1.ResourceStorage: resource.MustParse("1Gi")}}}}
	if class != "" {
		c.Spec.StorageClassName = &class
	}
	return c
}

func (l *lab) volumes(t *testing.T) {
	const namespace = "volumes"
	l.namespace(namespace)
	claims := l.CoreV1().PersistentVolumeClaims(namespace)
	old := claim("named-as-of-old", "")
	old.Annotations = map[string]string{corev1.BetaStorageClassAnnotation: "standard-immediate"}
	for _, c := range []*corev1.PersistentVolumeClaim{claim("waits", ""), claim("at-once", "standard-immediate"), old} {
		if _, err := claims.Create(t.Context(), c, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, class := range []string{"", "gp2"} { // for the first consumer
		l.stateful(namespace, "db"+class, class)
	}
	l.until(time.Minute, "pods with volumes are ready", func() bool { return l.pods(namespace, podReady) == 4 })
	l.until(time.Minute, "claims are bound", func() bool {
		bound := 0
		list, err := claims.List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list.Items {
			if c.Status.Phase == corev1.ClaimBound {
				bound++
			}
		}
		return bound == 6
	})
	c, err := claims.Get(t.Context(), "waits", metav1.GetOptions{})
	if err != nil || c.Status.Phase != corev1.ClaimPending {
		t.Errorf("a claim without a consumer is %s: %v", c.Status.Phase, err)
	}
	c, err = claims.Get(t.Context(), "at-once", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := l.CoreV1().PersistentVolumes().Get(t.Context(), c.Spec.VolumeName, metav1.GetOptions{})
	if err != nil || !strings.Contains(v.Name, string(c.UID)) || v.Spec.StorageClassName != "standard-immediate" ||
		c.Status.Capacity.Storage().String() != "1Gi" {
		t.Errorf("%+v: %v", v, err)
	}
	if early := v.CreationTimestamp.Sub(c.CreationTimestamp.Time); early < 0 {
		t.Errorf("the volume was made %s before its claim", -early)
	}
	if err := claims.Delete(t.Context(), c.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	l.until(time.Minute, "the volume goes with its claim", func() bool {
		_, err := l.CoreV1().PersistentVolumes().Get(t.Context(), v.Name, metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	})
}

// stateful makes a StatefulSet of two pods with a volume each.
func (l *lab) stateful(namespace, name, class string) {
	l.t.Helper()
	labels, two := map[string]string{"app": name}, int32(2)
	pod := template(labels, corev1.RestartPolicyAlways)
	pod.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "data", MountPath: "/data"}}
	_, err := l.AppsV1().StatefulSets(namespace).Create(l.t.Context(), &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: appsv1.StatefulSetSpec{Replicas: &two, ServiceName: name,
			Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: pod,
			VolumeClaimTemplates: []corev1.PersistentVolumeClaim{*claim("data", class)}}}, metav1.CreateOptions{})
	if err != nil {
		l.t.Fatal(err)
	}
}
