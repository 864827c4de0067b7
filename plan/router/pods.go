package router

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/tune/haproxy/formula"
	"plimsoll.dev/unit"
)

// connections is the number to configure: twice the clients, as ROUT 8.1.2.1
// says. The other count is kept beside it.
func (p *planner) connections() derive.Value {
	factor := p.Fact("rout.router.maxconnFactor")
	clients := p.sum("router.clients", "Connections of clients", "connections", p.clientsOf)
	p.clients = clients
	v := p.Calc("router.connections", "Connections that count against maxconn", "connections",
		"clients * factor", derive.In("clients", clients), derive.In("factor", factor))
	t := derive.Terms{Texts: []string{"0"}}
	for i, k := range p.mix {
		t.Product(derive.In(fmt.Sprintf("clients%d", i+1), p.clientsOf(k)),
			derive.In(fmt.Sprintf("each%d", i+1), p.Fact("ocp.router.connectionsPerClient/"+k.Encryption)))
	}
	low := p.Calc("router.connections.measured", "The same, counted as measured", "connections", t.Sum(), t.In...)
	p.Note("router.connections", "the document counts a front end and a back end for every client; "+
		"measured, only clients of edge and re-encrypt routes "+
		"count twice, which makes "+low.Text+"; the safe count is taken", *factor.From.Source)
	return v
}

func (p *planner) clientsOf(k kind) derive.Value {
	return p.Field(k.path+".connections", float64(k.Connections), "connections")
}

// cpu is what a router uses at the peak when the spare ones have failed: its
// share of the cores that the baseline was measured with.
func (p *planner) cpu(s Size) derive.Value {
	least := p.Fact("ocp.router.requestCPU")
	if given := p.in.Router.CPU; given != nil {
		v := p.Field("cpu", float64(*given), unit.Millicores)
		return p.Calc("router.cpu", "CPU that each router requests", unit.Millicores, "given", derive.In("given", v))
	}
	cores := p.Fact("ocp.router.vcpus")
	threads := p.threads()
	v := p.Calc("router.cpu", "CPU that each router requests", unit.Millicores,
		"max(least, ceil(1000 * min(cores, threads) * load / shards / needed))", derive.In("least", least),
		derive.In("cores", cores),
		derive.In("threads", threads), derive.In("load", s.Load), derive.In("shards", s.Shards),
		derive.In("needed", s.Needed))
	p.Note("router.cpu", "in proportion to the cores of the measured instance, "+
		"all of which are taken to be busy at its full rate", baseline)
	return v
}

func (p *planner) threads() derive.Value {
	if p.setup.Threads != p.in.Router.Threads {
		return p.Fact("ocp.router.threadsDefault")
	}
	return p.Field("threads", float64(p.setup.Threads), "threads")
}

// memory is the default request, for the controller and a small HAProxy, and on
// top of it what routes and clients take in each process.
func (p *planner) memory(s Size) derive.Value {
	estimate := p.estimate(s)
	given := p.in.Router.Memory
	if given == nil {
		return p.Calc("router.memory", "Memory that each router requests", unit.ByteUnit, "estimate",
			derive.In("estimate", estimate))
	}
	v := p.Field("memory", float64(*given), unit.ByteUnit)
	if v.Number < estimate.Number {
		p.find(v1alpha1.Warning, "router.memory.little", "router.memoryEstimate",
			fmt.Sprintf("%s of memory for a router is less than the estimate of %s", unit.FormatDecimal(*given),
				unit.FormatDecimal(unit.Bytes(estimate.Int()))),
			"give router.memory at least "+unit.Bytes(estimate.Int()).String()).Field = "router.memory"
	}
	return p.Calc("router.memory", "Memory that each router requests", unit.ByteUnit, "given", derive.In("given", v))
}

