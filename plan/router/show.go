package router

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/limit"
	"plimsoll.dev/part"
	"plimsoll.dev/unit"
)

// show fills the section.
func (p *planner) show(r Result) {
	s := r.Size
	p.Show(s.Total, s.Shards, s.Replicas)
	if len(p.mix) > 0 {
		p.Show(s.Requests, s.Capacity, s.Bandwidth)
		p.kindTable()
		p.resourceTable(s)
		p.gauges(s)
	}
	p.Show(s.CPU, s.Memory)
	p.Detail(s.Load, s.Needed, r.Nodes)
	p.Section.Summary = p.summary(s)
}

func (p *planner) summary(s Size) string {
	if len(p.mix) == 0 {
		if p.in.Running.Number > 0 {
			return s.Total.Text + ", as many as run: the scenario has no traffic"
		}
		return s.Total.Text + ", the default: the scenario has no traffic"
	}
	text := fmt.Sprintf("%s for %s", s.Total.Text, s.Requests.Text)
	if s.Shards.Number > 1 {
		text += fmt.Sprintf(" in %s", s.Shards.Text)
	}
	for _, r := range p.resources {
		if r.name == s.Limiting {
			text += fmt.Sprintf("; limited by %s, which needs %s a shard", r.title, r.needed.Text)
		}
	}
	return text
}

// kindTable shows each kind of request with the rate that it is planned by.
func (p *planner) kindTable() {
	t := p.Table("router.kinds", "Requests by kind", part.Left("Kind"), part.Left("Encryption"), part.Right("Requests"),
		part.Right("Kept open"),
		part.Right("One router, keep-alive"), part.Right("One router, close"), part.Right("Page"),
		part.Right("Page that fills the NIC"), part.Right("Routers"), part.Right("Network"))
	t.Wide = true
	for _, k := range p.mix {
		t.Rows = append(t.Rows, []v1alpha1.Cell{part.Text(k.Name), part.Text(k.Encryption), part.Num(k.requests),
			part.Num(derive.Of(100*k.share.KeepAlive, unit.Percent)), part.Num(k.keepRate), part.Num(k.shutRate),
			part.Num(derive.Of(float64(k.PageSize), unit.ByteUnit).WithText(unit.FormatDecimal(k.PageSize))), part.Num(k.fills),
			part.Num(k.load), part.Num(k.bandwidth)})
	}
	t.Notes = p.kindNotes()
}

// kindNotes are the conditions of the rates.
func (p *planner) kindNotes() []string {
	where := p.setup.Publishing
	if isThree(p.in.Release) {
		where = "OpenShift 3"
	}
	notes := []string{
		fmt.Sprintf("Rates of one router with %s (%s), %s and TLS session resumption, at full use; "+
			"full TLS handshakes cost more.",
			unit.Format(float64(p.setup.Threads), "threads"), where, p.Fact("ocp.router.routes").Text),
		"Routers: how many routers the kind alone would fill.",
		"Page that fills the NIC: with one router at its full rate, keep-alive, payload only.",
	}
	if p.in.NIC.Number == 0 {
		notes = append(notes, "No node type says its NIC; "+p.Fact("ocp.router.saturatedNIC").Text+
			" is taken for that page, as in the document.")
	}
	if p.in.BareMetal {
		notes = append(notes, "Bare metal counts "+p.Fact("ocp.router.bareMetalFactor").Text+
			" times the measured cloud instance, a rule of thumb (OCP 11.1): measure before you rely on it.")
	}
	return notes
}

// resourceTable shows which resource decides.
func (p *planner) resourceTable(s Size) {
	t := p.Table("router.resources", "What limits the routers of a shard", part.Left("Resource"),
		part.Right("Load of all shards"),
		part.Right("One router takes"), part.Right("Routers"), part.Right("Rounded up"), part.Left(""))
	for _, r := range p.resources {
		mark := part.Text("")
		if r.name == s.Limiting {
			mark = part.Text("limits")
		}
		has := part.Num(r.has)
		if r.name == "requests" {
			has.Text += " of a router"
		}
		t.Rows = append(t.Rows, []v1alpha1.Cell{part.Text(r.title), part.Num(r.load), has, part.Num(r.exact),
			part.Num(r.needed), mark})
	}
	if p.in.NIC.Number == 0 {
		t.Notes = append(t.Notes, "No node type says the speed of its network interface, so the network is not checked.")
	}
	if p.clients.Number == 0 {
		t.Notes = append(t.Notes, "The traffic names no open connections, so they are not checked against maxconn.")
	}
}

// gauges compare the needed routers, without the spare ones, with what they have.
func (p *planner) gauges(s Size) {
	if s.Capacity.Number > 0 {
		g := limit.Measure("routerRequests", "Requests a second", "router", s.Requests, s.Capacity, limit.Measured).AsLocal()
		g.Local = true
		g.Notes = []string{"all routers, the spare ones included, at their full measured rate"}
		p.Gauge(g)
	}
	for _, r := range p.resources {
		if r.name == "requests" || r.load.Number == 0 {
			continue
		}
		each := p.Calc("router.perRouter["+r.name+"]", r.title+" of one router without the spare ones", r.load.Unit,
			"load / shards / needed", derive.In("load", r.load), derive.In("shards", s.Shards), derive.In("needed", s.Needed))
		p.Detail(each)
		g := limit.Measure("router"+map[string]string{"connections": "Connections", "network": "Network"}[r.name], r.title,
			"router", each, r.has, limit.Hard).AsLocal()
		g.Local = true
		p.Gauge(g)
	}
	p.routesGauge(s)
}

// routesGauge compares with the routes that later releases were tested with.
func (p *planner) routesGauge(s Size) {
	f, others, remark, ok := p.Facts.ForRelease("ocp.max.routesPerRouter", p.in.Release)
	if !ok || p.routes.Number == 0 {
		return
	}
	each := p.Calc("router.routesPerRouter", "Routes of one router", "routes",
		"routes / shards", derive.In("routes", p.routes), derive.In("shards", s.Shards))
	g := limit.Measure("routesPerRouter", "Routes of a router", "router", each, f.Value(), f.Kind)
	for _, o := range others {
		g = g.Doubt(o.Value())
	}
	g.Notes = f.Notes
	if remark != "" {
		g.Notes = append([]string{remark}, g.Notes...)
	}
	p.Gauge(g)
}
