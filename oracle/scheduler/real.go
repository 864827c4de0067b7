package scheduler

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	real "k8s.io/kubernetes/pkg/scheduler"
	schedulercache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/profile"

	"plimsoll.dev/place/scheduler/schedulertest"
)

// cluster is a real scheduler with a session's nodes in its cache. Its informers
// are never started: nodes, pods and namespaces are put where they would put them.
type cluster struct {
	ctx      context.Context
	close    context.CancelFunc
	sched    *real.Scheduler
	fw       framework.Framework
	snapshot *schedulercache.Snapshot

	session schedulertest.Session
	nodes   []*v1.Node // as they are now; nil are gone
	index   map[string]int32
	classes []*v1.Pod // a pod of each class, without a name
	pods    int       // pods made so far
	arrived []*v1.Pod // in order, on their nodes; nil for those on none
	bound   []*v1.Pod
	events  []schedulertest.Event
	start   int // the scheduler's nextStartNodeIndex
	// put adds further objects to what the scheduler knows; nil adds none.
	put func(informers.SharedInformerFactory) error
	// volumes are what its own caches have.
	volumes []runtime.Object

	// What preemption needs to know of the last pod that was scheduled.
	asked      *v1.Pod
	state      fwk.CycleState
	class      map[string]int32 // of the pods by name
	podIndexer cache.Indexer
}

// open makes a scheduler for the session, with its bound pods in place.
func open(s schedulertest.Session) (*cluster, error) {
	c := &cluster{session: s, index: map[string]int32{}, class: map[string]int32{}, events: s.Events}
	if err := c.begin(); err != nil {
		return nil, err
	}
	if err := c.fill(); err != nil {
		c.close()
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return c, nil
}

// begin makes the scheduler, without nodes.
func (c *cluster) begin() error {
	if err := quiet(); err != nil {
		return err
	}
	c.ctx, c.close = context.WithCancel(klog.NewContext(context.Background(), klog.Background()))
	if err := c.connect(); err != nil {
		c.close()
		return fmt.Errorf("%s: %w", c.session.Name, err)
	}
	return nil
}

// quiet switches off the one thing that would make decisions depend on the clock:
// the reuse of a sorted list for equal pods within half a second.
func quiet() error {
	return utilfeature.DefaultMutableFeatureGate.SetFromMap(map[string]bool{string(features.OpportunisticBatching): false})
}

func (c *cluster) connect() error {
	config, err := profileObject(c.session.Profile)
	if err != nil {
		return err
	}
	client := fake.NewSimpleClientset(c.volumes...)
	informed := informers.NewSharedInformerFactory(client, 0)
	if err := c.surroundings(informed); err != nil {
		return err
	}
	c.podIndexer = informed.Core().V1().Pods().Informer().GetIndexer()
	recorder := profile.NewRecorderFactory(events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()}))
	percentage := int32(c.session.Profile.PercentageOfNodesToScore)
	c.sched, err = real.New(c.ctx, client, informed, nil, recorder,
		real.WithParallelism(1), real.WithProfiles(config), real.WithPercentageOfNodesToScore(&percentage))
	if err != nil {
		return err
	}
	c.fw = c.sched.Profiles[config.SchedulerName]
	var ok bool
	if c.snapshot, ok = c.fw.SnapshotSharedLister().(*schedulercache.Snapshot); !ok {
		return errors.New("the framework's snapshot is not the scheduler's own")
	}
	if len(c.volumes) > 0 {
		return c.follow(informed)
	}
	return nil
}

// surroundings are the session's namespaces, and a ReplicaSet for each class whose
// pods are to be spread by the system's default.
func (c *cluster) surroundings(to informers.SharedInformerFactory) error {
	if c.put != nil {
		return c.put(to)
	}
	for name, labels := range c.session.Profile.Namespaces {
		ns := &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
		if err := to.Core().V1().Namespaces().Informer().GetIndexer().Add(ns); err != nil {
			return err
		}
	}
	for _, class := range c.session.Classes {
		if class.DefaultSpread == nil {
			continue
		}
		if err := to.Apps().V1().ReplicaSets().Informer().GetIndexer().Add(replicaSetObject(class)); err != nil {
			return err
		}
	}
	return nil
}

