package haproxy

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/tune/haproxy/formula"
	"plimsoll.dev/unit"
)

// buffers hold the largest header beside what is kept for rewriting.
func (p *advisor) buffers() {
	rewrite, usual, least := p.fact("ocp.router.maxRewriteSize"), p.fact("ocp.router.bufferSize"),
		p.fact("ocp.router.bufferSizeMin")
	if p.in.LargestHeader == 0 || float64(p.in.LargestHeader)+rewrite.Number <= usual.Number {
		return
	}
	header := given("largestHeader", p.in.LargestHeader, unit.ByteUnit)
	v := p.b.Found("router.bufferSize", "Size of the buffer", formula.BufferSize(header.Number, rewrite.Number,
		least.Number), unit.ByteUnit, "max(least, ceil((header + rewrite) / 4096) * 4096)",
		derive.In("least", least), derive.In("header", header), derive.In("rewrite", rewrite))
	p.b.Note("router.bufferSize", "with very many open connections memory is nearly proportional to it", rout("8.1.2.4"))
	p.choose("headerBufferBytes", v, fmt.Sprintf("headers are up to %s, and %s are kept for rewriting", header.Text,
		rewrite.Text))
}

// buffer is the size that routers have: as advised, where the release can be told.
func (p *advisor) buffer() derive.Value {
	s := settingOf("headerBufferBytes")
	if c, ok := p.values[s.name]; ok && p.release.canSet(s) {
		return c.value
	}
	usual, _ := p.usual(s)
	return usual
}

// shards split the routes.
func (p *advisor) shards() {
	p.routes = p.sum("router.routes", "Routes", "routes",
		func(s share) derive.Value { return given(s.path+".routes", s.Routes, "routes") })
	per := p.fact("ocp.router.appsMax")
	if p.in.RoutesPerRouter > 0 {
		per = given("routesPerRouter", p.in.RoutesPerRouter, "routes")
	}
	p.shardCount = p.b.Calc("router.shards", "Shards of the ingress", "shards", "max(1, ceil(routes / per))",
		derive.In("routes", p.routes), derive.In("per", per))
	p.b.Note("router.shards", "memory and reloads grow with the routes in every pod of a shard; more pods do not help",
		rout("8.1.1"))
	p.routesOfShard = p.b.Calc("router.routesOfShard", "Routes of a shard", "routes", "ceil(routes / shards)",
		derive.In("routes", p.routes), derive.In("shards", p.shardCount))
	p.out.Shards = int(p.shardCount.Int())
	p.shardFinding()
}

// resources find how many routers of a shard each resource asks for.
func (p *advisor) resources() {
	use := given("utilisation", float64(p.in.Utilisation), unit.Ratio)
	p.resource("requests", p.load, use)
	p.resource("connections", p.careful, p.mostConnections())
	if p.in.NIC > 0 {
		p.resource("network", p.bandwidth, given("nic", int64(p.in.NIC), unit.BitsPerS))
	}
	p.memoryResource()
}

// resource records what a resource asks for.
func (p *advisor) resource(name string, load, has derive.Value) {
	routers := p.b.Calc("router.needed["+name+"]", "Routers of a shard by "+name, "routers", "ceil(load / shards / has)",
		derive.In("load", load), derive.In("shards", p.shardCount), derive.In("has", has))
	p.out.Resources = append(p.out.Resources, Resource{Name: name, Load: load, Has: has, Routers: routers})
}

// mostConnections is what a router can be set to.
func (p *advisor) mostConnections() derive.Value {
	s := settingOf("maxConnections")
	if p.release.canSet(s) {
		return p.fact(s.most)
	}
	usual, _ := p.usual(s)
	return usual
}

// memoryResource is what the connections take beside the back ends.
func (p *advisor) memoryResource() {
	header, buffer := p.fact("ocp.router.unfinishedHeaderMemoryMax"), p.buffer()
	usual, _ := p.usual(settingOf("headerBufferBytes"))
	p.clientMemory = p.sum("router.clientMemory", "Memory of the clients' connections", unit.ByteUnit,
		func(s share) derive.Value {
			idle := p.fact("ocp.router.idleMemory." + idleKind(s.Encryption))
			return p.b.Calc("router.clientMemory["+s.Name+"]", "Memory of the connections of "+s.Name, unit.ByteUnit,
				"clients * (idle + header) * buffer / usual",
				derive.In("clients", given(s.path+".connections", s.Connections, "connections")), derive.In("idle", idle),
				derive.In("header", header), derive.In("buffer", buffer), derive.In("usual", usual))
		})
	p.b.Note("router.clientMemory", "re-encrypt was not measured and counts as edge; headers of 4 kB are assumed on "+
		"every connection, and memory in proportion to the buffer", rout("8.1.2.4"))
	if p.in.Memory == 0 {
		return
	}
	base, each, limit := p.fact("ocp.router.requestMemory"), p.fact("ocp.router.backendMemory"),
		given("memory", p.in.Memory, unit.ByteUnit)
	v := p.b.Calc("router.memoryFree", "Memory of a router that is left for connections", unit.ByteUnit,
		"limit - base - processes * routes * each",
		derive.In("limit", limit), derive.In("base", base), derive.In("processes", p.processes),
		derive.In("routes", p.routesOfShard), derive.In("each", each))
	if v.Number <= 0 {
		p.find(v1alpha1.Error, "memory.little", "router.memoryFree",
			fmt.Sprintf("%s of memory do not hold the back ends of %s in %s", limit.Text, p.routesOfShard.Text,
				p.processes.Text),
			"give more memory, shard the routes, or let old processes end sooner", rout("8.1.2.5"))
		return
	}
	p.resource("memory", p.clientMemory, v)
}

