package ceph

import (
	"fmt"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
)

// published are the rates between which nobody knows what an OSD does unless it is measured.
type published struct {
	// field that a measurement belongs in, and the facts of the least and the most by kind of device.
	field, least, most string
	// each is what an OSD has to reach.
	each derive.Value
}

// unpublished are the rates that are asked for and that nobody has measured.
func (p *planner) unpublished(o option) []published {
	var out []published
	if n := float64(o.OSDs()); n > 0 && p.rate.Number <= 0 && p.r.IOPS.Number > 0 {
		out = append(out, published{"storage.ceph.osdRate", "disk.readsLeast", "disk.readsMost",
			derive.Of(p.r.IOPS.Number/n, p.r.IOPS.Unit)})
	}
	if n := float64(o.OSDs()); n > 0 && p.flow.Number <= 0 && p.r.Throughput.Number > 0 {
		out = append(out, published{"storage.ceph.osdThroughput", "disk.throughputLeast", "disk.throughputMost",
			derive.Of(p.r.Throughput.Number/n, p.r.Throughput.Unit)})
	}
	return out
}

// solid are the kinds of device without moving parts.
var solid = []string{"ssd", "nvme"}

// kinds of device that the OSDs of a layout are; solid ones where the plan proposes them.
func (o option) kinds() []string {
	if o.own {
		return o.media
	}
	return solid
}

// most is the highest rate that any kind of device of a layout is sold for, and least the one
// that all of them have.
func (p *planner) most(u published, o option) (v derive.Value) {
	for _, media := range o.kinds() {
		if f := p.Fact(u.most + "/" + media); f.Number > v.Number {
			v = f
		}
	}
	return v
}

func (p *planner) least(u published, o option) (v derive.Value) {
	for i, media := range o.kinds() {
		if f := p.Fact(u.least + "/" + media); i == 0 || f.Number < v.Number {
			v = f
		}
	}
	return v
}

// reaches says whether OSDs like those of a layout are sold at all.
func (p *planner) reaches(o option) bool {
	for _, u := range p.unpublished(o) {
		if u.each.Number > p.most(u, o).Number {
			return false
		}
	}
	return true
}

// unmeasured judges rates that nobody measured: beyond what is sold, within what every device
// does, or not known.
func (p *planner) unmeasured() {
	o := p.chosen
	var each, fields []string
	known := true
	for _, u := range p.unpublished(o) {
		if most := p.most(u, o); u.each.Number > most.Number {
			p.find(v1alpha1.Error, "rate.beyond["+u.field+"]", p.path(".disks"),
				fmt.Sprintf("each of %s has to reach %s: no device of %s is sold for more than %s", p.r.OSDs.Text, u.each.Text,
					strings.Join(o.kinds(), " or "), most.Text), p.faster(u), hcg, *most.From.Source).Figure = "ceph.osdRate"
			continue
		}
		each, fields = append(each, u.each.Text), append(fields, u.field)
		known = known && u.each.Number <= p.least(u, o).Number
	}
	if len(each) == 0 {
		return
	}
	severity := v1alpha1.Warning
	what := fmt.Sprintf("each of %s has to reach %s", p.r.OSDs.Text, strings.Join(each, " and "))
	measure := "measure an OSD and set " + strings.Join(fields, " and ")
	if known {
		severity, what = v1alpha1.Info, what+", which every device of "+strings.Join(o.kinds(), " or ")+" does"
	} else {
		p.r.Open = append(p.r.Open, fmt.Sprintf("what an OSD sustains: %s (%s)", what, measure))
	}
	p.find(severity, "rate.unknown", "storage.ceph.osdRate", "nobody said what an OSD sustains: "+what,
		measure).Figure = "ceph.osdRate"
}

// faster is what would reach a rate that the OSDs can't: more of them, or another kind of
// device, as far as the release takes so many and such are sold.
func (p *planner) faster(u published) string {
	d := p.demand()
	total := u.each.Number * p.r.OSDs.Number
	var ways []string
	if n := OSDsOfNeed(total, p.most(u, p.chosen).Number); n <= d.MaxHosts*d.MaxPerHost {
		ways = append(ways, derive.Of(float64(n), "OSDs").Text+" at least")
	}
	for _, media := range solid {
		if most := p.Fact(u.most + "/" + media); most.Number >= u.each.Number {
			ways = append(ways, fmt.Sprintf("OSDs on %s, if they reach it: up to %s are sold", media, most.Text))
			break
		}
	}
	if len(ways) == 0 {
		return fmt.Sprintf("no layout of the release does: its %s at most have no such devices; keep such disks on the "+
			"computes' own storage, or divide the cloud into regions", derive.Of(float64(d.MaxHosts*d.MaxPerHost), "OSDs").Text)
	}
	return strings.Join(ways, "; or ")
}
