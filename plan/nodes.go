package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/limit"
	"plimsoll.dev/part"
	"plimsoll.dev/place"
	"plimsoll.dev/plan/fit"
	"plimsoll.dev/unit"
)

// nodesPart shows the options side by side and what the chosen one holds.
func (p *planner) nodesPart() {
	s := part.New("nodes", "Nodes")
	p.put(s)
	others := p.cost(s)
	for _, c := range p.options {
		if c.opt.Price > 0 {
			c.opt.Cost = c.opt.Price + others
		}
		p.plan.Options = append(p.plan.Options, c.opt)
		p.addProofs(c)
		p.optionFindings(s, c)
	}
	if p.choice == nil {
		s.Find(v1alpha1.Error, "nodes.none", "no node type can be chosen for the workers",
			"list a node type with role worker under hardware.nodeTypes").Field = "hardware.nodeTypes"
		return
	}
	p.byPods(s)
	s.Show(p.choice.total, p.allNodes())
	for _, r := range p.choice.rooms {
		s.Detail(r.PodsAllocatable, r.CPUAllocatable, r.MemoryAllocatable, r.CPU, r.Memory, r.Pods)
	}
	p.choiceFindings(s)
	p.sayExpected(s)
	s.Gauge(p.nodeGauges()...)
}

// optionFindings warns of an option whose nodes in mind are too few.
func (p *planner) optionFindings(s *part.Part, c choice) {
	if c.opt.Why == "" {
		return
	}
	severity := v1alpha1.Warning
	if !c.opt.Fits && !c.opt.Chosen {
		severity = v1alpha1.Info
	}
	if !c.opt.Fits && c.opt.Chosen {
		severity = v1alpha1.Error
	}
	f := s.Find(severity, "nodes.option["+c.opt.Name+"]", c.opt.Name+": "+c.opt.Why, p.remedy(&c))
	f.Figure, f.Sources = c.opt.Figure, []derive.Source{{Code: "OCP", Section: "9.4"}}
}

// leftRemedy is remedy for pods that a packing leaves over.
func (p *planner) leftRemedy(c *choice, l fit.Left) string {
	it := c.items[l.Item]
	switch {
	case l.Resource == -2:
		var ways []string
		for _, t := range p.podsNamed(it.Name) {
			for _, way := range c.letOn(t) {
				ways = append(ways, way.Says)
			}
		}
		if len(ways) == 0 {
			return ""
		}
		return fmt.Sprintf("to let %s on these nodes: %s", it.Name, strings.Join(ways[:min(len(ways), 3)], ", or "))
	case l.Resource >= 0:
		return fmt.Sprintf("offer a node type that gives pods %s of %s",
			p.dims.value(l.Resource, float64(it.Need[l.Resource])), p.dims[l.Resource])
	}
	return "add nodes, or another node type"
}

// remedy is what is to be looked at, where no change that was tried helps, or none is tried.
func (p *planner) remedy(c *choice) string {
	switch short := c.short(); {
	case len(c.pack.Left) > 0:
		return p.leftRemedy(c, c.pack.Left[0])
	case c.noNodes() != "":
		return c.noNodes()
	case short >= 0:
		n := c.opt.Nodes[short]
		return fmt.Sprintf("have %d %s in stock, or offer another node type", n.Count, n.Type)
	case !c.opt.Fits && c.holding != nil:
		_, h := c.holding.last()
		return cmp.Or(p.bars(h), "offer a larger node type")
	case !c.opt.Fits:
		return "name worker types of hardware.nodeTypes"
	}
	return fmt.Sprintf("take %d nodes", c.opt.Total)
}

// byPods is the document's own rule of thumb, in both directions (OCP 9.3).
func (p *planner) byPods(s *part.Part) {
	if p.load.count.Number == 0 {
		return
	}
	for _, r := range p.choice.rooms {
		if r.Pods.Number <= 0 {
			continue
		}
		v := p.b.Calc("nodes.byPods["+r.Type.Name+"]", "Nodes by number of pods alone, on "+r.Type.Name,
			"nodes", "ceil(pods / podsPerNode)",
			derive.In("pods", p.load.count), derive.In("podsPerNode", r.PodsAllocatable))
		p.b.Note("nodes.byPods["+r.Type.Name+"]", "CPU, memory and the platform's own pods are not in it",
			derive.Source{Code: "OCP", Section: "9.3"})
		s.Show(v)
	}
	for i := range p.options {
		if c := &p.options[i]; c.total.Number > 0 {
			each := p.podsPerNode(c)
			if c.opt.Chosen || len(p.options) <= 3 {
				s.Show(each)
			}
		}
	}
}

