package report

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/limit"
)

// entry is one thing of a plan in a form that can be compared.
type entry struct {
	ID, Title, Text string
	// Number is set when the thing is one.
	Number *float64
	// Rank orders judgements: a higher one is worse. 0 is none.
	Rank int
}

// pairs compares two lists of entries by id. Of equal ids the first, the
// second and so on belong together.
func pairs(group string, old, now []entry) []change {
	type slot struct {
		id string
		n  int
	}
	index := func(list []entry) map[slot]entry {
		out := map[slot]entry{}
		for _, e := range list {
			s := slot{id: e.ID}
			for _, taken := out[s]; taken; _, taken = out[s] {
				s.n++
			}
			out[s] = e
		}
		return out
	}
	before, after := index(old), index(now)
	var out []change
	seen := map[slot]bool{}
	for _, e := range slices.Concat(now, old) {
		for n := 0; ; n++ {
			s := slot{e.ID, n}
			x, was := before[s]
			y, is := after[s]
			if !was && !is {
				break
			}
			if !seen[s] {
				seen[s] = true
				out = append(out, changed(group, x, y, was, is)...)
			}
		}
	}
	return out
}

// changed is the change from x to y, if there is one.
func changed(group string, x, y entry, was, is bool) []change {
	c := change{Group: group, ID: cmp.Or(y.ID, x.ID), Title: cmp.Or(y.Title, x.Title), Old: x.Text, New: y.Text}
	switch {
	case was && is && x.Text == y.Text && x.Rank == y.Rank && equalNumbers(x.Number, y.Number):
		return nil
	case !was:
		c.Change = added
	case !is:
		c.Change = removed
	default:
		c.Change = altered
		if x.Number != nil && y.Number != nil && *x.Number != 0 {
			r := (*y.Number - *x.Number) / math.Abs(*x.Number)
			c.Relative = &r
		}
	}
	switch {
	case y.Rank > x.Rank:
		c.Effect = worse
	case y.Rank < x.Rank:
		c.Effect = better
	}
	return []change{c}
}

func equalNumbers(a, b *float64) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }

// weigh orders changes: worse before better before neither, then the larger
// relative change, then as they came.
func weigh(list []change) {
	rank := map[string]int{worse: 0, better: 1, "": 2}
	size := func(c change) float64 {
		if c.Relative == nil {
			return math.Inf(1)
		}
		return math.Abs(*c.Relative)
	}
	slices.SortStableFunc(list, func(a, b change) int {
		return cmp.Or(cmp.Compare(rank[a.Effect], rank[b.Effect]), cmp.Compare(size(b), size(a)))
	})
}

func diffVerdict(a, b *index) []change {
	list := func(ix *index) []entry {
		v := ix.plan.Verdict
		fits := entry{ID: "verdict.fits", Title: "Fits", Text: "yes", Rank: 1}
		if !v.Fits {
			fits.Text, fits.Rank = "no", 2
		}
		return slices.DeleteFunc([]entry{fits, {ID: "verdict.summary", Title: "Needs", Text: v.Summary},
			{ID: "verdict.tightest", Title: "Breaks first", Text: v.Tightest}, {ID: "verdict.problem", Title: "Problem", Text: v.Problem}},
			func(e entry) bool { return e.Text == "" })
	}
	return pairs("verdict", list(a), list(b))
}

func diffLimits(a, b *index) []change {
	list := func(ix *index) []entry {
		var out []entry
		for _, g := range ix.gauges() {
			value, most := pair(g.Value, g.Limit)
			rank := 1 + slices.Index([]limit.Verdict{limit.Within, limit.Near, limit.Passed}, g.Verdict)
			out = append(out, entry{ID: g.ID, Title: scoped(g), Text: percent(g.Share) + " " + string(g.Verdict) + ", " + value + " of " + most, Number: &g.Share, Rank: rank})
		}
		return out
	}
	out := pairs("limits", list(a), list(b))
	for i := range out {
		if out[i].Change != altered {
			out[i].Effect = "" // a limit that comes or goes is neither
		}
	}
	return out
}

func diffFindings(a, b *index) []change {
	list := func(ix *index) []entry {
		var out []entry
		for _, f := range worstFirst(ix.plan.Findings) {
			id, rank := f.ID, 3-f.Severity.Rank()
			if f.Figure+f.Field != "" {
				id += " (" + cmp.Or(f.Figure, f.Field) + ")"
			}
			if rank == 1 {
				rank = 0 // a remark is no judgement
			}
			out = append(out, entry{ID: id, Title: string(f.Severity), Text: f.Message, Rank: rank})
		}
		return out
	}
	return pairs("findings", list(a), list(b))
}

