package scheduler

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// CSI drivers of the drawn volumes: one whose nodes have limits, one without.
const (
	limited   = "disk.csi.example.com"
	unlimited = "share.csi.example.com"
)

// classesOfStorage: one binds at once, one when the pod has a node.
func (d *drawing) classesOfStorage() {
	now, later := storagev1.VolumeBindingImmediate, storagev1.VolumeBindingWaitForFirstConsumer
	for i, mode := range []*storagev1.VolumeBindingMode{&now, &later} {
		d.add(&storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: []string{"now", "later"}[i]}, Provisioner: limited,
			VolumeBindingMode: mode})
	}
	// A file without any claim is taken for one that leaves them out, which is told.
	d.add(&v1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "unused"}})
	for _, n := range d.session.Nodes {
		if d.one(4) {
			continue
		}
		most := int32(d.IntN(5))
		d.add(&storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: n.Name}, Spec: storagev1.CSINodeSpec{
			Drivers: []storagev1.CSINodeDriver{{Name: limited, NodeID: n.Name,
				Allocatable: &storagev1.VolumeNodeResources{Count: &most}}}}})
	}
}

// volumes gives a pod of a class that has some one claim or two.
func (d *drawing) volumes(c *drawnClass, pod *v1.Pod) {
	if !c.stores {
		return
	}
	for i := range 1 + d.IntN(2) {
		name := fmt.Sprintf("claim-%s-%d", pod.Name, i)
		pod.Spec.Volumes = append(pod.Spec.Volumes, v1.Volume{Name: fmt.Sprintf("v%d", i), VolumeSource: v1.VolumeSource{
			PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: name}}})
		d.claim(pod, name)
	}
	if d.one(8) {
		d.onlyOne(pod)
	}
}

// onlyOne mounts the claim for one pod of the namespace.
func (d *drawing) onlyOne(pod *v1.Pod) {
	name := "only-" + pod.Namespace
	pod.Spec.Volumes = append(pod.Spec.Volumes, v1.Volume{Name: "only", VolumeSource: v1.VolumeSource{
		PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: name}}})
	if d.only[name] {
		return
	}
	if d.only == nil {
		d.only = map[string]bool{}
	}
	d.only[name] = true
	d.bound(&v1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: name},
		Spec: v1.PersistentVolumeClaimSpec{AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOncePod}}}, unlimited)
}

func (d *drawing) claim(pod *v1.Pod, name string) {
	claim := &v1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: name},
		Spec: v1.PersistentVolumeClaimSpec{AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}}}
	claim.Spec.Resources.Requests = v1.ResourceList{v1.ResourceStorage: resource.MustParse("1Gi")}
	class := "later"
	if d.one(2) {
		class = "now"
	}
	claim.Spec.StorageClassName = &class
	switch d.IntN(20) {
	case 0: // it is not there
	case 1:
		claim.Spec.VolumeName, claim.Status.Phase = "gone", v1.ClaimLost
		d.add(claim)
	case 2:
		claim.DeletionTimestamp = &metav1.Time{Time: time.Unix(1_700_000_000, 0).UTC()}
		d.bound(claim, unlimited)
	case 3, 4, 5:
		claim.Status.Phase = v1.ClaimPending
		if class = "later"; d.one(4) {
			class = "now"
		}
		d.add(claim)
	case 6, 7, 8:
		d.bound(claim, unlimited)
	default:
		d.bound(claim, limited)
	}
}

// bound adds a claim with its volume, which is for the nodes of one zone, or for all.
func (d *drawing) bound(claim *v1.PersistentVolumeClaim, driver string) {
	volume := &v1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pv-" + claim.Namespace + "-" + claim.Name},
		Spec: v1.PersistentVolumeSpec{ClaimRef: &v1.ObjectReference{Namespace: claim.Namespace, Name: claim.Name},
			Capacity: v1.ResourceList{v1.ResourceStorage: resource.MustParse("1Gi")}}}
	volume.Spec.CSI = &v1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: volume.Name}
	zone := d.session.Nodes[d.IntN(len(d.session.Nodes))].Labels[v1.LabelTopologyZone]
	switch {
	case zone == "" || d.one(3):
	case d.one(4):
		volume.Labels = map[string]string{v1.LabelTopologyZone: zone + "__zone-z"}
	default:
		volume.Spec.NodeAffinity = &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{
			{MatchExpressions: []v1.NodeSelectorRequirement{{Key: v1.LabelTopologyZone, Operator: v1.NodeSelectorOpIn,
				Values: []string{zone}}}}}}}
	}
	claim.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
	claim.Spec.VolumeName = volume.Name
	claim.Status.Phase = v1.ClaimBound
	d.add(claim)
	if !d.one(30) {
		d.add(volume)
	}
}
