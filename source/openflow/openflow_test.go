package openflow

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/bench/ovs"
)

// Document 004's own text is read, and each repair is told with its place.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile("../../examples/bench/openflow-004.md")
	if err != nil {
		t.Fatal(err)
	}
	file, problems := Read("004", text)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var rules, repairs []string
	for _, r := range file.Rules {
		rules = append(rules, fmt.Sprintf("%d %d %s | %s", r.Table, r.Priority, r.MatchText, r.ActionText))
	}
	want := []string{
		"0 300 ct_state=-trk,ip | ct(table=0)",
		"0 100 ip | goto_table:20",
		"20 100 ip,in_port=5,nw_src=10.131.0.4 | load:0->NXM_NX_REG0[],goto_table:21",
		"20 100 ip,in_port=6,nw_src=10.131.0.5 | load:0->NXM_NX_REG0[],goto_table:21",
		"21 200 ip,nw_dst=10.128.0.0/14 | ct(commit,table=30)",
		"30 300 ct_state=+rpl,ip,nw_dst=10.131.0.0/23 | ct(table=70,nat)",
		"30 200 ip,nw_dst=10.131.0.0/23 | goto_table:70",
		"70 100 ip,nw_dst=10.131.0.4 | load:0->NXM_NX_REG1[],load:0x5->NXM_NX_REG2[],goto_table:80",
		"80 200 ct_state=+rpl,ip | output:NXM_NX_REG2[]",
		"80 50 reg1=0 | output:NXM_NX_REG2[]",
	}
	if diff := cmp.Diff(want, rules); diff != "" {
		t.Error(diff)
	}
	for _, r := range file.Repairs {
		if r.Line == 8 || r.Line == 17 {
			repairs = append(repairs, fmt.Sprintf("%d:%d %s", r.Line, r.Col, r.What))
		}
	}
	want = []string{
		`8:1 the list's mark "- 1." is left out`,
		`8:22 "in port" is read as in_port`,
		`8:32 "nw src" is read as nw_src`,
		`8:66 "NXM NX REG0" is read as NXM_NX_REG0`,
		`8:80 "goto table" is read as goto_table`,
		`17:1 the list's mark "- L." is left out`,
		`17:19 "ct\_state" is read as ct_state`,
		`17:37 "nw\_dst" is read as nw_dst`,
		`17:45 the blank behind = is left out`,
	}
	if diff := cmp.Diff(want, repairs); diff != "" {
		t.Error(diff)
	}
	if r := file.Repairs[4]; r.Line != 6 || r.What != "rules below the heading that say no table are of table 20" {
		t.Error(file.Repairs)
	}
}

// What ovs-ofctl dump-flows prints is read without a repair, and means the same.
func TestDump(t *testing.T) {
	const dump = `OFPST_FLOW reply (OF1.5) (xid=0x2):
 cookie=0x2, duration=0.007s, table=1, n_packets=0, n_bytes=0, idle_age=0, priority=10,ip actions=dec_ttl,` +
		`set_field:1.2.3.4->ip_src,ct(commit,table=2,zone=7,exec(set_field:0x5->ct_mark,nat(src=9.9.9.9))),output:6
 cookie=0x3, duration=5.1s, table=2, n_packets=7, n_bytes=100, idle_timeout=60, send_flow_rem priority=7,tcp,` +
		`vlan_tci=0x1000/0x1000,tp_dst=80 actions=IN_PORT,push_vlan:0x8100,set_field:4100->vlan_vid,NORMAL
 table=3, actions=drop
`
	file, problems := Read("dump", []byte(dump))
	if len(problems) > 0 || len(file.Repairs)+len(file.Widened) > 0 {
		t.Fatal(problems, file)
	}
	first := file.Rules[0]
	c := first.Actions[2].Track
	if c == nil || !c.Commit || c.Table != 2 || c.Zone != 7 || len(c.Exec) != 1 || !c.NAT.Src {
		t.Errorf("%+v", c)
	}
	r := file.Rules[1]
	if r.Table != 2 || r.Priority != 7 || r.Cookie != 3 || r.Line != 3 || r.Col != 2 || len(r.Actions) != 4 {
		t.Errorf("%+v", r)
	}
	if r := file.Rules[2]; r.Priority != ovs.DefaultPriority || r.Table != 3 || len(r.Actions) > 0 {
		t.Errorf("%+v", r)
	}
}

