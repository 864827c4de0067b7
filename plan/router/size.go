package router

import (
	"fmt"

	"plimsoll.dev/derive"
	"plimsoll.dev/tune/haproxy/formula"
	"plimsoll.dev/unit"
)

// resource is one thing that the routers of a shard must have enough of.
type resource struct {
	// name is requests, connections or network.
	name, title string
	// load of all shards, and what one router has; Number 0 when not known.
	load, has derive.Value
	// needed is the number of routers of a shard that the resource asks for,
	// exact the same before it is rounded up.
	needed, exact derive.Value
}

func (p *planner) size() Size {
	s := Size{Shards: p.shards()}
	s.Requests = p.sum("router.requests", "Requests in all", "requests/s", func(k kind) derive.Value { return k.requests })
	s.Load = p.sum("router.load", "Routers that the traffic would fill", "routers",
		func(k kind) derive.Value { return k.load })
	p.Note("router.load", "a request takes 1/rate of a router, so that the rates of the kinds mix harmonically")
	s.Bandwidth = p.sum("router.bandwidth", "Network of all routers in each direction", unit.BitsPerS,
		func(k kind) derive.Value { return k.bandwidth })
	p.need(&s)
	p.replicas(&s)
	p.capacity(&s)
	s.CPU, s.Memory = p.cpu(s), p.memory(s)
	return s
}

// need finds how many routers of a shard each resource asks for.
func (p *planner) need(s *Size) {
	use := p.Field("utilisation", float64(p.in.Router.Utilisation), unit.Ratio)
	p.resource("requests", "HAProxy (CPU)", s.Load, use, s.Shards)
	p.resource("connections", "Connections", p.connections(), p.maxconn, s.Shards)
	p.resource("network", "Network interface", s.Bandwidth, p.in.NIC, s.Shards)
	most := derive.Of(1, "routers")
	in, formula, best := []derive.Input{}, "max(1", 0.0
	for _, r := range p.resources {
		in = append(in, derive.In(r.name, r.needed))
		formula += ", " + r.name
		if r.needed.Number > most.Number {
			most.Number = r.needed.Number
		}
		if r.exact.Number > best {
			best, s.Limiting = r.exact.Number, r.name
		}
	}
	s.Needed = p.Calc("router.needed", "Routers that each shard needs", "routers", formula+")", in...)
}

// resource records the demand on one resource; one that is not known asks for
// nothing.
func (p *planner) resource(name, title string, load, has, shards derive.Value) {
	if has.Number == 0 {
		return
	}
	r := resource{name: name, title: title, load: load, has: has}
	args := []derive.Input{derive.In("load", load), derive.In("shards", shards), derive.In("has", has)}
	r.exact = p.calc("router.share["+name+"]", title+": routers of a shard before rounding", "routers",
		"load / shards / has", args...)
	r.needed = p.Calc("router.needed["+name+"]", title+": routers of a shard", "routers", "ceil(load / shards / has)",
		args...)
	p.resources = append(p.resources, r)
}

// replicas adds the spare routers; never fewer than the platform's default.
func (p *planner) replicas(s *Size) {
	least := p.Fact("ocp.router.replicas")
	switch {
	case len(p.mix) == 0 && p.in.Running.Number > 0:
		s.Replicas = p.Calc("router.replicas", "Routers of each shard", "routers", "running",
			derive.In("running", p.in.Running))
		p.Note("router.replicas", "as many as run, since the scenario has no traffic")
	case len(p.mix) == 0:
		s.Replicas = p.Calc("router.replicas", "Routers of each shard", "routers", "least", derive.In("least", least))
		p.Note("router.replicas", "the default, since the scenario has no traffic")
	default:
		extra := 1
		if p.in.Router.Spare != nil {
			extra = *p.in.Router.Spare
		}
		spare := p.Field("spare", float64(extra), "routers")
		s.Replicas = p.Calc("router.replicas", "Routers of each shard with spare ones", "routers",
			"max(least, needed + spare)", derive.In("least", least), derive.In("needed", s.Needed), derive.In("spare", spare))
		p.Note("router.replicas", "at least two, on different nodes, so that one node may fail")
	}
	p.unsharded(*s)
	s.Total = p.Calc("router.total", "Routers in all", "routers",
		"replicas * shards", derive.In("replicas", s.Replicas), derive.In("shards", s.Shards))
}

// unsharded is what would do without shards, to show what they cost.
func (p *planner) unsharded(s Size) {
	if s.Shards.Number == 1 {
		return
	}
	use := p.Field("utilisation", float64(p.in.Router.Utilisation), unit.Ratio)
	p.oneShard = p.Calc("router.unsharded", "Routers that would take the requests without shards", "routers",
		"ceil(load / utilisation)", derive.In("load", s.Load), derive.In("utilisation", use))
	p.Detail(p.oneShard)
}

// capacity is the inverse: what all routers take of this mix at full rate.
func (p *planner) capacity(s *Size) {
	if s.Load.Number == 0 {
		return
	}
	s.Capacity = p.Found("router.capacity", "Requests that all routers take of this mix at their full rate",
		formula.Capacity(s.Total.Number, 1, p.shares()), "requests/s",
		"routers * requests / load", derive.In("routers", s.Total), derive.In("requests", s.Requests),
		derive.In("load", s.Load))
}

// shards splits the applications. What the scenario says an application limit
// is holds for all of them; else the document's two limits hold for static and
// for dynamic ones, in proportion.
func (p *planner) shards() derive.Value {
	p.static = p.applications("static", "Static applications behind the routers")
	p.dynamic = p.applications("dynamic", "Dynamic applications behind the routers")
	static, dynamic := p.static, p.dynamic
	per := p.Field("applicationsPerRouter", float64(max(1, p.in.Router.ApplicationsPerRouter)), "applications")
	perStatic := per
	if p.Origin.Assumed("router.applicationsPerRouter") {
		perStatic = p.Fact("ocp.router.staticAppsMax")
	}
	v := p.Calc("router.shards", "Shards of the ingress", "shards",
		"max(1, ceil((static * perDynamic + dynamic * perStatic) / (perStatic * perDynamic)))", derive.In("static", static),
		derive.In("dynamic", dynamic), derive.In("perStatic", perStatic), derive.In("perDynamic", per))
	p.Note("router.shards", fmt.Sprintf("the guide gives %g to %g static or %g to %g dynamic applications behind one "+
		"router; the upper ends are taken",
		p.Fact("ocp.router.staticAppsMin").Number, p.Fact("ocp.router.staticAppsMax").Number,
		p.Fact("ocp.router.dynamicAppsMin").Number, p.Fact("ocp.router.dynamicAppsMax").Number), baseline)
	p.Note("router.shards", "applications and traffic are taken to spread evenly over the shards")
	return v
}

// baseline is the section that states the guide.
var baseline = derive.Source{Code: "OCP", Section: "11.1"}

// applications sums up the applications that serve one kind of content.
func (p *planner) applications(content, title string) derive.Value {
	sum := derive.Terms{Texts: []string{"0"}}
	for i, t := range p.in.Router.Traffic {
		if (t.Content == "static") != (content == "static") || t.Applications == 0 {
			continue
		}
		sum.Product(derive.In(fmt.Sprintf("n%d", i+1),
			p.Field(fmt.Sprintf("traffic[%d].applications", i), float64(t.Applications), "applications")))
	}
	return p.Calc("router.applications."+content, title, "applications", sum.Sum(), sum.In...)
}
