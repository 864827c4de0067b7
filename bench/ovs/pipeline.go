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
