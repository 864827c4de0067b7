package neutron

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/limit"
	"plimsoll.dev/unit"
)

// Each limit of table 12 about networks, at its figure and one above.
func TestSystemLimits(t *testing.T) {
	for _, c := range []struct {
		gauge string
		most  int
		set   func(in *Input, n int)
	}{
		{"tenantNetworks", 450, func(in *Input, n int) { in.Neutron.TenantNetworks = n }},
		{"providerNetworks", 42, func(in *Input, n int) { in.Neutron.ProviderNetworks = n }},
		{"subnets", 850, func(in *Input, n int) { in.Neutron.Subnets = n }},
		{"subnetsPerCompute", 250, func(in *Input, n int) { in.Neutron.SubnetsPerCompute = &n }},
		{"routers", 20, func(in *Input, n int) { in.Neutron.Routers = n }},
		{"routersPerCompute", 250,
			func(in *Input, n int) { in.Neutron.DHCPServers = n; in.Computes = derive.Given("x", 1, "computes") }},
		{"segments", 256, func(in *Input, n int) { in.Neutron.SegmentsPerCompute = &n }},
		{"macPerSegment", 1024, func(in *Input, n int) { in.Neutron.MACsPerSegment = n }},
		{"macEntries", 2700, func(in *Input, n int) { in.Neutron.MACsPerSegment = n; in.Neutron.SegmentsPerCompute = at(1) }},
		{"macEntriesTheoretical", 262_144,
			func(in *Input, n int) { in.Neutron.MACsPerSegment = n; in.Neutron.SegmentsPerCompute = at(1) }},
		{"stackResources", 1000, func(in *Input, n int) { in.Neutron.StackResources = n }},
		{"stackLocalVMs", 80, func(in *Input, n int) { in.Neutron.StackServers = n; in.Servers[0].Local = true }},
		{"stackCinderVMsDedicated", 40, func(in *Input, n int) { in.Neutron.StackServers = n }},
		{"stackCinderVMsController", 10,
			func(in *Input, n int) { in.Neutron.StackServers = n; in.Storage = ControllerStorage }},
	} {
		for n, want := range map[int]bool{c.most: false, c.most + 1: true} {
			in := input(1, vnf("vnf", 1, v1alpha1.Port{}))
			c.set(&in, n)
			_, p := run(t, in)
			if g := gauge(t, p, c.gauge); g.Limit.Number != float64(c.most) || (g.Verdict == limit.Passed) != want {
				t.Errorf("%s at %d: %+v", c.gauge, n, g)
			}
		}
	}
}

// A port of the vSwitch needs an interface on its physical network somewhere; interfaces that name
// none may carry any, and ports of other kinds are the device filters' matter.
func TestPortOfNoPhysicalNetwork(t *testing.T) {
	for name, c := range map[string]struct {
		port    v1alpha1.Port
		carried []string
		want    bool
	}{
		"carried":           {v1alpha1.Port{PhysicalNetwork: "physnet0"}, []string{"physnet0"}, false},
		"not carried":       {v1alpha1.Port{PhysicalNetwork: "other"}, []string{"physnet0"}, true},
		"anything":          {v1alpha1.Port{PhysicalNetwork: "other"}, nil, false},
		"a tenant's":        {v1alpha1.Port{Network: "a"}, []string{"physnet0"}, false},
		"virtual functions": {v1alpha1.Port{PhysicalNetwork: "other", VNICType: "direct"}, []string{"physnet0"}, false},
	} {
		in := input(1, vnf("vnf", 1, c.port))
		in.Types[0].NICs[0].PhysicalNetworks = c.carried
		_, p := run(t, in)
		got := slices.ContainsFunc(p.Findings, func(f v1alpha1.Finding) bool {
			return f.Severity == v1alpha1.Error && f.ID == "neutron.unwired[vnf/0]"
		})
		if got != c.want {
			t.Errorf("%s: %v", name, p.Findings)
		}
	}
}

