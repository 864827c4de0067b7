package sample

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/limit"
	"plimsoll.dev/unit"
)

// of is a recorded figure as the input of another one.
func (b *builder) of(id string) derive.Value {
	f, ok := b.Get(id)
	if !ok {
		panic("sample: no figure " + id)
	}
	v := f.Value
	v.From = &derive.Ref{Kind: derive.FromFigure, ID: id}
	return v
}

func (b *builder) control() {
	cores := b.Found("control.cores", "Cores of a control plane machine", 16000, unit.Millicores, "if(gt(nodes, 100), large, medium)",
		derive.In("nodes", b.of("nodes.planned")), b.fact("large", "ocp.controlPlane.cores/250"), b.fact("medium", "ocp.controlPlane.cores/100"))
	b.Note("control.cores", "A control plane can't be resized later, so it is chosen for the growth in mind.", derive.Source{Code: "OCP", Section: "2.3"})
	memory := b.Found("control.memory", "Memory of a control plane machine", 96e9, unit.ByteUnit, "large", b.fact("large", "ocp.controlPlane.memory/250"))
	etcd := b.Found("etcd.size", "Size of the etcd database", float64(b.namespaces)*150e3, unit.ByteUnit, "namespaces * perNamespace",
		derive.In("namespaces", derive.Given("workload.namespaces", b.namespaces, "namespaces")), derive.In("perNamespace", derive.Default("workload.objects.perNamespace", 150e3, unit.ByteUnit)))
	b.section("control", "Control plane and etcd", "Three machines, sized for 150 nodes.", []derive.Value{cores, memory, etcd}, nil, v1alpha1.Table{
		ID: "control.sizes", Title: "Tested sizes", Wide: true,
		Columns: []v1alpha1.Column{right("Workers"), right("Cores"), right("Memory"), left("Enough")},
		Rows: [][]v1alpha1.Cell{
			{text("25"), text("4"), text("16 GB"), marked("no", "bad")},
			{text("100"), text("8"), text("32 GB"), marked("today only", "warn")},
			{text("250"), text("16"), text("96 GB"), marked("yes", "good")},
		},
		Notes: []string{"Nothing is published between the rows (OCP 2.3)."},
	})
}

func (b *builder) services() {
	daily := b.Found("monitoring.perDay", "Prometheus storage a day", 8.042e9, unit.ByteUnit, "low + (nodes - 50) / 50 * (high - low)",
		b.fact("low", "ocp.prometheus.storagePerDay/50"), derive.In("nodes", b.of("nodes.total")), b.fact("high", "ocp.prometheus.storagePerDay/100"))
	volume := b.Found("monitoring.volume", "Prometheus volume", 120.63e9, unit.ByteUnit, "perDay * days", derive.In("perDay", daily),
		derive.In("days", derive.Default("monitoring.retention", 15, unit.None).WithText("15d")))
	b.section("monitoring", "Monitoring", "Two Prometheus replicas on infra nodes keep 15 days.", []derive.Value{daily, volume}, nil)
	routers := b.Found("router.replicas", "Router replicas", 2, "replicas", "max(2, ceil(requests / perRouter))",
		derive.In("requests", derive.Given("router.requestsPerSecond", 21000, "requests/s")),
		b.fact("perRouter", "ocp.router.requests/edge/keep-alive/LoadBalancerService"))
	b.section("router", "Router", "", []derive.Value{routers}, nil)
	b.section("grow", "Growth and roll-out", "", nil, nil)
	b.plan.Sections[len(b.plan.Sections)-1].Timeline = Rollout().Parts[0].Timeline
}

func (b *builder) gauges() {
	add := func(id, title, scope string, v derive.Value, fact string) *limit.Gauge {
		f := b.facts.Must(fact)
		g := limit.Measure(id, title, scope, v, f.Value(), f.Kind)
		g.Notes = f.Notes
		b.plan.Gauges = append(b.plan.Gauges, g)
		return &b.plan.Gauges[len(b.plan.Gauges)-1]
	}
	given := func(path string, n int, noun string) derive.Value { return derive.Given(path, n, noun) }
	nodes := add("nodes", "Nodes", "cluster", b.of("nodes.planned"), "ocp.max.nodes/4.4")
	*nodes = nodes.Doubt(b.facts.Must("ocp.max.nodes/4.x").Value())
	add("pods", "Pods", "cluster", b.of("workload.pods"), "ocp.max.pods/4.4")
	density := add("podsPerNode[m5.2xlarge]", "Pods per node", "node m5.2xlarge", b.of("nodes.podsPerNode[m5.2xlarge]"), "ocp.max.podsPerNode/4.4")
	*density = density.Doubt(b.facts.Must("ocp.kubelet.maxPods").Value())
	add("namespaces", "Namespaces", "cluster", given("workload.namespaces", b.namespaces, "namespaces"), "ocp.max.namespaces/4.4")
	add("podsPerNamespace[shop]", "Pods per namespace", "namespace shop", given("workload.podTypes[1].count", 200, "pods"), "ocp.max.podsPerNamespace/4.4")
	add("services", "Services", "cluster", given("workload.services", 2200, "services"), "ocp.max.services/4.4")
	add("servicesPerNamespace[shop]", "Services per namespace", "namespace shop", given("workload.services", 40, "services"), "ocp.max.servicesPerNamespace/4.4")
	add("backendsPerService", "Back ends per service", "service", given("workload.podTypes[1].count", 200, "back ends"), "ocp.max.backendsPerService/4.4")
	add("builds", "Builds", "cluster", given("workload.builds", 0, "builds"), "ocp.max.builds/4.4")
	add("secrets", "Secrets", "cluster", given("workload.secrets", 66400, "secrets"), "ocp.max.secrets/4.10")
	add("etcd.size", "etcd database", "cluster", b.of("etcd.size"), "ocp.etcd.dbMax")
	add("etcd.peerRoundTrip", "Round trip between etcd peers", "cluster", derive.Given("network.roundTrip", 0.002, unit.Seconds), "ocp.etcd.peerRoundTrip")
	b.plan.Gauges = append(b.plan.Gauges, limit.Measure("network.nodes", "Nodes in the cluster network", "cluster network", b.of("nodes.planned"), b.of("network.nodes"), limit.Hard))
}

