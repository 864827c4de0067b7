package ovs

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/tune/cell"
)

// Question is a packet whose way is asked for.
type Question struct {
	Text   string
	Packet *Key
	// States are what connection tracking says at each recirculation.
	States []uint64
}

// Traces are what became of packets.
type Traces struct {
	File    string      `json:"file"`
	Rules   int         `json:"rules"`
	Packets []Explained `json:"packets"`
}

// Explained is the way of a packet.
type Explained struct {
	Packet string `json:"packet"`
	// Outputs are the ports, in order; empty for a packet that is dropped.
	Outputs []int `json:"outputs"`
	// Recirculations are how often a clone went round again, Conntracks how often ct() was asked, and Lookups
	// how many rules were looked for.
	Recirculations int    `json:"recirculations"`
	Conntracks     int    `json:"conntracks"`
	Lookups        int    `json:"lookups"`
	Steps          []Step `json:"steps"`
	rivals         []rivalry
}

// Step of a packet.
type Step struct {
	Pass int `json:"pass"` // from 1
	// Table and Line of the rule; Line is 0 where there is no rule.
	Table int `json:"table"`
	Line  int `json:"line,omitempty"`
	// What is the match of a rule, or an action; Effect is what happens.
	What   string `json:"what"`
	Effect string `json:"effect"`
	open   bool   // not known
	bad    bool
}

// Explain the ways of packets through the rules of a file.
func Explain(f *File, questions []Question) *v1alpha1.Answer {
	s := New(f.Rules)
	t := NewTracer(s)
	r := &Traces{File: f.Name, Rules: len(s.rules)}
	a := &v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: "OpenFlowTrace", Title: "Packets through " + f.Name,
		Result: r}
	a.Verdict.OK = true
	for _, q := range questions {
		trace := t.Trace(q.Packet, q.States)
		e := explained(s, trace)
		e.Packet = q.Text
		r.Packets = append(r.Packets, e)
		part := v1alpha1.Part{Title: q.Text, Tables: []v1alpha1.Table{e.table()}}
		if len(questions) > 1 {
			part.Lead = []string{e.lead()}
			part.Tables[0].ID = fmt.Sprintf("steps%d", len(r.Packets))
		}
		a.Parts = append(a.Parts, part)
		a.Findings = append(a.Findings, f.endless(q.Text, trace)...)
		a.Findings = append(a.Findings, f.rivals(e.rivals)...)
		for _, step := range e.Steps {
			if open := q.Text + ": " + step.What + ": " + step.Effect; step.open && !slices.Contains(a.Verdict.Open, open) {
				a.Verdict.Open = append(a.Verdict.Open, open)
			}
		}
	}
	a.Findings = append(a.Findings, f.remarks()...)
	a.Verdict.Summary = r.summary()
	for _, found := range a.Findings {
		if found.Severity == v1alpha1.Error {
			a.Verdict.OK, a.Verdict.Problem = false, found.Message
			break
		}
	}
	return a
}

// summary of one packet is where it goes.
func (r *Traces) summary() string {
	if len(r.Packets) == 1 {
		return r.Packets[0].lead()
	}
	dropped := 0
	for _, p := range r.Packets {
		if len(p.Outputs) == 0 {
			dropped++
		}
	}
	return fmt.Sprintf("%s through %s, %d of them dropped", words.Count(len(r.Packets), "packet"),
		words.Count(r.Rules, "rule"), dropped)
}

// lead says where the packet comes out, and what that took.
func (e Explained) lead() string {
	out := "dropped"
	if len(e.Outputs) > 0 {
		var ports []string
		for _, p := range e.Outputs {
			ports = append(ports, inPort.Format(Value{0, uint64(p)}))
		}
		out = "out of " + words.Form(len(ports), "port") + " " + words.And(ports)
	}
	return fmt.Sprintf("%s after %s, %s of ct() and %s", out, words.Count(e.Recirculations, "recirculation"),
		words.Count(e.Conntracks, "call"), words.Count(e.Lookups, "look-up"))
}

func (e Explained) table() v1alpha1.Table {
	t := v1alpha1.Table{ID: "steps", Columns: cell.Columns(">Pass", ">Table", ">Line", "Match or action", "What happens"),
		Notes: []string{"A clone of the packet goes round; what follows ct() in the same pass sees the packet untracked."}}
	if e.Conntracks == 0 {
		t.Notes = nil
	}
	last := Step{}
	for _, s := range e.Steps {
		row := cell.Texts("", "", "", s.What, s.Effect)
		if s.Pass != last.Pass {
			row[0] = cell.Count(s.Pass)
		}
		if s.Table >= 0 && (s.Pass != last.Pass || s.Table != last.Table || s.Line != last.Line) {
			row[1] = cell.Count(s.Table)
			if s.Line > 0 {
				row[2] = cell.Count(s.Line)
			}
		}
		if s.bad {
			row[4].Mark = "bad"
		}
		t.Rows, last = append(t.Rows, row), s
	}
	return t
}

