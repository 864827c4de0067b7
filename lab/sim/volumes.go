package sim

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Provisioner is the name of the driver whose volumes are simulated.
const Provisioner = "csi.lab.plimsoll.dev"

// What the controllers of Kubernetes write for a provisioner that is not part of them.
const (
	provisionedFor = "volume.kubernetes.io/storage-provisioner"
	provisionedBy  = "pv.kubernetes.io/provisioned-by"
)

// classes are the storage classes of a new laboratory. The first one is the default; gp2 is the one of
// OpenShift on AWS, which files name.
func classes() []storagev1.StorageClass {
	late, once, remove := storagev1.VolumeBindingWaitForFirstConsumer, storagev1.VolumeBindingImmediate,
		corev1.PersistentVolumeReclaimDelete
	class := func(name string, mode *storagev1.VolumeBindingMode) storagev1.StorageClass {
		return storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: Provisioner,
			VolumeBindingMode: mode, ReclaimPolicy: &remove}
	}
	out := []storagev1.StorageClass{class("standard", &late), class("standard-immediate", &once), class("gp2", &late)}
	out[0].Annotations = map[string]string{"storageclass.kubernetes.io/is-default-class": "true"}
	return out
}

// ServeVolumes makes the storage classes, and the driver, which attaches nothing: no node has a disk.
func (s *Sim) ServeVolumes(ctx context.Context) error {
	no := false
	storage := s.client.StorageV1()
	_, err := storage.CSIDrivers().Create(ctx, &storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: Provisioner},
		Spec: storagev1.CSIDriverSpec{AttachRequired: &no}}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	for _, class := range classes() {
		_, err := storage.StorageClasses().Create(ctx, &class, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	return nil
}

func (s *Sim) claimStore(ctx context.Context) store[corev1.PersistentVolumeClaim] {
	return store[corev1.PersistentVolumeClaim]{
		seen: func(c *corev1.PersistentVolumeClaim) { s.seeClaim(ctx, c) },
		gone: func(c *corev1.PersistentVolumeClaim) {
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.claims, c.UID)
		},
	}
}

// seeClaim provisions for a claim once. The controller names the provisioner only when it is time: with
// WaitForFirstConsumer, when the scheduler has chosen a node.
func (s *Sim) seeClaim(ctx context.Context, c *corev1.PersistentVolumeClaim) {
	if c.Annotations[provisionedFor] != Provisioner || c.Spec.VolumeName != "" || c.DeletionTimestamp != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.claims[c.UID] {
		return
	}
	s.claims[c.UID] = true
	b := &s.opt.Behaviour
	time.AfterFunc(b.Provision.draw(b.random("claim/"+c.Namespace+"/"+c.Name, -1)), func() {
		s.queue.push(func() { s.provision(ctx, c) })
	})
}

// provision makes the volume of a claim. If the claim is gone by then, the controller releases the
// volume at once, and it goes as others do.
func (s *Sim) provision(ctx context.Context, c *corev1.PersistentVolumeClaim) {
	s.try(ctx, "claim "+c.Namespace+"/"+c.Name, func() error {
		class, err := s.client.StorageV1().StorageClasses().Get(ctx, className(c), metav1.GetOptions{})
		if err != nil {
			return err
		}
		_, err = s.client.CoreV1().PersistentVolumes().Create(ctx, volumeOf(c, class), metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			return nil
		}
		return err
	})
}

// className is the class of a claim; files of old name it in an annotation.
func className(c *corev1.PersistentVolumeClaim) string {
	if name, ok := c.Annotations[corev1.BetaStorageClassAnnotation]; ok || c.Spec.StorageClassName == nil {
		return name
	}
	return *c.Spec.StorageClassName
}

// volumeOf is the volume that an external provisioner makes of a claim.
func volumeOf(c *corev1.PersistentVolumeClaim, class *storagev1.StorageClass) *corev1.PersistentVolume {
	name := "pvc-" + string(c.UID)
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{provisionedBy: Provisioner}},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:    corev1.ResourceList{corev1.ResourceStorage: c.Spec.Resources.Requests[corev1.ResourceStorage]},
			AccessModes: c.Spec.AccessModes, VolumeMode: c.Spec.VolumeMode, StorageClassName: class.Name,
			PersistentVolumeReclaimPolicy: *class.ReclaimPolicy, MountOptions: class.MountOptions,
			ClaimRef: &corev1.ObjectReference{Kind: "PersistentVolumeClaim", APIVersion: "v1", Namespace: c.Namespace,
				Name: c.Name, UID: c.UID, ResourceVersion: c.ResourceVersion},
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				CSI: &corev1.CSIPersistentVolumeSource{Driver: Provisioner, VolumeHandle: name}},
		},
	}
}

func (s *Sim) volumeStore(ctx context.Context) store[corev1.PersistentVolume] {
	return store[corev1.PersistentVolume]{seen: func(v *corev1.PersistentVolume) {
		if v.Annotations[provisionedBy] != Provisioner || v.Status.Phase != corev1.VolumeReleased ||
			v.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimDelete || v.DeletionTimestamp != nil {
			return
		}
		s.queue.push(func() {
			s.try(ctx, "volume "+v.Name, func() error {
				return s.client.CoreV1().PersistentVolumes().Delete(ctx, v.Name, metav1.DeleteOptions{})
			})
		})
	}}
}