func idleKind(encryption string) string {
	if encryption == "re-encrypt" {
		return "edge"
	}
	return encryption
}

// pods are what the resources ask for with the spare ones, and maxconn follows.
func (p *advisor) pods() {
	least, text, best := p.fact("ocp.router.replicas"), "max(1", 0.0
	var in []derive.Input
	for _, r := range p.out.Resources {
		text, in = text+", "+r.Name, append(in, derive.In(r.Name, r.Routers))
		if exact := r.Load.Number / p.shardCount.Number / r.Has.Number; exact > best {
			best, p.out.Limiting = exact, r.Name
		}
	}
	p.needed = p.b.Calc("router.needed", "Routers that a shard needs", "routers", text+")", in...)
	spare := given("spare", *p.in.Spare, "routers")
	v := p.b.Calc("router.pods", "Routers of a shard with the spare ones", "routers", "max(least, needed + spare)",
		derive.In("least", least), derive.In("needed", p.needed), derive.In("spare", spare))
	p.out.Pods = int(v.Int())
	p.maxconn()
}

// maxconn is the document's careful count of the connections of one router when the
// spare ones have failed, and at least the default.
func (p *advisor) maxconn() {
	s := settingOf("maxConnections")
	usual, _ := p.usual(s)
	each := p.b.Calc("router.maxconn.careful", "Connections of one router, as the document counts", "connections",
		"ceil(connections / shards / needed)", derive.In("connections", p.careful), derive.In("shards", p.shardCount),
		derive.In("needed", p.needed))
	exact := p.b.Calc("router.maxconn.measured", "Connections of one router, as measured", "connections",
		"ceil(connections / shards / needed)", derive.In("connections", p.precise), derive.In("shards", p.shardCount),
		derive.In("needed", p.needed))
	v := p.b.Calc("router.maxconn", "Connections of a process (maxconn)", "connections", "max(usual, careful)",
		derive.In("usual", usual), derive.In("careful", each))
	p.b.Note("router.maxconn", "the careful count is set: twice the clients of every kind, at least the default; "+
		exact.Text+" would do by measurement", rout("8.1.2.1"))
	why := fmt.Sprintf("twice the clients are %s; as measured %s", each.Text, exact.Text)
	if each.Number < usual.Number {
		why += "; the default covers both"
	}
	p.choose(s.name, v, why)
}

// memory records the memory of one router; it comes last, since it rests on the
// number of pods.
func (p *advisor) memory() {
	base, each := p.fact("ocp.router.requestMemory"), p.fact("ocp.router.backendMemory")
	v := p.b.Calc("router.memory", "Memory of one router", unit.ByteUnit,
		"ceil(base + processes * routes * each + clients / shards / needed)",
		derive.In("base", base), derive.In("processes", p.processes), derive.In("routes", p.routesOfShard),
		derive.In("each", each),
		derive.In("clients", p.clientMemory), derive.In("shards", p.shardCount), derive.In("needed", p.needed))
	filled := p.b.Calc("router.memory.filled", "Memory of its buffers when all are filled", unit.ByteUnit,
		"ceil(connections / shards / needed) * buffer", derive.In("connections", p.precise),
		derive.In("shards", p.shardCount), derive.In("needed", p.needed), derive.In("buffer", p.buffer()))
	p.b.Note("router.memory.filled",
		"measured idle, a buffer is virtual until it is filled: 16 k to 128 k made no difference", rout("8.1.2.4"))
	if p.in.Memory > 0 && v.Number+filled.Number > float64(p.in.Memory) {
		p.find(v1alpha1.Info, "memory.filled", "router.memory.filled",
			fmt.Sprintf("with every buffer filled a router takes %s more, beyond its limit", filled.Text),
			"keep the buffer small, or give more memory", rout("8.1.2.4"))
	}
}