// explained does each pass again, to say what each action made of the packet.
func explained(sw *Switch, trace *Trace) Explained {
	e := Explained{Outputs: trace.Outputs(), Recirculations: trace.Count(Forked), Conntracks: trace.Count(Forked, Tracked),
		Lookups: trace.Count(Matched, Missed)}
	if e.Outputs == nil {
		e.Outputs = []int{}
	}
	forked := map[int]Key{}
	for i, p := range trace.Passes {
		at := &Tracer{key: p.Begin, pass: &Pass{}}
		if was, ok := forked[i]; ok {
			e.Steps = append(e.Steps, Step{Pass: i + 1, Table: -1, What: "back from ct()", Effect: changes(&was, &p.Begin)})
		}
		for _, ev := range p.Events {
			s := Step{Pass: i + 1, Table: int(ev.Table)}
			if ev.Rule != nil {
				s.Line = ev.Rule.Line
			}
			if ev.What == Matched {
				for _, o := range sw.rivals(ev.Rule, &at.key) {
					e.rivals = append(e.rivals, rivalry{ev.Rule, o})
				}
			}
			if ev.What == Forked {
				was := at.key
				ctState.Put(&was, Value{}, ones(32)) // which is told anew
				forked[int(ev.Pass)] = was
			}
			s.What, s.Effect = at.effect(ev)
			s.What = strings.Repeat("  ", int(ev.Depth)) + s.What
			s.open, s.bad = ev.What == NotSimulated, ev.What == TooDeep || ev.What == Missed
			e.Steps = append(e.Steps, s)
		}
	}
	if trace.Endless {
		e.Steps = append(e.Steps, Step{Pass: len(trace.Passes), Table: -1, bad: true,
			What: "...", Effect: fmt.Sprintf("it is followed no further than %d passes", MaxPasses)})
	}
	return e
}

// changes are what fields are that were otherwise before.
func changes(was, is *Key) string {
	var out []string
	for _, f := range fields {
		if v := f.Get(is); v != f.Get(was) && f.Need.Met(is) && !shadowed[f.Name] {
			out = append(out, f.Name+" is "+f.Format(v))
		}
	}
	return strings.Join(out, ", ")
}

// effect of an event, which is done again.
func (t *Tracer) effect(e Event) (what, effect string) {
	switch e.What {
	case Matched:
		effect = fmt.Sprintf("priority %d", e.Rule.Priority)
		if len(e.Rule.Actions) == 0 {
			effect += ": dropped"
		}
		if what = e.Rule.MatchText; what == "" {
			what = "any packet"
		}
		return what, effect
	case Missed:
		return "no rule matches", "dropped"
	case TooDeep:
		return "resubmit", fmt.Sprintf("more than %d: Open vSwitch drops the packet", maxDepth)
	case Sent:
		effect = "out of port " + inPort.Format(Value{0, uint64(e.Port)})
	case Skipped:
		effect = fmt.Sprintf("not sent: it came in at port %d", e.Port)
	case OutOfRange:
		effect = fmt.Sprintf("not sent: %d is no port", e.Port)
	case NoField:
		effect = "nothing: the packet has no " + e.Action.Target.Field.Name
	case Expired:
		effect = "its time to live is over: no further action"
	case Forked:
		t.track(Event{}, e.Action.Track)
		effect = fmt.Sprintf("pass %d at table %d", e.Pass+1, e.Action.Track.Table)
	case Tracked:
		t.track(Event{}, e.Action.Track)
		effect = "untracked"
		if e.Action.Track.Commit {
			effect = "committed"
		}
	case NotSimulated:
		effect = "what it does is not known here"
	case Did:
		effect = t.did(e.Rule, e.Action)
	}
	return e.Action.Text, effect
}

// did says what an action made of the packet.
func (t *Tracer) did(r *Rule, a *Action) string {
	is := func(f *Field) string { return f.Name + " is " + f.Format(f.Get(&t.key)) }
	switch a.Verb {
	case Goto, Resubmit:
		if a.Table == NoTable {
			return "once more"
		}
		return fmt.Sprintf("to table %d", a.Table)
	case Controller, Output:
		return "to the controller"
	}
	t.act(r, a)
	switch a.Verb {
	case Untrack:
		return "untracked"
	case DecTTL:
		return is(ttl)
	case Set, Move:
		return is(a.Target.Field)
	case PushVLAN, PopVLAN, SetVLAN:
		return is(tci)
	}
	return "nothing"
}
