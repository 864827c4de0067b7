package profile

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/release"
)

// Explanation says which profile each node gets, and why.
type Explanation struct {
	// Release whose operator decides.
	Release release.Release `json:"release"`
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
	// RecommendConf of 4.3; nil in later releases.
	RecommendConf *RecommendConf `json:"recommendConf,omitempty"`
	// ProfilesSeen says that Profile objects were among the input, or that there are none.
	ProfilesSeen bool `json:"profilesSeen,omitempty"`
	// Status of CRs, profiles and operator; nil before the current release.
	Status *Status `json:"status,omitempty"`
	// Findings about this cluster; Check finds what is wrong with the CRs by themselves.
	Findings []v1alpha1.Finding `json:"-"`

	notes []note
}

// Class is all nodes whose profile has one explanation. In release 4.3 Failed and Moves
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
	// Unless are items that name other profiles and come before: pools or pods that were
	// not among the input may make them match.
	Unless []int `json:"unless,omitempty"`
	// Failed are the items before the winner, in their order.
	Failed []Failed `json:"failed,omitempty"`
	// Moves are the single changes that give the nodes another profile.
	Moves []Move `json:"moves,omitempty"`
	// Relabel is what turning a worker into an infra node does.
	Relabel []Relabel `json:"relabel,omitempty"`

	first  int // a node of the class, in the numbers of cluster.nodes
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
	// Reported is what the node's Profile object says; nil where there is none, or none was seen.
	Reported *NodeReport `json:"reported,omitempty"`

	young, otherwise bool
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
	*cluster
	x *Explanation
	// class of each node that counts, and its pods that hold it.
	class   []int
	leaving [][]leavingPod
	// sections that TuneD of 4.3 chooses.
	sections []int
}

// Explain says which profile each node gets, and why. The same input gives the same
// explanation, byte for byte.
func Explain(in Input) *Explanation {
	e := &explainer{cluster: newCluster(&in)}
	e.x = &Explanation{Release: in.Release, BuiltIn: e.m.builtIn, Items: e.m.items, Profiles: e.m.definitions,
		Ignored: e.m.ignored, PoolsKnown: len(in.Pools) > 0 && !in.Unseen.Pools, Findings: slices.Clone(e.m.findings)}
	if d := e.m.conflict(); d != nil && freezes.In(in.Release) {
		e.x.Frozen = fmt.Sprintf("profile %s has several texts", d.Name)
	}
	if !perNode.In(in.Release) {
		e.x.RecommendConf = conf43(e.m.items)
		e.sections = e.cluster.sections(e.x.RecommendConf)
	}
	e.classify()
	for i := range e.x.Classes {
		e.explain(&e.x.Classes[i])
	}
	e.nodeChoices()
	e.reported()
	e.x.MachineConfigs = e.machineConfigs()
	e.x.Status = e.status()
	e.judge()
	return e.x
}

// classify joins nodes that look alike.
func (e *explainer) classify() {
	e.class, e.leaving = make([]int, len(e.nodes)), make([][]leavingPod, len(e.nodes))
	winners, classes := map[string]int{}, map[string]int{}
	for i := range e.nodes {
		v := &e.views[i]
		key := e.key(v)
		winner, ok := winners[key]
		if !ok {
			winner = e.next(v, 0)
			winners[key] = winner
		}
		e.leaving[i] = e.cluster.leaving(i, winner)
		key += kinds(e.leaving[i])
		if e.sections != nil {
			key += fmt.Sprint(" section ", e.sections[i])
		}
		c, ok := classes[key]
		if !ok {
			c = len(e.x.Classes)
			classes[key] = c
			e.x.Classes = append(e.x.Classes, Class{ID: c, first: i, winner: winner})
		}
		e.class[i] = c
		e.x.Classes[c].Nodes++
	}
}

// kinds tells apart nodes that pods hold differently.
func kinds(list []leavingPod) string {
	keys := make([]string, len(list))
	for i := range list {
		keys[i] = list[i].key()
	}
	slices.Sort(keys)
	return strings.Join(slices.Compact(keys), ";")
}

// explain fills in a class.
func (e *explainer) explain(c *Class) {
	v := &e.views[c.first]
	c.Item, c.Profile = c.winner, e.profileOf(c.winner)
	c.By, c.Witness = e.how(c.winner, v)
	c.Pool, c.PoolProblem = v.pools.Primary, v.pools.Problem
	if c.winner >= 0 {
		e.ties(c, v)
	}
	c.Failed = make([]Failed, e.before(c.winner))
	for i := range c.Failed {
		c.Failed[i] = e.failed(i, v)
	}
	c.Unless = e.unless(c.winner, v)
	c.Moves = append(e.moves(v, c.winner), e.leavingMoves(e.leaving[c.first])...)
	c.Relabel = e.relabels(v, c.winner)
	if e.sections != nil {
		e.read43(c)
	}
	if c.Item >= 0 {
		e.x.Items[c.Item].Nodes += c.Nodes
	}
}

// how says by what an item matches.
func (e *explainer) how(item int, v *view) (by string, witness []Condition) {
	if item < 0 {
		return "nothing", nil
	}
	i := &e.m.items[item]
	switch first := i.firstWay(v); {
	case first < 0:
		return "machineConfigLabels", nil
	case len(i.ways[first]) == 0:
		return "catch-all", nil
	default:
		for _, c := range i.ways[first] {
			witness = append(witness, c.public())
		}
		return "match", witness
	}
}

// ties finds the items that might as well have won.
func (e *explainer) ties(c *Class, v *view) {
	items := e.m.items
	for i := c.winner + 1; i < len(items) && byPriority(items[i], items[c.winner]) == 0; i++ {
		if items[i].Profile != c.Profile && items[i].matches(v) {
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
		for _, p := range e.leaving[i] {
			out.Holding = append(out.Holding, p.pod.String())
		}
		slices.Sort(out.Holding)
		if c.Item == c.winner && len(c.Witness) > 0 {
			won := &e.m.items[c.winner]
			out.Witness = e.witness(i, won.ways[won.firstWay(&e.views[i])])
		}
	}
}

// witness finds the labels and pods by which conditions hold.
func (e *explainer) witness(i int, conditions []condition) []Witness {
	out := make([]Witness, len(conditions))
	for n, c := range conditions {
		w := &out[n]
		w.Condition = c.public()
		if !c.pod {
			w.Value = e.in.Nodes[e.nodes[i]].Labels[c.label]
			continue
		}
		for _, p := range e.pods[i] {
			switch {
			case !c.metBy(p.Labels):
			case w.Pod == "":
				w.Pod, w.Value = p.String(), p.Labels[c.label]
			default:
				w.More++
			}
		}
	}
	return out
}