// podsPerNode is the number of pods to expect on each node of an option.
func (p *planner) podsPerNode(c *choice) derive.Value {
	id := "nodes.podsPerNode[" + c.opt.Name + "]"
	v := p.b.Calc(id, "Pods per worker node, expected, "+c.opt.Name, "pods", "pods / nodes",
		derive.In("pods", p.load.count), derive.In("nodes", c.total))
	p.b.Note(id, "", derive.Source{Code: "OCP", Section: "9.3"})
	return v
}

// choiceFindings judges the chosen option as a whole.
func (p *planner) choiceFindings(s *part.Part) {
	c := p.choice
	for _, l := range c.pack.Left[min(1, len(c.pack.Left)):] {
		f := s.Find(v1alpha1.Error, "nodes.left["+c.items[l.Item].Name+"]", p.whyLeft(c, l), p.leftRemedy(c, l))
		f.Figure = c.opt.Figure
	}
	p.sayHeld(s, c)
	p.sayUntried(s, c)
	p.sayBudgets(s, c)
	p.sayTooMany(s, c)
	p.saySmall(s, c)
	if len(c.pack.Left) == 0 && c.opt.Base > c.opt.Floor {
		s.Find(v1alpha1.Info, "nodes.packing", fmt.Sprintf("no packing needs fewer than %d nodes, the one found needs %d",
			c.opt.Floor, c.opt.Base), "").Figure = "nodes.base[" + c.opt.Name + "]"
	}
	p.plainOvercommit(s)
}

// belowMinimum says that new machines of a type are below what the platform is installed on.
func (p *planner) belowMinimum(r roomOf) bool {
	t := r.Type
	return p.installs() && !strings.HasPrefix(p.s.Platform.Release, "3.") && !p.runs(t.Name) &&
		(float64(t.CPUs) < p.c.Must("ocp.minimum.vcpus/compute").Number ||
			float64(t.Memory) < p.c.Must("ocp.minimum.memory/compute").Number)
}

// saySmall names types whose new machines are below what the platform is installed on.
func (p *planner) saySmall(s *part.Part, c *choice) {
	cpus, memory := p.c.Must("ocp.minimum.vcpus/compute"), p.c.Must("ocp.minimum.memory/compute")
	rooms := slices.Clone(c.rooms)
	if p.infra.count.Number > 0 && p.infra.named {
		rooms = append(rooms, p.infra.room)
	}
	for _, r := range rooms {
		t := r.Type
		if !p.belowMinimum(r) {
			continue
		}
		least := fmt.Sprintf("%g CPUs and %s", cpus.Number, unit.Format(memory.Number, unit.ByteUnit))
		s.FindAt(v1alpha1.Error, "nodes.belowMinimum["+t.Name+"]", fmt.Sprintf("hardware.nodeTypes[%d]", r.index),
			fmt.Sprintf("%s: a machine of %s and %s is less than the platform's minimum of %s", t.Name,
				words.Count(t.CPUs, "CPU"), t.Memory, least),
			"take a machine of at least "+least, cpus.Source)
	}
}

// sayHeld says what placement does not confirm of the chosen nodes. What the
// scenario states is asked for; what its defaults ask for is advice where the nodes
// are stated.
func (p *planner) sayHeld(s *part.Part, c *choice) {
	v := c.opt.Verified
	if v == nil || v.Status != v1alpha1.NotVerified || c.holding.open >= 0 {
		return
	}
	if !c.opt.Fits && c.opt.Why == v.Problem {
		return // which is an error of the option already
	}
	severity, field := p.askedFor(c.holding.tried[0].Event)
	remedy := "add nodes"
	if text := c.noNodes(); text != "" {
		remedy = text
	} else if n := p.enough(c); n > 0 {
		remedy = fmt.Sprintf("take %d nodes", n)
	}
	if field != "" {
		remedy += ", or ask for less under " + field
	}
	f := s.Find(severity, "nodes.held", c.opt.Name+": "+v.Problem, remedy)
	f.Figure, f.Field = c.opt.Figure, field
}

