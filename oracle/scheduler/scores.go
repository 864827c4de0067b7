package scheduler

import (
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"plimsoll.dev/place/scheduler/schedulertest"
)

func explicit(statuses *framework.NodeToStatus, counts map[string]int) {
	statuses.ForEachExplicitNode(func(_ string, status *fwk.Status) {
		for _, reason := range status.Reasons() {
			counts[reason]++
		}
	})
}

// scores is what the plug-ins give the nodes for a pod of the class, now, without
// scheduling it. It is nil when there is nothing to choose from.
func (c *cluster) scores(class int32) (*schedulertest.Scored, error) {
	if c.session.Classes[class].NodeName != "" {
		return nil, nil
	}
	pod := c.classes[class].DeepCopy()
	pod.Name, pod.UID = "asking", "asking"
	if err := c.sched.Cache.UpdateSnapshot(klog.FromContext(c.ctx), c.snapshot); err != nil {
		return nil, err
	}
	state := framework.NewCycleState()
	feasible, err := c.feasible(state, pod)
	if err != nil || len(feasible) < 2 || !c.fw.HasScorePlugins() {
		return nil, err
	}
	if status := c.fw.RunPreScorePlugins(c.ctx, state, pod, feasible); !status.IsSuccess() {
		return nil, status.AsError()
	}
	all, status := c.fw.RunScorePlugins(c.ctx, state, pod, feasible)
	if !status.IsSuccess() {
		return nil, status.AsError()
	}
	out := &schedulertest.Scored{Plugins: map[string][]int64{}}
	for i, node := range all {
		out.Nodes = append(out.Nodes, c.index[feasible[i].Node().Name])
		for _, s := range node.Scores {
			out.Plugins[s.Name] = append(out.Plugins[s.Name], s.Score)
		}
	}
	maps.DeleteFunc(out.Plugins, func(_ string, scores []int64) bool {
		return slices.Max(scores) == 0 &&
			slices.Min(scores) == 0
	})
	return out, nil
}

// feasible walks the nodes as the scheduler's findNodesThatPassFilters does with
// one worker: from the moving start, until one more than wanted has passed.
func (c *cluster) feasible(state fwk.CycleState, pod *v1.Pod) ([]fwk.NodeInfo, error) {
	nodes, err := c.snapshot.ListNodesInPlacement()
	if err != nil {
		return nil, err
	}
	named, status, _ := c.fw.RunPreFilterPlugins(c.ctx, state, pod)
	if status.IsRejected() {
		return nil, nil
	}
	if !status.IsSuccess() {
		return nil, status.AsError()
	}
	if !named.AllNodes() {
		nodes = nil
		for name := range named.NodeNames {
			if info, err := c.snapshot.GetNodeInPlacement(name); err == nil {
				nodes = append(nodes, info)
			}
		}
	}
	var out []fwk.NodeInfo
	most := c.wanted(len(nodes))
	for i := range nodes {
		node := nodes[(c.start+i)%len(nodes)]
		status := c.fw.RunFilterPluginsWithNominatedPods(c.ctx, state, pod, node)
		if status.Code() == fwk.Error {
			return nil, status.AsError()
		}
		if !status.IsSuccess() {
			continue
		}
		if len(out) == most {
			break
		}
		out = append(out, node)
	}
	return out, nil
}

// wanted is the scheduler's numFeasibleNodesToFind.
func (c *cluster) wanted(nodes int) int {
	if nodes < 100 {
		return nodes
	}
	percent := c.session.Profile.PercentageOfNodesToScore
	if percent == 0 {
		percent = max(50-nodes/125, 5)
	}
	return max(nodes*percent/100, 100)
}
