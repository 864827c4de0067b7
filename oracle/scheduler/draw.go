package scheduler

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"k8s.io/kubernetes/pkg/controller/daemon/util"

	"plimsoll.dev/place/scheduler"
	"plimsoll.dev/place/scheduler/schedulertest"
)

// drawing makes the objects of a snapshot: the nodes and classes of a random session
// with controllers, Services, images and what else real pods carry.
type drawing struct {
	*rand.Rand
	session schedulertest.Session
	items   []runtime.Object
	images  []v1.ContainerImage
	made    int
	only    map[string]bool
	classes []*drawnClass
}

// drawnClass is a class and the controller of its pods.
type drawnClass struct {
	spec   scheduler.PodClass
	owner  *metav1.OwnerReference
	labels map[string]string // that the controller gives
	pod    *v1.Pod
	next   int // of a StatefulSet or a DaemonSet
	stores bool
}

func (d *drawing) one(n int) bool { return d.IntN(n) == 0 }

// drawFile draws a snapshot; equal seeds give equal texts.
func drawFile(seed uint64) ([]byte, error) {
	d := &drawing{Rand: rand.New(rand.NewPCG(seed, 99)), session: schedulertest.Random(seed)}
	d.drawImages()
	spaces := d.session.Profile.Namespaces
	for _, name := range slices.Sorted(maps.Keys(spaces)) {
		d.add(&v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: spaces[name]}})
	}
	d.classesOfStorage()
	for _, n := range d.session.Nodes {
		d.node(n)
	}
	for i, c := range d.session.Classes {
		if err := d.class(i, c); err != nil {
			return nil, err
		}
	}
	for _, b := range d.session.Bound {
		for range b.Count {
			d.running(d.classes[b.Class], d.session.Nodes[b.Node].Name)
		}
	}
	for _, class := range d.session.Arrivals {
		d.waiting(d.classes[class])
	}
	return d.text()
}

// text is the list as kubectl prints it, in an order of its own.
func (d *drawing) text() ([]byte, error) {
	d.Shuffle(len(d.items), func(i, j int) { d.items[i], d.items[j] = d.items[j], d.items[i] })
	list := map[string]any{"apiVersion": "v1", "kind": "List", "items": d.items}
	if d.one(2) {
		return json.Marshal(list)
	}
	return json.MarshalIndent(list, "", "    ")
}

var versions = map[string]string{"Node": "v1", "Pod": "v1", "Service": "v1", "Namespace": "v1",
	"ReplicationController": "v1", "ReplicaSet": "apps/v1", "StatefulSet": "apps/v1", "Deployment": "apps/v1",
	"DaemonSet": "apps/v1", "PersistentVolume": "v1", "PersistentVolumeClaim": "v1", "StorageClass": "storage.k8s.io/v1",
	"CSINode": "storage.k8s.io/v1"}

func (d *drawing) add(o runtime.Object) {
	kind := fmt.Sprintf("%T", o)[len("*v1."):]
	o.GetObjectKind().SetGroupVersionKind(schema.FromAPIVersionAndKind(versions[kind], kind))
	d.items = append(d.items, o)
}

func (d *drawing) drawImages() {
	for i := range 8 {
		name := fmt.Sprintf("registry.example.com/app-%d", i)
		image := v1.ContainerImage{Names: []string{name + ":latest"}, SizeBytes: int64(d.IntN(2000)) << 20}
		if d.one(2) {
			image.Names = append(image.Names, name+"@sha256:0123", name+":v1")
		}
		d.images = append(d.images, image)
	}
}

func (d *drawing) node(n scheduler.Node) {
	object := nodeObject(n)
	object.Status.Capacity = object.Status.Allocatable.DeepCopy()
	if d.one(3) {
		object.Status.Capacity[v1.ResourceCPU] = resource.MustParse("128")
	}
	object.Status.Conditions = []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionTrue}}
	for _, image := range d.images {
		if d.one(3) {
			object.Status.Images = append(object.Status.Images, image)
		}
	}
	d.add(object)
}