// sayUntried names options that may do for less than the chosen one, which was confirmed: trying them was not ended.
func (p *planner) sayUntried(s *part.Part, chosen *choice) {
	for i := range p.options {
		c := &p.options[i]
		if !chosen.verified() || c.opt.Name == chosen.opt.Name || !c.wanted(p.s.Policy.Node) || c.holding == nil ||
			!c.holding.ended {
			continue
		}
		best, why := c, c.opt.Verified.Problem
		if c.verified() {
			best = c.on(c.holding.least())
			why = fmt.Sprintf("fewer than its %d nodes were not all tried, for want of time", c.opt.Total)
		}
		if best.opt.Fits && p.cheaper(best, chosen) {
			s.Find(v1alpha1.Warning, "nodes.untried["+c.opt.Name+"]", fmt.Sprintf("%s may do for less than %s: %s", c.opt.Name,
				chosen.opt.Name, why), "plan it alone: policy.node: "+c.opt.Name).Figure = c.opt.Figure
		}
	}
}

// sayBudgets says which disruption budgets an update of the chosen nodes meets.
func (p *planner) sayBudgets(s *part.Part, c *choice) {
	h := c.held()
	if h == nil {
		return
	}
	if len(h.Blocked) > 0 {
		severity, field := p.askedFor(place.Update)
		f := s.Find(severity, "nodes.budget.blocks", "an update never ends: "+strings.Join(h.Blocked, "; "),
			place.AllowOne)
		f.Figure, f.Field = c.opt.Figure, field
	}
	if len(h.Waits) > 0 {
		s.Find(v1alpha1.Info, "nodes.budget.waits", "an update waits for disruption budgets: "+strings.Join(h.Waits, "; "),
			"count the turns in policy.rolloutPerNode, or set a lower policy.maxUnavailable").Figure = c.opt.Figure
	}
}

// sayTooMany says which nodes of a running cluster could go.
func (p *planner) sayTooMany(s *part.Part, c *choice) {
	h := c.held()
	if c.opt.Name != TodaysNodes || h == nil {
		return
	}
	today := c.holding.demand
	today.Lacking = p.today
	names, all := h.Superfluous(today, c.holding.budget)
	message := tooMany(len(names), c.opt.Total, all, "placement finds another place for every pod"+survives(asked(today)))
	if message == "" {
		return
	}
	const most = 8
	remedy := strings.Join(names[:min(most, len(names))], ", ")
	if n := len(names) - most; n > 0 {
		remedy += fmt.Sprintf(" and %d more", n)
	}
	if remedy != "" {
		remedy = "drain, one after the other, and take away: " + remedy
	}
	s.Find(v1alpha1.Info, "nodes.tooMany", message, remedy).Figure = c.opt.Figure
}

// tooMany says how many of today's nodes could go, and why; all says that no more were found
// when all had been tried.
func tooMany(n, total int, all bool, why string) string {
	number, nodes := words.Number(n), words.Count(total, "node")
	switch {
	case all && n == 0:
		return ""
	case all:
		return fmt.Sprintf("%s of %s could go, %s would do: %s", number, nodes, words.Number(total-n), why)
	case n == 0:
		return fmt.Sprintf("whether any of %s could go is not known: to try takes more than a plan waits for", nodes)
	}
	return fmt.Sprintf("at least %s of %s could go: %s; whether more could was not tried to the end", number, nodes, why)
}

// askedFor is how bad it is that an event is not borne, and the field that asks for it.
func (p *planner) askedFor(e place.Event) (v1alpha1.Severity, string) {
	field := map[place.Event]string{place.Failures: "policy.spareNodes", place.ZoneLoss: "policy.surviveZoneLoss",
		place.Update: "policy.maxUnavailable"}[e]
	if field != "" && p.o.Assumed(field) {
		return v1alpha1.Warning, field
	}
	return v1alpha1.Error, field
}

// plainOvercommit compares the document's "roughly 30 percent" with its table.
func (p *planner) plainOvercommit(s *part.Part) {
	var over []string
	for _, c := range p.options {
		if len(c.opt.Overcommit) > 0 && c.opt.Overcommit[0].Share > 1 {
			over = append(over, fmt.Sprintf("%s %.4g", c.opt.Name, c.opt.Overcommit[0].Share))
		}
	}
	if len(over) == 0 {
		return
	}
	common := p.c.Must("ocp.example.overcommit").Value()
	s.Find(v1alpha1.Info, "nodes.overcommit",
		fmt.Sprintf("CPU overcommit of the nodes given: %s; the document calls %.0f %% roughly common",
			strings.Join(over, ", "), common.Number*100), "").Sources = []derive.Source{{Code: "OCP", Section: "9.4"}}
}