// fill puts the nodes into the cache, in order, and then the bound pods.
func (c *cluster) fill() error {
	if err := c.session.Check(); err != nil {
		return err
	}
	for _, n := range c.session.Nodes {
		if err := c.add(n); err != nil {
			return err
		}
	}
	for _, class := range c.session.Classes {
		pod, err := podObject(class)
		if err == nil {
			err = valid(pod)
		}
		if err != nil {
			return err
		}
		c.classes = append(c.classes, pod)
	}
	for _, b := range c.session.Bound {
		for range b.Count {
			pod := c.pod(int32(b.Class))
			if err := c.bind(pod, c.session.Nodes[b.Node].Name); err != nil {
				return err
			}
			c.bound = append(c.bound, pod)
		}
	}
	return nil
}

// pod is a new pod of the class. Each starts a second after the one before.
func (c *cluster) pod(class int32) *v1.Pod {
	pod := c.classes[class].DeepCopy()
	pod.Name = "pod-" + strconv.Itoa(c.pods)
	pod.UID = types.UID(pod.Name)
	pod.Status.StartTime = &metav1.Time{Time: time.Unix(int64(c.pods), 0)}
	c.class[pod.Name] = class
	c.pods++
	return pod
}

// bind puts the pod on the node, as if it had always been there.
func (c *cluster) bind(pod *v1.Pod, node string) error {
	pod.Spec.NodeName = node
	return c.sched.Cache.AddPod(klog.FromContext(c.ctx), pod)
}

// arrive schedules a pod of the class and assumes it on its node. When the pod
// fits nowhere, the node is -1 and the scheduler's own error says why.
func (c *cluster) arrive(class int32) (node int32, unfit, err error) {
	pod := c.pod(class)
	name := c.session.Classes[class].NodeName
	if name != "" {
		if _, ok := c.index[name]; !ok {
			return -1, nil, fmt.Errorf("there is no node %s", name)
		}
		c.arrived = append(c.arrived, pod)
		return c.index[name], nil, c.bind(pod, name)
	}
	result, err := c.decide(pod)
	if unfits(err) {
		c.arrived = append(c.arrived, nil)
		return -1, err, nil
	}
	if err != nil {
		return -1, nil, err
	}
	assumed := pod.DeepCopy()
	assumed.Spec.NodeName = result.SuggestedHost
	c.arrived = append(c.arrived, assumed)
	return c.index[result.SuggestedHost], nil, c.sched.Cache.AssumePod(klog.FromContext(c.ctx), assumed)
}

// unfits reports whether an error says that a pod fits nowhere.
func unfits(err error) bool {
	return errors.As(err, new(*framework.FitError)) || errors.Is(err, real.ErrNoNodesAvailable)
}

// decide is the scheduling cycle up to the choice of the node.
func (c *cluster) decide(pod *v1.Pod) (real.ScheduleResult, error) {
	info, err := framework.NewPodInfo(pod)
	if err != nil {
		return real.ScheduleResult{}, err
	}
	if err := c.sched.Cache.UpdateSnapshot(klog.FromContext(c.ctx), c.snapshot); err != nil {
		return real.ScheduleResult{}, err
	}
	c.asked, c.state = pod, framework.NewCycleState()
	result, err := c.sched.SchedulePod(c.ctx, c.fw, c.state, &framework.QueuedPodInfo{PodInfo: info})
	var unfit *framework.FitError
	switch {
	case err == nil:
		c.start = (c.start + result.EvaluatedNodes) % c.snapshot.NumNodesInPlacement()
	case errors.As(err, &unfit) && unfit.Diagnosis.PreFilterMsg == "":
		c.start = (c.start + unfit.Diagnosis.NodeToStatus.Len()) % unfit.NumAllNodes
	}
	return result, err
}
