// Package ovs starts an Open vSwitch of its own, in a directory of its own, and asks it what becomes of
// packets.
//
// It leaves an Open vSwitch that runs on the machine alone, and loads nothing into the kernel: packets are
// switched in userspace, or by the dummy of Open vSwitch's own tests, which needs no right at all.
//
//	s, err := ovs.Start(ctx, dir, ovs.Dummy, netmeter.Spot{})
//	defer s.Close()
//	out, err := s.Ask(ctx, "ofproto/trace", "br0", "in_port=1,tcp")
package ovs
