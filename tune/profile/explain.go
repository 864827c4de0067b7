package profile

import (
	"encoding/binary"
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/tune/era"
)

// Explanation says which profile each node gets, and why.
type Explanation struct {
	Era era.Era `json:"era"`
	// Release, where it is known more exactly than by Era; 0 where not.
	Release era.Release `json:"release,omitzero"`
	// BuiltIn is "added" when the CR default was not among the input, "put back" when the
	// operator undoes what somebody changed in it, otherwise empty.
	BuiltIn string `json:"builtIn,omitempty"`
	// Frozen says why no node's profile is updated; the profiles below are those that
	// nodes would get without. Empty when they are updated.
	Frozen string `json:"frozen,omitempty"`
	// Items of all CRs in the order in which they are tried.
	Items []Item `json:"items"`
	// Profiles that CRs define, by name.
	Profiles []Definition `json:"profiles"`
	// Ignored are CRs that don't count.
	Ignored []Ignored `json:"ignored,omitempty"`
	// PoolsKnown says that machine config pools were among the input.
	PoolsKnown bool `json:"poolsKnown"`
	// Classes of nodes with one explanation, in the order of their first nodes.
	Classes []Class `json:"classes"`
	// Nodes in the order of the input.
	Nodes []NodeChoice `json:"nodes"`
	// MachineConfigs with kernel arguments that the operator makes, or refuses to make.
	MachineConfigs []MachineConfig `json:"machineConfigs,omitempty"`
	// RecommendConf of 4.3; nil in later eras.
	RecommendConf *RecommendConf `json:"recommendConf,omitempty"`
	// Status of CRs, profiles and operator; nil before the current era.
	Status *Status `json:"status,omitempty"`
	// Findings about this cluster; Check finds what is wrong with the CRs by themselves.
	Findings []v1alpha1.Finding `json:"-"`

	notes []note
}

// Class is all nodes whose profile has one explanation. In era 4.3 Failed and Moves
// are told by what the CRs say, from which TuneD's own reading may differ.
type Class struct {
	ID int `json:"id"`
	// Profile of the nodes.
	Profile string `json:"profile"`
	// Item that won, a number of Explanation.Items; -1 when none did.
	Item int `json:"item"`
	// Nodes of the class.
	Nodes int `json:"nodes"`
	// By is how the item matched: "match", "machineConfigLabels", "catch-all", or
	// "nothing" when none did and the operator falls back on openshift-node.
	By string `json:"by"`
	// Witness are the conditions that held, from the item down to a leaf of its match tree.
	Witness []Condition `json:"witness,omitempty"`
	// Intended is the profile by what the CRs say, where TuneD of 4.3 chooses another.
	Intended string `json:"intended,omitempty"`
	// LastLine is what TuneD from 2.17 on chooses by the recommend.conf of 4.3.
	LastLine string `json:"lastLine,omitempty"`
	// Pool that the nodes get their configuration from; empty for none.
	Pool string `json:"pool,omitempty"`
	// PoolProblem says why there is none though pools select the nodes.
	PoolProblem string `json:"poolProblem,omitempty"`
	// Ties are items of the winner's priority that match as well and name other profiles.
	Ties []int `json:"ties,omitempty"`
	// Failed are the items before the winner, in their order.
	Failed []Failed `json:"failed,omitempty"`
	// Moves are the single changes that give the nodes another profile.
	Moves []Move `json:"moves,omitempty"`
	// Relabel is what turning a worker into an infra node does.
	Relabel []Relabel `json:"relabel,omitempty"`

	first  int // a node of the class, in the engine's numbers
	winner int // by what the CRs say
}

// NodeChoice is what one node gets.
type NodeChoice struct {
	Name string `json:"name"`
	// Class of the node; -1 when the operator computes no profile for it.
	Class   int    `json:"class"`
	Profile string `json:"profile,omitempty"`
	// Kept is the profile that the node keeps because updates are frozen.
	Kept string `json:"kept,omitempty"`
	// Witness are the labels and pods that satisfied the class's conditions.
	Witness []Witness `json:"witness,omitempty"`
	// Holding are the pods whose going would move the node.
	Holding []string `json:"holding,omitempty"`
}

