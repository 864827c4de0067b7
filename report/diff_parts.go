package report

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
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

// diffPart is a group of changes: those of the entries of two plans.
type diffPart struct {
	id, title string
	// brief parts are listed in a short text; the others are counted.
	brief   bool
	entries func(ix *index) []entry
	// judged has the last word on the changes that were found, where it is set.
	judged func(a, b *index, found []change) []change
}

// diffParts are the groups, the weightiest first.
var diffParts = []diffPart{
	{"verdict", "Verdict", true, verdictEntries, nil},
	{"limits", "Limits", true, limitEntries, limitsJudged},
	{"findings", "Findings", true, findingEntries, nil},
	{"options", "Options", true, optionEntries, withNeeded},
	{"decisions", "Decisions", true, decisionEntries, nil},
	{"figures", "Figures", true, figureEntries, withFormulas},
	{"nodes", "layers", false, layerEntries, nil},
	{"tables", "Tables", false, rowEntries, nil},
	{"assumptions", "Assumptions", true, assumptionEntries, nil},
	{"scenario", "Scenario", true, scenarioEntries, nil},
	{"skipped", "Not counted, or otherwise", false, skippedEntries, nil},
	{otherPart, "Other", true, func(*index) []entry { return nil }, nil},
}

// otherPart is of what differs in none of the others.
const otherPart = "other"

// changes are those of the part, the weightiest first.
func (p diffPart) changes(a, b *index) []change {
	out := pairs(p.entries(a), p.entries(b))
	if p.judged != nil {
		out = p.judged(a, b, out)
	}
	for i := range out {
		out[i].Group = p.id
	}
	weigh(out)
	return out
}

// limitsJudged: a limit that comes or goes is neither better nor worse.
func limitsJudged(_, _ *index, found []change) []change {
	for i := range found {
		if found[i].Change != altered {
			found[i].Effect = ""
		}
	}
	return found
}

// withFormulas adds the figures that have the same value, found otherwise.
func withFormulas(a, b *index, found []change) []change {
	for _, f := range b.plan.Figures {
		x, y := explain(a.figures[f.ID]), explain(f)
		if x.ID == "" || x.Value.Text != y.Value.Text || x.Value.Number != y.Value.Number {
			continue
		}
		if before, after := worked(x), worked(y); before != after {
			found = append(found, change{Change: altered, ID: f.ID, Title: f.Title + " (same value, found otherwise)",
				Old: before, New: after, Relative: new(float64)})
		}
	}
	return found
}

// pairs compares two lists of entries by id. Of equal ids the first, the
// second and so on belong together.
func pairs(old, now []entry) []change {
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
				out = append(out, changed(x, y, was, is)...)
			}
		}
	}
	return out
}

// changed is the change from x to y, if there is one.
func changed(x, y entry, was, is bool) []change {
	c := change{ID: cmp.Or(y.ID, x.ID), Title: cmp.Or(y.Title, x.Title), Old: x.Text, New: y.Text}
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

func verdictEntries(ix *index) []entry {
	v := ix.plan.Verdict
	fits := entry{ID: "verdict.fits", Title: "Fits", Text: "yes", Rank: 1}
	if !v.Fits {
		fits.Text, fits.Rank = "no", 2
	}
	return slices.DeleteFunc([]entry{fits, {ID: "verdict.summary", Title: "Needs", Text: v.Summary},
		{ID: "verdict.tightest", Title: "Breaks first", Text: v.Tightest},
		{ID: "verdict.problem", Title: "Problem", Text: v.Problem}},
		func(e entry) bool { return e.Text == "" })
}

func limitEntries(ix *index) []entry {
	return each(ix.gauges(), func(g limit.Gauge) entry {
		value, most := pair(g.Value, g.Limit)
		rank := 1 + slices.Index([]limit.Verdict{limit.Within, limit.Near, limit.Passed}, g.Verdict)
		says := percent(g.Share) + " " + string(g.Verdict) + ", " + value + " of " + most
		return entry{ID: g.ID, Title: scoped(g), Text: says, Number: &g.Share, Rank: rank}
	})
}

func findingEntries(ix *index) []entry {
	return each(worstFirst(ix.plan.Findings), func(f v1alpha1.Finding) entry {
		id, rank := f.ID, 3-f.Severity.Rank()
		if f.Figure+f.Field != "" {
			id += " (" + cmp.Or(f.Figure, f.Field) + ")"
		}
		if rank == 1 {
			rank = 0 // a remark is no judgement
		}
		return entry{ID: id, Title: string(f.Severity), Text: f.Message, Rank: rank}
	})
}

func optionEntries(ix *index) []entry {
	var out []entry
	for _, o := range ix.plan.Options {
		for _, row := range optionGrid([]v1alpha1.Option{o}, true, ix.terms()).Rows {
			out = append(out, entry{ID: o.Name, Title: row[0].Text, Text: row[1].Text})
		}
		out = append(out, entry{ID: o.Name, Title: "Why", Text: o.Why})
	}
	for i := range out {
		out[i].ID += ": " + out[i].Title
	}
	return out
}

func figureEntries(ix *index) []entry {
	return each(ix.plan.Figures, func(f derive.Figure) entry {
		return entry{ID: f.ID, Title: f.Title, Text: f.Value.Text, Number: &f.Value.Number}
	})
}

func layerEntries(ix *index) []entry {
	var out []entry
	for _, n := range ix.plan.Nodes {
		for _, r := range n.Resources {
			for _, l := range r.Layers {
				out = append(out, entry{ID: n.Type + "/" + n.Role + "/" + r.Resource + "/" + l.Name,
					Title: "Layer " + l.Name + " of " + r.Resource, Text: l.Value.Text, Number: &l.Value.Number})
			}
		}
	}
	return out
}

func rowEntries(ix *index) []entry {
	var out []entry
	for _, s := range ix.plan.Sections {
		for _, t := range s.Tables {
			for _, row := range t.Rows {
				if len(row) > 0 {
					says := joined(row, ", ", func(c v1alpha1.Cell) string { return c.Text })
					out = append(out, entry{ID: t.ID + "/" + row[0].Text, Title: t.Title, Text: says})
				}
			}
		}
	}
	return out
}

func assumptionEntries(ix *index) []entry {
	return each(ix.plan.Assumptions, func(x v1alpha1.Assumption) entry {
		return entry{ID: x.Field, Title: x.Why, Text: x.Value}
	})
}

func skippedEntries(ix *index) []entry {
	return each(ix.plan.Skipped, func(s v1alpha1.Skipped) entry {
		return entry{ID: s.Place, Title: s.Why, Text: counted(s)}
	})
}

func scenarioEntries(ix *index) []entry {
	return slices.Concat(flat("metadata", ix.plan.Metadata), flat("platform", ix.plan.Platform))
}

func decisionEntries(ix *index) []entry { return flat("", ix.plan.Decisions) }

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
