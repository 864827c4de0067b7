package plan

import (
	"cmp"
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/tune/pool"
)

const (
	// fewTrials is how many pods are placed on trial for a question that is not about placement.
	fewTrials = 1_000_000
	// eachNumber is the number of nodes up to which every number is tried from the
	// bound upwards: more nodes don't always hold more pods, so the first that holds
	// is the least. Above it the search doubles its steps and halves them.
	eachNumber = 64
	// below is how many numbers below a larger one are tried, and found to be too few, before it
	// counts as the least.
	below = 8
	// mostApart is up to how many pods might each need a node of its own.
	mostApart = 256
	// mostNodes is what Kubernetes is made for.
	mostNodes = 5000
	// widened is how often the search is widened where more nodes might hold, fourfold each time.
	widened = 3
	// mostRounds bounds how often a share of a number is taken anew.
	mostRounds = 50
)

// demand is what the policy asks of the placed pods, and which of it the scenario
// states rather than leaves to the defaults. Of other nodes no more is asked than today's bear.
func (p *planner) demand(c *choice) place.Demand {
	d := place.Demand{Order: cmp.Or(p.s.Policy.Arrival, p.s.Scheduling.Order), Seed: uint64(p.s.Scheduling.Seed),
		Failures: *p.s.Policy.SpareNodes, Zones: p.losesZone()}
	if d.Failures > 0 || !p.o.Assumed("policy.maxUnavailable") {
		d.MaxUnavailable = p.s.Policy.MaxUnavailable
	}
	d.UpdateFirst = p.o.Assumed("policy.spareNodes") && !p.o.Assumed("policy.maxUnavailable")
	if c.opt.Name != TodaysNodes {
		d.Lacking = p.today
	}
	return d
}

// hold finds the least number of the open entry's nodes at which placement bears all
// that the policy asks, or, where all numbers are stated, says whether it does. It gives up, and
// is false, where the option is dearer than a rival on any number that is left; nil is none.
func (p *planner) hold(c, rival *choice) bool {
	s := c.holding
	if s == nil {
		s = p.holding(c)
		key := s.key(p)
		known, ok := p.held[key]
		if !ok {
			known = s
			if p.held == nil {
				p.held = map[string]*holding{}
			}
			p.held[key] = s
		}
		s, c.holding = known, known
	}
	if s.dear || len(s.tried) == 0 {
		s.dearer = func(n int) bool { return rival != nil && p.cheaper(rival, c.on(n)) }
		s.search()
	}
	s.tell(p, c)
	return !s.dear
}

// holding is the search for one option.
type holding struct {
	c      *choice
	on     func(n int) *cluster.Cluster
	try    func(n int, d place.Demand, b *place.Budget) (place.Held, error)
	demand place.Demand
	budget *place.Budget
	// counts of the entries; open is the one to count, or -1.
	counts []int
	open   int
	floor  int
	// packed is the number that the packing has, and start that at which halving begins.
	packed, start int
	// window is how many numbers below one that is refuted may hold: those of an update go up and down with the
	// number of turns.
	window int
	// spare is what all options may spend on their last trial beyond the budget, below what on the search below
	// the numbers that were found.
	spare, below *place.Budget
	// few says that each number is tried where the floor is low; full that no glance is trusted any more.
	few, full bool
	// apart is a number of nodes that is looked at, however few the packing needs: pods of
	// different types may have to be on nodes of their own.
	apart int

	tried map[int]place.Held
	// nodes is the number of the open entry's nodes that was found; -1 is none.
	nodes int
	// ended says that the budget ended the search.
	ended bool
	err   error
	// dearer says whether so many nodes cost more than a rival, and dear that all that are left do.
	dearer func(n int) bool
	dear   bool
	// glanced are the numbers that hold at a glance only.
	glanced map[int]bool
}

