package neutron

import (
	"math"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/derive/derivetest"
	"plimsoll.dev/facts"
	"plimsoll.dev/limit"
	"plimsoll.dev/part"
	"plimsoll.dev/plan/helion/doubt"
)

func at(n int) *int { return &n }

// vnf is a VM with so many equal ports.
func vnf(name string, ports int, port v1alpha1.Port) Server {
	return Server{Name: name, Path: "workload.servers[0]", Count: derive.Given("workload.servers[0].count", 20, "VMs"),
		Ports: slices.Repeat([]v1alpha1.Port{port}, ports)}
}

// input is a cloud of ten hosts of two NUMA nodes with two ports of 10 Gbit/s on
// node 0, one of which runs so many VMs of a kind.
func input(n int, s Server) Input {
	return Input{Book: &derive.Book{}, Facts: facts.Load(), Storage: DedicatedStorage,
		Computes: derive.Given("hardware.nodeTypes[0].count", 10, "computes"),
		Neutron:  v1alpha1.Neutron{Utilisation: 0.8}, Servers: []Server{s},
		Types: []Type{{Name: "compute", Path: "hardware.nodeTypes[0]", NUMANodes: 2, CPUGHz: 2.6,
			NICs: []v1alpha1.NIC{{Name: "eth0", Use: "data", Count: 2, Speed: 10e9, NUMANode: at(0), MTU: 1500,
				PhysicalNetworks: []string{"physnet0"}}}}},
		Hosts: []Host{{Name: "compute-1", VMs: map[int]int{0: n}}}}
}

func run(t testing.TB, in Input) (Result, *part.Part) {
	r, p := Plan(in)
	for _, err := range in.Book.Verify() {
		t.Error(err)
	}
	derivetest.Compare(t, in.Book.Figures(), derivetest.Twins{"neutron.cyclesLeft": func(in derivetest.Inputs) float64 {
		return CyclesLeft(in["clock"]*in["cores"], in["packets"])
	}})
	for i, cores := range Needs(in) {
		if !slices.Equal(cores, r.Types[i].Cores) {
			t.Errorf("Needs says %v, Plan %v", cores, r.Types[i].Cores)
		}
	}
	for _, f := range p.Findings {
		if f.Remedy == "" || len(f.Sources) == 0 {
			t.Errorf("%s has no remedy or source", f.ID)
		}
		if _, ok := in.Book.Get(f.Figure); f.Figure != "" && !ok {
			t.Errorf("%s: no figure %s", f.ID, f.Figure)
		}
	}
	return r, p
}

func ids(p *part.Part, severities ...v1alpha1.Severity) []string {
	var list []string
	for _, f := range p.Findings {
		if slices.Contains(severities, f.Severity) {
			list = append(list, strings.TrimPrefix(f.ID, "neutron."))
		}
	}
	return list
}

func gauge(t testing.TB, p *part.Part, id string) limit.Gauge {
	i := slices.IndexFunc(p.Gauges, func(g limit.Gauge) bool { return g.ID == id })
	if i < 0 {
		t.Errorf("no gauge %s", id)
		return limit.Gauge{}
	}
	return p.Gauges[i]
}

// 20 VMs of 3 vNICs, 24 routers and DHCP servers and 2 physical ports are 86 of 254.
func TestWorkedExamplePorts(t *testing.T) {
	in := input(20, vnf("vnf", 3, v1alpha1.Port{}))
	in.Neutron.Routers, in.Neutron.DHCPServers = 40, 200
	r, p := run(t, in)
	if r.Types[0].Ports.Number != 86 {
		t.Errorf("%v", r.Types[0].Ports)
	}
	if g := gauge(t, p, "ports[compute]"); g.Limit.Number != 254 || g.Verdict != limit.Within {
		t.Errorf("%+v", g)
	}
	if got := gauge(t, p, "routersPerCompute").Value.Number; got != 24 {
		t.Errorf("%v routers and DHCP servers on a host", got)
	}
}

// 254 ports are all; of the 250 beside 4 physical ones none is left over.
func TestPortsAreFull(t *testing.T) {
	in := input(31, vnf("vnf", 8, v1alpha1.Port{}))
	in.Types[0].NICs[0].Count = 4
	_, p := run(t, in) // 4 + 248
	if g := gauge(t, p, "ports[compute]"); g.Value.Number != 252 || g.Verdict == limit.Passed {
		t.Errorf("%+v", g)
	}
	in.Book, in.Hosts[0].VMs[0] = &derive.Book{}, 32 // 4 + 256
	in.Types[0].NICs[0].Count = 5
	_, p = run(t, in)
	if got := ids(p, v1alpha1.Error); !slices.Equal(got, []string{"physicalPorts[compute]", "ports[compute]"}) {
		t.Errorf("%v", got)
	}
}

