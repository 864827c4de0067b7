package place

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/place/scheduler"
	"plimsoll.dev/place/whatif"
)

// Demand is what the pods of a cluster must bear.
type Demand struct {
	// Order in which they arrive: runs, shuffled, largestFirst, or any, which is all of these, other
	// orders of the types and other shuffles.
	Order string
	// Seed is that of the shuffle.
	Seed uint64
	// Failures is how many nodes may fail together; 0 asks for nothing.
	Failures int
	// Zones asks that all nodes of any one zone may fail.
	Zones bool
	// MaxUnavailable is how many nodes a rolling update takes at a time, as "5" or "10%"; empty asks
	// for nothing.
	MaxUnavailable string
	// UpdateFirst tries the update before the failures, which nobody stated: what is stated is told first.
	UpdateFirst bool
	// Lacking are the names of pods that need find no other place.
	Lacking []string
	// Glance asks for the first of the failures only, which are the worst, and for no update: what they
	// refute is refuted, what they don't may be.
	Glance bool
}

// glanced is how many failures a glance tries.
const glanced = 50

// Stated is what a scenario's policy states, not leaves to defaults, that placed pods must bear.
func Stated(s *v1alpha1.Scenario, assumed []v1alpha1.Assumption) Demand {
	open := func(field string) bool {
		return slices.ContainsFunc(assumed, func(a v1alpha1.Assumption) bool { return a.Field == field })
	}
	d := Demand{Zones: s.Policy.SurviveZoneLoss, Order: s.Policy.Arrival}
	if n := s.Policy.SpareNodes; n != nil && !open("policy.spareNodes") {
		d.Failures = *n
	}
	if !open("policy.maxUnavailable") {
		d.MaxUnavailable = s.Policy.MaxUnavailable
	}
	return d
}

// Any is the demand that pods may arrive in whatever order.
const Any = "any"

// Budget is how many pods may be placed on trial in a small cluster. In a large one, in
// which more nodes are looked at for each, a pod counts as several; and so does what it
// takes to ask each kind of pod about each node, and to copy a simulation.
type Budget struct{ Pods int }

// MostTrials is the budget of a plan, and of what looks at its answer again: some ten seconds' work.
const MostTrials = 6_000_000

// LastTrial is what may be spent beyond it on the number that a plan tells, which others try again by themselves.
const LastTrial = MostTrials / 2

// asked is how many pairs of kinds and nodes take the time of a pod, and looked how many
// nodes that are looked at.
const asked, looked = 20, 200

// weigh is what placing pods costs.
func (r *run) weigh(pods int) int { return pods * (1 + r.s.Sample()/looked) }

// ErrBudget is the answer of a trial that the budget ended.
var ErrBudget = errors.New("more pods would have to be placed on trial than the budget allows")

func (b *Budget) spend(pods int) bool {
	b.Pods -= pods
	return b.Pods >= 0
}

// Event is what pods have to bear.
type Event string

// The events, in the order in which they are tried.
const (
	Arrival  Event = "arrival"
	ZoneLoss Event = "zoneLoss"
	Failures Event = "failures"
	Update   Event = "update"
)

// Held is what came of a demand.
type Held struct {
	// Event after which pods have no place; empty when all holds. Broken says it in words, such as
	// "any zone fails", and Pods which: "search x13".
	Event        Event
	Broken, Pods string
	// Reason is the scheduler's message where pods find no place on arrival, or Refused.
	Reason string
	// Untried says that the scheduler does not try pods, for the Reason.
	Untried bool
	// Blocked are disruption budgets that never let an update end, Waits those for which it waits. More
	// nodes don't help, so that neither is an event.
	Blocked, Waits []string
	// Sampled says that not every combination of nodes was tried.
	Sampled bool

	first *run
	// homeless are the names of Pods.
	homeless []string
}

// Forget gives up the placement, so that many answers take little memory.
func (h *Held) Forget() { h.first = nil }

