package kubelet

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"
	_ "unsafe" // linkname

	cadvisor "github.com/google/cadvisor/info/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/record"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/klog/v2"
	kubecadvisor "k8s.io/kubernetes/pkg/kubelet/cadvisor"
	"k8s.io/kubernetes/pkg/kubelet/cm/containermap"
	"k8s.io/kubernetes/pkg/kubelet/cm/cpumanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/devicemanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/memorymanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	"k8s.io/kubernetes/pkg/kubelet/nodestatus"
	"k8s.io/kubernetes/pkg/kubelet/preemption"
	"k8s.io/utils/cpuset"

	"plimsoll.dev/place/kubelet"
	"plimsoll.dev/topo"
)

// newDeviceManager is NewManagerImpl with a socket folder of our choice.
//
//go:linkname newDeviceManager k8s.io/kubernetes/pkg/kubelet/cm/devicemanager.newManagerImpl
func newDeviceManager(logger klog.Logger, socket string, nodes []cadvisor.Node,
	store topologymanager.Store) (*devicemanager.ManagerImpl, error)

// node is the managers of one node and the pods that they look after.
type node struct {
	topology topologymanager.Manager
	cpus     cpumanager.Manager
	memory   memorymanager.Manager
	devices  *devicemanager.ManagerImpl
	handlers []lifecycle.PodAdmitHandler
	restore  func()

	mutex     sync.Mutex
	pods      []*v1.Pod
	preempted []string
}

// always says that the kubelet knows all its pods.
type always struct{}

func (always) AddSource(string) {}
func (always) AllReady() bool   { return true }

// nothing stands for the container runtime and for the pods' statuses.
type nothing struct{}

func (nothing) GetPodStatus(types.UID) (v1.PodStatus, bool) { return v1.PodStatus{}, false }
func (nothing) UpdateContainerResources(context.Context, string, *runtimeapi.ContainerResources) error {
	return nil
}

// never is the time between two passes that put cpusets right: all that they do
// to the state is what each admission does as well.
const never = 1000 * time.Hour

// start makes the managers in the order in which the container manager does; the
// error is why this kubelet does not start. State files and socket go into dir.
func start(m topo.Machine, c kubelet.Config, dir string) (*node, error) {
	restore, err := setGates(c.FeatureGates)
	n := &node{restore: restore}
	if err == nil {
		err = n.build(m, c, dir)
	}
	if err != nil {
		n.stop()
		return nil, err
	}
	return n, nil
}

func (n *node) build(m topo.Machine, c kubelet.Config, dir string) error {
	k, err := configuration(c)
	if err != nil {
		return err
	}
	info := describe(m)
	capacity := kubecadvisor.CapacityFromMachineInfo(info)
	reserved := reservation(c, capacity)
	cpus := cpuset.New(slices.Collect(c.ReservedSystemCPUs.All())...)
	for cpu := range c.ReservedSystemCPUs.All() {
		if !slices.ContainsFunc(m.CPUs, func(x topo.CPU) bool { return x.ID == cpu }) {
			return fmt.Errorf("reserved-cpus: %s is not a subset of online-cpus", cpus)
		}
	}
	log := klog.Background()
	if n.topology, err = topologymanager.NewManager(info.Topology, k.TopologyManagerPolicy, k.TopologyManagerScope,
		k.TopologyManagerPolicyOptions); err != nil {
		return err
	}
	if n.devices, err = newDeviceManager(log, filepath.Join(dir, "kubelet.sock"), info.Topology, n.topology); err != nil {
		return err
	}
	n.topology.AddHintProvider(log, n.devices)
	if n.cpus, err = cpumanager.NewManager(log, k.CPUManagerPolicy, k.CPUManagerPolicyOptions, never, info, cpus, reserved,
		dir, n.topology); err != nil {
		return err
	}
	n.topology.AddHintProvider(log, n.cpus)
	if n.memory, err = memorymanager.NewManager(log, k.MemoryManagerPolicy, info, reserved, k.ReservedMemory, dir,
		n.topology); err != nil {
		return err
	}
	n.topology.AddHintProvider(log, n.memory)
	return errors.Join(checkReservation(reserved, capacity), n.run(m, info, int(k.MaxPods), int(k.PodsPerCore), reserved))
}

// run starts the managers, connects the device plug-ins and sets up the handlers.
func (n *node) run(m topo.Machine, info *cadvisor.MachineInfo, maxPods, podsPerCore int,
	reserved v1.ResourceList) error {
	ctx, log := context.Background(), klog.Background()
	if err := n.cpus.Start(ctx, n.active, always{}, nothing{}, nothing{}, containermap.NewContainerMap()); err != nil {
		return err
	}
	if err := n.memory.Start(ctx, n.active, always{}, nothing{}, nothing{}, containermap.NewContainerMap()); err != nil {
		return err
	}
	if err := n.devices.Start(log, n.active, always{}, containermap.NewContainerMap(), sets.New[string]()); err != nil {
		return err
	}
	for _, p := range plugins(m.Devices) {
		if err := n.devices.PluginConnected(ctx, p.resource, p); err != nil {
			return err
		}
		n.devices.PluginListAndWatchReceiver(log, p.resource, list(p))
	}
	kubeNode := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node"}}
	setter := nodestatus.MachineInfo(kubeNode.Name, maxPods, podsPerCore,
		func() (*cadvisor.MachineInfo, error) { return info, nil },
		func(bool) v1.ResourceList { return nil },
		n.devices.GetCapacity,
		func() v1.ResourceList { return reserved },
		func(string, string, string) {}, false)
	if err := setter(ctx, kubeNode); err != nil {
		return err
	}
	critical := preemption.NewCriticalPodAdmissionHandler(n.active, n.kill, record.NewFakeRecorder(1<<16))
	predicates := lifecycle.NewPredicateAdmitHandler(
		func(context.Context, bool) (*v1.Node, error) { return kubeNode, nil }, critical, n.devices.UpdatePluginResources)
	n.handlers = []lifecycle.PodAdmitHandler{n.topology, predicates, lifecycle.NewPodFeaturesAdmitHandler()}
	return nil
}

// stop ends what a node leaves behind in the process.
func (n *node) stop() {
	if n.devices != nil {
		n.devices.Stop(klog.Background()) //nolint:errcheck // the session is over
	}
	n.restore()
}
