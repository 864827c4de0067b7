package ovs

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	sim "plimsoll.dev/bench/ovs"
	"plimsoll.dev/engine/netmeter"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/need"
	"plimsoll.dev/source/openflow"
)

// installed skips a test where there is no Open vSwitch.
func installed(t testing.TB) {
	t.Helper()
	t.Setenv("PATH", os.Getenv("PATH")+string(os.PathListSeparator)+"/usr/sbin")
	need.Program(t, "ovs-vswitchd")
	need.Program(t, "ovsdb-server")
}

// real is an Open vSwitch with a bridge br0 of ports 1 to 6.
func real(t testing.TB) *Server {
	t.Helper()
	installed(t)
	dir, err := os.MkdirTemp("", "ovs") // sockets have short paths
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s, err := Start(context.Background(), dir, Dummy, netmeter.Spot{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	args := []string{"--", "add-br", "br0", "--", "set", "bridge", "br0", "datapath_type=dummy", "fail-mode=secure"}
	for i := 1; i <= 6; i++ {
		port := fmt.Sprintf("p%d", i)
		args = append(args, "--", "add-port", "br0", port, "--", "set", "interface", port, "type=dummy",
			fmt.Sprintf("ofport_request=%d", i))
	}
	if _, err := s.Set(context.Background(), args...); err != nil {
		t.Fatal(err)
	}
	return s
}

// pass of a packet, as both tell it.
type pass struct {
	rules   []string // table and cookie, or table and -
	outputs []int
	end     sim.Key
	failed  bool
}

func (p pass) String() string {
	return fmt.Sprintf("%v -> %v failed %v: %s", p.rules, p.outputs, p.failed, sim.Describe(&p.end))
}

var (
	tableLine  = regexp.MustCompile(`^ *([0-9]+)\. (.*)$`)
	cookieText = regexp.MustCompile(`cookie (0x[0-9a-f]+)`)
	nested     = regexp.MustCompile(`\([^()]*\)`)
)

// told is what ofproto/trace says.
func told(t *testing.T, text string) []pass {
	t.Helper()
	var out []pass
	flow := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		now := len(out) - 1
		if rest, ok := strings.CutPrefix(line, "Flow: "); ok {
			flow, out = rest, append(out, pass{})
		} else if m := tableLine.FindStringSubmatch(line); m != nil && now >= 0 {
			rule := m[1] + ":-"
			if c := cookieText.FindStringSubmatch(m[2]); c != nil {
				rule = m[1] + ":" + c[1]
			} else if !strings.HasPrefix(m[2], "No match") {
				rule = m[1] + ":0x0"
			}
			out[now].rules = append(out[now].rules, rule)
		} else if rest, ok := strings.CutPrefix(line, "Final flow: "); ok {
			if rest == "unchanged" {
				rest = flow
			}
			out[now].end = *packet(t, regexp.MustCompile(`recirc_id=[^,]*,`).ReplaceAllString(rest, ""))
		} else if rest, ok := strings.CutPrefix(line, "Datapath actions: "); ok {
			for nested.MatchString(rest) {
				rest = nested.ReplaceAllString(rest, "")
			}
			for one := range strings.SplitSeq(rest, ",") {
				if n, err := strconv.Atoi(one); err == nil {
					out[now].outputs = append(out[now].outputs, n)
				}
			}
		} else if strings.HasPrefix(line, "Translation failed") {
			out[now].failed = true
		}
	}
	return out
}

func packet(t *testing.T, text string) *sim.Key {
	t.Helper()
	k, err := openflow.Packet(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return k
}

// simulated is what our own trace says.
func simulated(trace *sim.Trace) []pass {
	var out []pass
	for _, p := range trace.Passes {
		one := pass{end: p.End, failed: p.Failed}
		for _, e := range p.Events {
			switch e.What {
			case sim.Matched:
				one.rules = append(one.rules, fmt.Sprintf("%d:%#x", e.Table, e.Rule.Cookie))
			case sim.Missed:
				one.rules = append(one.rules, fmt.Sprintf("%d:-", e.Table))
			case sim.Sent:
				if n := int(e.Port); n == sim.Local {
					one.outputs = append(one.outputs, 100)
				} else if n <= 6 {
					one.outputs = append(one.outputs, n)
				}
			}
		}
		if one.failed {
			one.outputs = nil
		}
		out = append(out, one)
	}
	return out
}

// dumped are the rules as ovs-ofctl prints them by a version of the protocol, which match the same.
func dumped(t *testing.T, s *Server, protocol string, file *sim.File) []*sim.Rule {
	t.Helper()
	text, err := s.Run(context.Background(), "ovs-ofctl", "-O", protocol, "dump-flows", "unix:"+s.path("br0.mgmt"))
	if err != nil {
		t.Fatal(err)
	}
	again, problems := openflow.Read("dump", []byte(text))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if len(again.Repairs)+len(again.Widened) > 0 || len(again.Rules) != len(file.Rules) {
		t.Fatalf("%d of %d rules, %v %v", len(again.Rules), len(file.Rules), again.Repairs, again.Widened)
	}
	by := map[uint64]*sim.Rule{}
	for _, r := range file.Rules {
		by[r.Cookie] = r
	}
	for _, r := range again.Rules {
		if o := by[r.Cookie]; r.Table != o.Table || r.Priority != o.Priority || r.Match != o.Match {
			t.Fatalf("%s is dumped as %s", o.MatchText, r.MatchText)
		}
	}
	return again.Rules
}

// Random rules and packets, the rules as they were given and as they are dumped: the same rules match in the same
// tables, the same ports are reached, and the packet ends as the same in each pass. PLIMSOLL_TRACES says how many
// packets.
func TestOracle(t *testing.T) {
	s := real(t)
	total := 300
	if n, err := strconv.Atoi(os.Getenv("PLIMSOLL_TRACES")); err == nil {
		total = n
	}
	seed, err := strconv.ParseUint(os.Getenv("SEED"), 10, 64)
	if err != nil {
		seed = 1
	}
	const each = 20
	passes, matched, sent := 0, 0, 0
	for set := range (total + each - 1) / each {
		g := &generator{rand.New(rand.NewPCG(seed, uint64(set)))}
		text := g.rules()
		file, problems := openflow.Read("rules.txt", []byte(text))
		if len(problems) > 0 {
			t.Fatalf("set %d: %v\n%s", set, problems, text)
		}
		if err := s.Load(context.Background(), "br0", text); err != nil {
			t.Fatalf("set %d: %v\n%s", set, err, text)
		}
		tracers := []*sim.Tracer{sim.NewTracer(sim.New(file.Rules)), sim.NewTracer(sim.New(dumped(t, s, "OpenFlow15", file)))}
		if set%8 == 0 { // which has no push_vlan, so that the actions are others
			dumped(t, s, "OpenFlow10", file)
		}
		for range each {
			flow, states := g.packet(), g.states()
			params := []string{"br0", flow}
			var next []uint64
			for _, state := range states {
				params = append(params, "--ct-next", state)
				v, err := openflow.State(state)
				if err != nil {
					t.Fatal(err)
				}
				next = append(next, v)
			}
			answer, err := s.Ask(context.Background(), "ofproto/trace", params...)
			if err != nil {
				t.Fatalf("set %d: %s: %v", set, flow, err)
			}
			want := told(t, answer)
			for _, x := range tracers {
				got := simulated(x.Trace(packet(t, flow), next))
				if a, b := fmt.Sprint(want), fmt.Sprint(got); a != b {
					t.Fatalf("set %d: %s %v\nOpen vSwitch: %s\nours:         %s\n%s\n%s", set, flow, states, a, b, text, answer)
				}
			}
			for _, p := range want {
				passes, matched, sent = passes+1, matched+len(p.rules), sent+len(p.outputs)
			}
		}
	}
	t.Logf("%d packets: %d passes, %d look-ups, %d outputs", total, passes, matched, sent)
	if passes < total*5/4 || matched < total*2 || sent < total/4 {
		t.Errorf("too little happens to the packets: %d passes, %d look-ups, %d outputs", passes, matched, sent)
	}
}

// The traps that the simulator is tested with are what Open vSwitch does.
func TestTraps(t *testing.T) {
	s := real(t)
	text, err := os.ReadFile("../../bench/ovs/testdata/traps.txt")
	if err != nil {
		t.Fatal(err)
	}
	for block := range strings.SplitSeq(string(text), "\n\n") {
		rules, rest, _ := strings.Cut(block, "\n> ")
		flow, want, _ := strings.Cut(rest, "\n= ")
		if err := s.Load(context.Background(), "br0", rules); err != nil {
			t.Errorf("%s\n%v", block, err)
			continue
		}
		answer, err := s.Ask(context.Background(), "ofproto/trace", "br0", flow)
		if err != nil {
			t.Fatal(err)
		}
		var passes []string
		outputs := []int{}
		for _, p := range told(t, answer) {
			var tables []string
			for _, r := range p.rules {
				table, _, _ := strings.Cut(r, ":")
				tables = append(tables, table)
			}
			passes, outputs = append(passes, strings.Join(tables, ",")), append(outputs, p.outputs...)
		}
		if got := fmt.Sprint(strings.Join(passes, " | "), " -> ", outputs); got != strings.TrimSpace(want) {
			t.Errorf("%s\nOpen vSwitch: %s\n%s", block, got, answer)
		}
	}
}

// The examples are what they are said to be, by Open vSwitch itself: of the document's pipeline the repaired text is
// given to it. The cheap one goes round once, in both directions.
func TestExamples(t *testing.T) {
	s := real(t)
	for _, c := range []struct {
		name, flow, state, port string
		rounds                  int
	}{
		{"openflow-004.md", "in_port=6,tcp,nw_src=10.131.0.5,nw_dst=10.131.0.4", "trk,new", "5", 2},
		{"openflow-004.md", "in_port=6,tcp,nw_src=10.131.0.5,nw_dst=10.131.0.4", "trk,est,rpl", "5", 3},
		{"openflow-cheap.txt", "in_port=6,tcp,nw_src=10.131.0.5,nw_dst=10.131.0.4", "trk,new", "5", 1},
		{"openflow-cheap.txt", "in_port=5,tcp,nw_src=10.131.0.4,nw_dst=10.131.0.5", "trk,est,rpl", "6", 1},
	} {
		text, err := os.ReadFile("../../examples/bench/" + c.name)
		if err != nil {
			t.Fatal(err)
		}
		file, problems := openflow.Read(c.name, text)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		var rules strings.Builder
		for _, r := range file.Rules {
			fmt.Fprintf(&rules, "table=%d,priority=%d,%s actions=%s\n", r.Table, r.Priority, r.MatchText, r.ActionText)
		}
		if err := s.Load(context.Background(), "br0", rules.String()); err != nil {
			t.Fatal(err)
		}
		params := []string{"br0", c.flow}
		for range 4 {
			params = append(params, "--ct-next", c.state)
		}
		answer, err := s.Ask(context.Background(), "ofproto/trace", params...)
		if err != nil {
			t.Fatal(err)
		}
		if p := told(t, answer); len(p) != c.rounds+1 || fmt.Sprint(p[c.rounds].outputs) != "["+c.port+"]" {
			t.Errorf("%s, %s: %v", c.name, c.state, p)
		}
	}
}

// No packet costs more than the dearest path that an audit finds.
func TestAuditBounds(t *testing.T) {
	tight := 0
	for set := range 200 {
		g := &generator{rand.New(rand.NewPCG(7, uint64(set)))}
		file, problems := openflow.Read("rules.txt", []byte(g.rules()))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		answer := sim.Judge(file, sim.Most{Any: 0, Catalog: facts.Load()})
		tracer := sim.NewTracer(sim.New(file.Rules))
		for _, p := range answer.Result.(*sim.Audit).Paths {
			state := map[string]uint64{"new": 0x21, "established": 0x22, "reply": 0x2a}[p.State]
			dearest := 0
			for range 50 {
				flow := g.packet()
				k := packet(t, flow)
				if kind := sim.Lookup("dl_type").Get(k).Lo; kind != map[string]uint64{"IPv4": 0x800, "IPv6": 0x86dd}[p.Packets] {
					continue
				}
				trace := tracer.Trace(k, slices.Repeat([]uint64{state}, sim.MaxPasses))
				n := trace.Count(sim.Forked)
				if dearest = max(dearest, n); n > p.Recirculations || trace.Count(sim.Forked, sim.Tracked) > p.Conntracks ||
					len(p.Passes) != min(p.Recirculations+1, sim.MaxPasses) {
					t.Fatalf("set %d: %s goes round %d times, the dearest path %+v", set, flow, n, p)
				}
			}
			if dearest > 0 && dearest == p.Recirculations {
				tight++
			}
		}
	}
	if tight < 20 {
		t.Errorf("only %d bounds are reached: they say little", tight)
	}
}
