package scheduler

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"plimsoll.dev/place/scheduler"
	"plimsoll.dev/place/scheduler/schedulertest"
)

// eviction is a node that preemption may choose, and whom it would evict.
type eviction struct {
	node    int32
	victims []int32 // classes, the most important pod first
	cost    [4]int64
}

// evictions are the real preemption's candidates for the pod that was just
// refused, the chosen one first; without any, the message that the scheduler adds.
func (c *cluster) evictions(refusal error) ([]eviction, string, error) {
	var unfit *framework.FitError
	if !errors.As(refusal, &unfit) {
		return nil, "", nil
	}
	args := &config.DefaultPreemptionArgs{MinCandidateNodesPercentage: 100, MinCandidateNodesAbsolute: math.MaxInt32}
	plugin, err := defaultpreemption.New(c.ctx, args, c.fw,
		feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate))
	if err != nil {
		return nil, "", err
	}
	statuses := unfit.Diagnosis.NodeToStatus
	nodes, err := statuses.NodesForStatusCode(c.snapshot.NodeInfos(), fwk.Unschedulable)
	if err != nil {
		return nil, "", err
	}
	var found []preemption.Candidate
	never := c.asked.Spec.PreemptionPolicy != nil && *c.asked.Spec.PreemptionPolicy == v1.PreemptNever
	if len(nodes) > 0 && !never {
		found, _, err = plugin.Evaluator.DryRunPreemption(c.ctx, c.state, c.asked, nodes, nil, 0, int32(len(nodes)))
		if err != nil {
			return nil, "", err
		}
	}
	if len(found) == 0 {
		// Nobody is evicted then, and PostFilter only says why.
		if err := c.podIndexer.Add(c.asked); err != nil {
			return nil, "", err
		}
		_, status := plugin.PostFilter(c.ctx, c.state, c.asked, statuses)
		return nil, status.Message(), c.podIndexer.Delete(c.asked)
	}
	chosen := plugin.Evaluator.SelectCandidate(c.ctx, found).Name()
	slices.SortStableFunc(found,
		func(a, b preemption.Candidate) int { return order(a.Name() == chosen, b.Name() == chosen) })
	var out []eviction
	for _, candidate := range found {
		out = append(out, c.evictionOf(candidate))
	}
	return out, "", nil
}

func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// evictionOf weighs as pickOneNodeForPreemption does: highest priority, sum of
// priorities, number, and the earliest start of the most important, negated.
func (c *cluster) evictionOf(candidate preemption.Candidate) eviction {
	e := eviction{node: c.index[candidate.Name()], cost: [4]int64{math.MinInt64, 0, 0, math.MinInt64}}
	pods := candidate.Victims().Pods
	for _, pod := range pods {
		e.victims = append(e.victims, c.class[pod.Name])
		e.cost[0] = max(e.cost[0], int64(*pod.Spec.Priority))
		e.cost[1] += int64(*pod.Spec.Priority) + math.MaxInt32 + 1
		e.cost[2]++
	}
	for _, pod := range pods {
		if int64(*pod.Spec.Priority) == e.cost[0] {
			e.cost[3] = max(e.cost[3], -pod.Status.StartTime.Unix())
		}
	}
	return e
}

// otherwise says how our preemption differs from the real one, empty when it
// doesn't. Where several nodes cost the same the real one takes any. When pods
// have left, our engine does not know which of equal ones stayed, so that their
// ages say nothing.
func (c *cluster) otherwise(refusal error, got scheduler.Preemption, classes []scheduler.ClassID) (string, error) {
	want, message, err := c.evictions(refusal)
	if err != nil {
		return "", err
	}
	if len(want) == 0 {
		if got.Node != -1 || got.Message != message {
			return fmt.Sprintf("preemption: the scheduler says %q, we say node %d, %q", message, got.Node, got.Message), nil
		}
		return "", nil
	}
	i := slices.IndexFunc(want, func(e eviction) bool { return int(e.node) == got.Node })
	if i < 0 {
		return fmt.Sprintf("preemption: the scheduler says node %d (cost %v), we say %d, %q, which is no candidate",
			want[0].node, want[0].cost, got.Node, got.Message), nil
	}
	left := slices.ContainsFunc(c.session.Events, func(e schedulertest.Event) bool { return e.Leave != nil })
	criteria := len(want[0].cost)
	if left {
		criteria--
	}
	if !slices.Equal(want[i].cost[:criteria], want[0].cost[:criteria]) {
		return fmt.Sprintf("preemption: the scheduler says node %d (cost %v), we say %d (cost %v)", want[0].node,
			want[0].cost, got.Node, want[i].cost), nil
	}
	if a, b := tally(want[i].victims), victimsOf(got, classes); !left && !slices.Equal(a, b) {
		return fmt.Sprintf("preemption: on node %d the scheduler evicts (class, pods) %v, we %v", got.Node, a, b), nil
	}
	return "", nil
}

// tally counts classes, in their order.
func tally(classes []int32) [][2]int {
	counts := map[int32]int{}
	for _, class := range classes {
		counts[class]++
	}
	var out [][2]int
	for class, n := range counts {
		out = append(out, [2]int{int(class), n})
	}
	slices.SortFunc(out, byClass)
	return out
}

func victimsOf(p scheduler.Preemption, classes []scheduler.ClassID) [][2]int {
	var out [][2]int
	for _, v := range p.Victims {
		out = append(out, [2]int{slices.Index(classes, v.Class), v.Count})
	}
	slices.SortFunc(out, byClass)
	return out
}

func byClass(a, b [2]int) int { return cmp.Compare(a[0], b[0]) }
