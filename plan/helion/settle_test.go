package helion

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/unit"
)

// nics gives the computes data ports on NUMA nodes.
func (b builder) nics(nodes ...int) builder {
	for i, node := range nodes {
		b.node("compute").NICs = append(b.node("compute").NICs,
			v1alpha1.NIC{Name: string(rune('a' + i)), Use: "data", Count: 1, Speed: 10e9, NUMANode: &node, MTU: 1500,
				PhysicalNetworks: []string{string(rune('p' + i))}})
	}
	return b
}

// sending gives a server ports that send packets.
func sending(rates ...float64) func(*v1alpha1.Server) {
	return func(s *v1alpha1.Server) {
		for i, r := range rates {
			s.Ports = append(s.Ports, v1alpha1.Port{VNICType: "normal", PhysicalNetwork: string(rune('p' + i)),
				PacketsPerSecond: r})
		}
	}
}

// The vSwitch's cores and the VMs on a host settle on one another: the cores that the
// network is told to need are those that placement keeps back.
func TestVSwitchCoresSettle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := cloudOf().nics(0, 1)
		for range rapid.IntRange(1, 2).Draw(t, "kinds") {
			rate := func(what string) float64 { return float64(rapid.IntRange(0, 8).Draw(t, what)) * 2e5 }
			b.add(rapid.IntRange(1, 40).Draw(t, "count"), rapid.IntRange(1, 4).Draw(t, "vcpus"), 2, dedicated,
				sending(rate("p"), rate("q")))
		}
		p := b.plan(t)
		h := hostsOf(p, "compute")
		if h.Count == 0 || h.Compute == nil {
			t.Skip("nothing is placed, or no core is more than the default")
		}
		sum := 0
		for _, n := range h.Compute.VSwitchCores {
			sum += n
		}
		if got := number2(p, "neutron.cores[compute]"); got != float64(sum) {
			t.Fatalf("the network needs %v cores, %v are kept back", got, h.Compute.VSwitchCores)
		}
	})
}

// The vSwitch gets the fewest cores that serve the VMs which are then on a host: with
// one fewer there would be more VMs, and more packets than it could take, of which those
// of VMs on the other NUMA node count twice.
func TestVSwitchCoresAreTheFewest(t *testing.T) {
	for _, c := range []struct {
		vms  int
		rate float64
	}{{10, 1.7e6}, {10, 0.9e6}, {11, 0.7e6}, {11, 1.3e6}} {
		cloud := func() builder { return cloudOf().nics(0).add(c.vms, 2, 2, dedicated, sending(c.rate)) }
		fewest := 2
		for ; fewest < 8; fewest++ {
			b := cloud()
			b.node("compute").Compute = &v1alpha1.Compute{VSwitchCores: []int{fewest}}
			if number(t, b.plan(t), "neutron.coresNeeded[compute]") <= float64(fewest) {
				break
			}
		}
		if got := number(t, cloud().plan(t), "neutron.cores[compute]"); got != float64(fewest) {
			t.Errorf("%d VMs of %v packets a second: %v cores for the vSwitch, %d are enough", c.vms, c.rate, got, fewest)
		}
	}
}

// The document's own example of a crossing (HCG 7): VNF 6 beside its device on NUMA
// node 1, its vSwitch port served on node 0. 5 Gbit/s of 512 bytes each way are
// 2 x 5e9 / (8 * 532) = 2,349,624 packets/s, and each of them costs two (0.92 cores at
// 2.6 GHz and 80 % become 1.84). Beside the vSwitch, or where it has NICs of the network
// and cores on both nodes, nothing crosses.
func TestPlacementCrosses(t *testing.T) {
	on := func(node string) map[string]string {
		return map[string]string{"hw:cpu_policy": "dedicated", "hw:numa_node.0": node, "hw:numa_nodes": "1"}
	}
	port := func(s *v1alpha1.Server) {
		s.Ports = []v1alpha1.Port{{VNICType: "normal", PhysicalNetwork: "p", Bandwidth: 5e9, FrameSize: "512"}}
	}
	for _, c := range []struct {
		name    string
		b       builder
		crossed float64
	}{
		{"on the other node", cloudOf().nics(0).add(1, 2, 4, on("1"), port), 2349624},
		{"beside the vSwitch", cloudOf().nics(0).add(1, 2, 4, on("0"), port), 0},
		{"a node on each", cloudOf().nics(0).add(1, 2, 4, map[string]string{"hw:cpu_policy": "dedicated",
			"hw:numa_nodes": "2"}, port), 2349624 / 2},
		{"a vSwitch on both", func() builder {
			b := cloudOf().nics(0, 1).add(1, 2, 4, on("1"), port)
			b.node("compute").NICs[1].PhysicalNetworks = []string{"p"}
			return b
		}(), 0},
	} {
		c.b.Policy.Model = "controller-storage"
		p := c.b.plan(t)
		crossed, cores := number(t, p, "neutron.crossed[compute]"), number(t, p, "neutron.coresNeeded[compute]")
		if want := (2349624 + c.crossed) * 814 / (2.6e9 * 0.8); math.Abs(crossed-c.crossed) > 1 ||
			math.Abs(cores-want) > 1e-3 {
			t.Errorf("%s: %v packets/s cross and take %v cores, want %v and %v", c.name, crossed, cores, c.crossed, want)
		}
	}
}

func number2(p *v1alpha1.Plan, id string) float64 {
	i := slices.IndexFunc(p.Figures, func(f derive.Figure) bool { return f.ID == id })
	if i < 0 {
		return -1
	}
	return p.Figures[i].Value.Number
}

