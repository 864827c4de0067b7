package cloud

import (
	"fmt"
	"testing"

	"plimsoll.dev/place/nova"
	"plimsoll.dev/place/whatif"
)

// mix is a cloud of so many hosts and ten VMs for each: the document's sizes of
// 1 to 4 cores and 1 to 4 GB, single and multi-NUMA, dedicated and shared.
func mix(hosts int) *Cloud {
	n := compute("2 sockets x 14 cores x 2 threads", "192Gi", hosts)
	var servers []server
	for i, specs := range []string{pinned, pinned + " hw:cpu_thread_policy=require", pinned + " hw:numa_nodes=2", "",
		pinned + " hw:wrs:vswitch_numa_affinity=prefer"} {
		servers = append(servers, vms(fmt.Sprint("a", i), hosts, 2+2*(i%2), "4Gi", specs),
			vms(fmt.Sprint("b", i), hosts, 4, "2Gi", specs))
	}
	s := scenario(nova.HCG40, n, servers...)
	s.Scheduling.Order = whatif.Shuffled
	c, problems := New(s, poolsOf(s))
	if len(problems) > 0 {
		panic(problems)
	}
	return c
}

func benchmark(b *testing.B, hosts int, opt Options) {
	c := mix(hosts)
	b.ResetTimer()
	for b.Loop() {
		if p := Make(c, opt); !p.Verdict.Fits {
			b.Fatal(p.Verdict)
		}
	}
	b.ReportMetric(float64(c.Wanted()), "VMs")
}

func BenchmarkThousandVMs(b *testing.B)        { benchmark(b, 100, Options{}) }
func BenchmarkThousandVMsLosses(b *testing.B)  { benchmark(b, 100, Options{Failures: 1}) }
func BenchmarkThousandVMsPairs(b *testing.B)   { benchmark(b, 100, Options{Failures: 2}) }
func BenchmarkThousandVMsCompare(b *testing.B) { benchmark(b, 100, Options{Compare: true}) }
func BenchmarkHundredThousandVMs(b *testing.B) { benchmark(b, 10_000, Options{}) }

// BenchmarkNew reads scenario and flavors.
func BenchmarkNew(b *testing.B) {
	s := mix(100).s
	for b.Loop() {
		if _, problems := New(s, poolsOf(s)); len(problems) > 0 {
			b.Fatal(problems)
		}
	}
}