// wrongs are rules, and what is told.
const wrongs = `
ip,nw_scr=1.2.3.4 actions=drop
	f:1:4: the field "nw_scr" is not known (did you mean nw_src?)
ip,nw_src=1.2.3 actions=drop
	f:1:11: "1.2.3" is no address (10.131.0.4)
ip,nw_src=1.2.3.4/33 actions=drop
	f:1:11: /33 is no length of a prefix (up to 32)
ip actions=otuput:3
	f:1:12: the action "otuput" is not known (did you mean output?)
in_port=veth0 actions=drop
	f:1:9: "veth0" is no port (its number: ovs-ofctl prints numbers with --no-names)
table=20,ip actions=goto_table:20
	f:1:21: goto_table from table 20 to 20 (only to a higher one; resubmit(,N) goes anywhere)
table=255 actions=drop
	f:1:1: table 255 is too high (up to 254)
priority=70000 actions=drop
	f:1:1: "70000" is no number of 16 bits (10, or 0x0a)
ip,nw_dst=1.2.3.4
	f:1:1: this is no rule: it has no actions (priority=100,ip actions=output:2)
nw_src=10.0.0.100,actions=ct(table=1)
	f:1:27: ct() in a rule that matches packets without IP (match ip or ipv6, too; Open vSwitch refuses it)
ip actions=set_field:80->tcp_dst
	f:1:12: the rule matches packets that have no tcp_dst (match tcp or tcp6, too)
ip actions=load:0->NXM_NX_REG0[0..32]
	f:1:12: [0..32] are no bits of reg0, which has 32 ([0..31])
ip actions=load:0x100->NXM_NX_REG0[0..7]
	f:1:12: "0x100" is no number of 8 bits (10, or 0x0a)
ip actions=goto_table:3,output:2
	f:1:12: goto_table is not the last action (move it to the end)
ip actions=ct(force,table=3)
	f:1:12: ct() has force without commit (ct(commit,force,...))
ip actions=ct(nat(src=fd01::1))
	f:1:19: nat() has an address of another kind than the rule matches (match ipv6)
ct_state=+trk+knw actions=drop
	f:1:10: "knw" is no flag of ct_state, or stands twice (new, est, rel, rpl, inv, trk, snat, dnat)
ip actions=
	f:1:12: there are no actions (actions=drop)
ip actions=resubmit()
	f:1:12: resubmit names no table (resubmit(,20))
ip actions=move:NXM_NX_REG0[]->NXM_OF_IN_PORT[]
	f:1:12: 32 bits are moved to 16 (as many as there is room for)
`

// All that is wrong is told at once, with place and remedy.
func TestWrong(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(wrongs), "\n")
	for i := 0; i < len(lines); i += 2 {
		text, want := lines[i], strings.TrimSpace(lines[i+1])
		_, problems := Read("f", []byte(text))
		if got := problems.Error(); got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
	_, problems := Read("f", []byte("x actions=drop\nip actions=drop\ny,z actions=1,foo\n"))
	if len(problems) != 4 || problems[3].Line != 3 || problems[3].Excerpt == "" {
		t.Error(problems)
	}
	if _, problems := Read("f", nil); len(problems) != 1 {
		t.Error(problems)
	}
	if _, problems := Read("f", []byte(strings.Repeat("x", MaxLine+1))); !strings.Contains(problems.Error(), "longer") {
		t.Error(problems)
	}
	if _, problems := Read("f", make([]byte, MaxText+1)); !strings.Contains(problems.Error(), "64 MiB") {
		t.Error(problems)
	}
	if _, problems := Read("f", []byte(strings.Repeat("1 actions=1\n", 300))); !problems.Full() {
		t.Error(len(problems))
	}
	if _, problems := Read("f", []byte(strings.Repeat("actions=1\n", MaxRules+1))); len(problems) != 1 {
		t.Error(problems)
	}
}

// What Open vSwitch ignores without a word is told.
func TestWidened(t *testing.T) {
	for text, want := range map[string]string{
		"ip,tcp_dst=80 actions=1":             "1:4 tcp_dst without tcp or tcp6",
		" nw_src=1.2.3.4,in_port=1 actions=1": "1:2 nw_src without ip",
		"ipv6,nw_src=1.2.3.4 actions=1":       "1:6 nw_src without ip",
		"tcp,icmp_type=8 actions=1":           "",
		"arp,nw_src=1.2.3.4 actions=1":        "",
		"tcp6,tp_src=80,nw_ttl=3 actions=1":   "",
	} {
		file, problems := Read("f", []byte(text))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		got := ""
		for _, w := range file.Widened {
			got += fmt.Sprintf("%d:%d %s", w.Line, w.Col, w.What)
		}
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s: %s", text, got)
		}
		if v, mask := file.Rules[0].Match.Get(ovs.Lookup("tcp_dst")); text == "ip,tcp_dst=80 actions=1" &&
			(v.Lo > 0 || mask.Lo > 0) {
			t.Error("it is matched")
		}
	}
}

