package report

import (
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/limit"
)

// What the brief form of a plan shows of each list.
const (
	// briefLines is what a person reads at once.
	briefLines    = 45
	briefRules    = 2
	briefLimits   = 3
	briefLocal    = 2
	briefOptions  = 5
	briefFindings = 2
	// briefText is the most of a finding that stands there, two lines, and briefShares
	// how many resources are named.
	briefText   = 140
	briefShares = 3
	// briefTypes is how many pod types a reader knows by heart.
	briefTypes = 12
)

// brief is a plan in some forty lines: what to buy, whether the policy holds as
// placed, the nearest limits, what to do, where the waste is. Sections hold the rest.
func (d *Document) brief(ix *index) {
	p := ix.plan
	rest := d.sectionIDs()
	d.Sections = nil
	if len(p.Options) > 1 {
		d.add("options", title(ix.terms().Place)+" options", ix.optionRows(briefOptions), unfit(p.Options))
	}
	limits := once(ix.gauges(), func(g limit.Gauge) string { return g.Title }) // the fullest node stands for the others
	near := Grid{ID: "limits", Bare: true, Columns: heads("Limit", "Used", "Share", "Kind")}
	near.Columns[2].Right = true
	for _, g := range nearLimits(limits) {
		value, most := pair(g.Value, g.Limit)
		near.Rows = append(near.Rows, []Cell{{Text: scoped(g), Mark: gaugeMark(g.Verdict, g.Kind)},
			{Text: value + " of " + most},
			{Text: percent(g.Share)}, {Text: string(g.Kind)}})
	}
	d.add("limits", "Nearest limits", near)
	findings, more := briefFindingList(p)
	d.add("findings", "What to do"+more, findings)
	d.add("waste", "Where room is lost", List{Items: items("", waste(p.Options))})
	if n := podTypes(p); n > briefTypes {
		d.Foot = append(d.Foot, words.Count(n, "pod type")+
			": --section workload; orders of arrival: plimsoll place --compare.")
	}
	d.Lines, d.First = briefLines, []string{"findings", "options", "limits", "waste"}
	d.Foot = append(d.Foot, "More with --section: "+strings.Join(rest, ", ")+"; all with -o wide.")
}

// nearLimits are the limits that the workload comes nearest to, and behind them those of one node or
// of a setting that are nearly used up: they don't grow with it, and the next change may pass them.
func nearLimits(limits []limit.Gauge) []limit.Gauge {
	out := slices.Clone(limits[:min(briefLimits, len(limits))])
	for _, g := range limits[len(out):] {
		if setApart(g) && g.Verdict == limit.Near && len(out) < briefLimits+briefLocal {
			out = append(out, g)
		}
	}
	return out
}

// unfit says why options don't fit; the verdict says it of the one that is chosen.
func unfit(options []v1alpha1.Option) List {
	var out List
	for _, o := range options {
		if !o.Fits && !o.Chosen && o.Why != "" && len(out.Items) < briefOptions {
			out.Items = append(out.Items, Item{Mark: "bad", Text: cut(o.Name + ": " + o.Why)})
		}
	}
	return out
}

// podTypes is the number of pod types, those of DaemonSets among them.
func podTypes(p *v1alpha1.Plan) int {
	for _, s := range p.Sections {
		for _, t := range s.Tables {
			if t.ID == "workload.podTypes" {
				return len(t.Rows)
			}
		}
	}
	return 0
}

// sectionIDs are the names of the sections.
func (d *Document) sectionIDs() []string {
	return each(d.Sections, func(s Section) string { return s.ID })
}

// only keeps the sections of these names, separated by commas; all keeps all of them.
func (d *Document) only(names string) error {
	if names == "" || names == "all" {
		return nil
	}
	var kept []Section
	for _, name := range strings.Split(names, ",") {
		i := slices.IndexFunc(d.Sections, func(s Section) bool { return s.ID == name })
		if i < 0 {
			return unusable("--section %s: this answer has none of that name (it has %s, all)", name,
				strings.Join(d.sectionIDs(), ", "))
		}
		kept = append(kept, d.Sections[i])
	}
	d.Sections, d.Foot = kept, nil
	return nil
}

// briefFindingList is the worst findings, and how many more there are. What is wrong
// with options that are not chosen stands at the options.
func briefFindingList(p *v1alpha1.Plan) (out List, more string) {
	list := slices.DeleteFunc(worstFirst(p.Findings), func(f v1alpha1.Finding) bool {
		return f.Severity == v1alpha1.Info || slices.ContainsFunc(p.Options, func(o v1alpha1.Option) bool {
			return !o.Chosen && f.ID == "nodes.option["+o.Name+"]"
		})
	})
	for _, f := range list[:min(briefFindings, len(list))] {
		item := Item{Mark: severityMark(f.Severity), Text: cut(f.Message)}
		if f.Remedy != "" {
			item.Items = append(item.Items, Item{Lead: "-> ", Text: cut(f.Remedy)})
		}
		out.Items = append(out.Items, item)
	}
	if n := len(list) - briefFindings; n > 0 {
		more = " (and " + words.Number(n) + " more: --section findings)"
	}
	return out, more
}

// cut ends a long sentence at a word.
func cut(s string) string {
	if len(s) <= briefText {
		return s
	}
	if at := strings.LastIndexByte(s[:briefText], ' '); at > 0 {
		return s[:at] + " ..."
	}
	return s
}

// waste says of the chosen option what is used, and what is free where nothing fits.
func waste(options []v1alpha1.Option) []string {
	var out []string
	for _, o := range options {
		if !o.Chosen {
			continue
		}
		if c := o.Comparison; c != nil && c.Advice != "" && o.Total > o.Base {
			if _, most := scheduled(*c); most > float64(c.Packed) {
				out = append(out, c.Advice)
			}
		}
		for _, list := range []struct {
			says   string
			shares []v1alpha1.ResourceShare
		}{{"requested of all: ", o.Utilisation}, {"stranded on full ones: ", o.Stranded}} {
			if few := list.shares[:min(briefShares, len(list.shares))]; len(few) > 0 {
				says := func(s v1alpha1.ResourceShare) string { return s.Resource + " " + percent(s.Share) }
				out = append(out, list.says+joined(few, ", ", says))
			}
		}
	}
	return out
}
