package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/unit"
)

func TestRuns(t *testing.T) {
	for want, list := range map[string][]int{"": nil, "7": {7}, "3-6": {3, 4, 5, 6}, "6,22,7,23": {6, 22, 7, 23},
		"0-1,4,3": {0, 1, 4, 3}} {
		if got := runs(list); got != want {
			t.Errorf("%v: %s, want %s", list, got, want)
		}
	}
}

func TestWhereText(t *testing.T) {
	set := func(s string) unit.CPUSet {
		out, err := unit.ParseCPUSet(s)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	pins := []v1alpha1.PinnedCPU{{VCPU: 0, CPU: 8, Shared: true}, {VCPU: 1, CPU: 10}, {VCPU: 2, CPU: 11}}
	for want, s := range map[string]v1alpha1.PlacedServer{
		"floats over the host": {},
		"node 1: vCPU 1-2 on CPU 10-11, vCPU 0 on shared CPU 8, 8 GiB of 2Mi pages; fpga x1 on node 1": {
			Cells:   []v1alpha1.PlacedCell{{Node: 1, Pins: pins, Memory: 8 * unit.GiB, PageSize: 2 * unit.MiB}},
			Devices: []v1alpha1.PlacedDevice{{Kind: "fpga", Node: 1, Count: 1}}},
		"cell 0 on node 1: vCPU 0-3 floating, 1 GiB of memory; cell 1 on node 0: CPU 20-21 kept idle; " +
			"emulator threads on CPU 4; nic x2, its node is not known": {
			Cells:        []v1alpha1.PlacedCell{{Node: 1, VCPUs: set("0-3"), Memory: unit.GiB}, {Cell: 1, Idle: set("20-21")}},
			EmulatorCPUs: set("4"), Devices: []v1alpha1.PlacedDevice{{Kind: "nic", Node: -1, Count: 2}}},
	} {
		if got := whereText(s); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestServerLosses(t *testing.T) {
	p := &v1alpha1.ServerPlacement{ServerTypes: []v1alpha1.ServerOutcome{{Name: "upf"}, {Name: "oam"}}}
	homeless := []v1alpha1.ServerCount{{ServerType: 0, Count: 3, Reason: "no cores"}, {ServerType: 1, Count: 1200}}
	for want, l := range map[string]v1alpha1.ServerLoss{
		"any 1 host fails: nothing was tried": {What: "any 1 host"},
		"any 1 host fails: every VM runs again, whichever it is (12 tried: all)": {What: "any 1 host", Tried: 12, How: "all",
			Survived: 12},
		"any 2 hosts fail: every VM runs again, whichever it is (6 of 66 tried: by class)": {What: "any 2 hosts", Tried: 6,
			How: "by class", Of: 66, Survived: 66},
		"any 2 hosts fail: every VM runs again in 60 of 66 cases (6 of 66 tried: by class); " +
			"at worst, without h1, no host for upf x3, oam x1,200": {
			What: "any 2 hosts", Tried: 6, How: "by class", Of: 66, Survived: 60, Worst: "h1", Homeless: homeless,
		},
		"zone b fails: every VM runs again": {What: "zone b", Tried: 1, Of: 1, Survived: 1, How: "all"},
		"zone b fails: without h1, no host for upf x3, oam x1,200": {What: "zone b", Tried: 1, Of: 1, How: "all", Worst: "h1",
			Homeless: homeless},
	} {
		p.Losses = []v1alpha1.ServerLoss{l}
		got := serverLosses(p, 0)[0]
		if got.Text != want || got.Bad != (l.Worst != "") {
			t.Errorf("got  %+v\nwant %s", got, want)
		}
		if l.Worst != "" && !slices.Equal(got.Reasons, []string{"upf: no cores"}) {
			t.Errorf("reasons %q", got.Reasons)
		}
	}
	p.Losses = []v1alpha1.ServerLoss{{What: "any 1 host", Tried: 12, How: "all", Survived: 12}}
	p.Refusals = []v1alpha1.ServerRefusal{{ServerType: 0, Count: 50}} // they ran nowhere before
	if got := serverLosses(p, 0)[0].Text; got != "any 1 host fails: every VM that ran runs again, whichever it is "+
		"(12 tried: all)" {
		t.Errorf("got %s", got)
	}
}

func TestByNode(t *testing.T) {
	host := func(gib ...int64) v1alpha1.PlacedHost {
		var h v1alpha1.PlacedHost
		for i := 0; i < len(gib); i += 2 {
			h.Nodes = append(h.Nodes, v1alpha1.HostNode{Dedicated: int(gib[i]), Pinned: int(gib[i+1])})
		}
		return h
	}
	each := func(n v1alpha1.HostNode) (int64, int64) {
		return int64(n.Pinned-n.Dedicated) << 20, int64(n.Pinned) << 20
	}
	for i, c := range []struct {
		h          v1alpha1.PlacedHost
		short, all string
	}{
		{host(), "", ""}, {host(0, 0, 5, 0), "", ""},
		{host(1024, 2048), "1 GiB", "1 of 2 GiB"},
		{host(1024, 2048, 3072, 4096), "1 + 3 GiB", "1 of 2 GiB + 3 of 4 GiB"},
		{host(512, 2048, 1024, 4096, 2048, 4096), "512 MiB + 1 + 2 GiB", "512 MiB of 2 GiB + 1 of 4 GiB + 2 of 4 GiB"},
		{host(1024, 2048, 512, 4096, 2048, 4096), "1 GiB + 512 MiB + 2 GiB", "1 of 2 GiB + 512 MiB of 4 GiB + 2 of 4 GiB"},
		{host(0, 2048, 2048, 2048), "0 + 2 GiB", "0 of 2 GiB + 2 of 2 GiB"},
	} {
		if got := byNode(c.h, false, unit.ByteUnit, each); got != c.short {
			t.Errorf("%d: %q, want %q", i, got, c.short)
		}
		if got := byNode(c.h, true, unit.ByteUnit, each); got != c.all {
			t.Errorf("%d: %q, want %q", i, got, c.all)
		}
	}
}

// TestFigure16IsDrawn: the drawing is the document's figure: the platform on core
// 0, the vSwitch on 1 and 2, the shared core beside it on socket 1, VNF 3 on both.
func TestFigure16IsDrawn(t *testing.T) {
	text := serversOf(t, serversNamed("figure-16"), Table, Options{Section: "all"})
	for _, want := range []string{"cpu 0 .. 7    P V V A A B B C\n", "cpu 8 .. 15   S C F F ~ ~ ~ ~\n",
		"fast  B.......  1 of 8 taken\n",
		"devices  direct (port)-1.0 F\n", "A  vnf1  node 0: vCPU 0-1 on CPU 3-4, 4 GiB of 2Mi pages\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q", want)
		}
	}
}

// TestSharedCPUsAndCrossingsAreDrawn: in the document's figure the shared core is that of VNF 4,
// 5 and 6 (HCG 7); VNF 3 stands on both sockets, and VNF 6 is away from the vSwitch, whose port
// it has, as the scenario says.
func TestSharedCPUsAndCrossingsAreDrawn(t *testing.T) {
	p := serversNamed("figure-16")
	opt := Options{Width: 200, Section: "all", Scenario: example(t, "hcg-figure-16.yaml").Scenario}
	for _, format := range []string{Table, HTML} {
		text := readable(t, format, serversOf(t, p, format, opt))
		for _, want := range []string{"on S 8 F vCPU 0", "on ~ 12-15, S 8 D E vCPU 0-1",
			"vSwitch NIC data0, 10 Gbit/s", "crosses NUMA C to its cell 0 on NUMA 0", "F to the vSwitch on NUMA 0"} {
			if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
				t.Errorf("%s lacks %q", format, want)
			}
		}
	}
	bare := serversOf(t, p, Table, Options{Section: "all"})
	if strings.Contains(bare, "NIC data0") || strings.Contains(bare, "to the vSwitch on") {
		t.Errorf("ports and NICs that nobody has told of:\n%s", bare)
	}
}

