package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/part"
	"plimsoll.dev/plan/helion/controller"
)

// Section is the id of the section that tells the decision.
const Section = "model"

// source is where the document tells the models apart.
var source = derive.Source{Code: "HCG", Section: "2"}

// Plan decides, or takes the model that policy.model wants, and tells what speaks
// against each. A wanted model that is ruled out is an error for each reason, one
// that is advised against a warning.
func Plan(b *derive.Book, n Needs, l Limits, wanted string) (Decision, *part.Part) {
	d := Decide(n, l)
	p := part.New(Section, "Deployment model")
	best := d.Chosen
	if wanted != "" {
		d.want(wanted, n)
	}
	v := d.Of(d.Chosen)
	p.Section.Summary = summary(d, best)
	if d.Chosen == controller.Regions {
		p.Show(regions(b, n, l))
		p.Find(v1alpha1.Warning, "model.regions", fmt.Sprintf("%s: the document gives no sizes for them; "+
			"each is sized as dedicated storage. Hosts are those of one region, prices those of all",
			words.Count(d.Regions, "region")),
			"have the vendor confirm it").Sources = []derive.Source{source}
	} else {
		d.Regions = 1
	}
	for _, r := range v.Reasons {
		d.find(p, r, best)
	}
	d.table(p)
	return d, p
}

// want takes a model whatever speaks against it, which is all told then: also machines
// that are not given, where the rules would not need it.
func (d *Decision) want(wanted string, n Needs) {
	d.Chosen = wanted
	for i := range d.Verdicts {
		if v := &d.Verdicts[i]; v.Model == wanted && !v.has(Absent) {
			v.Reasons = append(n.absent(wanted), v.Reasons...)
		}
	}
}

// summary is the decision in a sentence.
func summary(d Decision, best string) string {
	s := Title(d.Chosen)
	switch {
	case d.Chosen != best:
		s += " as policy.model wants; the rules would choose " + Title(best)
	case d.Chosen == controller.Regions:
		s += fmt.Sprintf(" with %d regions: no single one carries it", d.Regions)
	case d.Of(d.Chosen).has(Absent):
		s += ": the smallest model for these VMs; machines that it needs are not given"
	case d.Of(d.Chosen).lacks():
		s += ": the smallest model that better hosts would make possible; those given lack something for each"
	case d.Of(d.Chosen).Ruled():
		s += ", which the machines are for; what they are to carry rules it out"
	case d.Of(d.Chosen).Advised():
		s += ": what speaks against it speaks against the others, too"
	default:
		s += ": the smallest model that nothing speaks against"
	}
	return s
}

// regions records the number of regions.
func regions(b *derive.Book, n Needs, l Limits) derive.Value {
	least := n.Least
	if least.Text == "" {
		least = derive.Of(1, "regions")
	}
	v := b.Found("model.regions", "Regions", float64(Regions(n, l)), "regions",
		"max(least, sites, ceil(computes / computesPerRegion), ceil(vms / vmsPerRegion))", derive.In("least", least),
		derive.In("sites", n.Sites), derive.In("computes", n.Computes),
		derive.In("computesPerRegion", l.Computes[controller.Dedicated]),
		derive.In("vms", n.VMs), derive.In("vmsPerRegion", l.VMs[controller.Dedicated]))
	b.Note("model.regions", "least: the fewest of which each keeps the limits with spare hosts of its own", source,
		derive.Source{Code: "HCG", Section: "8"})
	return v
}

// find says what speaks against the model that is planned with. What its hosts lack
// is told by the parts that size them.
func (d Decision) find(p *part.Part, r Reason, best string) {
	severity := v1alpha1.Warning
	switch {
	case r.ID == host:
		return
	case r.Weight <= Absent:
		severity = v1alpha1.Error
	case r.Weight == Excess:
		severity = v1alpha1.Info
	}
	f := p.Find(severity, "model."+r.ID, Title(d.Chosen)+": "+r.Text, d.remedy(r))
	if d.Chosen != best {
		f.Remedy, f.Field = "plan with policy.model: "+best+", which is what the rules choose", "policy.model"
	}
	f.Sources = []derive.Source{source}
	if r.Limit.From != nil && r.Limit.From.Source != nil {
		f.Sources = []derive.Source{*r.Limit.From.Source}
	}
	if r.Value.From != nil && r.Value.From.Kind == derive.FromFigure {
		f.Figure = r.Value.From.ID
	}
}

// remedy is the least that would help: the machines that are not given, here or for the
// smallest model that only they keep from carrying the cloud.
func (d Decision) remedy(r Reason) string {
	if r.Weight == Absent {
		return "list them under hardware.nodeTypes, or give their node type that count"
	}
	for _, v := range d.Verdicts {
		if r.Weight == Rules && v.Model != d.Chosen && v.has(Absent) && !v.has(Rules) &&
			(v.Model == controller.Regions || d.Regions <= 1) {
			var absent []string
			for _, r := range v.Reasons {
				if r.Weight == Absent {
					absent = append(absent, r.Text)
				}
			}
			return "take " + Title(v.Model) + ", and list what it needs: " + strings.Join(absent, "; ")
		}
	}
	return ""
}

// table lists all models with what speaks against each.
func (d Decision) table(p *part.Part) {
	t := p.Table("model.verdicts", "What speaks against each model", part.Left("Model"), part.Left("Verdict"),
		part.Left("Reasons"))
	for _, v := range d.Verdicts {
		reasons := slices.Clone(v.Reasons)
		slices.SortStableFunc(reasons, func(a, b Reason) int { return cmp.Compare(a.Weight, b.Weight) })
		var list []string
		for _, r := range reasons {
			list = append(list, r.Text)
		}
		if len(list) == 0 {
			list = []string{"nothing"}
		}
		t.Rows = append(t.Rows, []v1alpha1.Cell{part.Text(Title(v.Model)), d.verdict(v),
			{Text: strings.Join(list, "; "), List: list}})
	}
}

// verdict judges a model in a word.
func (d Decision) verdict(v Verdict) v1alpha1.Cell {
	mark, word := "", "possible"
	switch {
	case v.lacks():
		mark, word = "bad", "hosts lack something"
	case !v.has(Rules) && v.has(Absent):
		mark, word = "bad", "machines not given"
	case v.Ruled():
		mark, word = "bad", "ruled out"
	case v.Advised():
		mark, word = "warn", "advised against"
	case len(v.Reasons) > 0:
		word = "not needed"
	}
	if v.Model != d.Chosen {
		return part.Marked(word, mark)
	}
	if mark == "" {
		return part.Marked("chosen", "good")
	}
	return part.Marked("chosen, "+word, mark)
}
