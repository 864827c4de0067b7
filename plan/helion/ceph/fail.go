package ceph

import (
	"fmt"
	"math"

	"plimsoll.dev/derive"
	"plimsoll.dev/unit"
)

// outage is a failure and what is left after it.
type outage struct {
	what string
	// copies that are left at once, of data that was on what failed.
	copies int
	// where the data is made again; "" when it can't be.
	where string
	// fill of the OSDs that take it, in per cent; the zero value when there are none.
	fill derive.Value
	// verdict in words, and good, warn or bad.
	verdict, mark string
	// id names the outage.
	id string
}

// failures looks at the loss of an OSD and of a host.
func (p *planner) failures() {
	l := p.r.Layout
	if l.OSDs() == 0 {
		return
	}
	p.outages = []outage{p.lostOSD(), p.lostHost()}
	if l.Hosts > int(p.group.Int()) {
		p.outages = append(p.outages, p.lostHostFlat())
	}
}

// lostOSD is the loss of the largest OSD: in a group of as many hosts as copies its
// data can only be made again on the other OSDs of the same host.
func (p *planner) lostOSD() outage {
	l := p.r.Layout
	used := p.r.Raw.Number / float64(l.Hosts)
	o := outage{what: "one OSD", copies: int(p.copies.Int()) - 1, where: "the other OSDs of its host", id: "osd"}
	fill := FillAfterOSD(used, p.chosen.capacity, p.chosen.largest)
	if math.IsInf(fill, 1) {
		o.where, o.verdict, o.mark = "", "its host has no other OSD to take the data", "bad"
		return o
	}
	o.fill = p.Found("ceph.fillAfter[osd]", "Fill of the other OSDs of the host after one is lost", 100*fill, unit.Percent,
		"100 * (raw / hosts) / (perHost - largest)", derive.In("raw", p.r.Raw), derive.In("hosts", p.r.Hosts),
		derive.In("perHost", p.perHost), derive.In("largest", p.largest))
	return p.judge(o)
}

// lostHost is the loss of a host whose group has no other host for its copy.
func (p *planner) lostHost() outage {
	o := outage{what: "one host of a group", copies: int(p.copies.Int()) - 1, id: "host",
		verdict: "no other host of the group can take the copy: the data has one copy less until the host is back",
		mark:    "warn"}
	if int(p.group.Int()) > int(p.copies.Int()) {
		o.verdict = "its data is lost to the cluster until the host is back"
		o.mark = "bad"
	}
	return o
}

// lostHostFlat is the loss of a host where placement groups spread over all hosts.
func (p *planner) lostHostFlat() outage {
	l := p.r.Layout
	o := outage{what: "one host, Ceph's own rule", copies: int(p.copies.Int()) - 1, where: "all other hosts",
		id: "hostFlat"}
	fill, ok := FillAfterHost(p.r.Raw.Number, p.chosen.capacity, l.Hosts, int(p.copies.Int()))
	if !ok {
		return o
	}
	o.fill = p.Found("ceph.fillAfter[host]", "Fill of the other hosts after one is lost, without groups", 100*fill,
		unit.Percent,
		"100 * raw / (perHost * (hosts - 1))", derive.In("raw", p.r.Raw), derive.In("perHost", p.perHost),
		derive.In("hosts", p.r.Hosts))
	return p.judge(o)
}

// judge compares the fill with the shares at which Ceph warns, refuses to move
// data and stops writes.
func (p *planner) judge(o outage) outage {
	share := o.fill.Number / 100
	back, full := p.Fact("ceph.backfillfull"), p.Fact("ceph.full")
	per := func(v derive.Value) string { return derive.Of(100*v.Number, unit.Percent).Text }
	switch {
	case o.copies == 0:
		o.verdict, o.mark = "its data is lost: there is one copy only", "bad"
	case share <= p.nearFull.Number:
		o.verdict, o.mark = fmt.Sprintf("copied again, below the near-full share of %s", per(p.nearFull)), "good"
	case share <= back.Number:
		o.verdict, o.mark = fmt.Sprintf("copied again, above the near-full share of %s", per(p.nearFull)), "warn"
	case share <= full.Number:
		o.verdict, o.mark = fmt.Sprintf("not all copied again: Ceph moves no data to OSDs above %s", per(back)), "bad"
	default:
		o.verdict, o.mark = fmt.Sprintf("not all copied again: it would pass %s, where Ceph stops writes", per(full)), "bad"
	}
	return o
}
