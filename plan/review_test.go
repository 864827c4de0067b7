package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/plan"
	"plimsoll.dev/source/scenario"
)

// W6: the control plane's machine of examples/shop.yaml has 32 GiB and a disk of 300 GiB.
func TestControlPlanesOwnMachine(t *testing.T) {
	p := example(t, "shop.yaml")
	if d := p.Decisions.ControlPlane; d.Disk != 300<<30 || d.Memory != 32<<30 {
		t.Errorf("control plane of %d bytes of memory and %d of disk", d.Memory, d.Disk)
	}
	// OCP 10.3: 16 GB of memory take 20-25 GB, and 20-25 GB more for every 8 GB beyond.
	const memory = 32 << 30
	if f := figure(t, p, "storage.disk.containersMin[m6i.2xlarge/controlPlane]"); f.Value.Number <
		20e9+20e9*(memory-16e9)/8e9-1 {
		t.Errorf("/var/lib/containers is sized as for %s", f.Value)
	}
	if g := gauge(t, p, "disk[m6i.2xlarge/controlPlane]"); g.Limit.Number != 300<<30 {
		t.Errorf("disk of %s", g.Limit)
	}
}

// W10: pods without requests are told by number and types, and leave the verdict open,
// until policy.defaultRequests says what they use.
func TestPodsWithoutRequests(t *testing.T) {
	pods := "{name: a, replicas: 12}, {name: b, replicas: 2}, {name: c, cpu: 1, memory: 1G}, " +
		"{name: d, replicas: 3, containerSpecs: [{name: x}, {name: y}]}"
	p := small{Pods: pods}.plan(t)
	expectFinding(t, p, v1alpha1.Warning, "workload.requests", true)
	if open := strings.Join(p.Verdict.Open, " "); p.Verdict.Good() ||
		!strings.Contains(open, "17 pods of 3 types (a, b, d) request neither CPU nor memory") {
		t.Errorf("open: %q", open)
	}
	doc, err := scenario.Read("t.yaml", []byte("apiVersion: plimsoll.dev/v1alpha1\nkind: Scenario\n"+
		small{Pods: pods, Rest: "policy: {defaultRequests: {cpu: 100m, memory: 64M}}"}.text()))
	if err != nil {
		t.Fatal(err)
	}
	assumed := plan.FillRequests(doc.Scenario, doc.Assumptions)
	p = check(t, plan.Make(doc.Scenario, assumed, facts.Load()))
	// 14 pods of one container and 3 of two, and the core and the GB of c
	stated(t, p, map[string]string{"workload.cpu": "3 cores", "workload.memory": "2.28 GB"})
	expectFinding(t, p, v1alpha1.Warning, "workload.requests", false)
	if last := p.Assumptions[len(p.Assumptions)-1]; !p.Verdict.Good() ||
		last.Why != "policy.defaultRequests, for each container of a, b, d" {
		t.Errorf("open: %q, assumption %+v", p.Verdict.Open, last)
	}
}

// Ephemeral storage on nodes whose disk nobody states is told, where it used to bind nothing in silence,
// and whether the pods fit stays open.
func TestDiskThatNobodyStates(t *testing.T) {
	for disk, told := range map[string]bool{"": true, ", disk: 800Gi": false} {
		p := planOf(t, `
platform: {type: kubernetes, release: "1.33"}
hardware: {nodeTypes: [{name: w, cpus: 16, memory: 64Gi`+disk+`}]}
workload: {podTypes: [{name: a, replicas: 20, cpu: 1, memory: 1Gi, ephemeralStorage: 500Gi}]}
`)
		expectFinding(t, p, v1alpha1.Warning, "workload.disk", told)
		const want = "disk: 20 pods of 1 type (a) request ephemeral storage, and no disk is stated of w"
		if slices.Contains(p.Verdict.Open, want) != told || p.Verdict.Good() == told {
			t.Errorf("disk%q: %+v", disk, p.Verdict)
		}
	}
}

// W11: a scenario without pods does not end in green: nothing was asked.
func TestNothingAsked(t *testing.T) {
	p := planOf(t, "platform: {release: \"4.14\"}\nhardware: {nodeTypes: [{name: w, cpus: 8, memory: 32G}]}\n")
	if p.Verdict.Good() || !strings.Contains(strings.Join(p.Verdict.Open, ""), "the scenario has none") {
		t.Errorf("no pods: %+v", p.Verdict)
	}
}