// 60 ports of 128 rules are 7,680 and fit; 160 are 20,480 and do not, 102 each would.
func TestWorkedExampleRules(t *testing.T) {
	for _, c := range []struct {
		vms   int
		rules float64
		want  string
	}{{10, 7680, ""}, {27, 20736, "101 rules"}, {26, 19968, "105 rules"}} {
		r, p := run(t, input(c.vms, vnf("vnf", 6, v1alpha1.Port{SecurityRules: 128})))
		if r.Types[0].Rules.Number != c.rules {
			t.Errorf("%d VMs: %v", c.vms, r.Types[0].Rules)
		}
		if got := remedy(p, "neutron.rules[compute]"); !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%d VMs: %q", c.vms, got)
		}
	}
	r, p := run(t, input(20, vnf("vnf", 8, v1alpha1.Port{SecurityRules: 128})))
	if r.Types[0].Rules.Number != 20480 || !strings.HasPrefix(remedy(p, "neutron.rules[compute]"), "102 rules") {
		t.Errorf("%v, %q", r.Types[0].Rules, remedy(p, "neutron.rules[compute]"))
	}
	if got := RulesEach(16384, 250); got != 65 {
		t.Errorf("250 ports: %v rules each, want 65", got)
	}
}

func remedy(p *part.Part, id string) string {
	for _, f := range p.Findings {
		if f.ID == id {
			return f.Remedy
		}
	}
	return ""
}

// Row 6: as printed 32,512 rules are the limit, and both figures stand in the gauge.
func TestDoubtOfRules(t *testing.T) {
	for mode, want := range map[string]float64{doubt.Careful: 16384, doubt.AsPrinted: 32512} {
		in := input(20, vnf("vnf", 8, v1alpha1.Port{SecurityRules: 128}))
		in.Doubts = doubt.New(mode, in.Facts)
		_, p := run(t, in)
		g := gauge(t, p, "securityRules[compute]")
		if g.Limit.Number != want || len(g.Doubts) != 1 || (g.Verdict == limit.Passed) != (mode == doubt.Careful) {
			t.Errorf("%s: %+v", mode, g)
		}
	}
}

// Row 9: 20 routers as tested; as printed DHCP servers count too.
func TestDoubtOfRouters(t *testing.T) {
	for mode, want := range map[string]float64{doubt.Careful: 18, doubt.AsPrinted: 48} {
		in := input(1, vnf("vnf", 1, v1alpha1.Port{}))
		in.Neutron.Routers, in.Neutron.DHCPServers = 18, 30
		in.Doubts = doubt.New(mode, in.Facts)
		_, p := run(t, in)
		if g := gauge(t, p, "routers"); g.Value.Number != want || g.Limit.Number != 20 {
			t.Errorf("%s: %+v", mode, g)
		}
	}
}

// The whole of the notes' examples on a host: a VM that forwards 2 Gbit/s of
// 512-byte frames each way takes 0.74 of a core, one of IMIX at 10 Gbit/s 5.2.
func TestWorkedExampleOnAHost(t *testing.T) {
	for _, c := range []struct {
		port  v1alpha1.Port
		exact float64
		cores []int
	}{
		{v1alpha1.Port{Bandwidth: 2e9, FrameSize: "512"}, 0.74, []int{2, 0}}, // no less than the default
		{v1alpha1.Port{Bandwidth: 10e9, FrameSize: "imix"}, 5.2, []int{6, 0}},
		{v1alpha1.Port{Bandwidth: 2e9, FrameSize: "512", CrossNUMA: true}, 1.47, []int{2, 0}},
		{v1alpha1.Port{PacketsPerSecond: 939_850, FrameSize: "512"}, 0.74, []int{2, 0}},
		{v1alpha1.Port{}, 0, []int{2, 0}},
		{v1alpha1.Port{VNICType: "direct", Bandwidth: 10e9}, 0, []int{2, 0}}, // passes by the vSwitch
	} {
		r, p := run(t, input(1, vnf("router", 2, c.port)))
		if got := r.Types[0]; math.Abs(got.Needed.Number-c.exact) > 0.05 || !slices.Equal(got.Cores, c.cores) {
			t.Errorf("%+v: %v cores, %v", c.port, got.Needed.Number, got.Cores)
		}
		if said := slices.Contains(ids(p, v1alpha1.Info), "cycles.sample[compute]"); said != (c.exact > 0) {
			t.Errorf("%+v: the sample is told: %v", c.port, said)
		}
	}
}