// Where hosts list no interface, a physical network has none; a tenant's network may have one, which is not known.
func TestUnwiredHosts(t *testing.T) {
	vf := v1alpha1.NIC{Use: "sriov", Count: 1, PhysicalNetworks: []string{"fast"}}
	for name, c := range map[string]struct {
		port v1alpha1.Port
		nics []v1alpha1.NIC
		want v1alpha1.Severity
	}{
		"physical, none listed":     {v1alpha1.Port{PhysicalNetwork: "provider"}, nil, v1alpha1.Error},
		"tenant's, none listed":     {v1alpha1.Port{Network: "a"}, nil, v1alpha1.Warning},
		"tenant's, only of VFs":     {v1alpha1.Port{Network: "a"}, []v1alpha1.NIC{vf}, v1alpha1.Error},
		"virtual function, of VFs":  {v1alpha1.Port{PhysicalNetwork: "fast", VNICType: "direct"}, []v1alpha1.NIC{vf}, ""},
		"physical, only one of VFs": {v1alpha1.Port{PhysicalNetwork: "fast"}, []v1alpha1.NIC{vf}, v1alpha1.Error},
	} {
		in := input(1, vnf("vnf", 1, c.port))
		in.Types[0].NICs = c.nics
		r, p := run(t, in)
		if open := slices.Contains(r.Open, "interfaces: no host lists any, and VMs of vnf have ports"); open !=
			(c.want == v1alpha1.Warning) {
			t.Errorf("%s: open %q", name, r.Open)
		}
		var got v1alpha1.Severity
		for _, f := range p.Findings {
			if f.ID == "neutron.unwired[vnf/0]" {
				got = f.Severity
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Names in ports and NICs count where the scenario states fewer networks.
func TestNamedNetworks(t *testing.T) {
	in := input(1, vnf("vnf", 2, v1alpha1.Port{Network: "a", PhysicalNetwork: "physnet1"}))
	in.Servers[0].Ports[1].Network = "b"
	_, p := run(t, in)
	if a, b := gauge(t, p, "tenantNetworks").Value.Number, gauge(t, p, "providerNetworks").Value.Number; a != 2 || b != 2 {
		t.Errorf("%v tenant networks, %v provider networks; want 2 and 2 (physnet0 of the NIC, physnet1)", a, b)
	}
}

// Subnets, routers and DHCP servers spread evenly over the computes.
func TestSharesOfACompute(t *testing.T) {
	in := input(1, vnf("vnf", 1, v1alpha1.Port{}))
	in.Neutron.Subnets, in.Neutron.Routers, in.Neutron.DHCPServers = 851, 10, 11
	_, p := run(t, in) // ten hosts
	if a, b := gauge(t, p, "subnetsPerCompute").Value.Number, gauge(t, p, "routersPerCompute").Value.Number; a != 86 ||
		b != 3 {
		t.Errorf("%v subnets, %v services; want 86 and 3", a, b)
	}
	// Ports: 2 physical, 1 vNIC, 86 for the subnets.
	if got := gauge(t, p, "ports[compute]").Value.Number; got != 89 {
		t.Errorf("%v ports", got)
	}
}

// What a VM's ports may be.
func TestServerFindings(t *testing.T) {
	for _, c := range []struct {
		name   string
		server Server
		want   []string
	}{
		{"8 vNICs", vnf("v", 8, v1alpha1.Port{}), nil},
		{"9 vNICs", vnf("v", 9, v1alpha1.Port{}), []string{"vnics[v]"}},
		{"8 virtual functions", vnf("v", 8, v1alpha1.Port{VNICType: "direct"}), nil},
		{"9 virtual functions", vnf("v", 9, v1alpha1.Port{VNICType: "direct"}), []string{"vfs[v]"}},
		{"9 passed through", vnf("v", 9, v1alpha1.Port{VNICType: "direct-physical"}), []string{"passthrough[v]"}},
		{"9 in all", Server{Name: "v", Ports: append(slices.Repeat([]v1alpha1.Port{{}}, 5),
			slices.Repeat([]v1alpha1.Port{{VNICType: "direct"}}, 4)...)}, []string{"devices[v]"}},
		{"129 rules", vnf("v", 1, v1alpha1.Port{SecurityRules: 129}), []string{"rules.port[workload.servers[0].ports[0]]"}},
		{"128 rules", vnf("v", 1, v1alpha1.Port{SecurityRules: 128}), nil},
		{"rules on SR-IOV", vnf("v", 1, v1alpha1.Port{VNICType: "direct", SecurityRules: 1}),
			[]string{"bypass[workload.servers[0].ports[0]]"}},
		{"4K pages", Server{Name: "v", SmallPages: true, Ports: []v1alpha1.Port{{}}}, []string{"vhost[v]"}},
		{"4K pages on SR-IOV", Server{Name: "v", SmallPages: true, Ports: []v1alpha1.Port{{VNICType: "direct"}}}, nil},
		{"no frame size", vnf("v", 1, v1alpha1.Port{FrameSize: "63"}), []string{"frame[v]"}},
		{"packets that do not fit", vnf("v", 1, v1alpha1.Port{FrameSize: "64", Bandwidth: 1e9, PacketsPerSecond: 3e6}),
			[]string{"packets[workload.servers[0].ports[0]]"}},
		{"packets that fit", vnf("v", 1, v1alpha1.Port{FrameSize: "64", Bandwidth: 1e9, PacketsPerSecond: 2.9e6}), nil},
		{"more than the NICs carry", vnf("v", 3, v1alpha1.Port{Bandwidth: 7e9}), []string{"line.data[compute]"}},
		{"all that the NICs carry", vnf("v", 2, v1alpha1.Port{Bandwidth: 10e9, PhysicalNetwork: "physnet0"}), nil},
	} {
		in := input(1, c.server)
		in.Neutron.CyclesPerPacket = 1 // the cores are another test's business
		_, p := run(t, in)
		if got := ids(p, v1alpha1.Error, v1alpha1.Warning); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// Line rates hold by physical network, and for SR-IOV.
func TestLineByNetwork(t *testing.T) {
	in := input(1, Server{Name: "v", Ports: []v1alpha1.Port{{Bandwidth: 12e9, PhysicalNetwork: "b"},
		{Bandwidth: 12e9, VNICType: "direct", PhysicalNetwork: "c"}}})
	in.Neutron.CyclesPerPacket = 1
	in.Types[0].NICs = []v1alpha1.NIC{
		{Use: "data", Count: 1, Speed: 10e9, PhysicalNetworks: []string{"a"}},
		{Use: "data", Count: 1, Speed: 10e9, PhysicalNetworks: []string{"b"}},
		{Use: "sriov", Count: 1, Speed: 10e9, PhysicalNetworks: []string{"c"}}}
	_, p := run(t, in)
	if got := ids(p, v1alpha1.Warning); !slices.Equal(got,
		[]string{"line.data[compute/b]", "line.sriov[compute]", "line.sriov[compute/c]"}) {
		t.Errorf("%v", got)
	}
}

// The vSwitch's cores go to the nodes of the NICs; where they are fixed elsewhere the
// packets cross and cost twice as much.
func TestNUMA(t *testing.T) {
	port := v1alpha1.Port{Bandwidth: 10e9}
	split := []v1alpha1.NIC{{Name: "eth0", Use: "data", Count: 1, Speed: 10e9, NUMANode: at(0)},
		{Name: "eth1", Use: "data", Count: 1, Speed: 10e9, NUMANode: at(1)}}
	for _, c := range []struct {
		name   string
		nics   []v1alpha1.NIC
		fixed  []int
		cores  []int
		needed float64
		want   []string
	}{
		{"NICs on both nodes share 5.2 cores", split, nil, []int{3, 3}, 5.234, nil},
		{"NICs on node 1", split[1:], nil, []int{0, 6}, 5.234, []string{"line.data[compute]"}},
		{"cores on the other node", split[1:], []int{8, 0}, []int{8, 0}, 10.469,
			[]string{"cores.short[compute/0]", "numa.nic[compute/1]", "numa.split[compute/0]", "line.data[compute]"}},
		{"half of the NICs have no cores", split, []int{8, 0}, []int{8, 0}, 7.852, []string{"numa.nic[compute/1]"}},
		{"split cores, NICs on one node", split[:1], []int{6, 1}, []int{6, 1}, 5.234,
			[]string{"numa.split[compute/1]", "line.data[compute]"}},
		{"a NIC that does not say", []v1alpha1.NIC{{Use: "data", Count: 2, Speed: 10e9}}, nil, []int{6, 0}, 5.234, nil},
	} {
		in := input(1, vnf("router", 2, port))
		in.Types[0].NICs, in.Types[0].VSwitchCores = c.nics, c.fixed
		r, p := run(t, in)
		if got := r.Types[0]; !slices.Equal(got.Cores, c.cores) || got.Needed.Number < c.needed-0.01 ||
			got.Needed.Number > c.needed+0.01 {
			t.Errorf("%s: %v, %v cores", c.name, got.Cores, got.Needed.Number)
		}
		if got := ids(p, v1alpha1.Error, v1alpha1.Warning); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// DPDK's memory by node, and what is told when less is kept back.
func TestDPDKOnAHost(t *testing.T) {
	in := input(1, vnf("vnf", 1, v1alpha1.Port{}))
	in.Types[0].NICs[0].MTU = 9000
	r, p := run(t, in)
	if got := r.Types[0].Memory; !slices.Equal(got, []unit.Bytes{3 * unit.GiB, unit.GiB}) {
		t.Errorf("%v", got)
	}
	if !slices.Contains(ids(p, v1alpha1.Info), "dpdk[compute]") {
		t.Errorf("%v", ids(p, v1alpha1.Info))
	}
	in.Book, in.Types[0].VSwitchMemory = &derive.Book{}, []unit.Bytes{2 * unit.GiB, unit.GiB}
	if _, p = run(t, in); !slices.Equal(ids(p, v1alpha1.Warning), []string{"dpdk[compute/0]"}) {
		t.Errorf("%v", ids(p, v1alpha1.Warning))
	}
	in.Book, in.Types[0].VSwitchMemory = &derive.Book{}, []unit.Bytes{3 * unit.GiB}
	if _, p = run(t, in); len(ids(p, v1alpha1.Warning)) != 0 {
		t.Errorf("%v", ids(p, v1alpha1.Warning))
	}
}

// Split: whole cores on each node that needs any, between the usual and the most.
func TestSplit(t *testing.T) {
	for _, c := range []struct {
		exact []float64
		want  []int
		over  int
	}{
		{[]float64{0, 0}, []int{2, 0}, 0}, {[]float64{0, 0.1}, []int{0, 2}, 0}, {[]float64{0.1, 0.1}, []int{1, 1}, 0},
		{[]float64{2, 2.001}, []int{2, 3}, 0},
		{[]float64{8}, []int{8}, 0}, {[]float64{8.1}, []int{8}, 1}, {[]float64{9, 5}, []int{4, 4}, 6},
		{[]float64{7, 1.5}, []int{6, 2}, 1}, {nil, []int{}, 0}, {[]float64{1e30, 0}, []int{8, 0}, 999_992},
	} {
		if got, over := Split(c.exact, 2, 1, 8); !slices.Equal(got, c.want) || over != c.over {
			t.Errorf("%v: %v, %d", c.exact, got, over)
		}
	}
}

func TestSplitHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		exact := rapid.SliceOfN(rapid.Float64Range(0, 6), 1, 8).Draw(t, "exact")
		got, over := Split(exact, 2, 1, 8)
		total, enough := 0, true
		for n, c := range got {
			total += c
			enough = enough && float64(c) >= exact[n]-1e-9
		}
		if total < 2 || total > 8 || enough != (over == 0) {
			t.Fatalf("%v: %v, over %d", exact, got, over)
		}
	})
}

// Random clouds: formulas hold, Needs and Plan agree, tables are square, and inputs come from somewhere.
func TestPlanHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawCloud(t)
		r, p := Plan(in)
		for _, err := range in.Book.Verify() {
			t.Fatal(err)
		}
		for i, cores := range Needs(in) {
			if !slices.Equal(cores, r.Types[i].Cores) {
				t.Fatalf("Needs says %v, Plan %v", cores, r.Types[i].Cores)
			}
		}
		for _, table := range p.Section.Tables {
			for _, row := range table.Rows {
				if len(row) != len(table.Columns) {
					t.Fatalf("%s: %d cells under %d headings", table.ID, len(row), len(table.Columns))
				}
			}
		}
		for _, f := range in.Book.Figures() {
			for _, i := range f.Inputs {
				if i.Value.From == nil {
					t.Fatalf("%s: the input %s comes from nowhere", f.ID, i.Name)
				}
			}
		}
	})
}

func drawCloud(t *rapid.T) Input {
	in := Input{Book: &derive.Book{}, Facts: facts.Load(), Computes: derive.Given("x",
		rapid.IntRange(0, 100).Draw(t, "computes"), "computes"), Neutron: v1alpha1.Neutron{Utilisation: 0.8}}
	in.Neutron.Subnets, in.Neutron.MACsPerSegment, in.Neutron.StackServers = rapid.IntRange(0, 2000).Draw(t, "subnets"),
		rapid.IntRange(0, 2000).Draw(t, "macs"), rapid.IntRange(0, 100).Draw(t, "stack")
	for i := range rapid.IntRange(0, 4).Draw(t, "servers") {
		s := Server{Name: string(rune('a' + i)), Path: "workload.servers[9]", Local: rapid.Bool().Draw(t, "local")}
		for range rapid.IntRange(0, 4).Draw(t, "ports") {
			s.Ports = append(s.Ports,
				v1alpha1.Port{VNICType: rapid.SampledFrom([]string{"", "normal", "direct", "direct-physical"}).Draw(t, "kind"),
					PhysicalNetwork: rapid.SampledFrom([]string{"", "p0", "p1", "px"}).Draw(t, "physnet"),
					SecurityRules:   rapid.IntRange(0, 200).Draw(t, "rules"), PacketsPerSecond: rapid.SampledFrom([]float64{0, 0, 1e5,
						1e12}).Draw(t, "pps"), Bandwidth: unit.BitRate(rapid.SampledFrom([]int64{0, 1e6, 25e9}).Draw(t, "bw")),
					FrameSize: rapid.SampledFrom([]string{"", "imix", "64", "9000", "bad"}).Draw(t, "frame"),
					CrossNUMA: rapid.Bool().Draw(t, "cross")})
		}
		in.Servers = append(in.Servers, s)
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "types") {
		typ := Type{Name: string(rune('x' + i)), Path: "hardware.nodeTypes[0]",
			NUMANodes: rapid.IntRange(0, 4).Draw(t, "nodes"), CPUGHz: rapid.Float64Range(0.1, 20).Draw(t, "ghz")}
		for range rapid.IntRange(0, 3).Draw(t, "nics") {
			nic := v1alpha1.NIC{Use: rapid.SampledFrom([]string{"data", "sriov"}).Draw(t, "use"),
				Count: rapid.IntRange(0, 3).Draw(t, "count"), Speed: unit.BitRate(rapid.Int64Range(0, 100e9).Draw(t, "speed")),
				MTU: rapid.IntRange(576, 9216).Draw(t, "mtu")}
			if rapid.Bool().Draw(t, "says") {
				nic.NUMANode = at(rapid.IntRange(0, 5).Draw(t, "node"))
				nic.PhysicalNetworks = []string{rapid.SampledFrom([]string{"p0", "p1"}).Draw(t, "net")}
			}
			typ.NICs = append(typ.NICs, nic)
		}
		if rapid.Bool().Draw(t, "fixed") {
			typ.VSwitchCores = rapid.SliceOfN(rapid.IntRange(0, 10), 0, 5).Draw(t, "cores")
		}
		in.Types = append(in.Types, typ)
		in.Hosts = append(in.Hosts, Host{Name: "h", Type: i,
			VMs: map[int]int{rapid.IntRange(0, 5).Draw(t, "server"): rapid.IntRange(0, 50).Draw(t, "vms")}})
	}
	return in
}

// A cloud of 10,000 hosts with 100 kinds of VM, ten of them on each.
func BenchmarkNeeds(b *testing.B) {
	in := input(0, vnf("vnf", 2, v1alpha1.Port{Bandwidth: 1e8}))
	in.Servers, in.Hosts = slices.Repeat(in.Servers, 100), nil
	for i := range 10_000 {
		h := Host{Name: "h", VMs: map[int]int{}}
		for n := range 10 {
			h.VMs[(i+n*7)%100]++
		}
		in.Hosts = append(in.Hosts, h)
	}
	for b.Loop() {
		Needs(in)
	}
}
