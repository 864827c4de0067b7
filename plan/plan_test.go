package plan_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/derive/derivetest"
	"plimsoll.dev/examples"
	"plimsoll.dev/facts"
	"plimsoll.dev/limit"
	"plimsoll.dev/plan"
	"plimsoll.dev/source/scenario"
)

// planOf plans a scenario given as the text below platform's release.
func planOf(t *testing.T, text string) *v1alpha1.Plan {
	t.Helper()
	doc, err := scenario.Read("test.yaml", []byte("apiVersion: plimsoll.dev/v1alpha1\nkind: Scenario\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	return check(t, plan.Make(doc.Scenario, doc.Assumptions, facts.Load()))
}

func example(t *testing.T, name string) *v1alpha1.Plan {
	t.Helper()
	doc, err := scenario.ReadFile(filepath.Join("..", "examples", name), strings.NewReader(""))
	if err != nil {
		t.Fatal(err)
	}
	return check(t, plan.Make(doc.Scenario, doc.Assumptions, facts.Load()))
}

// check holds for every plan: each formula gives its value, each reference
// leads somewhere, layers sum up.
func check(t *testing.T, p *v1alpha1.Plan) *v1alpha1.Plan {
	t.Helper()
	for _, err := range plan.Verify(p, facts.Load()) {
		t.Error(err)
	}
	derivetest.Compare(t, p.Figures, plan.Twins)
	for _, f := range p.Figures {
		if (f.Formula == "") == (f.Method == "") {
			t.Errorf("%s: wants either a formula or a method", f.ID)
		}
	}
	for _, n := range p.Nodes {
		checkLayers(t, n)
	}
	for i := 1; i < len(p.Gauges); i++ {
		if a, b := p.Gauges[i-1], p.Gauges[i]; b.Share > a.Share && a.Local == b.Local && a.Verdict == b.Verdict {
			t.Errorf("gauge %s stands after a lower one", p.Gauges[i].ID)
		}
	}
	return p
}

func checkLayers(t *testing.T, n v1alpha1.NodeLayers) {
	t.Helper()
	for _, r := range n.Resources {
		sum := 0.0
		for _, l := range r.Layers {
			sum += l.Value.Number
		}
		if d := sum - r.Capacity.Number; d > 1e-3 || d < -1e-3 {
			t.Errorf("%s %s: layers sum to %v, the capacity is %v", n.Type, r.Resource, sum, r.Capacity.Number)
		}
	}
}

func figure(t *testing.T, p *v1alpha1.Plan, id string) derive.Figure {
	t.Helper()
	i := slices.IndexFunc(p.Figures, func(f derive.Figure) bool { return f.ID == id })
	if i < 0 {
		t.Fatalf("no figure %s", id)
	}
	return p.Figures[i]
}

func gauge(t *testing.T, p *v1alpha1.Plan, id string) limit.Gauge {
	t.Helper()
	i := slices.IndexFunc(p.Gauges, func(g limit.Gauge) bool { return g.ID == id })
	if i < 0 {
		t.Fatalf("no gauge %s", id)
	}
	return p.Gauges[i]
}

func findings(p *v1alpha1.Plan, severity v1alpha1.Severity) []string {
	var ids []string
	for _, f := range p.Findings {
		if f.Severity == severity {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

// OCP 9.4: 550 cores, 450 GB, 1.4 TB; and what the document does not say.
func TestApplicationRequirements(t *testing.T) {
	p := example(t, "ocp-9.4.yaml")
	for id, want := range map[string]string{
		"workload.pods": "500 pods", "workload.cpu": "550 cores", "workload.memory": "450 GB", "workload.storage": "1.4 TB",
		"workload.processes": "1,000 containers",
	} {
		if got := figure(t, p, id).Value.Text; got != want {
			t.Errorf("%s: got %s, want %s", id, got, want)
		}
	}
	type row struct {
		Given, Bare, Needed int
		CPU, FitsAt         float64
	}
	want := []row{{100, 138, 167, 1.375, 1.375}, {50, 69, 74, 1.375, 1.375}, {25, 35, 36, 1.375, 1.375}}
	var got []row
	for _, o := range p.Options {
		got = append(got, row{o.Given, o.Bare, o.Needed, o.Overcommit[0].Share, o.FitsAt})
		if o.Floor > o.Needed {
			t.Errorf("%s: the floor %d is above the packing %d", o.Name, o.Floor, o.Needed)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("options (-want +got):\n%s", d)
	}
}

// OCP 9.3: both directions.
func TestMaximumsExample(t *testing.T) {
	p := example(t, "ocp-9.3.yaml")
	if got := figure(t, p, "nodes.byPods[dense]").Value.Text; got != "5 nodes" {
		t.Errorf("2200 pods at 500 a node: got %s", got)
	}
	if !p.Options[0].Chosen || p.Options[0].Base != 5 {
		t.Errorf("first option: got %+v", p.Options[0])
	}
	twenty := planOf(t, `
platform: {release: "4.4"}
workload: {podTypes: [{name: app, replicas: 2200}]}
hardware: {nodeTypes: [{name: dense, cpus: 32, memory: 128Gi, maxPods: 500}], options: [{name: twenty, nodes: [{type: dense, count: 20}]}]}
policy: {spareNodes: 0}`)
	if got := figure(t, twenty, "nodes.podsPerNode[twenty]").Value.Text; got != "110 pods" {
		t.Errorf("2200 pods on 20 nodes: got %s a node", got)
	}
}

// The document gives 250 nodes for 4.4 in one table and 2,000 in another.
func TestContradictionIsShown(t *testing.T) {
	g := gauge(t, example(t, "ocp-9.4.yaml"), "nodes")
	if g.Limit.Number != 250 || g.Kind != limit.Tested || g.Limit.From.Source.String() != "OCP 9.2" {
		t.Errorf("limit: got %s %s from %s", g.Limit, g.Kind, g.Limit.From)
	}
	if len(g.Doubts) != 1 || g.Doubts[0].Limit.Number != 2000 || g.Doubts[0].Limit.From.Source.String() != "OCP 9.1" {
		t.Errorf("doubts: got %+v", g.Doubts)
	}
}

// basis is a scenario in which one thing is changed at a time.
func basis(release, cpuOfNode int, extra string) string {
	return fmt.Sprintf(`
platform: {release: "4.%d", provider: aws}
workload: {podTypes: [{name: app, replicas: 400, cpu: 1, memory: 1Gi}]%s}
hardware: {nodeTypes: [{name: w, cpus: %d, memory: 64Gi}]}
`, release, extra, cpuOfNode)
}

// The parts work on one another.
func TestPartsWorkOnOneAnother(t *testing.T) {
	plain := planOf(t, basis(14, 16, ""))
	n := func(p *v1alpha1.Plan, id string) float64 { return figure(t, p, id).Value.Number }
	more := planOf(t, basis(14, 16, "")+"policy: {growth: 400%}")
	for _, id := range []string{"workload.pods", "nodes.all", "monitoring.ram", "control.etcd.inUse"} {
		if n(more, id) <= n(plain, id) {
			t.Errorf("%s does not grow with the workload: %v, %v", id, n(plain, id), n(more, id))
		}
	}
	if plain.Decisions.Monitoring.PrometheusSize >= more.Decisions.Monitoring.PrometheusSize {
		t.Errorf("Prometheus does not grow with the nodes: %s, %s", plain.Decisions.Monitoring.PrometheusSize,
			more.Decisions.Monitoring.PrometheusSize)
	}
	shared := planOf(t, basis(14, 16, "")+"policy: {infraNodes: 0}")
	if got, want := shared.Options[0].Base, plain.Options[0].Base; got <= want-1 ||
		n(shared, "nodes.all") >= n(plain, "nodes.all") {
		t.Errorf("without infrastructure nodes: %d workers (before %d), %v nodes (before %v)", got, want,
			n(shared, "nodes.all"), n(plain, "nodes.all"))
	}
	daemon := planOf(t, strings.Replace(basis(14, 16, ""), "podTypes: [",
		"podTypes: [{name: agent, daemonSet: true, cpu: 4}, ", 1))
	if daemon.Options[0].Base <= plain.Options[0].Base {
		t.Errorf("a DaemonSet of 4 cores takes no room: %d nodes, %d before", daemon.Options[0].Base, plain.Options[0].Base)
	}
	zones := planOf(t, basis(14, 16, "")+"policy: {zones: 3, surviveZoneLoss: true, spareNodes: 0}")
	if base, total := zones.Options[0].Base, zones.Options[0].Total; total-(total+2)/3 < base {
		t.Errorf("%d nodes in 3 zones leave fewer than %d when one is lost", total, base)
	}
	if dense := planOf(t, strings.Replace(basis(14, 16, ""), "memory: 64Gi}", "memory: 64Gi, maxPods: 500}",
		1)); dense.Decisions.Network.ClusterNetwork[0].HostPrefix != 22 {
		t.Errorf("500 pods a node: hostPrefix %d, want 22 (OCP 9.1)", dense.Decisions.Network.ClusterNetwork[0].HostPrefix)
	}
}

func has(p *v1alpha1.Plan, id string) bool {
	return slices.ContainsFunc(p.Figures, func(f derive.Figure) bool { return f.ID == id })
}

// Infrastructure pods that share the workers are packed with the workload.
func TestInfraPodsTakeRoomOnWorkers(t *testing.T) {
	const text = `
platform: {release: "4.14"}
hardware: {nodeTypes: [{name: w, cpus: 8, memory: 32Gi}]}
workload: {podTypes: [{name: app, replicas: 4, cpu: 7500m, memory: 1Gi}]}
policy: {spareNodes: 0, infraNodes: %s}`
	own, shared := planOf(t, fmt.Sprintf(text, "3")), planOf(t, fmt.Sprintf(text, "0"))
	if own.Options[0].Base != 4 {
		t.Errorf("with nodes of their own: %d workers, want 4", own.Options[0].Base)
	}
	if shared.Options[0].Base <= 4 {
		t.Errorf("sharing full workers: %d, want more than 4", shared.Options[0].Base)
	}
}

func TestWhatDoesNotFit(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a pod too large", `
platform: {release: "4.4"}
hardware: {nodeTypes: [{name: w, cpus: 4, memory: 16Gi}]}
workload: {podTypes: [{name: big, cpu: 8}]}`, "nodes.option[w]"},
		{"the stock is too small", `
platform: {release: "4.4"}
hardware: {nodeTypes: [{name: w, cpus: 4, memory: 16Gi, available: 2}]}
workload: {podTypes: [{name: app, replicas: 20, cpu: 1}]}`, "nodes.option[w]"},
		{"no node allowed", `
platform: {release: "4.4"}
hardware: {nodeTypes: [{name: w, cpus: 4, memory: 16Gi}]}
workload: {podTypes: [{name: gpu, nodeSelector: {gpu: "yes"}}]}`, "nodes.option[w]"},
		{"no worker", `
platform: {release: "4.4"}
hardware: {nodeTypes: [{name: m, role: controlPlane, cpus: 4, memory: 16Gi}]}
workload: {podTypes: [{name: app}]}`, "nodes.none"},
		{"beyond the tested maximum", `
platform: {release: "4.4"}
hardware: {nodeTypes: [{name: w, cpus: 4, memory: 16Gi}]}
workload: {podTypes: [{name: app, replicas: 900, cpu: 3}]}`, "limits.nodes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := planOf(t, c.text)
			if p.Verdict.Fits || !slices.Contains(findings(p, v1alpha1.Error), c.want) {
				t.Errorf("fits %v, errors %v, want %s", p.Verdict.Fits, findings(p, v1alpha1.Error), c.want)
			}
			if p.Verdict.Problem == "" {
				t.Error("the verdict names no problem")
			}
		})
	}
}

// Huge pages leave the memory before pods get it, and every node has the same.
// OpenShift's guides ("Minimum resource requirements"): a compute machine has 2 vCPUs and 8 GB, an infrastructure
// machine is one. The cheaper machine that nothing can be installed on is not chosen beside one that does.
func TestMachinesBelowTheMinimum(t *testing.T) {
	const small = "{name: small, cpus: 1, memory: 32Gi, price: 0.01}"
	for nodes, want := range map[string]string{
		small: "nodes.belowMinimum[small]",
		small + ", {name: big, cpus: 16, memory: 64Gi, price: 9}":                            "",
		"{name: big, cpus: 16, memory: 64Gi}, {name: i, role: infra, cpus: 1, memory: 32Gi}": "nodes.belowMinimum[i]",
		"{name: big, cpus: 2, memory: 8G}":                                                   "",
	} {
		p := planOf(t, "platform: {release: \"4.14\"}\n"+
			"hardware: {nodeTypes: ["+nodes+"]}\nworkload: {podTypes: [{name: a, replicas: 4, cpu: 100m, memory: 64Mi}]}\n")
		if got := strings.Join(findings(p, v1alpha1.Error), ", "); got != want {
			t.Errorf("%s: got %q, want %q", nodes, got, want)
		}
	}
}

func TestHugePagesLeaveTheMemory(t *testing.T) {
	p := example(t, "nfv.yaml")
	f := figure(t, p, "node.allocatable.memory[r650]")
	for _, in := range f.Inputs {
		if in.Name == "hugePages" && in.Value.Number <= 0 {
			t.Error("no memory is taken by huge pages")
		}
	}
	if pages := p.Decisions.Pools[0].HugePages["1Gi"]; pages < 16 || pages%16 != 0 {
		t.Errorf("1Gi pages on a node: got %d, want a multiple of the pods' 16", pages)
	}
}

func TestExamplesStand(t *testing.T) {
	files := examples.Scenarios("../examples")
	if len(files) < 4 {
		t.Fatalf("examples: %v", files)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "snapshot:") || strings.Contains(string(text), "manifests:") {
			continue // the command line reads what they name
		}
		t.Run(filepath.Base(f), func(t *testing.T) { example(t, filepath.Base(f)) })
	}
}

// The same scenario gives the same plan.
func TestDeterministic(t *testing.T) {
	if d := cmp.Diff(example(t, "shop.yaml"), example(t, "shop.yaml")); d != "" {
		t.Error(d)
	}
}

// A changed number is found: in a formula, in an input that cites a figure or a
// fact, and in a share.
func TestVerifyFindsChanges(t *testing.T) {
	for name, change := range map[string]func(p *v1alpha1.Plan){
		"the value of a figure": func(p *v1alpha1.Plan) { p.Figures[0].Value.Number++ },
		"the limit of a gauge":  func(p *v1alpha1.Plan) { p.Gauges[0].Limit.Number *= 2 },
		"a figure that is gone": func(p *v1alpha1.Plan) { p.Figures = p.Figures[1:] },
		"an input that cites a fact": func(p *v1alpha1.Plan) {
			i := slices.IndexFunc(p.Figures, func(f derive.Figure) bool { return f.ID == "workload.processes" })
			in := slices.Clone(p.Figures[i].Inputs)
			in[2].Value.Number = 3
			p.Figures[i].Inputs = in
		},
	} {
		p := example(t, "ocp-9.4.yaml")
		change(p)
		if len(plan.Verify(p, facts.Load())) == 0 {
			t.Errorf("%s: not found", name)
		}
	}
}

// What the review of the whole found, each as a case.
func TestWhatThePlannersFound(t *testing.T) {
	t.Run("DaemonSet pods count", func(t *testing.T) {
		p := planOf(t, `
platform: {release: "4.14"}
hardware: {nodeTypes: [{name: w, cpus: 8, memory: 32Gi}]}
workload: {podTypes: [{name: app, replicas: 20, cpu: 1}, {name: agent, daemonSet: true}, {name: logs, daemonSet: true}]}`)
		workers := float64(p.Options[0].Total)
		if got := gauge(t, p, "pods").Value.Number; got != 20+2*workers {
			t.Errorf("pods: got %v, want 20 and two on each of %v workers", got, workers)
		}
	})
	t.Run("utilisation is of what is requested", func(t *testing.T) {
		p := planOf(t, `
platform: {release: "4.14"}
hardware: {nodeTypes: [{name: w, cpus: 8, memory: 32Gi}]}
workload: {podTypes: [{name: a, replicas: 100, cpu: 500m}, {name: b, replicas: 100, cpu: 1, overcommit: forbidden}]}
policy: {overcommit: {cpu: 2}}`)
		if got := p.Options[0].Utilisation[0].Used.Text; got != "150 cores" {
			t.Errorf("CPU used: got %s, want the 150 cores that are requested", got)
		}
	})
	t.Run("pages are even over NUMA nodes", func(t *testing.T) {
		p := planOf(t, `
platform: {release: "4.14"}
hardware: {nodeTypes: [{name: w, cpus: 8, memory: 64Gi, numaNodes: 2}]}
workload: {podTypes: [{name: a, replicas: 3, cpu: 1, memory: 1Gi, hugePages: {1Gi: 3Gi}}]}`)
		for _, d := range p.Decisions.Pools {
			if want := map[string]int64{"worker": 10, "infra": 0}[d.Role]; d.HugePages["1Gi"] != want {
				t.Errorf("%s: got %d pages, want %d", d.Role, d.HugePages["1Gi"], want)
			}
		}
	})
	t.Run("upstream's pods per core", func(t *testing.T) {
		p := planOf(t, `
platform: {type: kubernetes, release: "1.36"}
hardware: {nodeTypes: [{name: w, cpus: 4, memory: 64Gi}]}
workload: {podTypes: [{name: a, replicas: 95}]}`)
		if g := gauge(t, p, "podsPerCore[w]"); g.Limit.Number != 40 || g.Verdict != limit.Passed {
			t.Errorf("got %s of %s", g.Value, g.Limit)
		}
	})
	t.Run("stock counts infrastructure nodes", func(t *testing.T) {
		p := planOf(t, `
platform: {release: "4.14"}
hardware: {nodeTypes: [{name: w, cpus: 8, memory: 32Gi, available: 5}]}
workload: {podTypes: [{name: a, replicas: 4, cpu: 7}]}
policy: {spareNodes: 0}`)
		if g := gauge(t, p, "stock[w]"); g.Value.Number != 7 || p.Verdict.Fits {
			t.Errorf("4 workers and 3 infrastructure nodes of 5 machines: got %s of %s, fits %v", g.Value, g.Limit,
				p.Verdict.Fits)
		}
	})
	t.Run("a mix with an open entry is not over-committed", func(t *testing.T) {
		p := planOf(t, `
platform: {release: "4.14"}
hardware: {nodeTypes: [{name: old, cpus: 8, memory: 32Gi}, {name: new, cpus: 16, memory: 64Gi}], options: [{name: mix, nodes: [{type: old, count: 2}, {type: new}]}]}
workload: {podTypes: [{name: a, replicas: 40, cpu: 1}]}`)
		if o := p.Options[0]; !o.Fits || o.Given != 0 || o.Why != "" || o.Nodes[0].Count != 2 {
			t.Errorf("got %+v", o)
		}
	})
	t.Run("an expectation below the plan", func(t *testing.T) {
		p := planOf(t, basis(14, 16, "")+"policy: {expectedNodes: 10}")
		if !slices.Contains(findings(p, v1alpha1.Warning), "nodes.expected") {
			t.Error("nothing is said of it")
		}
	})
}