// nodeGauges are the limits of single nodes; more nodes relieve them.
func (p *planner) nodeGauges() []limit.Gauge {
	var out []limit.Gauge
	for i, r := range p.choice.rooms {
		name := r.Type.Name
		most, from := p.fullest(i, dimPods)
		on := p.b.Calc("nodes.mostPods["+name+"]", "Pods on the fullest "+name, "pods",
			"workload + (admitted - places)", derive.In("workload", derive.Of(float64(most), "pods")),
			derive.In("admitted", r.PodsAllocatable), derive.In("places", r.Pods))
		p.b.Note("nodes.mostPods["+name+"]",
			"the workload's share comes from the "+from+"; admitted - places are the platform's pods and DaemonSets")
		g := limit.Measure("kubeletPods["+name+"]", "Pods on the fullest "+name, "node "+name, on, r.PodsAllocatable,
			limit.Hard)
		out = append(out, g.AsLocal())
		if t, ok := p.releaseGauge("podsPerNode", "Pods per node, "+name, "node "+name, on); ok {
			t.ID, t.Local = "podsPerNode["+name+"]", true
			out = append(out, t)
		}
		if g, ok := p.coreGauge(r, on); ok {
			out = append(out, g)
		}
		if g, ok := p.stockGauge(i); ok {
			out = append(out, g)
		}
	}
	for _, m := range p.otherMachines() {
		if m.Available != nil {
			taken := p.b.Calc("nodes.taken["+m.Name+"]", "Machines taken of "+m.Name, "machines", "nodes",
				derive.In("nodes", m.count))
			out = append(out, p.onHand(m.NodeType, m.index, taken))
		}
	}
	return out
}

// coreGauge measures the pods of a node against the pods per core that are
// published; OpenShift publishes none.
func (p *planner) coreGauge(r roomOf, on derive.Value) (limit.Gauge, bool) {
	f, _, _, ok := p.c.ForRelease(p.maxPrefix()+"podsPerCore", p.s.Platform.Release)
	if !ok || f.Unit == "" || f.Number == 0 {
		return limit.Gauge{}, false
	}
	name := r.Type.Name
	cpus := p.o.Value(fmt.Sprintf("hardware.nodeTypes[%d].cpus", r.index), float64(r.Type.CPUs), "CPUs")
	most := p.b.Calc("nodes.podsByCores["+name+"]", "Pods that the cores of a "+name+" are good for", "pods",
		"podsPerCore * cpus", derive.In("podsPerCore", f.Value()), derive.In("cpus", cpus))
	return limit.Measure("podsPerCore["+name+"]", "Pods per node by its cores, "+name, "node "+name, on, most,
		f.Kind).AsLocal(), true
}

// stockGauge measures the machines that are taken against those on hand. The
// infrastructure nodes count where they are of the same type.
func (p *planner) stockGauge(i int) (limit.Gauge, bool) {
	r := p.choice.rooms[i]
	if r.Type.Available == nil {
		return limit.Gauge{}, false
	}
	name := r.Type.Name
	workers := p.choice.total
	if len(p.choice.rooms) > 1 {
		workers = derive.Of(float64(p.choice.opt.Nodes[i].Count), "machines")
	}
	infra := derive.Of(0, "machines")
	if p.infra.room.Type.Name == name {
		infra = p.infra.count
	}
	taken := p.b.Calc("nodes.taken["+name+"]", "Machines taken of "+name, "machines", "workers + infra",
		derive.In("workers", workers), derive.In("infra", infra))
	return p.onHand(r.Type, r.index, taken), true
}

// onHand measures the machines taken of a type that has a stock.
func (p *planner) onHand(t v1alpha1.NodeType, index int, taken derive.Value) limit.Gauge {
	stock := p.o.Value(fmt.Sprintf("hardware.nodeTypes[%d].available", index), float64(*t.Available), "machines")
	return limit.Measure("stock["+t.Name+"]", "Machines of "+t.Name+" on hand", "cluster", taken, stock, limit.Hard)
}