// Homeless are the names of the pods that find no place.
func (h *Held) Homeless() []string { return h.homeless }

// Placed reports whether the placement is still there, with each pod on a node.
func (h *Held) Placed() bool { return h.first != nil && h.Event != Arrival }

// MoreMayHold says that more such nodes might bear what these do not: it is for want of room.
func (h *Held) MoreMayHold() bool { return !h.Untried && h.Reason != Refused }

// Refused is the reason where the scheduler has nodes for the pods, and no kubelet lets them in.
const Refused = "kubelets refuse them"

// Holds reports whether all that was demanded does.
func (h *Held) Holds() bool { return h.Event == "" }

// Hold places the pods of a cluster in each order that is demanded, takes nodes
// away as is demanded, and ends at the first pods that find no place. The error is
// that of Make, or ErrBudget.
func Hold(c *cluster.Cluster, d Demand, b *Budget) (Held, error) {
	var h Held
	for _, order := range d.orders(c) {
		if !b.spend(len(c.Kinds) * len(c.Nodes) / asked) {
			return h, ErrBudget
		}
		r, err := newRun(c)
		if err != nil {
			return h, err
		}
		r.trial = true
		r.spare(d.Lacking)
		if !b.spend(r.weigh(len(order))) {
			return h, ErrBudget
		}
		r.all(order)
		if h.first == nil {
			h.first = r
		}
		if err := h.bears(r, d, b); err != nil || !h.Holds() {
			return h, err
		}
	}
	return h, nil
}

// orders are the arrivals to try.
func (d Demand) orders(c *cluster.Cluster) [][]int32 {
	if d.Order != Any {
		return [][]int32{cluster.Arrivals(c, d.Order, d.Seed)}
	}
	out := [][]int32{}
	for _, kinds := range cluster.RunOrders(c, cluster.OrdersTried) {
		out = append(out, cluster.InRuns(c, kinds))
	}
	for seed := range uint64(cluster.ShufflesTried) {
		out = append(out, cluster.Arrivals(c, cluster.Shuffled, seed+1))
	}
	return append(out, cluster.Arrivals(c, cluster.LargestFirst, 0))
}

// bears tries what is demanded on one placement.
func (h *Held) bears(r *run, d Demand, b *Budget) error {
	homeless := slices.Clone(r.pending)
	for kind, n := range r.failed {
		homeless[kind] += n
	}
	if kind := slices.IndexFunc(homeless, func(n int) bool { return n > 0 }); kind >= 0 {
		h.broken(r, Arrival, "they arrive", homeless)
		h.Reason = r.leftAlone(homeless)
		if h.Untried = h.Reason != ""; !h.Untried {
			h.Reason = cmp.Or(cluster.Reason(r.s.Explain(r.class[kind]).Message), Refused)
		}
		return nil
	}
	r.measure()
	steps := []func(*run, Demand, *Budget) error{h.zones, h.failures, h.update}
	if d.UpdateFirst {
		steps[1], steps[2] = h.update, h.failures
	}
	for _, step := range steps {
		if err := step(r, d, b); err != nil || !h.Holds() {
			return err
		}
	}
	return nil
}

// leftAlone is why the scheduler does not try pods that found no place; empty where it tries all.
func (r *run) leftAlone(homeless []int) string {
	var why []string
	for kind, n := range homeless {
		if text := r.c.Kinds[kind].NotTried; n > 0 && text != "" && !slices.Contains(why, text) {
			why = append(why, text)
		}
	}
	return strings.Join(why, "; ")
}

func (h *Held) broken(r *run, event Event, text string, homeless []int) {
	h.Event, h.Broken, h.Pods, h.homeless = event, text, "", nil
	for i, n := range counts(homeless) {
		if i > 0 {
			h.Pods += ", "
		}
		name := r.c.Kinds[n.PodType].Type.Name
		h.Pods += fmt.Sprintf("%s x%s", name, words.Number(n.Count))
		h.homeless = append(h.homeless, name)
	}
}