// Witness satisfied a condition.
type Witness struct {
	Condition Condition `json:"condition"`
	// Value that the label has.
	Value string `json:"value"`
	// Pod that has the label, and how many more do.
	Pod  string `json:"pod,omitempty"`
	More int    `json:"more,omitempty"`
}

// explainer works an explanation out.
type explainer struct {
	*engine
	x      *Explanation
	almost *almost
	mover  *mover
	// class and goings of each node that counts.
	class  []int
	goings [][]going
	// sections that TuneD of 4.3 chooses.
	sections []int
}

// Explain says which profile each node gets, and why. The same input gives the same
// explanation, byte for byte.
func Explain(in Input) *Explanation {
	e := &explainer{engine: newEngine(&in)}
	e.almost, e.mover = newAlmost(e.engine), &mover{g: e.engine}
	e.x = &Explanation{Era: in.Era, Release: in.Release, BuiltIn: e.m.builtIn, Items: e.m.items, Profiles: e.m.definitions, Ignored: e.m.ignored, PoolsKnown: len(in.Pools) > 0,
		Findings: slices.Clone(e.m.findings)}
	if d := e.m.conflict(); d != nil && freezes.of(in.basis()) {
		e.x.Frozen = fmt.Sprintf("profile %s has several texts", d.Name)
	}
	if !perNode.In(in.Era) {
		e.x.RecommendConf = conf43(e.m.items)
		e.sections = e.engine.sections(e.x.RecommendConf)
	}
	e.classify()
	for i := range e.x.Classes {
		e.explain(&e.x.Classes[i])
	}
	e.nodeChoices()
	e.x.MachineConfigs = e.machineConfigs()
	e.x.Status = e.status()
	e.judge()
	return e.x
}

// classify joins nodes that look alike.
func (e *explainer) classify() {
	e.class, e.goings = make([]int, len(e.nodes)), make([][]going, len(e.nodes))
	winners := map[string]int{}
	classes := map[string]int{}
	count := make([]int32, len(e.u.pods))
	var buf []byte
	for i := range e.nodes {
		s := &e.seen[i]
		buf = s.key(buf[:0])
		winner, ok := winners[string(buf)]
		if !ok {
			winner = e.next(s, 0)
			winners[string(buf)] = winner
		}
		if e.goings[i] = e.engine.goings(i, winner, count); len(e.goings[i]) > 0 {
			buf = append(buf, signature(e.goings[i])...)
		}
		if e.sections != nil {
			buf = binary.AppendVarint(buf, int64(e.sections[i]))
		}
		c, ok := classes[string(buf)]
		if !ok {
			c = len(e.x.Classes)
			classes[string(buf)] = c
			e.x.Classes = append(e.x.Classes, Class{ID: c, first: i, winner: winner})
		}
		e.class[i] = c
		e.x.Classes[c].Nodes++
	}
}

// key is all that the choice sees, as bytes.
func (s *situation) key(buf []byte) []byte {
	for _, state := range s.node {
		buf = binary.AppendUvarint(buf, uint64(state))
	}
	for _, bits := range s.pods {
		buf = binary.LittleEndian.AppendUint64(buf, bits)
	}
	return buf
}

// explain fills in a class.
func (e *explainer) explain(c *Class) {
	s := &e.seen[c.first]
	c.Item, c.Profile = c.winner, e.profileOf(c.winner)
	c.By, c.Witness = e.how(c.winner, s)
	c.Pool, c.PoolProblem = s.member.Primary, s.member.Problem
	last := len(e.trees)
	if c.winner >= 0 {
		last = c.winner
		e.ties(c, s)
	}
	c.Failed = make([]Failed, last)
	for i := range last {
		c.Failed[i] = e.almost.of(i, s)
	}
	c.Moves = append(e.mover.of(s, c.winner), e.goingMoves(e.goings[c.first])...)
	c.Relabel = e.relabels(s, c.winner)
	if e.sections != nil {
		e.read43(c)
	}
	if c.Item >= 0 {
		e.x.Items[c.Item].Nodes += c.Nodes
	}
}