// class draws who makes the pods, and what they carry.
func (d *drawing) class(i int, c scheduler.PodClass) error {
	c.DefaultSpread, c.NodeName = nil, ""
	out := &drawnClass{spec: c, labels: map[string]string{}}
	var err error
	if out.pod, err = podObject(c); err != nil {
		return err
	}
	for k, v := range c.Labels {
		out.labels[k] = v
	}
	for j := range out.pod.Spec.Containers {
		if image := d.images[d.IntN(len(d.images))]; !d.one(4) {
			out.pod.Spec.Containers[j].Image = image.Names[d.IntN(len(image.Names))]
		}
		if d.one(6) {
			out.pod.Spec.Containers[j].Image = "registry.example.com/app-1"
		}
	}
	if d.one(8) {
		d.podLevel(out.pod)
	}
	out.stores = d.one(6)
	d.owner(i, out)
	if d.one(3) {
		d.add(&v1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: out.pod.Namespace, Name: fmt.Sprintf("service-%d", i)},
			Spec: v1.ServiceSpec{Selector: d.someOf(c.Labels)}})
	}
	d.classes = append(d.classes, out)
	return nil
}

func (d *drawing) someOf(labels map[string]string) map[string]string {
	out := map[string]string{}
	for _, key := range []string{"class", "app", "tier", "version"} {
		if v, ok := labels[key]; ok && d.one(2) {
			out[key] = v
		}
	}
	return out
}

// podLevel gives the pod resources as a whole, of at least what its containers request.
func (d *drawing) podLevel(p *v1.Pod) {
	cpu, memory := int64(0), int64(0)
	for _, c := range p.Spec.Containers {
		cpu += c.Resources.Requests.Cpu().MilliValue()
		memory += c.Resources.Requests.Memory().Value()
	}
	p.Spec.Resources = &v1.ResourceRequirements{Requests: v1.ResourceList{
		v1.ResourceCPU: *resource.NewMilliQuantity(cpu+int64(d.IntN(500)), resource.DecimalSI)}}
	if d.one(2) {
		p.Spec.Resources.Requests[v1.ResourceMemory] = *resource.NewQuantity(memory+int64(d.IntN(512))<<20, resource.BinarySI)
	}
}

func (d *drawing) owner(i int, c *drawnClass) {
	meta := metav1.ObjectMeta{Namespace: c.pod.Namespace, Name: fmt.Sprintf("owner-%d", i),
		UID: types.UID(fmt.Sprintf("owner-%d", i))}
	selector := d.someOf(c.spec.Labels)
	own := func(kind, version string) {
		yes := true
		c.owner = &metav1.OwnerReference{APIVersion: version, Kind: kind, Name: meta.Name, UID: meta.UID, Controller: &yes}
	}
	spec := v1.PodTemplateSpec{Spec: v1.PodSpec{Containers: []v1.Container{{Name: "c"}}}}
	switch d.IntN(7) {
	case 0, 1, 2: // of a Deployment
		deployment := meta
		hash := fmt.Sprintf("%x", 1000+i)
		d.add(&appsv1.Deployment{ObjectMeta: deployment, Spec: appsv1.DeploymentSpec{Template: spec,
			Selector: &metav1.LabelSelector{MatchLabels: c.spec.Labels}}})
		meta.Name += "-" + hash
		c.labels["pod-template-hash"], selector["pod-template-hash"] = hash, hash
		fallthrough
	case 3:
		selector["class"] = c.spec.Labels["class"]
		d.add(&appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Template: spec,
			Selector: &metav1.LabelSelector{MatchLabels: selector}}})
		own("ReplicaSet", "apps/v1")
	case 4:
		selector["class"] = c.spec.Labels["class"]
		d.add(&appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{Template: spec,
			Selector: &metav1.LabelSelector{MatchLabels: selector}}})
		own("StatefulSet", "apps/v1")
	case 5:
		selector["class"] = c.spec.Labels["class"]
		d.add(&v1.ReplicationController{ObjectMeta: meta, Spec: v1.ReplicationControllerSpec{Selector: selector}})
		own("ReplicationController", "v1")
	default:
		if len(c.pod.Spec.TopologySpreadConstraints) == 0 && d.one(2) {
			d.add(&appsv1.DaemonSet{ObjectMeta: meta, Spec: appsv1.DaemonSetSpec{Template: spec,
				Selector: &metav1.LabelSelector{MatchLabels: c.spec.Labels}}})
			own("DaemonSet", "apps/v1")
		}
	}
}

