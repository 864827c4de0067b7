package ovs_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/bench"
	"plimsoll.dev/bench/network"
	"plimsoll.dev/bench/ovs"
	"plimsoll.dev/facts"
	"plimsoll.dev/source/openflow"
)

func file(t *testing.T, text string) *ovs.File {
	t.Helper()
	f, problems := openflow.Read("f", []byte(text))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return f
}

func explain(t *testing.T, rules, flow string, states ...uint64) *v1alpha1.Answer {
	t.Helper()
	return ovs.Explain(file(t, rules), []ovs.Question{{Text: flow, Packet: packet(t, flow), States: states}})
}

// steps of the only packet, a line each.
func steps(a *v1alpha1.Answer) []string {
	var out []string
	for _, s := range a.Result.(*ovs.Traces).Packets[0].Steps {
		out = append(out, fmt.Sprintf("%d %d:%d %s: %s", s.Pass, s.Table, s.Line, s.What, s.Effect))
	}
	return out
}

func TestSteps(t *testing.T) {
	const rules = `ip,ct_state=-trk,nw_dst=9.9.9.9 actions=ct(commit,table=1,zone=3,nat(dst=10.0.0.7:8080),exec(load:5->NXM_NX_CT_MARK[])),ct_clear
table=1,tcp actions=dec_ttl,push_vlan:0x8100,move:NXM_OF_IP_DST[0..15]->NXM_NX_REG1[16..31],resubmit(,2),in_port,1,CONTROLLER,note:0
table=2,tcp actions=output:NXM_NX_REG1[],resubmit(7,2),mod_vlan_vid:5,pop_vlan,learn(table=3),ct(commit),normal,goto_table:3
table=2,priority=40000,tcp,in_port=7 actions=drop`
	a := explain(t, rules, "in_port=1,tcp,nw_dst=9.9.9.9,nw_ttl=9")
	want := []string{
		"1 0:1 ip,ct_state=-trk,nw_dst=9.9.9.9: priority 32768",
		"1 0:1 ct(commit,table=1,zone=3,nat(dst=10.0.0.7:8080),exec(load:5->NXM_NX_CT_MARK[])): pass 2 at table 1",
		"1 0:1 ct_clear: untracked",
		"2 -1:0 back from ct(): ct_state is new|trk, ct_zone is 3, ct_mark is 0x5, nw_dst is 10.0.0.7, tcp_dst is 8080",
		"2 1:2 tcp: priority 32768",
		"2 1:2 dec_ttl: nw_ttl is 8",
		"2 1:2 push_vlan:0x8100: vlan_tci is 0x1000",
		"2 1:2 move:NXM_OF_IP_DST[0..15]->NXM_NX_REG1[16..31]: reg1 is 0x70000",
		"2 1:2 resubmit(,2): to table 2",
		"2 2:3   tcp: priority 32768",
		"2 2:3   output:NXM_NX_REG1[]: not sent: 458752 is no port",
		"2 2:3   resubmit(7,2): to table 2",
		"2 2:4     tcp,in_port=7: priority 40000: dropped",
		"2 2:3   mod_vlan_vid:5: vlan_tci is 0x1005",
		"2 2:3   pop_vlan: vlan_tci is 0x0",
		"2 2:3   learn(table=3): what it does is not known here",
		"2 2:3   ct(commit): committed",
		"2 2:3   normal: what it does is not known here",
		"2 2:3   goto_table:3: to table 3",
		"2 3:0   no rule matches: dropped",
		"2 1:2 in_port: out of port 1",
		"2 1:2 1: not sent: it came in at port 1",
		"2 1:2 CONTROLLER: to the controller",
		"2 1:2 note:0: nothing",
	}
	if diff := cmp.Diff(want, steps(a)); diff != "" {
		t.Error(diff)
	}
	if s := a.Verdict.Summary; s != "out of port 1 after 1 recirculation, 2 calls of ct() and 5 look-ups" ||
		!a.Verdict.OK {
		t.Error(a.Verdict)
	}
	if len(a.Verdict.Open) != 2 {
		t.Error(a.Verdict.Open)
	}
}

// found are the ids and severities of the findings.
func found(a *v1alpha1.Answer) []string {
	out := []string{}
	for _, f := range a.Findings {
		out = append(out, fmt.Sprintf("%s %s", f.Severity, f.ID))
	}
	return out
}

