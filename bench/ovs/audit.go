package ovs

import (
	"cmp"
	"slices"
)

// Situation is a kind of packet and what connection tracking says of it, each time that it is asked.
type Situation struct {
	Packets string `json:"packets"` // IPv4 or IPv6
	State   string `json:"state"`   // new, established or reply
	ether   uint64
	bits    uint64
}

// situations that an audit looks at.
var situations = []Situation{
	{"IPv4", "new", typeIPv4, 0x21}, {"IPv4", "established", typeIPv4, 0x22}, {"IPv4", "reply", typeIPv4, 0x2a},
	{"IPv6", "new", typeIPv6, 0x21}, {"IPv6", "established", typeIPv6, 0x22}, {"IPv6", "reply", typeIPv6, 0x2a},
}

// Path is the dearest way that the rules leave open to a packet: whatever its addresses, ports and registers
// are, it costs no more.
type Path struct {
	Situation
	Recirculations int `json:"recirculations"`
	Conntracks     int `json:"conntracks"`
	Lookups        int `json:"lookups"`
	// Passes are the tables of each.
	Passes [][]int `json:"passes"`
	// Lines of the rules on the way.
	Lines []int `json:"lines"`
	// Endless says that ct() or resubmit leads back to where the packet was.
	Endless bool `json:"endless,omitempty"`
	circle  []*Rule
}

// mostCounted is where costs stop: rules that fork at each table have millions of ways.
const mostCounted = 1_000_000

// node is a table that the packet comes to, untracked or tracked.
type node struct {
	table   int
	tracked bool
}

// price of a way.
type price struct{ recirculations, conntracks, lookups int }

func (p price) plus(o price) price {
	return price{min(p.recirculations+o.recirculations, mostCounted), min(p.conntracks+o.conntracks, mostCounted),
		min(p.lookups+o.lookups, mostCounted)}
}

func (p price) dearer(o price) bool {
	return cmp.Or(cmp.Compare(p.recirculations, o.recirculations), cmp.Compare(p.conntracks, o.conntracks),
		cmp.Compare(p.lookups, o.lookups)) > 0
}

// way onward from a node: the dearest rule, nil where none can match.
type way struct {
	price
	rule *Rule
	done bool
}

// stride is a rule that matched at a node.
type stride struct {
	from node
	rule *Rule
}

// walker finds the dearest ways in a situation.
type walker struct {
	s      *Switch
	in     Situation
	ways   map[node]*way
	open   []stride // by which the walker came to where it is
	circle []*Rule
}

// dearest way of a situation.
func (s *Switch) dearest(in Situation) Path {
	w := &walker{s: s, in: in, ways: map[node]*way{}}
	total := w.way(node{}).price
	p := Path{Situation: in, Recirculations: total.recirculations, Conntracks: total.conntracks, Lookups: total.lookups,
		Endless: len(w.circle) > 0, circle: w.circle}
	if !p.Endless && total.lookups < mostCounted {
		w.follow(&p)
	}
	return p
}

// way onward from a node, looked for once.
func (w *walker) way(n node) *way {
	if known := w.ways[n]; known != nil {
		if !known.done && len(w.circle) == 0 {
			for _, o := range w.open[slices.IndexFunc(w.open, func(o stride) bool { return o.from == n }):] {
				w.circle = append(w.circle, o.rule)
			}
		}
		return known
	}
	best := &way{}
	w.ways[n] = best
	for _, r := range w.candidates(n) {
		w.open = append(w.open, stride{n, r})
		if p := w.priceOf(n, r); best.rule == nil || p.dearer(best.price) {
			best.price, best.rule = p, r
		}
		w.open = w.open[:len(w.open)-1]
	}
	best.price = best.price.plus(price{lookups: 1})
	best.done = true
	return best
}

// candidates are the rules that may match at a node, by falling priority, up to one that always does. Of
// those that do the same to all packets that they match one stands for all.
func (w *walker) candidates(n node) []*Rule {
	var out []*Rule
	seen := map[string]bool{}
	for _, r := range w.s.sorted(n.table) {
		may, always := w.matches(n, r)
		if !may {
			continue
		}
		if shape := steps(r.Actions); !seen[shape] {
			seen[shape] = true
			out = append(out, r)
		}
		if always {
			break
		}
	}
	return out
}

// steps are what of a rule's actions leads on, as a key.
func steps(actions []Action) string {
	var out []byte
	for i := range actions {
		switch a := &actions[i]; a.Verb {
		case Goto, Resubmit:
			out = append(out, 'g', byte(a.Table))
		case Track:
			out = append(out, 'c', byte(a.Track.Table))
		case Untrack:
			out = append(out, 'u')
		}
	}
	return string(out)
}

// matches says whether a rule may match at a node, and whether it always does.
func (w *walker) matches(n node, r *Rule) (may, always bool) {
	state := uint64(0)
	if n.tracked {
		state = w.in.bits
	}
	for _, c := range []struct {
		f *Field
		v uint64
	}{{ctState, state}, {ethType, w.in.ether}} {
		if v, mask := r.Match.Get(c.f); c.v&mask.Lo != v.Lo {
			return false, false
		}
	}
	rest := r.Match
	rest.Clear(ctState)
	rest.Clear(ethType)
	return true, rest.Mask == Key{}
}

// priceOf what a rule does, and all that follows.
func (w *walker) priceOf(n node, r *Rule) price {
	var total price
	for i := range r.Actions {
		var on node
		switch a := &r.Actions[i]; a.Verb {
		case Untrack:
			n.tracked = false
			continue
		case Goto, Resubmit:
			if on = (node{a.Table, n.tracked}); a.Table == NoTable {
				on.table = r.Table
			}
		case Track:
			total = total.plus(price{conntracks: 1})
			n.tracked = false
			if a.Track.Table == NoTable {
				continue
			}
			total = total.plus(price{recirculations: 1})
			on = node{a.Track.Table, true}
		default:
			continue
		}
		total = total.plus(w.way(on).price)
	}
	return total
}

// follow the dearest way to name its tables and rules.
func (w *walker) follow(p *Path) {
	queue := []node{{}}
	for i := 0; i < len(queue) && i < MaxPasses; i++ {
		p.Passes = append(p.Passes, []int{})
		w.tables(queue[i], p, &queue)
	}
}

func (w *walker) tables(n node, p *Path, queue *[]node) {
	last := len(p.Passes) - 1
	p.Passes[last] = append(p.Passes[last], n.table)
	r := w.way(n).rule
	if r == nil {
		return
	}
	p.Lines = append(p.Lines, r.Line)
	for i := range r.Actions {
		switch a := &r.Actions[i]; a.Verb {
		case Untrack:
			n.tracked = false
		case Track:
			n.tracked = false
			if a.Track.Table != NoTable {
				*queue = append(*queue, node{a.Track.Table, true})
			}
		case Goto, Resubmit:
			on := node{a.Table, n.tracked}
			if a.Table == NoTable {
				on.table = r.Table
			}
			w.tables(on, p, queue)
		}
	}
}

// sorted are the rules of a table by falling priority.
func (s *Switch) sorted(number int) []*Rule {
	t := s.tables[number]
	if t == nil {
		return nil
	}
	if t.sorted == nil {
		for _, u := range t.tuples {
			t.sorted = append(t.sorted, u.rules...)
		}
		slices.SortStableFunc(t.sorted, func(a, b *Rule) int {
			return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.Line, b.Line))
		})
	}
	return t.sorted
}
