package sim

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// node is what is remembered of one.
type node struct {
	name string
	uid  types.UID
	ip   string
	// settled says that it takes pods, free of the taint that a node has before, or has failed.
	settled bool
	lease   *coordinationv1.Lease
	busy    atomic.Bool // a renewal is under way
	timer   *time.Timer
}

// Register creates the nodes, with their status in the same request, as a kubelet does.
// Those that are there already stay as they are.
func (s *Sim) Register(ctx context.Context, nodes []corev1.Node) error {
	var all sync.WaitGroup
	errs := make([]error, len(nodes))
	slots := make(chan struct{}, 32)
	for i := range nodes {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			errs[i] = s.register(ctx, nodes[i].DeepCopy(), i)
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

func (s *Sim) register(ctx context.Context, n *corev1.Node, index int) error {
	complete(n, index)
	for attempt := 0; ; attempt++ {
		_, err := s.client.CoreV1().Nodes().Create(ctx, n, metav1.CreateOptions{})
		if err == nil || apierrors.IsAlreadyExists(err) {
			return nil
		}
		if apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || attempt == 5 || ctx.Err() != nil {
			return fmt.Errorf("node %s: %w", n.Name, err)
		}
		time.Sleep(time.Second)
	}
}

// complete gives a node what its kubelet would: labels of old, addresses, versions and conditions.
func complete(n *corev1.Node, index int) {
	for _, name := range []string{corev1.LabelOSStable, corev1.LabelArchStable} {
		if value, ok := n.Labels[name]; ok { // else the node controller adds it, with two requests for each node
			n.Labels["beta."+name] = value
		}
	}
	st := &n.Status
	if st.Allocatable == nil {
		st.Allocatable = st.Capacity
	}
	if len(st.Addresses) == 0 {
		st.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: address(172, 16, uint32(index)+1)},
			{Type: corev1.NodeHostName, Address: n.Name}}
	}
	if st.NodeInfo.KubeletVersion == "" {
		st.NodeInfo = corev1.NodeSystemInfo{KubeletVersion: "v1.36.3", OperatingSystem: "linux", Architecture: "amd64",
			OSImage: "simulated", ContainerRuntimeVersion: "simulated://1", KernelVersion: "simulated"}
	}
	now := metav1.Now()
	for _, c := range []struct {
		kind    corev1.NodeConditionType
		status  corev1.ConditionStatus
		reason  string
		message string
	}{
		{corev1.NodeMemoryPressure, corev1.ConditionFalse, "KubeletHasSufficientMemory", ""},
		{corev1.NodeDiskPressure, corev1.ConditionFalse, "KubeletHasNoDiskPressure", ""},
		{corev1.NodePIDPressure, corev1.ConditionFalse, "KubeletHasSufficientPID", ""},
		{corev1.NodeReady, corev1.ConditionTrue, "KubeletReady", "the kubelet is simulated"},
	} {
		if condition(n, c.kind) == nil {
			st.Conditions = append(st.Conditions, corev1.NodeCondition{Type: c.kind, Status: c.status, Reason: c.reason,
				Message: c.message, LastHeartbeatTime: now, LastTransitionTime: now})
		}
	}
}

func condition(n *corev1.Node, kind corev1.NodeConditionType) *corev1.NodeCondition {
	for i := range n.Status.Conditions {
		if n.Status.Conditions[i].Type == kind {
			return &n.Status.Conditions[i]
		}
	}
	return nil
}

// address is the n-th of a block of 2^20 addresses.
func address(a, b byte, n uint32) string {
	return fmt.Sprintf("%d.%d.%d.%d", a, b+byte(n>>16&15), byte(n>>8), byte(n))
}

func (s *Sim) nodeStore(ctx context.Context) store[corev1.Node] {
	return store[corev1.Node]{
		seen: func(n *corev1.Node) { s.seeNode(ctx, n) },
		gone: func(n *corev1.Node) { s.forgetNode(n.Name) },
		listed: func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.listed = true
		},
		all: func(list []*corev1.Node) {
			there := map[string]bool{}
			for _, n := range list {
				there[n.Name] = true
			}
			s.mu.Lock()
			var gone []string
			for name := range s.nodes {
				if !there[name] {
					gone = append(gone, name)
				}
			}
			s.mu.Unlock()
			for _, name := range gone {
				s.forgetNode(name)
			}
		},
	}
}

func (s *Sim) forgetNode(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.nodes[name]; n != nil && n.timer != nil {
		n.timer.Stop()
	}
	delete(s.nodes, name)
}