func TestPacketWrong(t *testing.T) {
	for text, want := range map[string]string{
		"in_port=1,tcp,nw_src=1.2.3.4/8": "1:15: nw_src has a mask",
		"in_port=1,nw_src=1.2.3.4":       "1:11: nw_src is of packets that are ip (say so",
		"in_port=1,tcq":                  `1:11: the field "tcq" is not known (did you mean tcp?)`,
		"in_port=1,tcp,ct_state=new":     "ct_state: a state without trk",
		"tcp,tcp_dst=99999":              `1:13: "99999" is no number of 16 bits`,
		"tcp,tcp_dst=":                   "1:5: tcp_dst has no value",
		strings.Repeat("x", MaxLine+1):   "longer",
	} {
		if _, err := Packet(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v", text, err)
		}
	}
	for text, want := range map[string]string{"trk,new,est": "new is neither", "est": "without trk",
		"trk,inv,rpl": "inv has",
		"x":           "no flag"} {
		if _, err := State(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if v, err := State("trk|est|rpl"); err != nil || v != 0x2a {
		t.Error(v, err)
	}
}

// A packet that is described is read as the same packet.
func TestDescribe(t *testing.T) {
	for _, text := range []string{
		"tcp,in_port=5,nw_src=10.131.0.4,nw_dst=10.131.0.5,tcp_src=80,tcp_dst=443,tcp_flags=0x12",
		"ct_state=new|trk,ct_zone=7,reg1=0x5,in_port=1,udp6,dl_src=0a:00:00:00:00:01,ipv6_src=fd01::1,udp_dst=53",
		"arp,in_port=LOCAL,arp_spa=10.0.0.1,arp_op=2", "in_port=1,dl_vlan=5,dl_vlan_pcp=3,dl_type=0x88cc", "icmp,icmp_type=8",
		"ip,nw_proto=89,nw_tos=16,nw_ecn=1,nw_frag=later,ct_label=0x10000000000000001",
		"icmp6,icmpv6_type=135,nd_target=::1"} {
		k, err := Packet(text)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Packet(ovs.Describe(k))
		if err != nil || *again != *k {
			t.Errorf("%s: %s, %v", text, ovs.Describe(k), err)
		}
	}
}

// FuzzRead: nothing that is read crashes, what is told has a place in the text, and what was read can be
// traced.
func FuzzRead(f *testing.F) {
	text, _ := os.ReadFile("../../examples/bench/openflow-004.md")
	f.Add(string(text), "in_port=5,tcp,nw_src=10.131.0.4")
	f.Add("table=0,ip,ct_state=+trk-new actions=ct(commit,zone=NXM_NX_REG0[0..15],exec(load:1->NXM_NX_CT_MARK[]),"+
		"nat(src=1.2.3.4:5)),1", "tcp")
	f.Add("dl_vlan=5,reg0=1/3,xxreg1=0x10000000000000001 actions=push_vlan:0x8100,resubmit(,0),move:reg0[3]->reg1[4]",
		"arp")
	f.Add("actions=(((", "ct_state=(")
	f.Fuzz(func(t *testing.T, text, flow string) {
		file, problems := Read("f", []byte(text))
		lines := strings.Count(text, "\n") + 1
		for _, p := range problems {
			if p.Line < 1 || p.Line > lines || p.Col < 1 || p.Col > len(text)+2 {
				t.Fatalf("%v of %d lines", p, lines)
			}
		}
		k, err := Packet(flow)
		if len(problems) > 0 || err != nil {
			return
		}
		if again, err := Packet(ovs.Describe(k)); err != nil || *again != *k {
			t.Fatalf("%s: %s, %v", flow, ovs.Describe(k), err)
		}
		trace := ovs.NewTracer(ovs.New(file.Rules)).Trace(k, nil)
		if len(trace.Passes) == 0 || len(trace.Passes) > ovs.MaxPasses {
			t.Fatalf("%d passes", len(trace.Passes))
		}
	})
}