func TestFindings(t *testing.T) {
	for rules, want := range map[string]string{
		"ip actions=2\ntcp actions=3":                     "warning openflow.rivals[1]",
		"priority=1,ip actions=2\ntcp actions=3":          "",
		"actions=resubmit(,0)":                            "error openflow.tooDeep",
		"ip actions=ct(table=0)":                          "error openflow.endless",
		"ip,tcp_dst=80 actions=2":                         "warning openflow.ignored[1]",
		"1. priority=1, ip, nw dst= 1.2.3.4 actions=drop": "info openflow.repaired[1]",
		"actions=load:3->NXM_NX_REG0[],resubmit(,1)\ntable=1,reg0=3 actions=2\ntable=1,reg0=0/1 actions=4": "",
		"actions=load:2->NXM_NX_REG0[],resubmit(,1)\ntable=1,reg0=2 actions=2\ntable=1,reg0=0/1 actions=4": "warning " +
			"openflow.rivals[2]",
	} {
		a := explain(t, rules, "in_port=1,tcp,nw_dst=1.2.3.4,tcp_dst=80")
		if got := strings.Join(found(a), ", "); got != want {
			t.Errorf("%s: %s", rules, got)
		}
		if bad := strings.HasPrefix(want, "error"); a.Verdict.OK == bad || bad == (a.Verdict.Problem == "") {
			t.Errorf("%s: %+v", rules, a.Verdict)
		}
	}
}

func judge(t *testing.T, rules string, most int) *v1alpha1.Answer {
	t.Helper()
	return ovs.Judge(file(t, rules), ovs.Most{Any: most, Catalog: facts.Load()})
}

// The document's own pipeline is what others are measured by, and costs what the trace of its packets says.
func TestAuditDocument(t *testing.T) {
	text, err := os.ReadFile("../../examples/bench/openflow-004.md")
	if err != nil {
		t.Fatal(err)
	}
	a := judge(t, string(text), -1)
	var got []string
	for _, p := range a.Result.(*ovs.Audit).Paths {
		got = append(got, fmt.Sprintf("%s %s: %d %d %d %v %v", p.Packets, p.State, p.Recirculations, p.Conntracks, p.Lookups,
			p.Passes, p.Lines))
	}
	want := []string{
		"IPv4 new: 2 2 7 [[0] [0 20 21] [30 70 80]] [3 4 8 13 18 22 27]",
		"IPv4 established: 2 2 7 [[0] [0 20 21] [30 70 80]] [3 4 8 13 18 22 27]",
		"IPv4 reply: 3 3 7 [[0] [0 20 21] [30] [70 80]] [3 4 8 13 17 22 26]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !a.Verdict.OK || len(a.Findings) != len(found(a)) || !strings.HasPrefix(found(a)[0], "info openflow.repaired") {
		t.Error(a.Verdict, found(a))
	}
	if a := judge(t, string(text), 2); a.Verdict.OK || !strings.Contains(a.Verdict.Problem,
		"reply: a packet may go round 3 times, more than 2") {
		t.Error(a.Verdict)
	}
}

func TestAudit(t *testing.T) {
	const track = "ip,ct_state=-trk actions=ct(table=1)\n"
	for rules, want := range map[string]string{
		track + "table=1,ip,ct_state=+new actions=ct(commit),2\ntable=1,ip,ct_state=+est actions=2": "",
		// Twice as often as the document's, in both directions.
		track + "table=1,ip,nw_dst=1.2.3.4 actions=ct(table=2)\ntable=2,ip actions=ct(table=3,zone=7)\n" +
			"table=3,ip actions=ct(table=4,zone=8)\ntable=4,ct_state=+est actions=2\ntable=4,ct_state=+new actions=2": "" +
			"error openflow.recirculations[IPv4.new], error openflow.recirculations[IPv4.established], " +
			"error openflow.recirculations[IPv4.reply]",
		"ip actions=ct(table=0)": "error openflow.endless[IPv4.new], error openflow.endless[IPv4.established], " +
			"error openflow.endless[IPv4.reply]",
		"ip,reg0=0 actions=load:1->NXM_NX_REG0[],ct(table=0)": "warning openflow.endless[IPv4.new], " +
			"warning openflow.endless[IPv4.established], warning openflow.endless[IPv4.reply]",
		"ip,ct_state=+trk+new actions=ct(table=0)": "",
		// it comes in untracked
		"ip actions=ct(commit,table=1)\ntable=1 " +
			"actions=2": "warning openflow.needless[1]",
		"ip actions=ct(commit,table=1)\ntable=1 actions=resubmit(,2)\ntable=2,ct_mark=1 actions=2":                 "",
		"ip actions=ct(commit,table=1)\ntable=1 actions=move:NXM_NX_CT_MARK[]->NXM_NX_REG0[],output:NXM_NX_REG0[]": "",
		"ip actions=ct(commit,table=1,nat)\ntable=1 actions=2":                                                     "",
		"actions=resubmit(,1),2":                            "warning openflow.missing[1]",
		"actions=2\ntable=3 actions=2":                      "info openflow.unreached[2]",
		"priority=5,ip actions=2\npriority=4,tcp actions=3": "warning openflow.shadowed[2]",
		"priority=5,tcp actions=2\npriority=4,ip actions=3": "",
		"priority=5,ip,nw_dst=10.0.0.0/8 actions=2\npriority=4,ip,nw_dst=10.1.0.0/16 " +
			"actions=3\npriority=4,ip,nw_dst=11.1.0.0/16 actions=3": "warning openflow.shadowed[2]",
		"priority=5,ip actions=2\npriority=5,ip actions=3": "warning openflow.replaced",
	} {
		a := judge(t, rules, -1)
		if got := strings.Join(found(a), ", "); got != want {
			t.Errorf("%s:\n%s", rules, got)
		}
		if bad := strings.Contains(want, "error"); a.Verdict.OK == bad {
			t.Errorf("%s: %+v", rules, a.Verdict)
		}
	}
	a := judge(t, "tcp6,ct_state=-trk actions=ct(table=1)\ntable=1 actions=2", 0)
	if got := found(a); len(got) != 3 || got[0] != "error openflow.recirculations[IPv6.new]" {
		t.Error(got)
	}
}