// TestMarksDoNotCollide: no owner has the mark of something that is nobody's.
func TestMarksDoNotCollide(t *testing.T) {
	for _, u := range cpuUses {
		if strings.ContainsRune(string(serverLetters), rune(u.Mark)) {
			t.Errorf("%c is %s and an owner", u.Mark, u.Use)
		}
	}
	for i := range serverLetters {
		if strings.Count(string(serverLetters), string(serverLetters[i])) > 1 ||
			!strings.Contains(string(podLetters), string(serverLetters[i])) {
			t.Errorf("letter %c", serverLetters[i])
		}
	}
}

// TestManyDevices draws a row of marks where there are too many to name.
func TestManyDevices(t *testing.T) {
	m := serversNamed("cloud").Machines[0]
	n := &m.NUMANodes[0]
	n.Devices = nil
	for i := range 200 {
		n.Devices = append(n.Devices, v1alpha1.DeviceMap{Resource: "vf", ID: fmt.Sprint("vf-", i), Owner: i % 3})
	}
	text := drawn(m, 80)
	narrowEnough(t, "many devices", text, 80)
	if marks := strings.Count(text[strings.Index(text, "vf "):strings.Index(text, "NUMA 1")], "A"); marks != 67 ||
		!strings.Contains(text, "133 of 200") {
		t.Errorf("%d marks\n%s", marks, text)
	}
}
