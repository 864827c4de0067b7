package controller

import (
	"fmt"
	"math"
	"strconv"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/part"
	"plimsoll.dev/unit"
)

// syncTable lists each partition with the disks of both configurations.
func (p *planner) syncTable(m mirror) {
	heading := func(configuration string) string {
		title := "Configuration " + number[configuration]
		if configuration == m.planned {
			title += ", planned"
		}
		return title
	}
	t := p.Table("drbd.partitions", "Partitions that are synchronised", part.Left("Partition"), part.Right("Size in GiB"),
		part.Right("Rate"), part.Right(heading(onSAS)), part.Right("Rate"), part.Right(heading(onSSD)))
	for _, s := range m.parts {
		row := []v1alpha1.Cell{part.Text(s.name), inGiBCell(s.size)}
		for _, configuration := range []string{onSAS, onSSD} {
			row = append(row, rate(s.rates[configuration]), part.Num(s.times[configuration]))
		}
		t.Rows = append(t.Rows, row)
	}
	t.Rows = append(t.Rows, []v1alpha1.Cell{part.Text("one after the other"), part.Text(""), part.Text(""),
		part.Num(m.totals[onSAS]), part.Text(""), part.Num(m.totals[onSSD])})
	t.Notes = []string{
		"Rates as benched with an SSD as primary disk, without other load (tables 4 and 5); " +
			"configuration 1 has a SAS disk of 10,000 revolutions a minute for Cinder.",
		"Rabbitmq and platform took less than 30 s.",
		"GiB and MiB are those of 2^30 and 2^20 bytes: the document writes GB and MB/s, and its times follow only so.",
	}
	if p.primary.media != "" && !Solid(p.primary.media) {
		t.Notes = append(t.Notes, "The primary disk is "+p.primary.media+", which was not benched: it takes longer.")
	}
	if m := p.lvm.media; m != "" && m != "ssd" && m != "sas10k" {
		t.Notes = append(t.Notes, "The disk for Cinder is "+m+", which was not benched; the nearest is planned with.")
	}
}

// inGiBCell is a size whose unit stands in the heading.
func inGiBCell(v derive.Value) v1alpha1.Cell {
	return part.Num(v.WithText(derive.Of(v.Number/float64(unit.GiB), "").Text))
}

// rate is a cell, a dash where none was measured.
func rate(v derive.Value) v1alpha1.Cell {
	if v.Text == "" {
		return part.Text("-")
	}
	return part.Num(v)
}

// setting is a pair of DRBD's settings.
type setting struct{ parallel, utilisation float64 }

// settings are those of the plan and the steps that the document tells of: parallel
// halved, utilisation doubled, both.
func (m mirror) settings() []setting {
	now := setting{m.parallel.Number, m.utilisation.Number}
	half, twice := max(1, now.parallel/2), min(1, 2*now.utilisation)
	list := []setting{now}
	for _, s := range []setting{{half, now.utilisation}, {now.parallel, twice}, {half, twice}} {
		if s != now && (len(list) == 1 || s != list[len(list)-1]) && s.parallel == float64(int(s.parallel)) {
			list = append(list, s)
		}
	}
	return list
}

// settingsTable shows what the two settings change.
func (p *planner) settingsTable(m mirror) {
	t := p.Table("drbd.settings", "What DRBD's settings change", part.Right("Parallel"), part.Right("Utilisation"),
		part.Right("Most for one partition"), part.Right("All partitions"), part.Left(""))
	t.Wide = true
	for i, s := range m.settings() {
		at := "[" + strconv.Itoa(int(s.parallel)) + "/" + strconv.FormatFloat(100*s.utilisation, 'g', 6, 64) + "]"
		most, total := m.most, p.r.Sync
		if i > 0 {
			parallel, utilisation := derive.Of(s.parallel, "partitions"), derive.Of(s.utilisation, unit.Ratio)
			words := fmt.Sprintf("with parallel %v and utilisation %s", s.parallel, percent(utilisation))
			most = p.limit("drbd.cap"+at, "Most for one partition "+words, parallel, utilisation, m.link)
			total = p.totalAt(m, "drbd.total"+at, "All partitions "+words, most)
			p.Detail(most, total)
		}
		t.Rows = append(t.Rows, []v1alpha1.Cell{part.Bare(derive.Of(s.parallel, "")),
			part.Text(percent(derive.Of(s.utilisation, ""))), part.Num(most), part.Num(total),
			part.Text(effect(i, total.Number, p.r.Sync.Number))})
	}
	t.Notes = []string{"Half of parallel and twice the utilisation each double the most that a partition may take; " +
		"where the disks are the limit, that changes nothing."}
}

