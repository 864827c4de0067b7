package ovs_test

import (
	"fmt"
	"os"
	"testing"

	"plimsoll.dev/bench/ovs"
)

// BenchmarkTrace follows packets of both directions, of many pods, through the pipeline of document 004 with
// 20,000 rules of other pods. The bar is a million packets a second.
func BenchmarkTrace(b *testing.B) {
	text, err := os.ReadFile("../../examples/bench/openflow-004.md")
	if err != nil {
		b.Fatal(err)
	}
	tracer := ovs.NewTracer(read(b, string(text)+ovs.Pods(20_000)))
	packets := []*ovs.Key{
		packet(b, "in_port=6,tcp,nw_src=10.131.0.5,nw_dst=10.131.0.4,tcp_dst=80"),
		packet(b, "in_port=5,tcp,nw_src=10.131.0.4,nw_dst=10.131.0.5,tcp_src=80"),
	}
	for i := range 1000 {
		packets = append(packets, packet(b, fmt.Sprintf("in_port=%d,tcp,nw_src=10.128.%d.%d,nw_dst=10.131.0.4,tcp_dst=%d",
			100+i,
			i/250, i%250+1, i)))
	}
	passes := 0
	for i := 0; b.Loop(); i++ {
		passes += len(tracer.Trace(packets[i%len(packets)], nil).Passes)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "packets/s")
	b.ReportMetric(float64(passes)/float64(b.N), "passes/packet")
}
