package haproxy

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/tune/haproxy/formula"
	"plimsoll.dev/unit"
)

// reloads choose the time between reloads and the hard stop by the processes that
// pile up.
func (p *advisor) reloads() {
	p.oldest()
	usual, least, most := p.fact("ocp.router.reloadInterval"), p.fact("ocp.router.reloadIntervalMin"),
		p.fact("ocp.router.reloadIntervalMax")
	at := p.pile("router.processes.default", "HAProxy processes of a router at worst, by default", usual,
		derive.Of(0, unit.Seconds))
	allowed := p.fact("assumed.router.processesMost")
	chosen, why := usual, "the default: "+at.Text+" at worst"
	if at.Number > allowed.Number && p.gap.Number < most.Number {
		chosen = p.b.Calc("router.reloadInterval", "Time between reloads", unit.Seconds,
			"max(least, usual, min(most, ceil(longest / max(1, allowed - 1))))",
			derive.In("least", least), derive.In("usual", usual), derive.In("most", most), derive.In("longest", p.longest),
			derive.In("allowed", allowed))
		why = fmt.Sprintf("by default %s pile up at worst; a change of a route waits as long", at.Text)
	}
	p.choose("reloadInterval", chosen, why)
	if !p.release.canSet(settingOf("reloadInterval")) {
		chosen = usual
	}
	p.hardStop(chosen, allowed)
	p.reloadTime(chosen)
}

// oldest is the longest life of a connection, and the time between changes.
func (p *advisor) oldest() {
	client, server := p.fact("ocp.router.clientTimeout"), p.fact("ocp.router.serverTimeout")
	text, in := "max(client, server", []derive.Input{derive.In("client", client), derive.In("server", server)}
	for i, s := range p.mix {
		if s.Lifetime > 0 {
			name := fmt.Sprintf("life%d", i+1)
			text += ", " + name
			in = append(in, derive.In(name, given(s.path+".lifetime", s.Lifetime, unit.Seconds)))
		}
	}
	p.longest = p.b.Calc("router.longest", "Longest life of a connection", unit.Seconds, text+")", in...)
	p.b.Note("router.longest", "an old process lives as long as one of its connections; "+
		"the tunnel time-out ends idle ones only", rout("8.1.2.5"))
	p.gap = derive.Of(0, unit.Seconds).WithText("changes at any time")
	if p.in.ChangesPerHour > 0 {
		p.gap = p.b.Calc("router.betweenChanges", "Time between changes of routes", unit.Seconds, "3600 / changes",
			derive.In("changes", given("changesPerHour", p.in.ChangesPerHour, "changes")))
	}
}

// pile records the processes at worst. A hard stop of 0 is none.
func (p *advisor) pile(id, title string, interval, stop derive.Value) derive.Value {
	text, in := "1 + ceil(longest / max(interval, between))", []derive.Input{derive.In("longest", p.longest)}
	if stop.Number > 0 {
		text, in = "1 + ceil(min(longest, stop) / max(interval, between))", append(in, derive.In("stop", stop))
	}
	v := p.b.Found(id, title, formula.Processes(p.longest.Number, stop.Number, interval.Number, p.gap.Number),
		"processes", text, append(in, derive.In("interval", interval), derive.In("between", p.gap))...)
	p.b.Note(id, "each reload leaves the process before it as long as one of its connections lives", rout("8.1.2.5"))
	return v
}

