package router

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/tune/haproxy/formula"
	"plimsoll.dev/unit"
)

func (p *planner) find(severity v1alpha1.Severity, id, figure, message, remedy string) *v1alpha1.Finding {
	f := p.Find(severity, id, message, remedy)
	f.Figure, f.Sources = figure, []derive.Source{baseline}
	return f
}

// refused warns of a setting that the release's operator overwrites.
func (p *planner) refused(field string, wanted, usual int) {
	f := p.find(v1alpha1.Warning, "router."+field+".fixed", "",
		fmt.Sprintf("OpenShift %s can't set %s of a router to %d: the Ingress Operator overwrites it; planned with %d",
			p.in.Release, field, wanted, usual),
		"leave router."+field+" out, or plan for a release that can set it")
	f.Field, f.Sources = "router."+field, []derive.Source{{Code: "OCP", Section: "11.2"}}
}

// kept says where the number of routers comes from without traffic.
func (p *planner) kept(s Size) string {
	if p.in.Running.Number > 0 {
		return "the " + s.Replicas.Text + " that run"
	}
	return "the default of " + s.Replicas.Text
}

func (p *planner) findings(s Size) {
	if len(p.mix) == 0 {
		p.find(v1alpha1.Info, "router.noTraffic", "router.replicas",
			"the scenario has no traffic: the routers are left at "+p.kept(s),
			"list the requests under router.traffic to size the routers").Field = "router.traffic"
		return
	}
	p.threadFinding()
	p.pageFindings()
	p.networkFinding(s)
	if p.in.BareMetal {
		p.find(v1alpha1.Info, "router.bareMetal", "",
			fmt.Sprintf("the routers' nodes are bare metal, so the measured rates count %s times, "+
				"a rule of thumb for modern processors", p.Fact("ocp.router.bareMetalFactor").Text),
			"measure a router of your own and give its rate as a measurement")
	}
	p.shardFinding(s)
	p.oddity()
}

// shardFinding tells of shards that the guide asks for; it warns when the guide
// for static applications makes twice the routers that the requests need; fewer
// can come from rounding up in each shard.
func (p *planner) shardFinding(s Size) {
	if s.Shards.Number <= 1 {
		return
	}
	severity, remedy := v1alpha1.Info, "label routes or namespaces for the shards; or set router.applicationsPerRouter, "+
		"if you know that a router takes more of your applications"
	text := fmt.Sprintf("%g static and %g dynamic applications are %s by the guide, with %s in all; "+
		"the requests alone would fill %s of one shard",
		p.static.Number, p.dynamic.Number, s.Shards.Text, s.Total.Text, p.oneShard.Text)
	least, spare := p.Fact("ocp.router.replicas"), s.Replicas.Number-s.Needed.Number
	if enough := max(least.Number, p.oneShard.Number+spare); p.static.Number > 0 && s.Total.Number >= 2*enough {
		severity = v1alpha1.Warning
		text += fmt.Sprintf(", %s with the spare ones; the rest is there for the guide's %g static "+
			"applications behind a router",
			unit.Format(enough, "routers"), p.Fact("ocp.router.staticAppsMax").Number)
		remedy = fmt.Sprintf("set router.applicationsPerRouter to the applications that one of your routers takes (%g for "+
			"a single shard); or label routes or namespaces for the shards",
			p.static.Number+p.dynamic.Number)
	}
	p.find(severity, "router.shards", "router.shards", text, remedy)
}

// threadFinding warns of a number of threads that nobody has measured.
func (p *planner) threadFinding() {
	four := int(p.Fact(measuredThreads).Int())
	if p.setup.Threads == four || isThree(p.in.Release) && p.setup.Threads == 1 {
		return
	}
	threads := unit.Format(float64(p.setup.Threads), "threads")
	text := fmt.Sprintf("no rate is published for %s; planned with the rate of %d threads, "+
		"since more threads do not give in proportion more", threads, four)
	if p.setup.Threads < four {
		text = fmt.Sprintf("no rate is published for %s; planned with the rate of 1 thread, the safe side", threads)
		if !isThree(p.in.Release) {
			text += ", found with the gain of threads that 3.x measured"
		}
	}
	p.find(v1alpha1.Warning, "router.threads.notMeasured", "", text,
		fmt.Sprintf("plan with %d threads and more routers, or measure one and give its rate as a measurement",
			four)).Field = "router.threads"
}

// pageFindings tell of pages that are larger than the baseline's.
func (p *planner) pageFindings() {
	usual := p.Fact("ocp.router.pageSize")
	for _, k := range p.mix {
		if float64(k.PageSize) <= usual.Number {
			continue
		}
		p.find(v1alpha1.Info, "router.pageSize", "router.bandwidth["+k.Name+"]",
			fmt.Sprintf("%s: the rates were measured with pages of %s; pages of %s take more CPU, "+
				"which the plan does not know, and more network, which it counts",
				k.Name, unit.FormatDecimal(unit.Bytes(usual.Int())), unit.FormatDecimal(k.PageSize)),
			"measure a router with your pages and give its rate as a measurement").Field = "router." + k.path + ".pageSize"
	}
}

// networkFinding speaks of 1 Gbit/s, which one router can fill, where the speed
// of the interfaces is not known.
func (p *planner) networkFinding(s Size) {
	filled := p.Fact("ocp.router.saturatedNIC")
	each := s.Bandwidth.Number / s.Shards.Number / s.Needed.Number
	if p.in.NIC.Number > 0 || each <= filled.Number {
		return
	}
	p.find(v1alpha1.Warning, "router.network.unknown", "router.bandwidth",
		fmt.Sprintf("each router carries %s in each direction, more than an interface of %s; no node type says what it has",
			unit.Format(each, unit.BitsPerS), filled.Text),
		"give network in the node type of the routers, such as 10G")
}

// oddity tells of the cells of the baseline that contradict experience.
func (p *planner) oddity() {
	seen := map[string]bool{}
	for _, k := range p.mix {
		seen[k.Encryption] = true
	}
	if !seen["re-encrypt"] || !seen["edge"] {
		return
	}
	edge, again := p.rate("edge", formula.KeepAlive), p.rate("re-encrypt", formula.KeepAlive)
	if again.Number > edge.Number {
		p.find(v1alpha1.Info, "router.baseline.oddity", "router.rate[re-encrypt/keep-alive]",
			fmt.Sprintf("the baseline has re-encrypt (%s) ahead of edge (%s), although it does more work: "+
				"the two were limited by different things; do not choose an encryption by it", again.Text, edge.Text),
			"measure both kinds on your own routers")
	}
}
