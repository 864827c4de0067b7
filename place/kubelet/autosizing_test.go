package kubelet_test

import (
	"testing"

	"plimsoll.dev/place/kubelet"
	"plimsoll.dev/unit"
)

// first is the form of 4.8: memory 25, 20, 10, 6 and 2 %, CPU 6, 1, 0.5 and 0.25 %.
var first = kubelet.AutoSizing{
	Memory: []kubelet.Tier{{Width: 4, Share: 2500}, {Width: 4, Share: 2000}, {Width: 8, Share: 1000},
		{Width: 112, Share: 600}, {Share: 200}},
	CPU: []kubelet.Tier{{Width: 1, Share: 600}, {Width: 1, Share: 100}, {Width: 2, Share: 50}, {Share: 25}},
}

// second is the form of 4.21, and for CPU of 4.17.
var second = kubelet.AutoSizing{
	Memory:  []kubelet.Tier{{Width: 8, Fixed: 10000}, {Width: 120, Share: 600, Counted: 112}, {Share: 200}},
	CPU:     []kubelet.Tier{{Width: 1, Share: 600}, {Share: 120}},
	CPUStep: 10,
	CPUMin:  500,
}

// The wanted values are the script's arithmetic by hand, in its own order:
// 16 GiB keep 1 + 0.8 + 0.8 = 2.6, rounded 3; 64 GiB 2.6 + 48 x 6 % = 5.48.
func TestAutoSizing(t *testing.T) {
	for _, c := range []struct {
		name   string
		form   kubelet.AutoSizing
		cpus   int
		memory unit.Bytes
		cpu    unit.CPU
		kept   unit.Bytes
	}{
		{"first form, 4 CPUs and 16 GiB", first, 4, 16 * unit.GiB, 80, 3 * unit.GiB},
		{"first form, 16 CPUs and 64 GiB", first, 16, 64 * unit.GiB, 110, 5 * unit.GiB},
		{"first form, 2 CPUs and 8 GiB", first, 2, 8 * unit.GiB, 70, 2 * unit.GiB},
		{"first form, a part of a GiB does not count", first, 2, 8*unit.GiB - 1, 70, 2 * unit.GiB}, // 1 + 0.6
		// 2.6 + 6.72 + 2.56
		{"first form, beyond 128 GiB", first, 172, 256 * unit.GiB, 500, 12 * unit.GiB},
		{"first form, odd CPUs round up to a millicore", first, 5, 4 * unit.GiB, 83, 1 * unit.GiB}, // 82.5
		// 96m are below 500m
		{"second form, small", second, 4, 8 * unit.GiB, 500, 1 * unit.GiB},
		{"second form, 128 GiB", second, 64, 128 * unit.GiB, 820, 8 * unit.GiB}, // 816m; 1 + 7.2
		// 1584m; 1 + 6.72 + 2.72
		{"second form, the step beyond 128 GiB", second, 128, 256 * unit.GiB, 1580, 10 * unit.GiB},
		// 504m; 1 + 6.72 + 0.18
		{"second form, one GiB more keeps less", second, 38, 129 * unit.GiB, 500, 8 * unit.GiB},
		// 516m; 1 + 6.72 + 7.84
		{"second form, 512 GiB", second, 39, 512 * unit.GiB, 520, 16 * unit.GiB},
		// as version 1 since 4.17
		{"first form with the minimum of later patches", withMin(first), 16, 64 * unit.GiB, 500, 5 << 30},
	} {
		cpu, kept := c.form.Keep(c.cpus, c.memory)
		if cpu != c.cpu || kept != c.kept {
			t.Errorf("%s: got %s and %s, want %s and %s", c.name, cpu, kept, c.cpu, c.kept)
		}
	}
}

func withMin(f kubelet.AutoSizing) kubelet.AutoSizing {
	f.CPUMin = 500
	return f
}
