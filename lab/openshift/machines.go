package openshift

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// MachineNamespace is where the machines are.
const MachineNamespace = "openshift-machine-api"

// The kinds of the machine API.
var (
	machineAPI  = schema.GroupVersion{Group: "machine.openshift.io", Version: "v1beta1"}
	machineKind = machineAPI.WithResource("machines")
	setKind     = machineAPI.WithResource("machinesets")
)

// Machines plays the machine API: each node has a machine, all of one set. A machine that is deleted takes its node
// with it, and the set makes another one, whose node is there at once.
type Machines struct {
	client  dynamic.Interface
	nodes   kubernetes.Interface
	set     *unstructured.Unstructured
	logf    func(string, ...any)
	mu      sync.Mutex
	pattern *corev1.Node // of new nodes
	made    int
}

// PlayMachines begins with machines of the nodes, unless there is a set already, and goes on until the context ends.
func PlayMachines(ctx context.Context, config *rest.Config, nodes []corev1.Node, logf func(string, ...any)) error {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	m := &Machines{client: client, logf: logf, made: len(nodes)}
	if m.nodes, err = kubernetes.NewForConfig(config); err != nil {
		return err
	}
	m.pattern = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: nodes[0].Labels},
		Status: corev1.NodeStatus{Capacity: nodes[0].Status.Capacity, Allocatable: nodes[0].Status.Allocatable}}
	fresh, err := m.owner(ctx, len(nodes))
	if err != nil {
		return err
	}
	if fresh {
		for i := range nodes {
			if err := m.machine(ctx, nodes[i].Name); err != nil {
				return err
			}
		}
	} else if err := m.fill(ctx); err != nil {
		return err
	}
	informer := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, MachineNamespace, nil).
		ForResource(machineKind).Informer()
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(o any) { m.replace(ctx, o) }})
	if err == nil {
		go informer.RunWithContext(ctx)
	}
	return err
}

// owner makes the namespace and the set; fresh says that there was no set.
func (m *Machines) owner(ctx context.Context, replicas int) (fresh bool, err error) {
	space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: MachineNamespace}}
	_, err = m.nodes.CoreV1().Namespaces().Create(ctx, space, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return false, err
	}
	sets := m.client.Resource(setKind).Namespace(MachineNamespace)
	m.set, err = sets.Create(ctx, object("MachineSet", "workers", nil,
		map[string]any{"replicas": int64(replicas)}), metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		m.set, err = sets.Get(ctx, "workers", metav1.GetOptions{})
		return false, err
	}
	return true, err
}

func object(kind, name string, labels map[string]string, spec map[string]any) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	u.SetAPIVersion(machineAPI.String())
	u.SetKind(kind)
	u.SetName(name)
	u.SetLabels(labels)
	return u
}

// machine makes one of a node's name, in the state in which that has joined.
func (m *Machines) machine(ctx context.Context, node string) error {
	yes := true
	u := object("Machine", node, map[string]string{"machine.openshift.io/cluster-api-machine-role": "worker",
		"machine.openshift.io/cluster-api-machine-type": "worker", "machine.openshift.io/cluster-api-machineset": "workers"},
		map[string]any{})
	u.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: machineAPI.String(), Kind: "MachineSet",
		Name: m.set.GetName(), UID: m.set.GetUID(), Controller: &yes}})
	machines := m.client.Resource(machineKind).Namespace(MachineNamespace)
	made, err := machines.Create(ctx, u, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("machine %s: %w", node, err)
	}
	made.Object["status"] = map[string]any{"phase": "Running", "nodeRef": map[string]any{"kind": "Node", "name": node},
		"lastUpdated": time.Now().UTC().Format(time.RFC3339)}
	_, err = machines.UpdateStatus(ctx, made, metav1.UpdateOptions{})
	return err
}

// fill makes the machines that the set lacks: those that were deleted while nobody was there to replace them.
func (m *Machines) fill(ctx context.Context) error {
	list, err := m.client.Resource(machineKind).Namespace(MachineNamespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	want, _, _ := unstructured.NestedInt64(m.set.Object, "spec", "replicas")
	for n := int64(len(list.Items)); n < want; n++ {
		if err := m.another(ctx); err != nil {
			return err
		}
	}
	return nil
}

// replace what was deleted.
func (m *Machines) replace(ctx context.Context, o any) {
	if last, ok := o.(cache.DeletedFinalStateUnknown); ok {
		o = last.Obj
	}
	gone, ok := o.(*unstructured.Unstructured)
	if !ok || ctx.Err() != nil {
		return
	}
	if node, _, _ := unstructured.NestedString(gone.Object, "status", "nodeRef", "name"); node != "" {
		if err := m.nodes.CoreV1().Nodes().Delete(ctx, node, metav1.DeleteOptions{}); err != nil && ctx.Err() == nil {
			m.logf("node %s: %v", node, err)
		}
	}
	if err := m.another(ctx); err != nil && ctx.Err() == nil {
		m.logf("the set makes no other machine for %s: %v", gone.GetName(), err)
	}
}

// another machine of the set, with its node: of the name of the first one, and the next number.
func (m *Machines) another(ctx context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for {
		m.made++
		n := m.pattern.DeepCopy()
		n.Name = fmt.Sprintf("node-%d", m.made)
		if n.Labels[corev1.LabelHostname] != "" {
			n.Labels[corev1.LabelHostname] = n.Name
		}
		_, err := m.nodes.CoreV1().Nodes().Create(ctx, n, metav1.CreateOptions{})
		switch {
		case apierrors.IsAlreadyExists(err):
			continue
		case err != nil:
			return err
		}
		return m.machine(ctx, n.Name)
	}
}
