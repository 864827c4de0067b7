// Package router sizes the ingress: from a mix of requests to routers, shards,
// threads and network, with the resource that limits them, after the router
// baselines of OCP 11.1 (4.x) and ROUT 8.1.1 (3.x) or your own measurements.
//
// It measures nothing and models no queue: a latency bound is the business of a
// benchmark. It places no pod: Result.Pods are for the planner to place.
//
//	r := router.Plan(&b, router.Input{Router: s.Router, Provider: "aws", Release: "4.4", Origin: o, Facts: c})
//	r.Decisions[0].Replicas // 3
package router

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/part"
	"plimsoll.dev/tune/haproxy/formula"
)

// Input is what the routers are sized from.
type Input struct {
	// Router is the scenario's part, defaults filled in.
	Router v1alpha1.Router
	// Provider below the cluster, as in platform.provider.
	Provider string
	// Release of OpenShift.
	Release string
	// BareMetal says that the routers' nodes are not virtual.
	BareMetal bool
	// NIC is the speed of the routers' nodes in bit/s; the zero value when no node
	// type says it.
	NIC derive.Value
	// Running are the routers of all shards that run already; the zero value where that is not known.
	Running derive.Value
	// MTU of the routers' nodes in bytes; the zero value takes Ethernet's.
	MTU derive.Value
	// Routes in the cluster; the zero value when not known.
	Routes derive.Value
	// Origin tells which fields were assumed.
	Origin *part.Origin
	// Facts is the catalogue, with the scenario's measurements in it.
	Facts *facts.Catalogue
}

// Result is the size of the ingress.
type Result struct {
	// Part is the section "router".
	Part *part.Part
	// Decisions are the ingress controllers, one a shard.
	Decisions []v1alpha1.RouterDecision
	// Pods are the router pods with their requests. They have no node selector:
	// the planner decides whether there are infrastructure nodes.
	Pods []v1alpha1.PodType
	// Nodes is the least number of nodes that the routers need, since no two of a
	// shard share a node, nor any two with host networking.
	Nodes derive.Value
	// Size holds the figures behind the decisions.
	Size Size
}

// Size are the figures of the ingress.
type Size struct {
	// Requests a second in all, and what all routers together can take of the same
	// mix at their full measured rate; zero without traffic.
	Requests, Capacity derive.Value
	// Load is the number of fully used routers that the requests make.
	Load derive.Value
	// Needed routers of a shard, Replicas of a shard with the spare ones.
	Needed, Replicas derive.Value
	// Shards, and Total routers of all of them.
	Shards, Total derive.Value
	// Limiting is the resource that decides Needed: "requests", "connections" or
	// "network"; empty without traffic.
	Limiting string
	// Bandwidth of all routers in each direction, in bit/s.
	Bandwidth derive.Value
	// CPU and Memory that one router pod requests.
	CPU, Memory derive.Value
}

// Plan sizes the routers and records the figures "router.*" in b.
func Plan(b *derive.Book, in Input) Result {
	p := &planner{Sheet: part.On(b, in.Facts, in.Origin, part.New("router", "Router"), "router"), in: in,
		rates: map[string]derive.Value{}}
	p.refuseMeasurements()
	p.settings()
	p.traffic()
	s := p.size()
	r := Result{Part: p.Part, Size: s, Decisions: p.decide(s), Pods: p.pods(s), Nodes: p.nodes(s)}
	p.show(r)
	p.findings(s)
	return r
}

type planner struct {
	part.Sheet
	in Input

	setup     formula.Setup
	maxconn   derive.Value
	rates     map[string]derive.Value
	mix       []kind
	resources []resource
	// totals over the mix: applications by content, clients' connections, routes.
	static, dynamic, clients, routes derive.Value
	// oneShard is how many routers would take the requests without shards.
	oneShard derive.Value
}

// byRelease is the row of a quantity for the release, or its newest row when the
// release is of an unknown major.
func (p *planner) byRelease(quantity string) facts.Fact {
	if f, _, _, ok := p.Facts.ForRelease(quantity, p.in.Release); ok {
		return f
	}
	known := p.Facts.Releases(quantity)
	return p.Facts.Must(quantity + "/" + known[len(known)-1])
}

// settings finds what the routers can be set to in the release. What the release
// does not let set stays at its default.
func (p *planner) settings() {
	r := p.in.Router
	p.setup = Setup(r, v1alpha1.Platform{Release: p.in.Release, Provider: p.in.Provider})
	p.setup.BareMetal = p.in.BareMetal
	if usual := int(p.Fact("ocp.router.threadsDefault").Int()); r.Threads != usual &&
		!p.canSet("ocp.router.canSetThreads") {
		p.refused("threads", r.Threads, usual)
		p.setup.Threads = usual
	}
	p.maxconn = p.byRelease("ocp.router.maxConnectionsDefault").Value()
	if p.Origin.Assumed("router.maxConnections") || r.MaxConnections == int(p.maxconn.Int()) {
		return
	}
	if !p.canSet("ocp.router.canSetMaxConnections") {
		p.refused("maxConnections", r.MaxConnections, int(p.maxconn.Int()))
		return
	}
	p.maxconn = p.Field("maxConnections", float64(r.MaxConnections), "connections")
}

// Setup is what the rates of a scenario's routers are looked up by.
func Setup(r v1alpha1.Router, on v1alpha1.Platform) formula.Setup {
	s := formula.Setup{Release: on.Release, Publishing: r.Publishing, Threads: r.Threads}
	if s.Publishing == "" {
		s.Publishing = "HostNetwork"
		if part.LoadBalanced(on.Provider) {
			s.Publishing = "LoadBalancerService"
		}
	}
	return s
}

func (p *planner) canSet(quantity string) bool { return p.byRelease(quantity).Text == "Yes" }