// W13: policy.maxUnavailable is for the workers; the three infrastructure nodes go one
// by one.
func TestInfrastructureGoesOneByOne(t *testing.T) {
	p := small{Release: "4.14", Pods: "{name: a, replicas: 400, cpu: 1, memory: 1G}",
		Rest: "policy: {maxUnavailable: \"7\", spareNodes: 7}"}.plan(t)
	for _, d := range p.Decisions.Pools {
		if want := map[string]string{"infra": "1", "worker": "7"}[d.Role]; d.MaxUnavailable != want {
			t.Errorf("%s: maxUnavailable %q, want %s", d.Role, d.MaxUnavailable, want)
		}
	}
}

// W8: a new 4.21 cluster sizes what it reserves by itself: 64 GiB leave 59.9 GiB, and no
// KubeletConfig need say so.
func TestReservedBySize(t *testing.T) {
	p := small{Release: "4.21", Node: "cpus: 16, memory: 64Gi"}.plan(t)
	stated(t, p, map[string]string{"node.allocatable.memory[w]": "59.9 GiB"})
	if r := p.Decisions.Pools[0].SystemReserved; r != nil {
		t.Errorf("systemReserved is written: %+v", r)
	}
}

// W15: the total has infrastructure and control plane nodes, an hour and a month of 730
// hours: 3 x 0.5 + 3 x 0.2 beside the workers.
func TestCostOfAllNodes(t *testing.T) {
	const nodes = "cpus: 8, memory: 32G, price: 1}, {name: i, role: infra, cpus: 16, memory: 64G, price: 0.5}, " +
		"{name: m, role: controlPlane, cpus: 8, memory: 32G, price: 0.2"
	p := small{Node: nodes}.plan(t)
	o := p.Options[0]
	if want := float64(o.Total) + 2.1; o.Price != float64(o.Total) || o.Cost != want {
		t.Errorf("workers %g, all %g, want %g", o.Price, o.Cost, want)
	}
	hour, month := figure(t, p, "nodes.cost.hour").Value.Number, figure(t, p, "nodes.cost.month").Value.Number
	if hour != o.Cost || month != 730*hour || !strings.Contains(p.Verdict.Cost, "an hour") {
		t.Errorf("%g an hour, %g a month: %q", hour, month, p.Verdict.Cost)
	}
	p = planOf(t, strings.Replace(strings.Replace(small{Node: nodes}.text(), "hardware: {", "hardware: {currency: EUR, "+
		"pricePeriod: month, ", 1), ", price: 0.2", "", 1))
	month = figure(t, p, "nodes.cost.month").Value.Number
	if want := float64(p.Options[0].Total) + 1.5; month != want || !strings.Contains(p.Verdict.Cost, "EUR a month, "+
		"without the control plane nodes (no price)") {
		t.Errorf("%g a month, want %g: %q", month, want, p.Verdict.Cost)
	}
}

// Friction 19: a release that nobody knows is told, not taken for the last one.
func TestReleaseBeyondAll(t *testing.T) {
	for release, want := range map[string]bool{"4.14": false, "4.99": true} {
		expectFinding(t, small{Release: release}.plan(t), v1alpha1.Warning, "limits.release", want)
	}
}

// P13: on provider baremetal the routers are on real machines, and twice as fast, whether
// or not the node type says so.
func TestBareMetalRouters(t *testing.T) {
	const rest = "router: {publishing: HostNetwork, " +
		"traffic: [{name: a, encryption: edge, requestsPerSecond: 20000, pageSize: 1k}]}"
	want := small{Provider: "baremetal", Node: "cpus: 8, memory: 32G, bareMetal: true", Rest: rest}.plan(t)
	got := small{Provider: "baremetal", Rest: rest}.plan(t)
	virtual := small{Provider: "none", Rest: rest}.plan(t)
	replicas := func(p *v1alpha1.Plan) int { return p.Decisions.Routers[0].Replicas }
	if replicas(got) != replicas(want) || replicas(got) >= replicas(virtual) {
		t.Errorf("%d routers, want %d, and less than %d", replicas(got), replicas(want), replicas(virtual))
	}
}

// P5: OCP 3 is for clouds; machines that somebody installs have no machine sets and no
// batch that a cloud could refuse.
func TestNoMachineSetsOnBareMetal(t *testing.T) {
	for provider, want := range map[string]bool{"aws": true, "baremetal": false, "none": false} {
		p := small{Provider: provider, Rest: "policy: {batchSize: 60, spareNodes: 70}"}.plan(t)
		expectFinding(t, p, v1alpha1.Warning, "grow.batch.large", want)
	}
}

