package scheduler

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"plimsoll.dev/place/scheduler"
	"plimsoll.dev/place/scheduler/schedulertest"
)

// happen lets happen what comes before the arrival.
func (c *cluster) happen(arrival int) error {
	for len(c.events) > 0 && c.events[0].Before == arrival {
		if err := c.event(c.events[0]); err != nil {
			return err
		}
		c.events = c.events[1:]
	}
	return nil
}

func (c *cluster) event(e schedulertest.Event) error {
	switch {
	case e.Leave != nil:
		return c.leave(c.arrived, *e.Leave)
	case e.Add != nil:
		return c.add(*e.Add)
	case e.Remove != nil:
		return c.remove(*e.Remove)
	case e.Cordon != nil:
		c.cordon(*e.Cordon, true)
	case e.Uncordon != nil:
		c.cordon(*e.Uncordon, false)
	}
	return nil
}

func (c *cluster) add(n scheduler.Node) error {
	if _, ok := c.index[n.Name]; ok {
		return fmt.Errorf("node %s stands twice", n.Name)
	}
	object := nodeObject(n)
	c.index[n.Name] = int32(len(c.nodes))
	c.nodes = append(c.nodes, object)
	c.sched.Cache.AddNode(klog.FromContext(c.ctx), object)
	return nil
}

// leave takes a pod of the list off its node, if it is on one.
func (c *cluster) leave(pods []*v1.Pod, i int) error {
	pod := pods[i]
	if pod == nil {
		return nil
	}
	pods[i] = nil
	return c.sched.Cache.RemovePod(klog.FromContext(c.ctx), pod)
}

// remove takes the node away, and its pods first.
func (c *cluster) remove(node int) error {
	object := c.nodes[node]
	if object == nil {
		return nil
	}
	for _, pods := range [][]*v1.Pod{c.bound, c.arrived} {
		for i, pod := range pods {
			if pod == nil || pod.Spec.NodeName != object.Name {
				continue
			}
			if err := c.leave(pods, i); err != nil {
				return err
			}
		}
	}
	c.nodes[node] = nil
	return c.sched.Cache.RemoveNode(klog.FromContext(c.ctx), object)
}

// cordon sets the node's field and the taint that the node controller sets for it.
func (c *cluster) cordon(node int, on bool) {
	old := c.nodes[node]
	if old == nil {
		return
	}
	object := old.DeepCopy()
	object.Spec.Unschedulable = on
	object.Spec.Taints = nil
	for _, t := range old.Spec.Taints {
		if t.Key != v1.TaintNodeUnschedulable {
			object.Spec.Taints = append(object.Spec.Taints, t)
		}
	}
	if on {
		object.Spec.Taints = append(object.Spec.Taints,
			v1.Taint{Key: v1.TaintNodeUnschedulable, Effect: v1.TaintEffectNoSchedule})
	}
	c.nodes[node] = object
	c.sched.Cache.UpdateNode(klog.FromContext(c.ctx), old, object)
}
