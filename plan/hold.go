package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/node"
	"plimsoll.dev/place"
	"plimsoll.dev/place/cluster"
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
		key := s.key()
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
		tried: map[int]place.Held{}, nodes: -1, glanced: map[int]bool{}}
	for _, n := range c.opt.Nodes {
		s.counts = append(s.counts, n.Count)
	}
	if s.open >= 0 {
		s.floor = s.counts[s.open]
		if len(s.counts) == 1 {
			s.floor = p.least(c)
		}
		s.apart = s.floor + min(int(p.load.count.Number), mostApart)
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
	n := max(1, c.opt.Floor) + *p.s.Policy.SpareNodes
	if p.losesZone() {
		n = max(n, ZoneLossCount(c.opt.Floor, p.s.Policy.Zones))
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
func (s *holding) key() string {
	c := s.on(0)
	return fmt.Sprint(s.c.opt.Name, s.counts, s.open, s.floor, s.demand, c.Kinds, len(c.Nodes))
}

// tell writes what was found into the option.
func (s *holding) tell(p *planner, c *choice) {
	c.holding = s
	v := &v1alpha1.Verification{Order: s.demand.Order, Asked: asked(s.demand)}
	c.opt.Verified = v
	switch {
	case s.err != nil:
		v.Status, v.Problem = v1alpha1.NotVerified, s.err.Error()
		c.opt.Fits, c.opt.Why = false, s.err.Error()
		return
	case s.open < 0:
		s.tellStated(v)
		if v.Status == v1alpha1.NotVerified && c.opt.Name != TodaysNodes { // which nobody wants replaced
			c.opt.Fits, c.opt.Why = false, v.Problem
		}
		return
	case s.dear, s.nodes < 0 && s.ended:
		s.estimate(p, c)
		return
	case s.nodes < 0:
		v.Status = v1alpha1.NotVerified
		n, h := s.last()
		v.Problem = fmt.Sprintf("not even %d nodes hold all: %s", n, breaks(h))
		c.opt.Fits, c.opt.Why = false, v.Problem
		return
	}
	h := s.tried[s.nodes]
	v.Status = v1alpha1.Verified
	if h.Sampled {
		v.Status = v1alpha1.VerifiedBySample
	}
	if fewer, ok := s.tried[s.nodes-1]; ok {
		v.Fewer = breaks(fewer)
	}
	s.count(p, c, s.nodes,
		"the least number at which placement finds a place for every pod"+survives(asked(s.demand))+s.untried())
}

// estimate writes into the option that its number was not tried, and why: it is the packing's, or one more
// than the most that are known to be too few.
func (s *holding) estimate(p *planner, c *choice) {
	few := s.most()
	if c.opt.Total <= few {
		s.count(p, c, few+1, "one more than the most of which placement finds that they don't hold all")
	}
	why, packed := "more were not tried: "+c.whyNoMore(), ""
	if s.ended {
		why = fmt.Sprintf("to place the pods on trial takes more than the %s that a plan waits for",
			words.Count(place.MostTrials, "pod"))
		packed = ": the number is that of the packing, which placement may exceed"
	}
	c.opt.Verified.Status, c.opt.Verified.Problem = v1alpha1.Estimated, why+packed
	if few > 0 {
		c.opt.Verified.Problem = fmt.Sprintf("%s hold all (%s), and %s", words.Count(few, "node does not", "nodes don't"),
			breaks(s.tried[few]), why)
	}
}

// whyNoMore is why more of the option's nodes were not tried, where others hold.
func (c *choice) whyNoMore() string {
	switch {
	case !c.opt.Fits:
		return "there are not so many"
	case c.small:
		return "the machines are below what the platform is installed on"
	}
	return "another option costs less"
}

// tellStated says whether the stated nodes bear what is asked.
func (s *holding) tellStated(v *v1alpha1.Verification) {
	h, ok := s.tried[0]
	switch {
	case !ok:
		v.Status = v1alpha1.Estimated
		v.Problem = "to place the pods on trial takes more than a plan waits for"
	case !h.Holds():
		v.Status, v.Problem = v1alpha1.NotVerified, breaks(h)
	case h.Sampled:
		v.Status = v1alpha1.VerifiedBySample
	default:
		v.Status = v1alpha1.Verified
	}
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

// count puts a number that placement has found by some method in place of the packing's.
func (s *holding) count(p *planner, c *choice, nodes int, method string) {
	c.opt.Nodes[s.open].Count = nodes
	total := 0
	for _, n := range c.opt.Nodes {
		total += n.Count
	}
	c.opt.Total, c.opt.Price = total, c.price()
	if c.inStock(); c.opt.Why == "" && c.opt.Given > 0 && total > c.opt.Given {
		c.opt.Why = fmt.Sprintf("%s given, and what the policy asks for takes %d",
			words.Count(c.opt.Given, "node is", "nodes are"), total)
	}
	c.opt.Utilisation = p.use(c, p.items(c.rooms, node.NoOvercommit), c.binsOf(p.dims, node.NoOvercommit, dims.capacity))
	in := []derive.Input{derive.In("packed", derive.Of(float64(c.opt.Base), "nodes"))}
	if base, ok := p.b.Get("nodes.base[" + c.opt.Name + "]"); ok {
		in[0] = derive.In("packed", derive.Cite(base))
	}
	c.total = p.b.Record(derive.Figure{ID: "nodes.workers[" + c.opt.Name + "]", Title: "Worker nodes of " + c.opt.Name,
		Value: derive.Of(float64(total), "nodes"), Inputs: in, Method: method})
}

// survives says in words what the nodes bear.
func survives(asked []string) string {
	if len(asked) == 0 {
		return ""
	}
	return ", also when " + strings.Join(asked, ", or when ")
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

// open names what the number of nodes needs and did not get.
func (p *planner) open() []string {
	if p.choice == nil || p.idle() || p.read.Placing {
		return nil
	}
	var out []string
	switch v := p.choice.opt.Verified; {
	case v == nil && p.choice.opt.Fits:
		out = append(out, p.choice.opt.Name+": the pods were not placed on trial")
	case v != nil && v.Status == v1alpha1.Estimated:
		out = append(out, p.choice.opt.Name+": "+v.Problem)
	}
	return out
}

// asked are the events that the policy wants borne.
func asked(d place.Demand) []string {
	var out []string
	if n := d.Failures; n == 1 {
		out = append(out, "any 1 node fails")
	} else if n > 1 {
		out = append(out, fmt.Sprintf("any %d nodes fail", n))
	}
	if d.Zones {
		out = append(out, "any zone fails")
	}
	if d.MaxUnavailable != "" {
		out = append(out, "an update takes "+d.MaxUnavailable+" at a time")
	}
	if n := len(out); n > 0 && len(d.Lacking) > 0 {
		out[n-1] += " (but for " + list(d.Lacking) + ", as today)"
	}
	return out
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

// letIn is the remedy where more nodes are none.
const letIn = `ask "plimsoll place" what would let them in`

// noNodes is the remedy where no number of nodes that was tried helps: kubelets let the pods
// in on none, or the scheduler does not try them. It is empty elsewhere.
func (c *choice) noNodes() string {
	if c.holding == nil || c.opt.Verified.Status != v1alpha1.NotVerified {
		return ""
	}
	switch _, h := c.holding.last(); {
	case h.Untried:
		return "remove their scheduling gates, or name kube-scheduler's profile as their schedulerName"
	case h.Reason == place.Refused:
		return letIn
	}
	return ""
}

// breaks says what does not hold.
func breaks(h place.Held) string {
	text := fmt.Sprintf("when %s, no place for %s", h.Broken, h.Pods)
	if h.Reason != "" {
		text += " (" + h.Reason + ")"
	}
	return text
}