func (p *planner) estimate(s Size) derive.Value {
	base, each, processes := p.Fact("ocp.router.requestMemory"), p.Fact("ocp.router.backendMemory"),
		p.Fact("assumed.router.processes")
	p.countRoutes()
	routes, clients := p.routes, p.clientMemory()
	v := p.Calc("router.memoryEstimate", "Memory of one router", unit.ByteUnit,
		"ceil((base + processes * routes / shards * each + clients / shards / needed) / 2^20) * 2^20",
		derive.In("base", base), derive.In("processes", processes), derive.In("routes", routes),
		derive.In("shards", s.Shards), derive.In("each", each), derive.In("clients", clients), derive.In("needed", s.Needed))
	tunnel, interval := p.Fact("ocp.router.tunnelTimeout"), p.Fact("ocp.router.reloadInterval")
	worst := p.Found("router.processes.worst", "HAProxy processes of a router at worst",
		formula.Processes(tunnel.Number, 0, interval.Number, 0), "processes",
		"1 + ceil(longest / interval)", derive.In("longest", tunnel), derive.In("interval", interval))
	p.Note("router.processes.worst", "a process stays after a reload as long as one of its connections lives; "+
		"set a hard stop or shorter time-outs where clients hold connections for hours",
		derive.Source{Code: "ROUT", Section: "8.1.2.5"})
	p.Detail(worst)
	return v
}

// countRoutes takes those of the cluster, or the applications when those are more.
func (p *planner) countRoutes() {
	in, formula := []derive.Input{derive.In("static", p.static), derive.In("dynamic", p.dynamic)}, "static + dynamic"
	if p.in.Routes.Number > 0 {
		in, formula = append(in, derive.In("routes", p.in.Routes)), "max(routes, static + dynamic)"
	}
	p.routes = p.Calc("router.routes", "Routes behind the routers", "routes", formula, in...)
}

// clientMemory is what the clients' connections take in all routers together.
func (p *planner) clientMemory() derive.Value {
	header := p.Fact("ocp.router.unfinishedHeaderMemoryMax")
	t := derive.Terms{Texts: []string{"0"}, In: []derive.Input{derive.In("header", header)}}
	for i, k := range p.mix {
		clients, idle := fmt.Sprintf("clients%d", i+1), fmt.Sprintf("idle%d", i+1)
		t.Add(clients+" * ("+idle+" + header)", derive.In(clients, p.clientsOf(k)),
			derive.In(idle, p.Fact("ocp.router.idleMemory."+idleKind(k.Encryption))))
	}
	v := p.Calc("router.clientMemory", "Memory of the clients' connections", unit.ByteUnit, t.Sum(), t.In...)
	p.Note("router.clientMemory", "re-encrypt was not measured and counts as edge")
	return v
}

func idleKind(encryption string) string {
	if encryption == "re-encrypt" {
		return "edge"
	}
	return encryption
}

// name of the ingress controller of a shard, from 1.
func name(shard int) string {
	if shard == 1 {
		return "default"
	}
	return fmt.Sprintf("shard-%d", shard)
}

func (p *planner) decide(s Size) []v1alpha1.RouterDecision {
	var list []v1alpha1.RouterDecision
	shards := int(s.Shards.Int())
	for i := 1; i <= shards; i++ {
		d := v1alpha1.RouterDecision{Name: name(i), Replicas: int(s.Replicas.Int()), Threads: p.setup.Threads,
			Publishing: p.setup.Publishing, Shard: i, Shards: shards}
		if p.maxconn.From.Kind == derive.FromScenario {
			d.MaxConnections = int(p.maxconn.Int())
		}
		list = append(list, d)
	}
	return list
}

// pods are one type a shard. With host networking no two routers of any shard
// share a node's ports, so that they are one type.
func (p *planner) pods(s Size) []v1alpha1.PodType {
	pod := v1alpha1.PodType{Namespace: "openshift-ingress", CPU: unit.CPU(s.CPU.Int()), Memory: unit.Bytes(s.Memory.Int()),
		MaxPerNode: 1, Overcommit: "cpuOnly"}
	if p.setup.Publishing == "HostNetwork" {
		pod.Name, pod.Replicas = "router", int(s.Total.Int())
		return []v1alpha1.PodType{pod}
	}
	var list []v1alpha1.PodType
	for i := 1; i <= int(s.Shards.Int()); i++ {
		pod.Name, pod.Replicas = "router-"+name(i), int(s.Replicas.Int())
		list = append(list, pod)
	}
	return list
}

func (p *planner) nodes(s Size) derive.Value {
	in := derive.In("replicas", s.Replicas)
	if p.setup.Publishing == "HostNetwork" {
		in = derive.In("routers", s.Total)
	}
	return p.Calc("router.nodes", "Nodes that the routers need at least", "nodes", in.Name, in)
}
