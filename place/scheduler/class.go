package scheduler

import (
	"slices"

	"plimsoll.dev/api/v1alpha1"
)

// class is a class of pods, made ready for quick decisions.
type class struct {
	spec *PodClass

	cpu, memory               int64           // requests
	nonZeroCPU, nonZeroMemory int64           // what the strategy counts of pods that run
	scoredCPU, scoredMemory   int64           // what it counts of the pod to be placed
	otherRequests             []columnRequest // requests of other resources
	requests                  []int64         // by the strategy's resources
	balanced                  bool            // BalancedAllocation scores it

	onTaints      []onTaints // by set
	statics       *statics
	ignoresCordon bool
	filters       bool    // more than cpu, memory, pods and cordoning can refuse a node
	portConflicts []int32 // host ports that exclude it, by number
	hostPorts     []int32 // host ports that it takes, by number

	affinityTerms, antiAffinityTerms, preferredTerms []term // its own

	hard   []topologySpread
	soft   []topologySpread
	strict bool // soft: nodes without all labels are ignored

	affinity             []int32 // counters of pods that match all affinity terms, one for each term
	selfMatch            bool    // the pods match their own affinity terms
	antiAffinity         []int32 // counters of pods that match an anti-affinity term
	existingAntiAffinity []int32 // counters of anti-affinity terms that match the pods
	preferred            []int32 // counters of weights, by label

	named   bool     // only the nodes with these names are looked at
	names   []string // none: they exclude each other
	effects []effect
	index   counterIndex
	row     *row
}

// ask is an amount of a resource that has a column.
type columnRequest struct {
	column int32
	amount int64
}

// topologySpread is a spread constraint of a class.
type topologySpread struct {
	constraint
	domain    []int32      // domain of each node, -1 without the label
	counter   int32        // of matching pods on nodes that count
	selfMatch int64        // 1 if the pods match their own selector
	with      []constraint // nodes that count have the labels of these
	// Of soft ones: counted on the node itself, as hostnames are; else the places
	// that are told apart.
	perNode bool
	places  []int32
}

// effect is what a pod of a class does to a counter.
type effect struct {
	counter int32
	delta   int32
}

// statics are what a class thinks of the nodes for ever: nodes by group.
type statics struct {
	group  []uint16 // by node; nil: all are in group 0. Not changed in place.
	groups []group
	// uniform: the accepted nodes are alike, so that their scores don't differ.
	uniform bool
}

// group is what a class thinks of some nodes.
type group struct {
	ruledOut         bool
	preferNoSchedule int64 // taints with PreferNoSchedule that it does not tolerate
	preferred        int64 // sum of weights of preferred terms
	images           int64 // score by the images that are there
}

func (s *Scheduler) newClass(spec *PodClass) *class {
	c := &class{spec: spec, cpu: spec.Request.CPU, memory: spec.Request.Memory,
		nonZeroCPU: spec.NonZeroCPU, nonZeroMemory: spec.NonZeroMemory,
		scoredCPU: asked(spec, cpu, true), scoredMemory: asked(spec, memory, true),
		balanced:      !s.rules.idle || spec.Request.CPU != 0 || spec.Request.Memory != 0,
		ignoresCordon: tolerates(spec.Tolerations, unschedulableTaint),
	}
	if spec.Request.EphemeralStorage > 0 {
		c.otherRequests = append(c.otherRequests, columnRequest{s.column(ephemeral), spec.Request.EphemeralStorage})
	}
	for _, name := range sortedKeys(spec.Request.Scalar) {
		if amount := spec.Request.Scalar[name]; amount > 0 {
			c.otherRequests = append(c.otherRequests, columnRequest{s.column(name), amount})
		}
	}
	for _, r := range s.rules.strategy.resources {
		c.requests = append(c.requests, asked(spec, r.name, true))
	}
	c.names, c.named = spec.namedNodes()
	c.onTaints = s.taints.judge(spec)
	c.statics = s.newStatics(c)
	s.usePorts(c)
	c.setFilters()
	return c
}

// setFilters finds out whether the class has filters besides cpu, memory, pods and cordoning.
func (c *class) setFilters() {
	refuses := slices.ContainsFunc(c.statics.groups, func(g group) bool { return g.ruledOut })
	c.filters = refuses || len(c.otherRequests) > 0 || len(c.portConflicts) > 0 || len(c.index.antiAffinityOnNode) > 0
}

// newStatics asks the class about all nodes.
func (s *Scheduler) newStatics(c *class) *statics {
	out := &statics{group: make([]uint16, len(s.nodes))}
	images := s.imageScores(c.spec)
	for i := range s.nodes {
		g := s.opinion(c, int32(i))
		if images != nil && !g.ruledOut {
			g.images = images[i]
		}
		out.group[i] = out.number(g)
	}
	out.compare()
	if len(out.groups) == 1 {
		out.group = nil
	}
	return out
}

func (s *Scheduler) opinion(c *class, node int32) group {
	n, taints := &s.nodes[node], s.onTaints(c, node)
	if taints.repelled || !c.spec.selects(n) || c.spec.volumesAway(n) != "" {
		return group{ruledOut: true}
	}
	return group{preferNoSchedule: taints.dislikes, preferred: c.spec.prefers(n)}
}

func (s *statics) number(g group) uint16 {
	i := slices.Index(s.groups, g)
	if i < 0 {
		i = len(s.groups)
		s.groups = append(s.groups, g)
	}
	return uint16(i)
}

func (s *statics) compare() {
	accepted := slices.DeleteFunc(slices.Clone(s.groups), func(g group) bool { return g.ruledOut })
	s.uniform = len(accepted) <= 1
}

// of is what the class thinks of a node.
func (s *statics) of(node int32) *group {
	if s.group == nil {
		return &s.groups[0]
	}
	return &s.groups[s.group[node]]
}

// Allows reports whether the pods' selector, node affinity and tolerations let them
// onto a node. Cordoning and the taint that comes and goes with it don't count.
func (c *PodClass) Allows(n *Node) bool { return c.selects(n) && !c.repelled(n.Taints) }

// repelled reports whether a taint keeps the pods off, other than the one
// that comes and goes with cordoning.
func (c *PodClass) repelled(taints []v1alpha1.Taint) bool {
	return slices.ContainsFunc(taints, func(t v1alpha1.Taint) bool {
		return t != unschedulableTaint && (t.Effect == noSchedule || t.Effect == noExecute) && !tolerates(c.Tolerations, t)
	})
}