func diffOptions(a, b *index) []change {
	list := func(ix *index) []entry {
		var out []entry
		for _, o := range ix.plan.Options {
			for _, r := range optionRows([]v1alpha1.Option{o}, true, ix.terms()) {
				out = append(out, entry{ID: o.Name, Title: r.Title, Text: r.Cells[0].Text})
			}
			out = append(out, entry{ID: o.Name, Title: "Why", Text: o.Why})
		}
		for i := range out {
			out[i].ID += ": " + out[i].Title
		}
		return out
	}
	return slices.Concat(pairs("options", list(a), list(b)), diffNeeded(a.plan, b.plan, b.terms()))
}

func diffFigures(a, b *index) []change {
	list := func(ix *index) []entry {
		var out []entry
		for _, f := range ix.plan.Figures {
			out = append(out, entry{ID: f.ID, Title: f.Title, Text: f.Value.Text, Number: &f.Value.Number})
		}
		return out
	}
	out := pairs("figures", list(a), list(b))
	for _, f := range b.plan.Figures {
		x, y := explain(a.figures[f.ID]), explain(f)
		if x.ID == "" || x.Value.Text != y.Value.Text || x.Value.Number != y.Value.Number {
			continue
		}
		if before, after := worked(x), worked(y); before != after {
			out = append(out, change{Group: "figures", Change: altered, ID: f.ID, Title: f.Title + " (same value, found otherwise)", Old: before, New: after, Relative: new(float64)})
		}
	}
	return out
}

func diffNodes(a, b *index) []change {
	list := func(ix *index) []entry {
		var out []entry
		for _, n := range ix.plan.Nodes {
			for _, r := range n.Resources {
				for _, l := range r.Layers {
					out = append(out, entry{ID: n.Type + "/" + n.Role + "/" + r.Resource + "/" + l.Name, Title: "Layer " + l.Name + " of " + r.Resource, Text: l.Value.Text, Number: &l.Value.Number})
				}
			}
		}
		return out
	}
	return pairs("nodes", list(a), list(b))
}

func diffTables(a, b *index) []change {
	list := func(ix *index) []entry {
		var out []entry
		for _, s := range ix.plan.Sections {
			for _, t := range s.Tables {
				for _, row := range t.Rows {
					var texts []string
					for _, c := range row {
						texts = append(texts, c.Text)
					}
					if len(texts) > 0 {
						out = append(out, entry{ID: t.ID + "/" + texts[0], Title: t.Title, Text: strings.Join(texts, ", ")})
					}
				}
			}
		}
		return out
	}
	return pairs("tables", list(a), list(b))
}

func diffAssumptions(a, b *index) []change {
	list := func(ix *index) []entry {
		var out []entry
		for _, x := range ix.plan.Assumptions {
			out = append(out, entry{ID: x.Field, Title: x.Why, Text: x.Value})
		}
		return out
	}
	return pairs("assumptions", list(a), list(b))
}

func diffSkipped(a, b *index) []change {
	list := func(ix *index) []entry {
		var out []entry
		for _, s := range ix.plan.Skipped {
			out = append(out, entry{ID: s.Place, Title: s.Why, Text: counted(s)})
		}
		return out
	}
	return pairs("skipped", list(a), list(b))
}

func diffScenario(a, b *index) []change {
	return pairs("scenario", slices.Concat(flat("metadata", a.plan.Metadata), flat("platform", a.plan.Platform)),
		slices.Concat(flat("metadata", b.plan.Metadata), flat("platform", b.plan.Platform)))
}

func diffDecisions(a, b *index) []change {
	return pairs("decisions", flat("", a.plan.Decisions), flat("", b.plan.Decisions))
}

// flat lists the leaves of v as JSON has them, by path. Items of a list are
// named by their name or step, so that one more in the middle moves no other.
func flat(path string, v any) []entry {
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	var tree any
	if err := json.Unmarshal(b, &tree); err != nil {
		return nil
	}
	var out []entry
	leaves(path, tree, &out)
	slices.SortFunc(out, func(a, b entry) int { return strings.Compare(a.ID, b.ID) })
	return out
}

func leaves(path string, v any, out *[]entry) {
	switch v := v.(type) {
	case map[string]any:
		for key, child := range v {
			leaves(strings.TrimPrefix(path+"."+key, "."), child, out)
		}
	case []any:
		for i, child := range v {
			leaves(path+"["+itemName(child, i)+"]", child, out)
		}
	case float64:
		*out = append(*out, entry{ID: path, Text: grouped(v), Number: &v})
	case string:
		*out = append(*out, entry{ID: path, Text: v})
	case bool:
		*out = append(*out, entry{ID: path, Text: strconv.FormatBool(v)})
	}
}

func itemName(v any, i int) string {
	if m, ok := v.(map[string]any); ok {
		if s, ok := m["name"].(string); ok {
			return s
		}
		if n, ok := m["step"].(float64); ok {
			return grouped(n)
		}
	}
	return strconv.Itoa(i)
}
