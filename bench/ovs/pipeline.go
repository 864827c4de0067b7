package ovs

import (
	"fmt"
	"strings"
)

// Pods are rules for other pods in the form of document 004: two for each, in tables 20 and 70. No packet of
// its experiment matches them; they only stand there. There are at most 60,000.
func Pods(rules int) string {
	var b strings.Builder
	for i := range min(rules, 60_000) / 2 {
		address := fmt.Sprintf("10.128.%d.%d", i/250, i%250+1)
		port := 100 + i
		fmt.Fprintf(&b, "table=20,priority=100,ip,in_port=%d,nw_src=%s actions=load:0->NXM_NX_REG0[],goto_table:21\n", port,
			address)
		fmt.Fprintf(&b, "table=70,priority=100,ip,nw_dst=%s "+
			"actions=load:0->NXM_NX_REG1[],load:%#x->NXM_NX_REG2[],goto_table:80\n",
			address, port)
	}
	return b.String()
}

// Case of the experiment: rules between the pods 10.131.0.4 at port 5 and 10.131.0.5 at port 6.
type Case struct {
	// ID: ports, normal, tables, ct, or idle for that with rules of other pods.
	ID    string `json:"id"`
	Title string `json:"title"`
	Rules int    `json:"rules"`
	text  string
}

// Text of the rules, as ovs-ofctl add-flows reads them.
func (c Case) Text() string { return c.text }

// arp between pods, which document 004 does not print.
const arp = "table=0,priority=200,arp actions=flood\n"

// pipeline of document 004, for both pods. Without ct() the tables lead on directly.
func pipeline(ct bool) string {
	track, commit, replies := "", "goto_table:30", ""
	if ct {
		track = "table=0,priority=300,ip,ct_state=-trk actions=ct(table=0)\n"
		commit = "ct(commit,table=30)"
		replies = "table=30,priority=300,ct_state=+rpl,ip,nw_dst=10.131.0.0/23 actions=ct(table=70,nat)\n" +
			"table=80,priority=200,ct_state=+rpl,ip actions=output:NXM_NX_REG2[]\n"
	}
	return arp + track + replies + `table=0,priority=100,ip actions=goto_table:20
table=20,priority=100,ip,in_port=5,nw_src=10.131.0.4 actions=load:0->NXM_NX_REG0[],goto_table:21
table=20,priority=100,ip,in_port=6,nw_src=10.131.0.5 actions=load:0->NXM_NX_REG0[],goto_table:21
table=21,priority=200,ip,nw_dst=10.128.0.0/14 actions=` + commit + `
table=30,priority=200,ip,nw_dst=10.131.0.0/23 actions=goto_table:70
table=70,priority=100,ip,nw_dst=10.131.0.4 actions=load:0->NXM_NX_REG1[],load:0x5->NXM_NX_REG2[],goto_table:80
table=70,priority=100,ip,nw_dst=10.131.0.5 actions=load:0->NXM_NX_REG1[],load:0x6->NXM_NX_REG2[],goto_table:80
table=80,priority=50,reg1=0 actions=output:NXM_NX_REG2[]
`
}

// Cases of the experiment, with so many rules of other pods in the last.
func Cases(idle int) []Case {
	out := []Case{
		{ID: "ports", Title: "from port to port", text: "in_port=5 actions=output:6\nin_port=6 actions=output:5\n"},
		{ID: "normal", Title: "NORMAL", text: "actions=normal\n"},
		{ID: "tables", Title: "the pipeline of 004 without ct()", text: pipeline(false)},
		{ID: "ct", Title: "the pipeline of 004", text: pipeline(true)},
		{ID: "idle", Title: "with rules of other pods", text: pipeline(true) + Pods(idle)},
	}
	for i := range out {
		out[i].Rules = strings.Count(out[i].text, "\n")
	}
	return out
}