// hardStop ends old processes: as the input allows, or where the pod's memory would
// not hold them.
func (p *advisor) hardStop(interval, allowed derive.Value) {
	none := derive.Of(0, unit.Seconds)
	without := p.pile("router.processes.noStop", "HAProxy processes of a router at worst, without hard stop",
		interval, none)
	can := p.release.canSet(settingOf(hardStopName))
	stop, why := none, ""
	bearable := p.bearable()
	switch {
	case p.in.HardStop > 0:
		stop, why = given("hardStop", p.in.HardStop, unit.Seconds), "as you allow connections to outlive a reload"
	case p.in.Memory > 0 && without.Number > bearable.Number && bearable.Number >= 2:
		most := p.fact("ocp.router.timeMax")
		stop = p.b.Calc("router.hardStop", "Hard stop of old processes", unit.Seconds,
			"min(floor(most), (bearable - 1) * max(interval, between))", derive.In("most", most),
			derive.In("bearable", bearable), derive.In("interval", interval), derive.In("between", p.gap))
		why = fmt.Sprintf("memory holds %s, and %s pile up without", bearable.Text, without.Text)
	}
	if stop.Number > 0 {
		p.choose(hardStopName, stop, why)
	}
	if !can {
		stop = none
	}
	p.processes = p.pile("router.processes", "HAProxy processes of a router at worst, as advised", interval, stop)
	p.out.Processes = int(p.processes.Int())
	if p.processes.Number > allowed.Number && stop.Number == 0 {
		p.find(v1alpha1.Warning, "processes.many", "router.processes",
			fmt.Sprintf("%s of HAProxy pile up at worst, since connections live %s", p.processes.Text, p.longest.Text),
			p.stopAdvice(can, interval, allowed), rout("8.1.2.5"))
	}
	if stop.Number > 0 && stop.Number < p.longest.Number {
		p.find(v1alpha1.Info, "hardStop.cuts", "router.processes",
			fmt.Sprintf("the hard stop cuts connections %s after a reload, though they live up to %s", stop.Text,
				p.longest.Text), "clients must reconnect by themselves", rout("8.1.2.5"))
	}
}

// stopAdvice says which hard stop would hold the processes.
func (p *advisor) stopAdvice(can bool, interval, allowed derive.Value) string {
	stop := min(derive.Floor(p.fact("ocp.router.timeMax").Number), (allowed.Number-1)*max(interval.Number, p.gap.Number))
	text := fmt.Sprintf("a hard stop of %s would hold them at %s", haproxyTime(stop), allowed.Text)
	if !can {
		return fmt.Sprintf("change routes less often, or shard the long connections away: %s can't set a hard stop",
			p.release.text)
	}
	return text + ", if clients reconnect by themselves; else change routes less often"
}

// bearable is the number of processes whose back ends fit into the pod's memory
// beside the connections of a router; 0 when not even two do.
func (p *advisor) bearable() derive.Value {
	if p.in.Memory == 0 {
		return p.fact("assumed.router.processesMost")
	}
	limit, base, each := given("memory", p.in.Memory, unit.ByteUnit), p.fact("ocp.router.requestMemory"),
		p.fact("ocp.router.backendMemory")
	v := p.b.Calc("router.processes.bearable", "HAProxy processes whose back ends take half of the memory", "processes",
		"max(0, floor((limit - base) / 2 / (routes * each)))",
		derive.In("limit", limit), derive.In("base", base), derive.In("routes", p.routesOfShard), derive.In("each", each))
	p.b.Note("router.processes.bearable", "the other half is for connections")
	return v
}

// reloadTime compares the time that a reload takes with the time between reloads.
func (p *advisor) reloadTime(interval derive.Value) {
	many, backends := p.fact("ocp.router.reloadTime8000Max"), p.fact("ocp.router.reloadBackends")
	v := p.b.Calc("router.reloadTime", "Time that a reload takes", unit.Seconds, "many * routes / backends",
		derive.In("many", many), derive.In("routes", p.routesOfShard), derive.In("backends", backends))
	p.b.Note("router.reloadTime", fmt.Sprintf("in proportion to the back ends, %s with %s; the CPU is busy meanwhile",
		many.Text, backends.Text))
	if v.Number*2 > max(interval.Number, p.gap.Number) {
		p.find(v1alpha1.Warning, "reload.busy", "router.reloadTime", fmt.Sprintf("a reload takes about %s of every %s",
			v.Text, interval.Text), "reload less often, or shard the routes", rout("8.1.2.5"))
	}
}

// times are the time-outs that the traffic or the platform asks for.
func (p *advisor) times() {
	tunnel := p.fact("ocp.router.tunnelTimeout")
	if p.in.NetworkLoadBalancer {
		p.choose("tunnelTimeout", p.fact("ocp.router.tunnelTimeoutNLB"),
			"the load balancer drops idle connections after 350 s, and the router must do so before")
		return
	}
	life := unit.Duration(0)
	for _, s := range p.mix {
		life = max(life, s.Lifetime)
	}
	if minutes := (life + 59) / 60 * 60; life > 0 && float64(minutes) < tunnel.Number {
		p.choose("tunnelTimeout", derive.Of(float64(minutes), unit.Seconds),
			"no connection lives longer; one that is idle for as long is dead")
	}
}
