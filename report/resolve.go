package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/schema"
)

// candidate is an id with its title, both in lower case beside the original.
type candidate struct{ id, lower, title string }

// most is the number of ids that an error lists.
const most = 6

// resolve finds the figure or gauge that is meant: by its id, by a part of the
// id, by a part of the title, in this order. It returns an error when none or
// several are meant.
func (ix *index) resolve(asked string) (string, error) {
	all := ix.candidates()
	want := strings.ToLower(strings.TrimSpace(asked))
	ways := []func(c candidate) bool{
		func(c candidate) bool { return c.id == asked },
		func(c candidate) bool { return c.lower == want },
		func(c candidate) bool { return strings.HasSuffix(c.lower, "."+want) },
		func(c candidate) bool { return strings.HasPrefix(c.lower, want+"[") },
		func(c candidate) bool { return strings.HasPrefix(c.lower, want) },
		func(c candidate) bool { return strings.HasSuffix(c.lower, want) },
		func(c candidate) bool { return strings.Contains(c.lower, want) },
		func(c candidate) bool { return strings.Contains(c.title, want) },
	}
	for _, way := range ways {
		var hits []string
		for _, c := range all {
			if want != "" && way(c) {
				hits = append(hits, c.id)
			}
		}
		if len(hits) == 1 {
			return hits[0], nil
		}
		if len(hits) > 1 {
			return "", fmt.Errorf("%q could be %s (give more of the id)", asked, listed(hits))
		}
	}
	if len(all) == 0 {
		return "", fmt.Errorf("no figure %q: the plan has none", asked)
	}
	return "", fmt.Errorf("no figure or limit %q (nearest: %s)", asked, listed(nearest(want, all)))
}

func (ix *index) candidates() []candidate {
	titles := map[string]string{}
	for _, f := range ix.plan.Figures {
		titles[f.ID] = f.Title
	}
	for _, g := range ix.plan.Gauges {
		titles[g.ID] += " " + g.Title + " " + g.Scope
	}
	return each(ix.names(), func(id string) candidate {
		return candidate{id, strings.ToLower(id), strings.ToLower(titles[id])}
	})
}

// listed joins ids, the first few of many.
func listed(ids []string) string {
	out := joined(ids[:min(most, len(ids))], ", ", oneLine)
	if n := len(ids) - most; n > 0 {
		out += fmt.Sprintf(" and %d more", n)
	}
	return out
}

// nearest are the ids with the least edit distance to what was asked for,
// counting only the part of the id that is as long.
func nearest(want string, all []candidate) []string {
	type scored struct {
		id    string
		score int
	}
	var list []scored
	for _, c := range all {
		best := schema.Distance(want, c.lower)
		for _, word := range strings.FieldsFunc(c.lower+" "+c.title,
			func(r rune) bool { return strings.ContainsRune(". []", r) }) {
			best = min(best, schema.Distance(want, word)+1)
		}
		list = append(list, scored{c.id, best})
	}
	slices.SortStableFunc(list, func(a, b scored) int { return cmp.Compare(a.score, b.score) })
	return each(list[:min(most-1, len(list))], func(s scored) string { return s.id })
}
