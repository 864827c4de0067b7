package neutron

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/unit"
)

// gap of Ethernet in bytes, and the mean of the mix 7:4:1 of 64, 570 and 1518.
const (
	gap  = 20
	imix = (7*64 + 4*570 + 1518) / 12.0
)

// The table of RFC 5180, appendix A, as the formula gives it, in whole frames.
func TestLineRateTable(t *testing.T) {
	for _, row := range []struct {
		frame string
		want  [4]float64 // 10G, 20G, 25G, 40G
		share float64    // of the line rate in per cent
	}{
		{"64", [4]float64{14_880_952, 29_761_904, 37_202_380, 59_523_809}, 76.2},
		{"128", [4]float64{8_445_945, 16_891_891, 21_114_864, 33_783_783}, 86.5},
		{"256", [4]float64{4_528_985, 9_057_971, 11_322_463, 18_115_942}, 92.8},
		{"512", [4]float64{2_349_624, 4_699_248, 5_874_060, 9_398_496}, 96.2},
		{"1024", [4]float64{1_197_318, 2_394_636, 2_993_295, 4_789_272}, 98.1},
		{"1280", [4]float64{961_538, 1_923_076, 2_403_846, 3_846_153}, 98.5},
		{"1518", [4]float64{812_743, 1_625_487, 2_031_859, 3_250_975}, 98.7},
		{"imix", [4]float64{3_343_736, 6_687_472, 8_359_340, 13_374_944}, 94.7},
	} {
		frame, err := ParseFrame(row.frame, imix)
		if err != nil {
			t.Fatal(err)
		}
		for i, speed := range []float64{10e9, 20e9, 25e9, 40e9} {
			if got := math.Floor(LineRate(speed, frame, gap)); got != row.want[i] {
				t.Errorf("%s bytes at %v: %v frames/s, want %v", row.frame, speed, got, row.want[i])
			}
		}
		if got := math.Round(1000*FrameShare(frame, gap)) / 10; got != row.share {
			t.Errorf("%s bytes: %v %%, want %v", row.frame, got, row.share)
		}
	}
}

// The slips of the RFC's own table: the formula has the last word.
func TestLineRateBeyondTheTable(t *testing.T) {
	for _, c := range []struct{ speed, frame, want float64 }{{1e9, 4096, 30_369}, {10e9, 4096, 303_692}} {
		if got := math.Floor(LineRate(c.speed, c.frame, gap)); got != c.want {
			t.Errorf("%v bytes at %v: %v", c.frame, c.speed, got)
		}
	}
}

// IMIX is 7:4:1 of 64, 570 and 1518 bytes, 353.8 in the mean; with 594 it is 361.8.
func TestNamedMix(t *testing.T) {
	sizes, numbers := []float64{64, 570, 1518}, []float64{7, 4, 1}
	if got := MeanFrame(sizes, numbers); math.Abs(got-353.83) > 0.01 {
		t.Errorf("mean %v", got)
	}
	sizes[1] = 594
	if got := math.Floor(LineRate(10e9, MeanFrame(sizes, numbers), gap)); got != 3_273_679 {
		t.Errorf("with 594: %v", got)
	}
}

// 2 Gbit/s of 512-byte frames each way through a VM: 0.47 Mpps, two directions, two
// crossings, 1.88 Mpps; at 814 cycles, 2.6 GHz and 80 % 0.74 of a core. IMIX at
// 10 Gbit/s each way: 13.4 Mpps and 5.2 cores. A VM that forwards has two such ports.
func TestWorkedExampleCores(t *testing.T) {
	for _, c := range []struct {
		name               string
		bandwidth          unit.BitRate
		frame              float64
		millions, exact, n float64
	}{
		{"512 bytes at 2G", 2e9, 512, 1.88, 0.74, 1},
		{"IMIX at 10G", 10e9, imix, 13.4, 5.2, 6},
	} {
		through := 2 * Packets(v1alpha1.Port{Bandwidth: c.bandwidth}, c.frame, gap)
		if math.Abs(through/1e6-c.millions) > 0.05 {
			t.Errorf("%s: %v packets/s", c.name, through)
		}
		exact := Cores(through, 0, 2, 814, 2.6, 0.8)
		if math.Abs(exact-c.exact) > 0.05 || math.Ceil(exact) != c.n {
			t.Errorf("%s: %v cores", c.name, exact)
		}
		if got := Cores(through, through, 2, 814, 2.6, 0.8); math.Abs(got-2*exact) > 1e-9 {
			t.Errorf("%s: crossing NUMA nodes takes %v cores, want twice %v", c.name, got, exact)
		}
	}
}