// effect of other settings in words.
func effect(i int, time, now float64) string {
	switch {
	case i == 0:
		return "as set"
	case math.Abs(time-now) < 1e-9*now:
		return "no faster: the disks are the limit"
	}
	return derive.Of(now/time, "").Text + " times as fast"
}

// totalAt records the time of all partitions with another cap.
func (p *planner) totalAt(m mirror, id, title string, most derive.Value) derive.Value {
	t := derive.Terms{In: []derive.Input{derive.In("cap", most)}}
	for _, s := range m.parts {
		measured, ok := p.measured(&m, s.name, m.planned)
		if !ok {
			bound := p.Fact("hcg.drbd.time/" + m.planned + "/" + s.name)
			t.Add(fmt.Sprintf("max(%sTime, %s / cap)", s.name, s.name), derive.In(s.name, s.size),
				derive.In(s.name+"Time", bound))
			continue
		}
		t.Add(fmt.Sprintf("%s / min(%sRate, cap)", s.name, s.name), derive.In(s.name, s.size),
			derive.In(s.name+"Rate", measured))
	}
	return p.seconds(id, title, "("+t.Sum()+")", t.In...)
}

// syncDoubts notes the doubtful rows that the times rest on, with what they change.
func (p *planner) syncDoubts(m mirror) {
	log := p.in.Doubts
	log.Met(12)
	log.Effect(12, "none on the times: the bench's rates are used and not its layout, which needs "+
		part.InDecimal(p.benchLayout()))
	if m.planned == onSSD {
		log.Met(3)
		log.Effect(3, "the rates of table 5 are taken for those of SSDs")
		return
	}
	if p.Facts.Must("hcg.drbd.rate/sas/cinder").Source.Code == part.OwnMeasurement {
		return
	}
	last := m.parts[len(m.parts)-1]
	for _, reading := range []struct{ words, fact string }{
		{"the printed 155 MB/s", "hcg.drbd.rate/sas/cinder"}, {"the printed 50:05", "hcg.drbd.ratePrinted/sas/cinder"},
	} {
		v := p.Fact(reading.fact)
		log.Effect(2, fmt.Sprintf("by %s the %s of Cinder take %s", reading.words, last.size.Text,
			inTime(last.size.Number/min(v.Number, m.most.Number)).Text))
	}
}

// benchLayout is what the bench's partitions need by the document's own sum, in bytes.
func (p *planner) benchLayout() float64 {
	gb := func(name string) float64 {
		return p.Fact("hcg.drbd.size/"+onSAS+"/"+name).Number / float64(unit.GiB) * float64(unit.GB)
	}
	database, images := gb("postgres"), gb("images")
	backup := database + images + p.disk("backupOverhead").Number
	return p.fixedSize().Number + database + images + p.disk("conversionDefault").Number + backup
}

// syncFindings warns of a link that is slower than the disks, and of more than
// StarlingX lets DRBD take of it.
func (p *planner) syncFindings(m mirror) {
	capped := ""
	for _, s := range m.parts {
		if measured, ok := p.measured(&m, s.name, m.planned); ok && m.most.Number < measured.Number {
			capped += ", " + s.name
		}
	}
	if capped != "" {
		f := p.find(v1alpha1.Warning, "drbd.capped",
			fmt.Sprintf("DRBD may take no more than %s of the link of %s for one partition, "+
				"which is less than the disks reach (%s)", m.most.Text, m.link.Text, capped[2:]),
			"give the controllers a faster link, raise storage.drbd.utilisation or lower storage.drbd.parallel", m.most)
		f.Sources = append(f.Sources, p.starlingx())
	}
	if most := p.Fact("starlingx.drbd.utilisationMax"); m.utilisation.Number > most.Number {
		f := p.find(v1alpha1.Warning, "drbd.utilisation",
			fmt.Sprintf("DRBD may take %s of the link; the link must not be saturated, StarlingX allows %s",
				percent(m.utilisation), percent(most)),
			"set storage.drbd.utilisation to "+percent(most)+" or less", m.utilisation)
		f.Sources = append(f.Sources, p.starlingx())
	}
}
