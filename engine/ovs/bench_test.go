package ovs

import (
	"context"
	"testing"

	sim "plimsoll.dev/bench/ovs"
	"plimsoll.dev/source/openflow"
)

// BenchmarkTrace traces a packet through the pipeline of document 004 with 20,000 rules of other pods: by
// ofproto/trace, which also prints what it does, and here.
func BenchmarkTrace(b *testing.B) {
	const flow = "in_port=6,tcp,nw_src=10.131.0.5,nw_dst=10.131.0.4,tcp_dst=80"
	rules := sim.Cases(20_000)[4].Text()
	b.Run("ofproto-trace", func(b *testing.B) {
		s := real(b)
		if err := s.Load(context.Background(), "br0", rules); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := s.Ask(context.Background(), "ofproto/trace", "br0", flow); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("plimsoll", func(b *testing.B) {
		file, problems := openflow.Read("rules", []byte(rules))
		k, err := openflow.Packet(flow)
		if len(problems) > 0 || err != nil {
			b.Fatal(problems, err)
		}
		t := sim.NewTracer(sim.New(file.Rules))
		for b.Loop() {
			t.Trace(k, nil)
		}
	})
}
