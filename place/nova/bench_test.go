package nova_test

import (
	"os"
	"testing"

	"plimsoll.dev/place/nova"
	"plimsoll.dev/place/nova/novatest"
)

// BenchmarkFit finds places on a dual-socket host of 2 x 20 cores with threads: of
// one cell, of two, with devices, and on full hosts.
func BenchmarkFit(b *testing.B) {
	host := dualSocket(2, 20, 20)
	host.Pools = []nova.DevicePool{{Kind: "vf", Node: 0, Total: 8, Free: 8}, {Kind: "vf", Node: 1, Total: 8, Free: 8}}
	full := host.Clone()
	fill(full, dedicated(4), nova.Nova)
	device := dedicated(4)
	device.Devices = []nova.DeviceRequest{{Kind: "vf", Count: 2, Policy: nova.Required}}
	for name, c := range map[string]struct {
		h     *nova.Host
		r     *nova.Request
		rules nova.Rules
	}{
		"one cell":     {host, dedicated(4), nova.Nova},
		"two cells":    {host, dedicated(4, 4), nova.Nova},
		"devices":      {host, device, nova.Nova},
		"require":      {host, threads(dedicated(4), nova.Require), nova.Nova},
		"isolate":      {old(host.Clone()), threads(dedicated(4), nova.Isolate), nova.HCG40},
		"floating":     {old(host.Clone()), floating(dedicated(4)), nova.HCG40},
		"full":         {full, dedicated(4), nova.Nova},
		"16 x 8 nodes": {manyNodes(), dedicated(4, 4, 4, 4, 4, 4, 4, 4), nova.Nova},
		"16 x 8 none":  {manyNodes(), dedicated(4, 4, 4, 4, 4, 4, 4, 5), nova.Nova},
	} {
		c.h.Prepare()
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.h.Fit(c.r, c.rules)
			}
		})
		b.Run(name+"/into", func(b *testing.B) {
			b.ReportAllocs()
			var f nova.Fit
			for b.Loop() {
				c.h.FitInto(c.r, c.rules, &f)
			}
		})
		b.Run(name+"/verdict", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.h.Fits(c.r, c.rules)
			}
		})
	}
}

// manyNodes is a host of sixteen nodes, of which the last eight are big enough for
// cells of four vCPUs, and none is for five.
func manyNodes() *nova.Host {
	return dualSocket(1, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4)
}

// BenchmarkClaim claims and releases one VM, and clones the host.
func BenchmarkClaim(b *testing.B) {
	h, r := dualSocket(2, 20, 20), dedicated(4)
	f, _ := h.Fit(r, nova.Nova)
	b.Run("claim and release", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			h.Claim(r, f)
			h.Release(r, f)
		}
	})
	b.Run("clone", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			h.Clone()
		}
	})
}

// BenchmarkRecorded answers all recorded requests of each host shape, in the states
// of the hosts in which Nova answered them: time per request.
func BenchmarkRecorded(b *testing.B) {
	for _, name := range []string{"2x20-smt", "2x8-pci", "8x4", "faults"} {
		type asked struct {
			h *nova.Host
			r *nova.Request
		}
		var all []asked
		recordedBench(b, name, func(s novatest.Sequence) {
			r := novatest.NewReplay(s)
			for step := range r.Requests() {
				h := r.Host.Clone()
				h.Prepare()
				all = append(all, asked{h, &step.Request})
			}
		})
		run := func(kind string, answer func(h *nova.Host, r *nova.Request)) {
			b.Run(name+"/"+kind, func(b *testing.B) {
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					answer(all[i].h, all[i].r)
					i = (i + 1) % len(all)
				}
			})
		}
		run("fit", func(h *nova.Host, r *nova.Request) { h.Fit(r, nova.Nova) })
		var f nova.Fit
		run("into", func(h *nova.Host, r *nova.Request) { h.FitInto(r, nova.Nova, &f) })
		run("search", func(h *nova.Host, r *nova.Request) { h.Search(r) })
	}
}

func recordedBench(b *testing.B, name string, use func(novatest.Sequence)) {
	file, err := os.Open("testdata/oracle/" + name + ".jsonl.gz")
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	for s, err := range novatest.Read(file) {
		if err != nil {
			b.Fatal(err)
		}
		use(s)
	}
}
