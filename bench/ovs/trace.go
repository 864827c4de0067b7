package ovs

import "slices"

// What makes Open vSwitch give up.
const (
	maxDepth     = 64
	maxResubmits = maxDepth * maxDepth
	// MaxPasses of a packet. Open vSwitch's trace has none before 3.2; a rule that sends each packet
	// round again has no end.
	MaxPasses = 64
)

// What happened.
type What uint8

// Events of a pass.
const (
	Matched      What = iota // a rule
	Missed                   // no rule of the table, so the packet is dropped there
	Did                      // an action that changes the packet or does nothing to it
	Sent                     // out of a port
	Skipped                  // the output is to the port where it came in
	OutOfRange               // the port in a register is none
	NoField                  // the packet lacks the field that is to be set
	Expired                  // its time to live is over
	Forked                   // a clone goes round again
	Tracked                  // ct() without a table
	NotSimulated             // an action that is not known
	TooDeep                  // more resubmits than Open vSwitch takes
)

// Event of a pass.
type Event struct {
	What   What
	Depth  uint8 // of resubmits
	Table  uint8
	Pass   int32   // of Forked: which one follows
	Port   int32   // of Sent, Skipped and OutOfRange
	Rule   *Rule   // whose action it is, nil for Missed
	Action *Action // nil for Matched and Missed
}

// Pass of a packet through the tables: the first, or one after a recirculation.
type Pass struct {
	Table  int // where it begins
	State  uint64
	Events []Event
	// Begin and End are the packet before and after.
	Begin, End Key
	// Failed says that Open vSwitch gives up on the packet.
	Failed bool
}

// Trace of a packet.
type Trace struct {
	Passes []Pass
	// Endless says that there are more passes than MaxPasses.
	Endless bool
}

// fork is a clone of the packet that goes round again.
type fork struct {
	table int
	key   Key
	nat   *NAT
}

// Tracer follows packets. It uses its memory again, so it is for one goroutine, and a trace holds until the
// next one.
type Tracer struct {
	sw    *Switch
	trace Trace
	queue []fork
	// of the pass:
	key               Key
	depth, deep, hops int
	tracked           bool
	pass              *Pass
}

// NewTracer follows packets through a switch.
func NewTracer(s *Switch) *Tracer { return &Tracer{sw: s} }

// ctState of a packet for which no state is given: trk|new.
const usualState = 0x21

// Trace a packet. The states are what connection tracking says, one for each recirculation (the bits of
// ct_state); when they are used up, it says trk|new.
func (t *Tracer) Trace(packet *Key, states []uint64) *Trace {
	t.trace.Passes, t.trace.Endless, t.queue = t.trace.Passes[:0], false, t.queue[:0]
	t.begin(0, packet, ctState.Get(packet).Lo&0x20 != 0)
	for i := 0; i < len(t.queue); i++ {
		if i+1 == MaxPasses {
			t.trace.Endless = true
			break
		}
		f := &t.queue[i] // begin copies what it takes
		state := uint64(usualState)
		if i < len(states) {
			state = states[i]
		}
		ctState.Put(&f.key, Value{0, state}, ones(32))
		f.nat.apply(&f.key)
		t.begin(f.table, &f.key, true)
	}
	return &t.trace
}

// apply the translation to the first address and port that may be taken.
func (n *NAT) apply(k *Key) {
	if n == nil {
		return
	}
	address, port := nwSrc, tcpSrc
	switch {
	case n.V6 && n.Src:
		address = v6Src
	case n.V6:
		address, port = v6Dst, tcpDst
	case n.Dst:
		address, port = nwDst, tcpDst
	}
	if n.Given {
		address.Put(k, n.Address, ones(address.width))
		if n.Port > 0 {
			port.Put(k, Value{0, uint64(n.Port)}, ones(16))
		}
	}
}

// begin a pass at a table.
func (t *Tracer) begin(table int, packet *Key, tracked bool) {
	n := len(t.trace.Passes)
	if n < cap(t.trace.Passes) {
		t.trace.Passes = t.trace.Passes[:n+1]
	} else {
		t.trace.Passes = append(t.trace.Passes, Pass{})
	}
	t.pass = &t.trace.Passes[n]
	p := t.pass // field by field: a packet is large
	p.Table, p.Begin, p.State, p.Events, p.Failed = table, *packet, ctState.Get(packet).Lo, p.Events[:0], false
	t.key, t.depth, t.deep, t.hops, t.tracked = *packet, 0, 0, 0, tracked
	t.table(table, table-1, NoPort)
	t.pass.End = t.key
}

func (t *Tracer) event(e Event) {
	e.Depth = uint8(t.depth)
	t.pass.Events = append(t.pass.Events, e)
}

// table looks the packet up and does what the rule says. port is where it came in, if not NoPort.
func (t *Tracer) table(number, from, port int) {
	if t.deep >= maxDepth || t.hops >= maxResubmits {
		t.event(Event{What: TooDeep, Table: uint8(number)})
		t.pass.Failed = true
		return
	}
	var rule *Rule
	if port == NoPort {
		rule = t.sw.lookup(number, &t.key)
	} else {
		own := inPort.Get(&t.key)
		inPort.Put(&t.key, Value{0, uint64(port)}, ones(16))
		rule = t.sw.lookup(number, &t.key)
		inPort.Put(&t.key, own, ones(16))
	}
	if rule == nil {
		t.event(Event{What: Missed, Table: uint8(number)})
		return
	}
	t.event(Event{What: Matched, Table: uint8(number), Rule: rule})
	t.hops++
	if number <= from {
		t.deep++
		defer func() { t.deep-- }()
	}
	t.do(rule, rule.Actions)
}

// Outputs are the ports to which the packet goes, in order, of all passes.
func (t *Trace) Outputs() []int {
	var out []int
	for _, p := range t.Passes {
		if p.Failed {
			continue
		}
		for _, e := range p.Events {
			if e.What == Sent {
				out = append(out, int(e.Port))
			}
		}
	}
	return out
}

// Count the events of a kind.
func (t *Trace) Count(kinds ...What) int {
	n := 0
	for _, p := range t.Passes {
		for _, e := range p.Events {
			if slices.Contains(kinds, e.What) {
				n++
			}
		}
	}
	return n
}
