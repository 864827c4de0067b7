// Package ovs knows what Open vSwitch does to a packet by its OpenFlow rules: which rule of which table
// matches, what the actions change, where connection tracking sends the packet round again, and where it
// comes out. It does so as ofproto/trace of Open vSwitch 3.1 does, for rules and packets that it knows.
//
// It reads no text: source/openflow does. It learns no MAC addresses (the action NORMAL) and knows no
// groups; a trace that meets such an action says so.
//
//	s := ovs.New(rules)
//	trace := ovs.NewTracer(s).Trace(packet, nil)
//	fmt.Println(trace.Outputs())
package ovs