// how says by what an item matches.
func (e *explainer) how(item int, s *situation) (by string, witness []Condition) {
	if item < 0 {
		return "nothing", nil
	}
	t := &e.trees[item]
	first := t.first(s)
	switch {
	case first >= 0 && len(t.paths[first].steps) > 0:
		for _, st := range t.paths[first].steps {
			witness = append(witness, e.u.condition(st))
		}
		return "match", witness
	case first >= 0 || t.always:
		return "catch-all", nil
	}
	return "machineConfigLabels", nil
}

// condition is what a step asks for.
func (u *universe) condition(st step) Condition {
	if st.pod {
		return u.pods[st.id]
	}
	c := Condition{Type: "node", Label: u.keys[st.id]}
	if st.state >= firstValue {
		c.Value = &u.values[st.id][st.state-firstValue]
	}
	return c
}

// ties finds the items that might as well have won.
func (e *explainer) ties(c *Class, s *situation) {
	for i := c.winner + 1; i < len(e.trees) && byPriority(e.m.items[i], e.m.items[c.winner]) == 0; i++ {
		if e.profileOf(i) != c.Profile && e.trees[i].matches(s) {
			c.Ties = append(c.Ties, i)
		}
	}
}

// read43 puts what TuneD of 4.3 chooses before what the CRs say.
func (e *explainer) read43(c *Class) {
	conf := e.x.RecommendConf
	intended := c.Profile
	section := -1
	c.LastLine = OwnChoice
	if at := e.sections[c.first]; at >= 0 && conf.RefusedLater == "" {
		section, c.LastLine = at, conf.Sections[at].Profile
	}
	switch {
	case conf.Refused != "" || section < 0:
		c.Item, c.Profile, c.By, c.Witness = -1, OwnChoice, "nothing", nil
	case conf.Sections[section].Item != c.winner:
		s := &conf.Sections[section]
		c.Item, c.Profile, c.By, c.Witness = s.Item, s.Profile, "match", nil
		for _, l := range s.Lines {
			c.Witness = append(c.Witness, l.condition)
		}
	}
	if c.Profile != intended {
		c.Intended = intended
	}
}

// nodeChoices fills in the nodes.
func (e *explainer) nodeChoices() {
	e.x.Nodes = make([]NodeChoice, len(e.in.Nodes))
	for i := range e.in.Nodes {
		e.x.Nodes[i] = NodeChoice{Name: e.in.Nodes[i].Name, Class: -1}
	}
	for i, n := range e.nodes {
		c := &e.x.Classes[e.class[i]]
		out := &e.x.Nodes[n]
		out.Class, out.Profile = c.ID, c.Profile
		if e.x.Frozen != "" {
			out.Kept = e.in.Nodes[n].Profile
		}
		for _, g := range e.goings[i] {
			out.Holding = append(out.Holding, e.in.Pods[g.pod].String())
		}
		slices.Sort(out.Holding)
		if c.Item == c.winner && len(c.Witness) > 0 {
			out.Witness = e.witness(i, e.trees[c.winner].paths[e.trees[c.winner].first(&e.seen[i])].steps)
		}
	}
}

// witness finds the labels and pods by which steps hold.
func (e *explainer) witness(i int, steps []step) []Witness {
	out := make([]Witness, len(steps))
	for n, st := range steps {
		w := &out[n]
		w.Condition = e.u.condition(st)
		if !st.pod {
			w.Value = e.in.Nodes[e.nodes[i]].Labels[w.Condition.Label]
			continue
		}
		for j := e.podFrom[i]; j < e.podFrom[i+1]; j++ {
			if !slices.Contains(e.meets[e.meetsFrom[j]:e.meetsFrom[j+1]], st.id) {
				continue
			}
			if p := &e.in.Pods[e.pod[j]]; w.Pod == "" {
				w.Pod, w.Value = p.String(), p.Labels[w.Condition.Label]
			} else {
				w.More++
			}
		}
	}
	return out
}
