package ovs_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll.dev/bench/ovs"
	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/source/openflow"
)

// failer is a test, or one of rapid's.
type failer interface {
	Helper()
	Fatal(args ...any)
}

func read(t failer, text string) *ovs.Switch {
	t.Helper()
	file, problems := openflow.Read("rules", []byte(text))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return ovs.New(file.Rules)
}

func document(t failer) *ovs.Switch {
	t.Helper()
	text, err := os.ReadFile("../../examples/bench/openflow-004.md")
	if err != nil {
		t.Fatal(err)
	}
	return read(t, string(text))
}

func packet(t failer, text string) *ovs.Key {
	t.Helper()
	k, err := openflow.Packet(text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// path is the tables of each pass, and the ports.
func path(trace *ovs.Trace) string {
	var passes []string
	for _, p := range trace.Passes {
		var tables []string
		for _, e := range p.Events {
			if e.What == ovs.Matched || e.What == ovs.Missed {
				tables = append(tables, fmt.Sprint(e.Table))
			}
		}
		passes = append(passes, strings.Join(tables, ","))
	}
	return fmt.Sprint(strings.Join(passes, " | "), " -> ", trace.Outputs())
}

// The pipeline of document 004: a new connection goes round twice, a reply three times, and what is for the
// other pod is dropped, since table 70 does not know it.
func TestDocument(t *testing.T) {
	tracer := ovs.NewTracer(document(t))
	const est, reply = 0x22, 0x2a
	for _, c := range []struct {
		flow   string
		states []uint64
		want   string
	}{
		{"in_port=6,tcp,nw_src=10.131.0.5,nw_dst=10.131.0.4,tcp_dst=80", nil, "0 | 0,20,21 | 30,70,80 -> [5]"},
		{"in_port=6,tcp,nw_src=10.131.0.5,nw_dst=10.131.0.4", []uint64{est, est}, "0 | 0,20,21 | 30,70,80 -> [5]"},
		{"in_port=6,tcp,nw_src=10.131.0.5,nw_dst=10.131.0.4", []uint64{reply, reply, reply},
			"0 | 0,20,21 | 30 | 70,80 -> [5]"},
		{"in_port=5,tcp,nw_src=10.131.0.4,nw_dst=10.131.0.5", nil, "0 | 0,20,21 | 30,70 -> []"},
		{"in_port=5,tcp,nw_src=10.131.0.9,nw_dst=10.131.0.5", nil, "0 | 0,20 -> []"},
		{"in_port=5,arp", nil, "0 -> []"},
	} {
		if got := path(tracer.Trace(packet(t, c.flow), c.states)); got != c.want {
			t.Errorf("%s %v: %s, want %s", c.flow, c.states, got, c.want)
		}
	}
}

// Each trap of the pipeline; engine/ovs gives the same to Open vSwitch itself.
func TestTraps(t *testing.T) {
	text, err := os.ReadFile("testdata/traps.txt")
	if err != nil {
		t.Fatal(err)
	}
	for block := range strings.SplitSeq(string(text), "\n\n") {
		rules, rest, _ := strings.Cut(block, "\n> ")
		flow, want, _ := strings.Cut(rest, "\n= ")
		if got := path(ovs.NewTracer(read(t, rules)).Trace(packet(t, flow), nil)); got != strings.TrimSpace(want) {
			t.Errorf("%s\ngot %s", block, got)
		}
	}
}

// A field that the packet does not have is left alone: rules of OpenFlow 1.0 may set it all the same.
func TestNoField(t *testing.T) {
	trace := ovs.NewTracer(read(t, "actions=mod_nw_dst:1.2.3.4,2")).Trace(packet(t, "in_port=1,arp,arp_tpa=9.9.9.9"), nil)
	if p := trace.Passes[0]; p.Begin != p.End || trace.Count(ovs.NoField) != 1 || len(trace.Outputs()) != 1 {
		t.Error(p)
	}
}

// What has no end ends: Open vSwitch drops the packet of too many resubmits, and a trace goes round so often.
func TestEndless(t *testing.T) {
	trace := ovs.NewTracer(read(t, "actions=2,resubmit(,0),resubmit(,0)")).Trace(packet(t, "in_port=1"), nil)
	if !trace.Passes[0].Failed || len(trace.Outputs()) > 0 || trace.Count(ovs.Matched) != 65 {
		t.Errorf("%d passes, %d rules", len(trace.Passes), trace.Count(ovs.Matched))
	}
	trace = ovs.NewTracer(read(t, "ip actions=2,ct(table=0)")).Trace(packet(t, "in_port=1,tcp"), nil)
	if !trace.Endless || len(trace.Passes) != ovs.MaxPasses {
		t.Errorf("%d passes", len(trace.Passes))
	}
}

// Of many rules with many masks the one is found that looking at each finds.
func TestLookupTwin(t *testing.T) {
	fields := []string{"reg0=%d", "reg1=%d/0x3", "in_port=%d", "metadata=%d", "xreg1=%d", "dl_vlan=%d"}
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		draw := func() string {
			var parts []string
			for _, f := range fields {
				if rapid.IntRange(0, 2).Draw(t, "field") == 0 {
					parts = append(parts, fmt.Sprintf(f, rapid.IntRange(0, 3).Draw(t, "value")))
				}
			}
			return strings.Join(parts, ",")
		}
		for i := range rapid.IntRange(1, 40).Draw(t, "rules") {
			fmt.Fprintf(&text, "priority=%d,cookie=%d,%s actions=2\n", rapid.IntRange(0, 9).Draw(t, "priority"), i+1, draw())
		}
		s := read(t, text.String())
		k := packet(t, strings.ReplaceAll(draw(), "/0x3", ""))
		best := -1
		for _, r := range s.Rules() {
			if r.Match.Matches(k) {
				best = max(best, r.Priority)
			}
		}
		got := -1
		for _, e := range ovs.NewTracer(s).Trace(k, nil).Passes[0].Events {
			if e.What == ovs.Matched {
				if got = e.Rule.Priority; !e.Rule.Match.Matches(k) {
					t.Fatal("the rule does not match")
				}
			}
		}
		if got != best {
			t.Fatalf("priority %d, want %d\n%s", got, best, text.String())
		}
	})
}

// Bits of a field are put where they are got, and nowhere else.
func TestParts(t *testing.T) {
	names := ovs.FieldNames()
	rapid.Check(t, func(t *rapid.T) {
		f := ovs.Lookup(rapid.SampledFrom(names).Draw(t, "field"))
		var k ovs.Key
		for i := range k {
			k[i] = rapid.Uint64().Draw(t, "word")
		}
		was := k
		v := ovs.Value{Hi: rapid.Uint64().Draw(t, "hi"), Lo: rapid.Uint64().Draw(t, "lo")}
		mask := ovs.Value{Hi: rapid.Uint64().Draw(t, "mask hi"), Lo: rapid.Uint64().Draw(t, "mask lo")}
		old := f.Get(&k)
		f.Put(&k, v, mask)
		width := ovs.Value{Hi: ^uint64(0), Lo: ^uint64(0)}.Shift(f.Width()).Not()
		want := old.And(mask.Not()).Or(v.And(mask)).And(width)
		if got := f.Get(&k); got != want {
			t.Fatalf("%s: %x, want %x", f.Name, got, want)
		}
		f.Put(&k, old, width)
		if diff := cmp.Diff(was, k); diff != "" {
			t.Fatal(diff)
		}
	})
}