// failures takes any so many nodes away; the worst cases come first.
func (h *Held) failures(r *run, d Demand, b *Budget) error {
	if d.Failures == 0 {
		return nil
	}
	text := fmt.Sprintf("any %s fail", words.Count(d.Failures, "node"))
	if d.Failures == 1 {
		text += "s"
	}
	if d.Failures >= len(r.c.Nodes) {
		h.broken(r, Failures, text, r.placed)
		return nil
	}
	cases, all := r.failing(d.Failures, true)
	h.Sampled = h.Sampled || all > whatif.MostCases
	most := len(cases)
	if d.Glance {
		most = glanced
	}
	return h.lose(r, Failures, text, cases, most, b)
}

func (h *Held) zones(r *run, d Demand, b *Budget) error {
	if !d.Zones {
		return nil
	}
	return h.lose(r, ZoneLoss, "any zone fails", r.domainCases(scheduler.ZoneLabel), math.MaxInt, b)
}

// lose tries cases until pods find no place, at most so many of those of which that is not certain
// without trying.
func (h *Held) lose(r *run, event Event, text string, cases []whatif.Case, most int, b *Budget) error {
	loss := losing{r: r}
	for _, c := range cases {
		nodes, moved := c.Nodes, r.movedFrom(c.Nodes)
		if r.absorbs(moved, nodes) {
			continue
		}
		if most--; most < 0 {
			return nil
		}
		if !b.spend(r.weigh(sum(moved)) + (len(r.c.Kinds)+len(r.c.Nodes))/asked) {
			return ErrBudget
		}
		if out := loss.of(nodes); r.missed(out) > 0 {
			h.broken(r, event, text, out)
			return nil
		}
	}
	return nil
}

// update drains the nodes batch by batch.
func (h *Held) update(r *run, d Demand, b *Budget) error {
	of, err := r.batches(d.MaxUnavailable)
	if d.MaxUnavailable == "" || d.Glance || err != nil {
		return nil // a number that can't be read is a finding of its own
	}
	if !b.spend(r.weigh(sum(r.placed))) {
		return ErrBudget
	}
	o := r.roll(of.nodes, true, Options{})
	h.Blocked, h.Waits = blocking(o.budgets), waiting(o.budgets)
	if o.worst > 0 {
		h.broken(r, Update, "an update takes "+of.text, o.homeless)
	}
	return nil
}

// MostUnavailable is the most nodes that an update may take at a time while every
// pod keeps running, from 0; ok is false when the search for it ended before.
func (h *Held) MostUnavailable() (most int, ok bool) {
	of, err := h.first.batches("1")
	if err != nil {
		return 0, false
	}
	most, atLeast := h.first.mostUnavailable(0, of.beyond, Options{})
	return most, most >= 0 && !atLeast
}

// Most is, by node type, the largest sum over the pods of one node, those of
// DaemonSets left out, in the first order.
func (h *Held) Most(of func(k *cluster.Kind) int64) map[string]int64 {
	c, most := h.first.c, map[string]int64{}
	for node, pods := range h.first.on {
		sum := int64(0)
		for _, p := range pods {
			if k := &c.Kinds[p.PodType]; !k.Type.DaemonSet {
				sum += of(k) * int64(p.Count)
			}
		}
		name := c.Types[c.Of[node]].Name
		most[name] = max(most[name], sum)
	}
	return most
}

// domainCases is the loss of all nodes with one value of a label, for each value.
func (r *run) domainCases(key string) []whatif.Case {
	by := map[string][]int{}
	for i, n := range r.c.Nodes {
		if v, ok := n.Labels[key]; ok {
			by[v] = append(by[v], i)
		}
	}
	var cases []whatif.Case
	for _, v := range slices.Sorted(maps.Keys(by)) {
		cases = append(cases, whatif.Case{Nodes: by[v], Of: 1})
	}
	return cases
}