func (p *planner) holding(c *choice) *holding {
	s := &holding{c: c, demand: p.demand(c), budget: &p.trials, open: slices.Index(c.stated, 0),
		tried: map[int]place.Held{}, nodes: -1, glanced: map[int]bool{}, spare: &p.spare, below: &p.below}
	for _, n := range c.opt.Nodes {
		s.counts = append(s.counts, n.Count)
	}
	if s.open >= 0 {
		s.packed = s.counts[s.open]
		s.floor = c.rest(p.least(c))
		s.start = max(s.floor, c.rest(p.beside(c)))
		s.few = len(s.counts) == 1 || p.load.count.Number <= comparedPods
		away, _ := pool.WorkersAtOnce(s.demand.MaxUnavailable, p.beside(c)) // what can't be read is a finding
		s.window = below + away
		s.apart = max(s.floor, s.packed) + min(int(p.load.count.Number), mostApart)
	}
	s.on = func(n int) *cluster.Cluster {
		var pools []v1alpha1.PoolDecision
		for i, r := range c.rooms {
			count := s.counts[i]
			if i == s.open {
				count = n
			}
			pools = append(pools, p.pool("worker", "worker", r, count))
		}
		in := cluster.Input{Scenario: p.s, Pools: append(pools, p.infraForPods()...), Platform: p.homeless,
			Machines: p.read.Machines, Assumptions: p.assumed, Facts: p.c}
		if c.opt.Name == TodaysNodes {
			in.Snapshot = p.read.Snapshot
		}
		return cluster.Build(in)
	}
	s.try = func(n int, d place.Demand, b *place.Budget) (place.Held, error) { return place.Hold(s.on(n), d, b) }
	return s
}

// least is the number of nodes that no placement is below: the proven floor with
// the spare nodes, or with what the loss of a zone takes.
func (p *planner) least(c *choice) int {
	if len(p.today) > 0 && c.opt.Name != TodaysNodes { // they need no other place, so that the others may do
		return max(1, c.opt.Floor)
	}
	n := max(1, c.opt.Floor) + *p.s.Policy.SpareNodes
	if p.losesZone() {
		n = max(n, ZoneLossCount(c.opt.Floor, p.s.Policy.Zones))
	}
	return n
}

// beside is the number of nodes of which the proven floor is left when an update takes as many as it may. Where
// a disruption budget holds up the update, fewer may do.
func (p *planner) beside(c *choice) int {
	n := max(1, c.opt.Floor)
	if p.demand(c).MaxUnavailable == "" {
		return n
	}
	for range mostRounds {
		away, err := pool.WorkersAtOnce(p.s.Policy.MaxUnavailable, n)
		if err != nil || n-away >= c.opt.Floor {
			break
		}
		n = c.opt.Floor + away
	}
	return n
}

// infraForPods are the infrastructure nodes, where pods of the workload select them.
func (p *planner) infraForPods() []v1alpha1.PoolDecision {
	made := v1alpha1.Plan{}
	if n := p.infra.count.Int(); n > 0 {
		made.Decisions.Pools = []v1alpha1.PoolDecision{p.pool("infra", "infra", p.infra.room, int(n))}
	}
	return cluster.InfraPools(p.s, &made)
}

// key names all that the answer hangs on.
func (s *holding) key(p *planner) string {
	c := s.on(0)
	return fmt.Sprint(s.c.opt.Name, s.counts, s.open, s.floor, s.demand, c.Kinds, len(c.Nodes),
		p.infra.room.Type.Name, p.infra.count.Number)
}

// enough is how many nodes of an option that states them would hold all, tried by placement; 0 is
// not known, as where Prometheus is among the workload and grows with the nodes.
func (p *planner) enough(c *choice) int {
	if len(c.rooms) != 1 || c.opt.Name == TodaysNodes || len(p.homeless) > 0 {
		return 0
	}
	s := p.holding(c)
	s.open, s.floor, s.budget = 0, s.counts[0]+1, &place.Budget{Pods: fewTrials}
	s.search()
	if s.ended || s.err != nil {
		return 0
	}
	return s.nodes
}

// verified says that placement has confirmed the number.
func (c *choice) verified() bool {
	v := c.opt.Verified
	return v != nil && (v.Status == v1alpha1.Verified || v.Status == v1alpha1.VerifiedBySample)
}

// held is the option's placement; nil where it was not placed, or pods have no place.
func (c *choice) held() *place.Held {
	if c.holding == nil {
		return nil
	}
	if h, ok := c.holding.tried[c.holding.nodes]; ok && h.Placed() {
		return &h
	}
	return nil
}

// mostAtOnce is the most workers that may be away at once while placement keeps
// every pod running; nil where that is not known.
func (p *planner) mostAtOnce() *int {
	h := p.choice.held()
	if h == nil {
		return nil
	}
	if n, ok := h.MostUnavailable(); ok {
		return &n
	}
	return nil
}

// last is the largest number that was tried.
func (s *holding) last() (int, place.Held) {
	most := 0
	for n := range s.tried {
		most = max(most, n)
	}
	return most, s.tried[most]
}

// most is the largest number that was found to be too few; 0 is none.
func (s *holding) most() (most int) {
	for n, h := range s.tried {
		if !h.Holds() {
			most = max(most, n)
		}
	}
	return most
}