// Own cycles replace the sample, in the scenario or as a measurement; nothing else does.
func TestCyclesAreReplaced(t *testing.T) {
	port := v1alpha1.Port{Bandwidth: 10e9}
	in := input(1, vnf("router", 2, port))
	in.Neutron.CyclesPerPacket = 407
	r, p := run(t, in)
	if got := r.Types[0].Needed.Number; math.Abs(got-2.617) > 0.01 ||
		slices.Contains(ids(p, v1alpha1.Info), "cycles.sample[compute]") {
		t.Errorf("%v cores, %v", got, ids(p, v1alpha1.Info))
	}
	own := facts.Load().Must("vswitch.cyclesPerPacket")
	own.Number, own.Source.Code = 407, part.OwnMeasurement
	in = input(1, vnf("router", 2, port))
	in.Facts = in.Facts.With(own)
	in.Neutron.CyclesPerPacket = 814
	in.Origin = part.NewOrigin([]v1alpha1.Assumption{
		{Field: "network.neutron.cyclesPerPacket", Value: "814", Fact: "vswitch.cyclesPerPacket"},
	}, in.Facts)
	r, p = run(t, in)
	if got := r.Types[0].Needed.Number; math.Abs(got-2.617) > 0.01 ||
		slices.Contains(ids(p, v1alpha1.Info), "cycles.sample[compute]") {
		t.Errorf("measured: %v cores, %v", got, ids(p, v1alpha1.Info))
	}
}

// More than 8 cores are an error; own cores that do not suffice are told by node.
func TestCoresShort(t *testing.T) {
	in := input(2, vnf("router", 2, v1alpha1.Port{Bandwidth: 10e9}))
	r, p := run(t, in) // 10.5 cores
	if !slices.Equal(r.Types[0].Cores, []int{8, 0}) || !slices.Contains(ids(p, v1alpha1.Error), "cores.most[compute]") {
		t.Errorf("%v, %v", r.Types[0].Cores, ids(p, v1alpha1.Error))
	}
	in = input(1, vnf("router", 2, v1alpha1.Port{Bandwidth: 10e9}))
	in.Types[0].VSwitchCores = []int{2, 0}
	_, p = run(t, in)
	if !slices.Contains(ids(p, v1alpha1.Warning), "cores.short[compute/0]") {
		t.Errorf("by the sample: %v", ids(p, v1alpha1.Warning))
	}
	in.Book, in.Neutron.CyclesPerPacket = &derive.Book{}, 814
	_, p = run(t, in)
	if !slices.Contains(ids(p, v1alpha1.Error), "cores.short[compute/0]") {
		t.Errorf("measured: %v", ids(p, v1alpha1.Error))
	}
}

// More routers and DHCP servers than 20 together are told of also where the row is
// taken for routers alone; as printed it holds for both.
func TestServicesBeyondTheRow(t *testing.T) {
	for mode, want := range map[string]bool{doubt.Careful: true, doubt.AsPrinted: false} {
		in := input(1, vnf("vnf", 1, v1alpha1.Port{}))
		in.Neutron.Routers, in.Neutron.DHCPServers = 16, 400
		in.Doubts = doubt.New(mode, in.Facts)
		_, p := run(t, in)
		if slices.Contains(ids(p, v1alpha1.Warning), "services") != want {
			t.Errorf("%s: %v", mode, ids(p, v1alpha1.Warning))
		}
	}
	in := input(1, vnf("vnf", 1, v1alpha1.Port{}))
	in.Neutron.Routers, in.Neutron.DHCPServers = 16, 400
	run(t, in)
	if f, _ := in.Book.Get("neutron.services"); f.Value.Text != "416 routers and DHCP servers" {
		t.Errorf("%q", f.Value.Text)
	}
}

// What nothing is placed for is told of a mean host, not of the busiest.
func TestMeanHost(t *testing.T) {
	in := input(5, vnf("vnf", 1, v1alpha1.Port{PacketsPerSecond: 1e5}))
	in.Hosts[0].Mean, in.Hosts[0].Name = true, "a mean compute"
	run(t, in)
	for _, id := range []string{"neutron.packets[compute]", "neutron.coresNeeded[compute]", "neutron.ports[compute]"} {
		if f, _ := in.Book.Get(id); !strings.Contains(f.Title, "a mean compute host") ||
			strings.Contains(f.Title, "busiest") {
			t.Errorf("%s: %q", id, f.Title)
		}
	}
}

// Cores that are kept are not given back on any node, and the most holds.
func TestKeptCores(t *testing.T) {
	for _, c := range []struct{ cores, kept, want []int }{
		{[]int{2, 0}, nil, []int{2, 0}}, {[]int{2, 0}, []int{0, 3}, []int{2, 3}}, {[]int{4, 1}, []int{3, 2}, []int{4, 2}},
		{[]int{8, 0}, []int{4, 4}, []int{4, 4}},
	} {
		if got := keep(c.cores, c.kept, 8); !slices.Equal(got, c.want) {
			t.Errorf("%v with %v kept: %v, want %v", c.cores, c.kept, got, c.want)
		}
	}
}

// As printed the larger number of rules holds, and the text's smaller one is told of.
func TestRulesBetweenTextAndTable(t *testing.T) {
	in := input(20, vnf("vnf", 8, v1alpha1.Port{SecurityRules: 110})) // 17,600
	in.Doubts = doubt.New(doubt.AsPrinted, in.Facts)
	_, p := run(t, in)
	if !slices.Contains(ids(p, v1alpha1.Warning), "rules.text[compute]") ||
		slices.Contains(ids(p, v1alpha1.Error), "rules[compute]") {
		t.Errorf("%v", p.Findings)
	}
}
