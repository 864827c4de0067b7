// Package openflow reads OpenFlow rules as ovs-ofctl dump-flows prints them, as files for ovs-ofctl add-flows
// have them, and as document 004 prints them, whose typography it repairs; and packets as ofproto/trace
// takes them.
//
// It knows what rules may hold, not what they do: package bench/ovs does. Names of ports are not read.
//
//	file, problems := openflow.Read("rules.txt", text)
//	packet, err := openflow.Packet("in_port=5,tcp,nw_src=10.131.0.4,tcp_dst=80")
package openflow