// The sample of the troubleshooting guide: 814 cycles at 1.92 GHz are 2.35 million packets a second.
func TestSampleIsConsistent(t *testing.T) {
	c := facts.Load()
	ghz, cycles := c.Must("vswitch.sampleGHz").Number, c.Must("vswitch.cyclesPerPacket").Number
	if got := ghz * 1e9 / cycles; math.Abs(got-2.35e6) > 0.02e6 {
		t.Errorf("%v packets/s", got)
	}
}

// 64-byte frames at 10 Gbit/s leave 175 cycles each on a core of 2.6 GHz.
func TestWorkedExampleBudget(t *testing.T) {
	if got := math.Round(CyclesLeft(2.6, LineRate(10e9, 64, gap))); got != 175 {
		t.Errorf("%v cycles", got)
	}
	if !math.IsInf(CyclesLeft(2.6, 0), 1) {
		t.Error("no packets leave cycles without end")
	}
}

func TestParseFrame(t *testing.T) {
	for text, want := range map[string]float64{"imix": imix, "IMIX": imix, "": imix, "64": 64, " 1518 ": 1518,
		"9000": 9000, "65535": 65535} {
		if got, err := ParseFrame(text, imix); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"63", "0", "-64", "65536", "1.5", "jumbo", "64k", "1e3", "99999999999999999999"} {
		if got, err := ParseFrame(text, imix); err == nil {
			t.Errorf("%q is taken as %v", text, got)
		}
	}
}

func FuzzParseFrame(f *testing.F) {
	for _, s := range []string{"imix", "64", "", "-1", "1518 ", "0x40", "６４"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, err := ParseFrame(text, imix); err == nil && (got < 64 || got > 65535) {
			t.Errorf("%q: %v", text, got)
		}
	})
}

// Packets and the line rate that they take are two sides of one thing.
func TestPacketsAndLineAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		frame := float64(rapid.IntRange(64, 9000).Draw(t, "frame"))
		port := v1alpha1.Port{Bandwidth: unit.BitRate(rapid.Int64Range(1, 400e9).Draw(t, "bandwidth"))}
		same := v1alpha1.Port{PacketsPerSecond: Packets(port, frame, gap)}
		if a, b := LineBits(port, frame, gap), LineBits(same, frame, gap); math.Abs(a-b) > 1e-9*a {
			t.Fatalf("%v and %v bit/s", a, b)
		}
		if a, b := Packets(port, frame, gap), Packets(same, frame, gap); a != b {
			t.Fatalf("%v and %v packets/s", a, b)
		}
		larger := Packets(port, frame+1, gap)
		if larger >= Packets(port, frame, gap) || FrameShare(frame, gap) >= FrameShare(frame+1, gap) {
			t.Fatal("larger frames are fewer, and more of the line")
		}
	})
}

// TripleO's rule in MB of 2^20: 1500: 2048; 9000: 3072; both: 4096; no NIC: 1024;
// the guide's own example, 9000 and 2000, is 4096 too.
func TestWorkedExampleDPDKMemory(t *testing.T) {
	d := LoadDPDK(facts.Load())
	for _, c := range []struct {
		mtus []int
		want float64
	}{{[]int{1500}, 2048}, {[]int{9000}, 3072}, {[]int{1500, 9000}, 4096}, {[]int{9000, 1500, 1500, 9000}, 4096},
		{[]int{9000, 2000}, 4096}, {nil, 1024}, {[]int{1500, 1500}, 2048}} {
		if got := d.Memory(c.mtus) / float64(unit.MiB); got != c.want {
			t.Errorf("%v: %v MiB, want %v", c.mtus, got, c.want)
		}
	}
}

// Memory is in whole steps, never shrinks with another MTU, and does not depend on order.
func TestDPDKMemoryHolds(t *testing.T) {
	d := LoadDPDK(facts.Load())
	rapid.Check(t, func(t *rapid.T) {
		mtus := rapid.SliceOfN(rapid.IntRange(576, 65535), 1, 6).Draw(t, "mtus")
		got := d.Memory(mtus)
		if math.Mod(got, d.Step) != 0 || got < d.Memory(mtus[1:])-1 && len(mtus) > 1 {
			t.Fatalf("%v: %v", mtus, got)
		}
		mtus = append(mtus, mtus[0])
		if d.Memory(mtus) != got {
			t.Fatalf("%v: an MTU counts twice", mtus)
		}
	})
}

// CyclesLeft is how many cycles one core of ghz GHz has for each of so many packets
// a second.
func CyclesLeft(ghz, packets float64) float64 {
	if packets <= 0 {
		return math.Inf(1)
	}
	return ghz * 1e9 / packets
}
