package scheduler

import (
	"errors"
	"math/rand/v2"
	"slices"
)

// ClassID names a class of equal pods in one Scheduler and its clones.
type ClassID int32

// Scheduler holds a cluster and the pods that run in it. It is not safe for use
// by several goroutines at once; clones are independent of each other.
type Scheduler struct {
	rules      rules
	usual      bool // least allocated, cpu and memory alike
	namespaces places

	nodes    []Node      // by index. Not changed in place.
	state    []nodeState // by index
	tree     tree
	order    []int32 // node by position, in the scheduler's order
	position []int32 // by node; -1 when it was removed
	own      []int32 // by node: its index
	taints   taints

	columns        []column
	weighedColumns []int32 // by the strategy's resources
	ports          []hostPort
	domains        []*domains
	counters       []counter
	classes        []*class
	kin            kinship
	grouped        grouping
	heeding        []ClassID // classes with constraints that look at taints

	pods     []running
	freePod  int32 // unused entries of pods are linked, -1 ends
	bindings uint64
	log      changes
	taken    map[string]int // claims for one pod

	start   int // where the next search begins
	sampled int // how many feasible nodes are looked for
	source  *rand.PCG
	draw    *rand.Rand // of ties, from source

	// Scratch of a decision.
	found         []candidate
	spreadWeights []float64
	logarithms    []float64
	seen          []uint32 // by place: the epoch in which it was seen
	epoch         uint32
	met           []uint16 // cells of the feasible nodes
	round         uint64
}

// New makes a scheduler for the nodes, in the order in which it came to know
// them. The error tells everything that is wrong with profile and nodes.
func New(p Profile, nodes []Node) (*Scheduler, error) {
	r, err := newRules(&p)
	if problems := checkNodes(nodes); err != nil || problems != nil {
		return nil, errors.Join(err, problems)
	}
	s := &Scheduler{rules: r, namespaces: places{p.Namespaces, r.lax}, freePod: -1, source: rand.NewPCG(p.Seed, 0)}
	s.draw = rand.New(s.source)
	s.usual = r.strategy.kind == leastAllocated && slices.Equal(r.strategy.resources, usualResources)
	s.setNodes(nodes, 0)
	s.weighedColumns = make([]int32, len(r.strategy.resources))
	for i, resource := range r.strategy.resources {
		if resource.name != cpu && resource.name != memory {
			s.weighedColumns[i] = s.column(resource.name)
		}
	}
	return s, nil
}

// setNodes sets all nodes; those from the first on join the tree.
func (s *Scheduler) setNodes(nodes []Node, first int) {
	s.nodes = slices.Clone(nodes)
	s.state = make([]nodeState, len(nodes))
	s.position = make([]int32, len(nodes))
	s.own = make([]int32, len(nodes))
	for i := range s.nodes {
		n := &s.nodes[i]
		s.own[i] = int32(i)
		if i >= first {
			s.tree.add(zoneOf(n), int32(i))
		}
		s.state[i] = nodeState{
			cpu: n.Allocatable.CPU, memory: n.Allocatable.Memory, maxPods: int32(n.Allocatable.Pods),
			last: -1, balance: maxScore,
			cordoned: n.Unschedulable, tainted: slices.Contains(n.Taints, unschedulableTaint),
		}
	}
	s.taints = newTaints(nodes)
	s.reposition()
}

// Class registers a class of pods. The error tells everything that is wrong.
func (s *Scheduler) Class(spec PodClass) (ClassID, error) {
	if err := checkClass(&spec); err != nil {
		return 0, err
	}
	s.addClass(&spec)
	return ClassID(len(s.classes) - 1), nil
}

func (s *Scheduler) addClass(spec *PodClass) {
	c := s.newClass(spec)
	s.classes = append(s.classes, c)
	s.wire(c)
	heeds := func(k topologySpread) bool { return k.taints }
	if slices.ContainsFunc(c.hard, heeds) || slices.ContainsFunc(c.soft, heeds) {
		s.heeding = append(s.heeding, ClassID(len(s.classes)-1))
	}
}

// Schedule decides where the next pod of the class goes, and binds it there. A
// pod whose class names its node goes there unasked, as in the cluster.
func (s *Scheduler) Schedule(id ClassID) Decision {
	node := s.decide(s.classes[id])
	if node >= 0 {
		s.bind(id, node)
	}
	return Decision{Node: int(node)}
}

// decide finds the node for a pod, or -1, and moves the start of the next search.
func (s *Scheduler) decide(c *class) int32 {
	if c.spec.NodeName != "" {
		return s.byName(c.spec.NodeName)
	}
	if len(s.order) == 0 || c.spec.refusedAll() != "" {
		return -1
	}
	if s.claimTaken(c) {
		s.start = (s.start + len(c.names)) % len(s.order) // all nodes are looked at, or those named
		return -1
	}
	s.indexCounters(c)
	node, looked := int32(-1), 0
	switch {
	case c.named:
		if len(c.names) == 0 {
			return -1
		}
		node, looked = s.mixed(c, s.namedNodes(c))
	case s.byNodeOnly(c):
		node, looked = s.window(c)
	default:
		node, looked = s.together(c)
	}
	s.start = (s.start + looked) % len(s.order)
	return node
}

// together decides about a class for which other nodes matter.
func (s *Scheduler) together(c *class) (node int32, looked int) {
	if !c.index.tooManyCells {
		if node, looked, ok := s.byCells(c); ok {
			return node, looked
		}
	}
	return s.mixed(c, s.order)
}

// byName finds a node that was not removed, or -1.
func (s *Scheduler) byName(name string) int32 {
	for i := range s.nodes {
		if s.nodes[i].Name == name && s.position[i] >= 0 {
			return int32(i)
		}
	}
	return -1
}

// namedNodes are the nodes that the class names, in the scheduler's order. The
// scheduler itself takes several in the order of a Go map.
func (s *Scheduler) namedNodes(c *class) []int32 {
	var list []int32
	for _, name := range c.names {
		if i := s.byName(name); i >= 0 {
			list = append(list, i)
		}
	}
	slices.SortFunc(list, func(a, b int32) int { return int(s.position[a] - s.position[b]) })
	return list
}

// Bind makes a pod run on a node without asking the scheduler, as in a snapshot
// of a cluster; the node may be overcommitted by it, but must not be removed.
func (s *Scheduler) Bind(id ClassID, node int) { s.bind(id, int32(node)) }

// Unbind takes a pod of the class from the node, the one bound last. It is an
// error if there is none.
func (s *Scheduler) Unbind(id ClassID, node int) error { return s.unbind(id, int32(node)) }