func (s *Sim) seeNode(ctx context.Context, n *corev1.Node) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.nodes[n.Name]
	if known == nil || known.uid != n.UID {
		known = &node{name: n.Name, uid: n.UID}
		s.nodes[n.Name] = known
		if after, fails := s.opt.Behaviour.NotReady(n); fails {
			seen := time.Now()
			known.timer = time.AfterFunc(after, func() { s.queue.push(func() { s.fail(ctx, n.Name, n.UID, after, seen) }) })
		}
		if condition(n, corev1.NodeReady) == nil { // somebody else made it
			index := len(s.nodes)
			s.queue.push(func() { s.adopt(ctx, n.Name, index) })
		}
	}
	for _, a := range n.Status.Addresses {
		if a.Type == corev1.NodeInternalIP {
			known.ip = a.Address
		}
	}
	c := condition(n, corev1.NodeReady)
	known.settled = c != nil
	for _, t := range n.Spec.Taints {
		if t.Key == corev1.TaintNodeNotReady && c != nil && c.Status == corev1.ConditionTrue {
			known.settled = false
		}
	}
}

// adopt gives a status to a node that somebody else made.
func (s *Sim) adopt(ctx context.Context, name string, index int) {
	s.try(ctx, "node "+name, func() error {
		n, err := s.client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		complete(n, 1<<19+index)
		_, err = s.client.CoreV1().Nodes().UpdateStatus(ctx, n, metav1.UpdateOptions{})
		return err
	})
}

// fail has a node say that it is not ready.
func (s *Sim) fail(ctx context.Context, name string, uid types.UID, after time.Duration, seen time.Time) {
	s.try(ctx, "node "+name, func() error {
		n, err := s.client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		if err != nil || n.UID != uid {
			return err
		}
		c := condition(n, corev1.NodeReady)
		if c == nil || c.Status != corev1.ConditionTrue {
			return nil
		}
		now := time.Now()
		c.Status, c.Reason, c.Message = corev1.ConditionFalse, "KubeletNotReady", "container runtime is down (simulated)"
		c.LastHeartbeatTime, c.LastTransitionTime = metav1.NewTime(now), metav1.NewTime(now)
		if _, err = s.client.CoreV1().Nodes().UpdateStatus(ctx, n, metav1.UpdateOptions{}); err != nil {
			return err
		}
		s.truth.tell(Truth{Kind: "Node", Name: name, UID: string(uid), Outcome: "notReady", Delay: int64(after),
			BoundSeen: seen.UnixNano(), StartedAt: now.UnixNano(), PostedAt: time.Now().UnixNano()})
		return nil
	})
}

// Settled says that there are so many nodes or more, and that all of them take pods or have
// failed as they should.
func (s *Sim) Settled(nodes int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, known := range s.nodes {
		if !known.settled {
			return false
		}
	}
	return s.listed && len(s.nodes) >= nodes
}

// leases renews the lease of each node in turn, spread evenly over the time.
func (s *Sim) leases(ctx context.Context) {
	next := map[string]time.Time{}
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	slots := make(chan struct{}, 8)
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			s.mu.Lock()
			var due []*node
			for name, n := range s.nodes {
				at, known := next[name]
				switch {
				case !known: // spread from the beginning, when the API has much else to do
					next[name] = now.Add(time.Duration(len(next)%64) * s.opt.LeaseEvery / 64)
					continue
				case now.Before(at):
					continue
				}
				next[name] = at.Add(s.opt.LeaseEvery)
				due = append(due, n)
			}
			s.mu.Unlock()
			for _, n := range due {
				slots <- struct{}{}
				go func() {
					defer func() { <-slots }()
					s.renew(ctx, n)
				}()
			}
		}
	}
}

// renew renews a lease. One that fails is renewed the next time.
func (s *Sim) renew(ctx context.Context, n *node) {
	if !n.busy.CompareAndSwap(false, true) {
		return
	}
	defer n.busy.Store(false)
	leases := s.client.CoordinationV1().Leases(corev1.NamespaceNodeLease)
	now, seconds := metav1.NowMicro(), int32(40)
	if n.lease != nil {
		n.lease.Spec.RenewTime = &now
		renewed, err := leases.Update(ctx, n.lease, metav1.UpdateOptions{})
		if n.lease = renewed; err != nil {
			n.lease = nil
		}
		return
	}
	made, err := leases.Create(ctx, &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: n.name, OwnerReferences: []metav1.OwnerReference{
			{APIVersion: "v1", Kind: "Node", Name: n.name, UID: n.uid}}},
		Spec: coordinationv1.LeaseSpec{HolderIdentity: &n.name, LeaseDurationSeconds: &seconds, RenewTime: &now},
	}, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		if made, err = leases.Get(ctx, n.name, metav1.GetOptions{}); err == nil {
			made.Spec.RenewTime = &now
			made, err = leases.Update(ctx, made, metav1.UpdateOptions{})
		}
	}
	if err == nil {
		n.lease = made
	}
}