// Job (b): the control plane of a managed cluster is not planned, not judged and not bought.
func TestManagedControlPlane(t *testing.T) {
	p := planOf(t, "platform: {type: kubernetes, release: \"1.36\"}\nhardware: {nodeTypes: [{name: w, cpus: 8, "+
		"memory: 32G}]}\nworkload: {podTypes: [{name: a, replicas: 9, cpu: 1, memory: 1G}]}\n"+
		"policy: {controlPlaneNodes: 0}\n")
	if !p.Verdict.Good() || !strings.Contains(p.Verdict.Summary, "managed control plane") {
		t.Errorf("%+v", p.Verdict)
	}
	for _, f := range p.Findings {
		if strings.HasPrefix(f.ID, "control.") {
			t.Errorf("%s: %s", f.ID, f.Message)
		}
	}
	if text := refusal(t, small{Rest: "policy: {controlPlaneNodes: 0}"}); !strings.Contains(text, "write 1 to 9") {
		t.Errorf("OpenShift: %s", text)
	}
}

// Job (a): how many nodes it takes is said, also where fewer are in stock: two pods of 3
// cores fill the 7.5 that 8 cores leave, so 20 take 10 nodes, and one more may fail.
func TestNumberBeyondTheStock(t *testing.T) {
	p := small{Node: "cpus: 8, memory: 32G, available: 4", Pods: "{name: a, replicas: 20, cpu: 3, memory: 1G}",
		Rest: "policy: {spareNodes: 1}"}.plan(t)
	o := p.Options[0]
	if o.Base != 10 || o.Total != 11 || o.Fits || o.Why != "11 w nodes are needed with the spare ones, 4 in stock" {
		t.Errorf("base %d, total %d, fits %t: %s", o.Base, o.Total, o.Fits, o.Why)
	}
	if o.Verified == nil || o.Verified.Status != v1alpha1.Verified {
		t.Errorf("not placed: %+v", o.Verified)
	}
}

// W12: router and monitoring bear the loss of a zone, too. Without traffic one router and one
// Prometheus do: of two nodes in three zones one is left, which is enough, and said; of one
// none.
func TestInfrastructureAndZones(t *testing.T) {
	of := func(nodes string) *v1alpha1.Plan {
		return small{Release: "4.14", Node: "cpus: 16, memory: 64Gi}, {name: i, role: infra, cpus: 8, memory: 32Gi",
			Pods: "{name: a, replicas: 60, cpu: 1, memory: 1G}",
			Rest: "policy: {" + nodes + "zones: 3, surviveZoneLoss: true}"}.plan(t)
	}
	p := of("infraNodes: 1, ")
	expectFinding(t, p, v1alpha1.Error, "infra.zoneLoss", true)
	p = of("infraNodes: 2, ")
	expectFinding(t, p, v1alpha1.Error, "infra.zoneLoss", false)
	expectFinding(t, p, v1alpha1.Warning, "infra.zones", true)
	i := slices.IndexFunc(p.Sections, func(s v1alpha1.Section) bool { return s.ID == "infra" })
	if got := p.Sections[i].Summary; !strings.Contains(got, "leaves 1, with 1 of 2 router, 1 of 2 prometheus-k8s") {
		t.Error(got)
	}
	expectFinding(t, of(""), v1alpha1.Warning, "infra.zones", false)
}

// The four routers that the traffic of examples/shop.yaml takes are left when a zone fails: of
// five nodes in three zones two may go, of six two.
func TestRoutersOutliveAZone(t *testing.T) {
	if got := figure(t, example(t, "shop.yaml"), "infra.nodes").Value.Number; got != 6 {
		t.Errorf("%v infrastructure nodes, want 6", got)
	}
}

// Friction 18: routers and monitoring ask six m5.8xlarge, a third of the workers' bill, for a
// tenth of what they have.
func TestEmptyInfrastructureIsTold(t *testing.T) {
	expectFinding(t, example(t, "shop.yaml"), v1alpha1.Warning, "infra.empty", true)
	expectFinding(t, example(t, "ocp-9.4.yaml"), v1alpha1.Warning, "infra.empty", false)
}

// TestDaemonSetsAlone: a workload of DaemonSets alone is placed, too. Nothing of 20 CPUs runs
// on a node of 8; of 2 CPUs it does, and with the node that may fail there are two.
func TestDaemonSetsAlone(t *testing.T) {
	for cpu, fits := range map[int]bool{2: true, 20: false} {
		p := small{Node: "cpus: 8, memory: 32Gi", Rest: "policy: {spareNodes: 1}",
			Pods: fmt.Sprintf("{name: agent, daemonSet: true, cpu: %d, memory: 64Mi}", cpu)}.plan(t)
		if p.Verdict.Fits != fits || p.Verdict.Good() != fits || p.Options[0].Verified == nil ||
			fits && p.Options[0].Total != 2 || !fits && !strings.Contains(p.Verdict.Problem, "no place for agent") {
			t.Errorf("%d CPUs: %+v, %+v", cpu, p.Verdict, p.Options[0])
		}
		expectFinding(t, p, v1alpha1.Warning, "workload.empty", false)
	}
}
