package plan

import (
	"fmt"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/node"
	"plimsoll.dev/place"
)

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
		s.tellStated(p, c)
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
		v.Problem = fmt.Sprintf("not even %d nodes hold all: %s", s.inAll(n), breaks(h))
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
	s.count(p, c, s.nodes, s.method())
	c.placed(p)
}

// method says how the number was found.
func (s *holding) method() string {
	least, untried := "the least number", s.untried()
	if s.ended {
		least, untried = "a number", "; fewer were not all tried, for want of time"
	}
	return least + " at which placement finds a place for every pod" + survives(asked(s.demand)) + untried
}

// placed says that placement has found a place for every pod, whether the packing has or not.
func (c *choice) placed(p *planner) {
	if len(c.pack.Left) == 0 {
		return
	}
	c.pack.Left = nil
	c.opt.Base, c.opt.Needed, c.opt.Price = 0, 0, c.price() // no packing was found
	c.floor(p.dims)
	p.judge(c)
}

// inAll is the number of the option's nodes, where so many are of the open entry.
func (s *holding) inAll(n int) int {
	for i, count := range s.counts {
		if i != s.open {
			n += count
		}
	}
	return n
}

// estimate writes into the option that its number was not tried, and why: it is the packing's, or one more
// than the most that are known to be too few.
func (s *holding) estimate(p *planner, c *choice) {
	few := s.most()
	if c.opt.Nodes[s.open].Count <= few {
		s.count(p, c, few+1, "one more than the most of which placement finds that they don't hold all")
	}
	if s.dear {
		c.opt.Fits, c.opt.Why = c.on(s.least()).opt.Fits, ""
	}
	why, packed := "more were not tried: "+p.whyNoMore(c), ""
	if s.ended {
		why = fmt.Sprintf("to place the pods on trial takes more than the %s that a plan waits for",
			words.Count(place.MostTrials, "pod"))
		packed = ": the number is that of the packing, which placement may exceed"
	}
	c.opt.Verified.Status, c.opt.Verified.Problem = v1alpha1.Estimated, why+packed
	if few > 0 {
		c.opt.Verified.Problem = fmt.Sprintf("%s hold all (%s), and %s",
			words.Count(s.inAll(few), "node does not", "nodes don't"), breaks(s.tried[few]), why)
	}
}

// whyNoMore is why more of the option's nodes were not tried, where others hold.
func (p *planner) whyNoMore(c *choice) string {
	switch {
	case !c.wanted(p.s.Policy.Node):
		return "policy.node names another option"
	case !c.opt.Fits:
		return "there are not so many"
	case c.small:
		return "the machines are below what the platform is installed on"
	case !p.priced:
		return "another option has no more CPUs"
	}
	return "another option costs no more"
}

// tellStated says whether the stated nodes bear what is asked.
func (s *holding) tellStated(p *planner, c *choice) {
	v := c.opt.Verified
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
	if ok && h.Holds() {
		c.placed(p)
	}
}

// count puts a number that placement has found by some method in place of the packing's.
func (s *holding) count(p *planner, c *choice, nodes int, method string) {
	c.opt.Nodes[s.open].Count = nodes
	total := 0
	for _, n := range c.opt.Nodes {
		total += n.Count
	}
	c.opt.Total, c.opt.Price = total, c.price()
	p.judge(c)
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
