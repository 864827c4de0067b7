package controller

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/part"
)

// conversion is the space for images that become volumes.
func (p *planner) conversion() {
	p.simultaneous()
	usual := p.disk("conversionDefault")
	var formula derive.Value
	if p.holdsVolumes() {
		formula = p.convertOnController()
	} else {
		formula = p.convertDedicated()
	}
	p.r.Conversion = p.bytes("controller.conversion", "Partition for image conversion", "max(default, formula)",
		derive.In("default", usual), derive.In("formula", formula))
	p.Show(p.r.Conversion)
	p.Detail(p.r.Simultaneous, formula)
	if p.largest.Number > formula.Number {
		p.Note("controller.conversion", fmt.Sprintf("the document recommends to calculate with the largest "+
			"image instead of the mean one: %s", p.largest.Text))
		p.Detail(p.largest)
	}
}

// simultaneous is how many volumes are made from images at once.
func (p *planner) simultaneous() {
	asked, most := p.parallel(), p.Fact("hcg.create.workersMax")
	in, formula := []derive.Input{derive.In("asked", asked), derive.In("most", most)}, "min(asked, most)"
	if h := p.in.Host; h != nil && h.Cores.Number > 0 {
		in, formula = append(in, derive.In("cores", h.Cores)), "min(asked, min(cores, most))"
	}
	const id = "controller.simultaneous"
	p.r.Simultaneous = p.Calc(id, "Volumes that are made from images at once", "creates", formula, in...)
	p.Note(id, "Cinder has as many workers as the controller has cores", hcg)
	if p.r.Simultaneous.Number < asked.Number {
		p.find(v1alpha1.Info, "controller.conversion.workers",
			fmt.Sprintf("%s at once are asked for; Cinder's workers make %s of them at a time", asked.Text,
				derive.Of(p.r.Simultaneous.Number, "").Text),
			"expect the others to wait", p.r.Simultaneous).Field = "storage.creation.parallel"
	}
}

// parallel is how many volumes with VMs are created at once; where nobody says so, no
// more than are advised.
func (p *planner) parallel() derive.Value {
	const field = "storage.creation.parallel"
	n := float64(max(1, p.in.Creation.Parallel))
	if p.holdsVolumes() && p.Origin.Assumed(field) {
		n = min(n, p.advised().Number)
	}
	return p.Origin.Value(field, n, "creates")
}

// mean records the mean size of items, 0 where there are none.
func (p *planner) mean(id, title string, items []part.Items) derive.Value {
	size := p.total(id+"Total", title+", all together", items)
	if size.Number == 0 {
		return p.bytes(id, title, "0")
	}
	number := p.count(id+"Count", title+", their number", "images", items)
	return p.bytes(id, title, "size / number", derive.In("size", size), derive.In("number", number))
}

// most is the largest size of items, 0 where there are none.
func most(items []part.Items) derive.Value {
	largest := derive.Of(0, "bytes")
	for _, i := range items {
		if i.Count.Number > 0 && i.Size.Number > largest.Number {
			largest = i.Size
		}
	}
	return largest.WithText(part.InDecimal(largest.Number))
}

// convertOnController is the formula where the controllers hold the volumes.
func (p *planner) convertOnController() derive.Value {
	images := raw(p.in.Images)
	mean, at := p.mean("controller.imageMean", "Mean raw size of an image", images), p.r.Simultaneous
	record := func(id, title string, size derive.Value) derive.Value {
		return p.bytes(id, title, "simultaneous * size * (1 + margin)",
			derive.In("simultaneous", at), derive.In("size", size), derive.In("margin", p.in.Margin))
	}
	p.largest = record("controller.conversionLargest", "Image conversion with the largest image", most(images))
	v := record("controller.conversionFormula", "Image conversion", mean)
	if p.in.Model == CPE {
		p.in.Doubts.Met(13)
		p.in.Doubts.Effect(13, "image conversion takes "+v.Text+" by the formula of controller storage")
	}
	return v
}

// convertDedicated is the formula with storage nodes. Only images that Ceph does not
// keep as raw ones are converted for each volume.
func (p *planner) convertDedicated() derive.Value {
	uncached, cached := p.cached(false), p.cached(true)
	at, largest := p.r.Simultaneous, most(cached)
	mean := p.mean("controller.imageMean", "Mean raw size of an image that is not cached", uncached)
	record := func(id, title string, size derive.Value) derive.Value {
		return p.bytes(id, title, "(2 * simultaneous * size + 2 * largestCached) * (1 + margin)",
			derive.In("simultaneous", at), derive.In("size", size),
			derive.In("largestCached", largest), derive.In("margin", p.in.Margin))
	}
	p.largest = record("controller.conversionLargest", "Image conversion with the largest image", most(uncached))
	v := record("controller.conversionFormula", "Image conversion", mean)
	if len(uncached) == 0 && len(cached) > 0 {
		p.Note("controller.conversionFormula",
			"all images are cached as raw ones; volumes that are made of an image before it is cached need more")
	}
	return v
}