func (b *builder) findings() {
	find := func(f v1alpha1.Finding) { b.plan.Findings = append(b.plan.Findings, f) }
	if b.cidrBits > 15 {
		find(v1alpha1.Finding{Severity: v1alpha1.Error, ID: "network.cidr.tooSmall", Figure: "network.nodes", Field: "network.clusterNetwork[0].cidr",
			Message: fmt.Sprintf("The cluster network 10.128.0.0/%d with hostPrefix 23 holds 64 nodes; 150 are planned.", b.cidrBits),
			Remedy:  "Use 10.128.0.0/15 or larger. It can't be changed after the installation.",
			Sources: []derive.Source{{Code: "OCP", Section: "1.1"}, {Code: "OCP", Section: "12.2"}}})
	}
	if b.namespaces > 10000 {
		find(v1alpha1.Finding{Severity: v1alpha1.Warning, ID: "limits.namespaces.passed", Field: "workload.namespaces",
			Message: "11,000 namespaces are more than the 10,000 that were tested.", Remedy: "Use fewer namespaces, or two clusters.",
			Sources: []derive.Source{{Code: "OCP", Section: "9.2"}}})
	}
	find(v1alpha1.Finding{Severity: v1alpha1.Warning, ID: "limits.nodes.doubt", Figure: "nodes.planned",
		Message: "OCP 9.2 gives 250 nodes for 4.4, OCP 9.1 gives 2,000 for 4.x; the plan keeps to the smaller.", Remedy: "Ask the vendor before you grow beyond 250 nodes.",
		Sources: []derive.Source{{Code: "OCP", Section: "9.1"}, {Code: "OCP", Section: "9.2"}}})
	find(v1alpha1.Finding{Severity: v1alpha1.Info, ID: "control.size.growth", Figure: "control.cores",
		Message: "8 cores would do for today's 57 workers; 16 are planned because control plane machines can't be resized."})
}

func (b *builder) choices() {
	share := func(resource string, used, total float64, unitName string) v1alpha1.ResourceShare {
		return v1alpha1.ResourceShare{Resource: resource, Used: derive.Of(used, unitName), Total: derive.Of(total, unitName), Share: used / total}
	}
	option := func(name, kind string, given, floor, needed, base, total int, cpu, memory float64) v1alpha1.Option {
		return v1alpha1.Option{Name: name, Nodes: []v1alpha1.OptionNodes{{Type: kind, Count: given}}, Given: given, Floor: floor, Needed: needed, Base: base, Total: total, Binding: "cpu",
			Fits: true, Why: fmt.Sprintf("holds only with CPU overcommitted; without it %d nodes are needed", needed),
			Overcommit: []v1alpha1.ResourceShare{share("cpu", 550e3, float64(given)*cpu, unit.Millicores), share("memory", 450e9, float64(given)*memory, unit.ByteUnit)},
			Stranded:   []v1alpha1.ResourceShare{share("memory", float64(given)*memory-450e9, float64(given)*memory, unit.ByteUnit)}}
	}
	b.plan.Options = []v1alpha1.Option{
		option("option 1", "m5.xlarge", 100, 158, 167, 121, 123, 3500, float64(15*unit.GiB-100*unit.MiB)),
		option("option 2", "m5.2xlarge", 50, 74, 74, 54, 57, 7500, float64(31*unit.GiB-100*unit.MiB)),
		option("option 3", "m5.4xlarge", 25, 36, 36, 26, 30, 15500, float64(63*unit.GiB-100*unit.MiB)),
	}
	b.plan.Options[0].Price, b.plan.Options[1].Price, b.plan.Options[2].Price = 23.616, 21.888, 23.04
	b.plan.Options[1].Chosen, b.plan.Options[1].Figure = true, "nodes.base[m5.2xlarge]"
	b.plan.Options[0].Fits, b.plan.Options[0].Why = false, "needs 123 nodes, the stock has 100; no packing without overcommit does with fewer than 158"
	b.proofs()
	b.layers()
	b.decisions()
	b.plan.Assumptions = []v1alpha1.Assumption{
		{Field: "policy.zones", Value: "3", Why: "a control plane of three wants three zones"},
		{Field: "policy.spareNodes", Value: "2", Why: "one to fail and one under update"},
		{Field: "policy.infraNodes", Value: "3", Why: "router and monitoring away from the workload"},
		{Field: "monitoring.retention", Value: "15d", Fact: "ocp.prometheus.retention"},
		{Field: "network.hostPrefix", Value: "23", Fact: "ocp.network.hostPrefix"},
		{Field: "hardware.nodeTypes[1].systemReserved.memory", Value: "1Gi"},
		{Field: "workload.objects.perNamespace", Value: "150k", Why: "nobody states it; a few secrets, config maps and role bindings"},
	}
	b.plan.Skipped = []v1alpha1.Skipped{
		{Place: "manifests/crds.yaml:1", What: "CustomResourceDefinition", Why: "uses no node capacity", Count: 14},
		{Place: "manifests/helm/values.yaml", What: "a file without kind", Why: "not a manifest"},
	}
}