// On a CPE one host may have to carry all VMs: its network is judged by that.
func TestNetworkOfACPE(t *testing.T) {
	b := cloudOf().nics(0).add(12, 1, 1, nil, func(s *v1alpha1.Server) {
		s.Ports = slices.Repeat([]v1alpha1.Port{{VNICType: "normal", SecurityRules: 128}}, 8)
	})
	p := b.plan(t)
	if modelOf(p) != "cpe" || number(t, p, "neutron.vnics[compute]") != 96 ||
		number(t, p, "neutron.rules[compute]") != 12288 {
		t.Errorf("%s: %v vNICs and %v rules, want 96 and 12,288 of all VMs", modelOf(p),
			number(t, p, "neutron.vnics[compute]"), number(t, p, "neutron.rules[compute]"))
	}
}

// The controllers of a CPE are of the type that its pair is of.
func TestControllersOfACPE(t *testing.T) {
	b := cloudOf().add(6, 2, 4, dedicated)
	small := b.Hardware.NodeTypes[1]
	small.Name, small.Disks = "diskless", nil
	small.Disks = []v1alpha1.Disk{{Use: "system", Count: 1, Size: 100 * unit.GB, Media: "hdd"}}
	b.Hardware.NodeTypes = slices.Insert(b.Hardware.NodeTypes, 1, small)
	b.Policy.Node = "compute"
	p := b.plan(t)
	if modelOf(p) != "cpe" || hostsOf(p, "compute").Type != "compute" {
		t.Errorf("%s of %s: %+v", modelOf(p), hostsOf(p, "compute").Type, p.Findings)
	}
}

// A CPE that was looked at and does not do is not what the rules choose for a wanted
// other model.
func TestWantedModelBesideAPair(t *testing.T) {
	b := cloudOf().add(8, 4, 4, dedicated)
	b.Policy.Model = "dedicated-storage"
	p := b.plan(t)
	for _, f := range p.Findings {
		if strings.Contains(f.Remedy, "policy.model: cpe") {
			t.Errorf("8 VMs of 4 CPUs do not fit on one host: %s (%s)", f.Message, f.Remedy)
		}
	}
}

// With so many meters the database is sized by them: 2 x 250,000 x 200 kB = 100 GB.
func TestMeters(t *testing.T) {
	b := cloudOf().add(30, 1, 2, nil)
	b.Policy.Meters = 250_000
	if got := number(t, b.plan(t), "controller.database"); got != 100e9 {
		t.Errorf("a database of %v, want 100 GB", got)
	}
	b.Policy.Sites = 2
	if got := number(t, b.plan(t), "controller.database"); got != 50e9 {
		t.Errorf("a database of %v in each of two regions, want 50 GB", got)
	}
}

// More storage hosts than the two that are tested, and other than two controllers,
// are told of.
func TestPairs(t *testing.T) {
	b := cloudOf().add(101, 1, 2, nil)
	b.Hardware.NodeTypes = append(b.Hardware.NodeTypes, v1alpha1.NodeType{Name: "storage", Role: "storage", CPUs: 32,
		Memory: 128 * unit.GiB, Topology: "2 sockets x 8 cores x 2 threads", CPUGHz: 2.6,
		Disks: []v1alpha1.Disk{{Use: "system", Count: 1, Size: 240 * unit.GB, Media: "ssd"},
			{Use: "osd", Count: 4, Size: 600 * unit.GB, Media: "ssd"}}})
	for n, want := range map[int]bool{2: false, 4: true} {
		if f := finding(b.count("storage", n).plan(t), "limits.storageHostsTested"); (f != nil) != want ||
			f != nil && f.Severity != v1alpha1.Warning {
			t.Errorf("%d storage hosts: %+v", n, f)
		}
	}
	for n, want := range map[int]bool{1: true, 2: false, 3: true} {
		if f := finding(b.count("controller", n).plan(t), "limits.controllers"); (f != nil) != want {
			t.Errorf("%d controllers: %+v", n, f)
		}
	}
}

// With the rules of Nova the plan tells, as placement does, of VMs that Nova's own
// search refuses: free CPUs 4, 6, 4, 2 and virtual nodes of 2 and 6.
func TestPlanTellsOfNovasFault(t *testing.T) {
	properties := map[string]string{"hw:cpu_policy": "dedicated", "hw:numa_nodes": "2", "hw:numa_cpus.0": "0,1",
		"hw:numa_cpus.1": "2,3,4,5,6,7", "hw:numa_mem.0": "1024", "hw:numa_mem.1": "1024"}
	b := cloudOf().add(1, 8, 2, properties)
	host := b.node("compute")
	host.Topology, host.CPUs = "4 sockets x 6 cores", 24
	host.Compute = &v1alpha1.Compute{PlatformCores: []int{2, 0, 2, 4}, VSwitchCores: []int{0, 0, 0, 0}}
	b.Policy.Model, b.Scheduling.Rules = "controller-storage", "nova"
	p := b.plan(t)
	if f := finding(p, "place.novaRefuses[vm0]"); f == nil || f.Severity != v1alpha1.Warning {
		t.Errorf("%+v", p.Findings)
	}
}

// A split that names pages of 1 GiB alone leaves the rest to pages of 2 MiB, the
// document's default: VMs of both sizes fit.
func TestPagesOfSomeSizes(t *testing.T) {
	b := cloudOf().add(10, 1, 2, nil).add(4, 1, 2, map[string]string{"hw:mem_page_size": "1048576"})
	b.node("compute").HugePagesPerNUMANode = map[string][]unit.Bytes{"1Gi": {16 * unit.GiB, 16 * unit.GiB}}
	if p := b.plan(t); !p.Verdict.Fits {
		t.Errorf("%+v", p.Verdict)
	}
}