// Rules that fork at each table have more ways than can be counted.
func TestAuditIsBounded(t *testing.T) {
	var text strings.Builder
	for i := range 250 {
		fmt.Fprintf(&text, "table=%d,ip actions=ct(table=%d),ct(table=%d),resubmit(,%d)\n", i, i+1, i+1, i+1)
	}
	a := judge(t, text.String(), -1)
	if p := a.Result.(*ovs.Audit).Paths[0]; p.Recirculations != 1_000_000 || p.Passes != nil || a.Verdict.OK {
		t.Errorf("%+v", p)
	}
}

// experiment in which ct() takes a tenth more CPU, and idle rules nothing.
func experiment(repetitions int) *ovs.Experiment {
	x := &ovs.Experiment{Switch: "Open vSwitch 3.1.0", Parameters: network.Parameters{Cells: network.Quick().Cells[1:2]}}
	for i, c := range ovs.Cases(20) {
		r := ovs.Ran{Case: c}
		for n := range repetitions {
			s := ovs.Sample{SwitchCPU: []float64{9e-6, 9e-6, 10e-6, 11e-6, 11e-6}[i] * (1 + 0.001*float64((n*7+i*3)%5)),
				Passes: 1}
			s.Seconds, s.Transactions = 1, 50_000
			s.Latency.Mean = time.Millisecond
			s.Latency.P50 = bench.Quantile{Value: time.Millisecond, Known: true}
			r.Samples = append(r.Samples, s)
		}
		x.Cases = append(x.Cases, r)
	}
	return x
}

func TestExperiment(t *testing.T) {
	a := experiment(5).Answer(facts.Load())
	want := "connection tracking: 1.10 times the CPU of ovs-vswitchd, different beyond chance; " +
		"rules of other pods: 1.00 times the CPU of ovs-vswitchd, no difference beyond chance"
	if a.Verdict.Summary != want || !a.Verdict.OK || len(a.Findings) > 0 {
		t.Errorf("%+v %v", a.Verdict, a.Findings)
	}
	row := a.Parts[0].Tables[0].Rows[3]
	if row[2].Text != "1.0" || row[3].Text != "11µs" || row[5].Text != "15.5µs" ||
		row[5].Figure != "openflow.cost.transaction/ct" ||
		row[7].Text != "50,000" {
		t.Error(row)
	}
	once := experiment(1).Answer(facts.Load())
	if strings.Contains(once.Verdict.Summary, "different beyond") || once.Parts[1].Tables[0].Rows[0][4].Text != "-" {
		t.Error(once.Verdict)
	}
	x := experiment(3)
	x.Cases[3].Samples[0].Latency.Mean = 2 * time.Millisecond // of 50 connections 100 would have waited
	if a := x.Answer(facts.Load()); a.Verdict.OK || a.Findings[0].ID != "openflow.little[ct]" {
		t.Error(a.Verdict, a.Findings)
	}
}

// The experiment's own rules are read without a remark, and lead a packet from pod to pod in each case.
func TestCases(t *testing.T) {
	const flow = "in_port=6,tcp,nw_src=10.131.0.5,nw_dst=10.131.0.4"
	for _, c := range ovs.Cases(2000) {
		f := file(t, c.Text())
		if len(f.Repairs)+len(f.Widened) > 0 || len(f.Rules) != c.Rules || len(ovs.New(f.Rules).Rules()) != c.Rules {
			t.Errorf("%s: %v %v, %d rules", c.ID, f.Repairs, f.Widened, c.Rules)
		}
		trace := ovs.NewTracer(ovs.New(f.Rules)).Trace(packet(t, flow), nil)
		if passes := len(trace.Passes); c.ID != "normal" && path(trace)[len(path(trace))-3:] != "[5]" ||
			passes != map[string]int{"ct": 3, "idle": 3}[c.ID] && passes != 1 {
			t.Errorf("%s: %s", c.ID, path(trace))
		}
	}
}