// make is the next pod of a class.
func (d *drawing) make(c *drawnClass) *v1.Pod {
	pod := c.pod.DeepCopy()
	pod.Labels = map[string]string{}
	for k, v := range c.labels {
		pod.Labels[k] = v
	}
	pod.Name = fmt.Sprintf("%s-x%dq", c.spec.Name, d.made)
	if c.owner != nil {
		pod.OwnerReferences = []metav1.OwnerReference{*c.owner}
		pod.Name = fmt.Sprintf("%s-x%dq", c.owner.Name, d.made)
		if c.owner.Kind == "StatefulSet" {
			pod.Name = fmt.Sprintf("%s-%d", c.owner.Name, c.next)
			pod.Labels["statefulset.kubernetes.io/pod-name"] = pod.Name
			c.next++
		}
	}
	pod.UID = types.UID(pod.Name)
	d.made++
	pod.CreationTimestamp = metav1.Time{Time: time.Unix(1_700_000_000+int64(d.IntN(20)), 0).UTC()}
	pod.Status.Phase = v1.PodPending
	d.volumes(c, pod)
	return pod
}

// running is a pod on a node: some are on their way out, some being resized, some done.
func (d *drawing) running(c *drawnClass, node string) {
	pod := d.make(c)
	pod.Spec.NodeName = node
	pod.Status.Phase = v1.PodRunning
	switch d.IntN(10) {
	case 0:
		pod.DeletionTimestamp = &metav1.Time{Time: time.Unix(1_700_000_100, 0).UTC()}
	case 1:
		pod.Status.Phase = v1.PodSucceeded
	case 2:
		requests := pod.Spec.Containers[0].Resources.Requests.DeepCopy()
		requests[v1.ResourceCPU] = *resource.NewMilliQuantity(int64(d.IntN(4000)), resource.DecimalSI)
		status := v1.ContainerStatus{Name: pod.Spec.Containers[0].Name, AllocatedResources: requests}
		if !d.one(4) {
			status.Resources = &v1.ResourceRequirements{Requests: requests}
		}
		pod.Status.ContainerStatuses = []v1.ContainerStatus{status}
		if d.one(3) {
			pod.Status.Conditions = []v1.PodCondition{{Type: v1.PodResizePending, Reason: v1.PodReasonInfeasible}}
		}
	}
	d.add(pod)
}

// waiting is a pod that waits for a node: some have gates, or another scheduler.
func (d *drawing) waiting(c *drawnClass) {
	pod := d.make(c)
	switch {
	case c.owner != nil && c.owner.Kind == "DaemonSet":
		if c.next >= len(d.session.Nodes) {
			return
		}
		name := d.session.Nodes[c.next].Name
		c.next++
		util.AddOrUpdateDaemonPodTolerations(&pod.Spec)
		if pod.Spec.Affinity == nil {
			pod.Spec.Affinity = &v1.Affinity{}
		}
		if pod.Spec.Affinity.NodeAffinity == nil {
			pod.Spec.Affinity.NodeAffinity = &v1.NodeAffinity{}
		}
		pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution = &v1.NodeSelector{
			NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchFields: []v1.NodeSelectorRequirement{
				{Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{name}}}}}}
	case d.one(40):
		pod.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "example.com/quota"}}
	case d.one(40):
		pod.Spec.SchedulerName = "other"
	}
	d.add(pod)
}
