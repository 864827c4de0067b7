package scheduler

import (
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

// taints are the nodes' by set, since many nodes have the same ones: a class judges
// each set once.
type taints struct {
	sets [][]v1alpha1.Taint
	of   []int32 // set by node. Not changed in place.
}

func newTaints(nodes []Node) taints {
	out := taints{of: make([]int32, len(nodes))}
	known := map[string]int32{}
	for i := range nodes {
		var key strings.Builder
		for _, t := range nodes[i].Taints {
			key.WriteString(t.Key + "\x00" + t.Value + "\x00" + t.Effect + "\x00")
		}
		set, ok := known[key.String()]
		if !ok {
			set = int32(len(out.sets))
			known[key.String()] = set
			out.sets = append(out.sets, nodes[i].Taints)
		}
		out.of[i] = set
	}
	return out
}

// onTaints is what a class thinks of a set of taints.
type onTaints struct {
	refused  bool           // by a taint,
	by       v1alpha1.Taint // the first such
	repelled bool           // by one that does not come and go with cordoning
	dislikes int64          // taints with PreferNoSchedule that it does not tolerate
}

func (t *taints) judge(c *PodClass) []onTaints {
	out := make([]onTaints, len(t.sets))
	for i, set := range t.sets {
		o := &out[i]
		o.by, o.refused = c.refused(set)
		o.repelled = o.refused && (o.by != unschedulableTaint || c.repelled(set))
		o.dislikes = c.dislikes(set)
	}
	return out
}

// onTaints is what the class thinks of a node's taints.
func (s *Scheduler) onTaints(c *class, node int32) *onTaints { return &c.onTaints[s.taints.of[node]] }
