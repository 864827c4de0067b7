package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/unit"
)

// drawnRows is the most rows of a drawing on a page, shortRows that of the default
// text. Wide text has all.
const (
	drawnRows = 60
	shortRows = 24
)

// timeView is a timeline prepared for all formats.
type timeView struct {
	*v1alpha1.Timeline
	// end of what is shown, above 0.
	end    float64
	states []timeState
	rows   []timeRow
	// note says which rows are drawn, if not all.
	note string
	// moments are the events of the whole and of all things, in order of time.
	moments []moment
}

// timeState is a state with its letter.
type timeState struct {
	name, mark string
	letter     byte
}

// timeRow is a thing, or a number of things to which the same happens.
type timeRow struct {
	v1alpha1.TimelineRow
	names []string
}

// moment is an event, of things or, without names, of all.
type moment struct {
	v1alpha1.TimelineEvent
	names []string
}

// newTimeView prepares a timeline of which most rows are drawn at most; 0 is all.
func newTimeView(src *v1alpha1.Timeline, most int) timeView {
	v := timeView{Timeline: src, end: endOf(src)}
	v.states = statesOf(src.Rows)
	v.rows, v.note = foldRows(src.Rows, most)
	v.moments = momentsOf(src, most > 0)
	return v
}

// momentsOf are the events in order of time; what happens to several things at once
// is one, if it may be.
func momentsOf(src *v1alpha1.Timeline, together bool) []moment {
	out := each(src.Events, func(e v1alpha1.TimelineEvent) moment { return moment{e, nil} })
	for _, r := range src.Rows {
		for _, e := range r.Events {
			out = append(out, moment{e, []string{r.Name}})
		}
	}
	out = merged(out, func(m *moment) (string, bool) {
		return fmt.Sprintf("%#v", m.TimelineEvent), together && len(m.names) > 0
	},
		func(to *moment, m moment) { to.names = append(to.names, m.names...) })
	slices.SortStableFunc(out, func(a, b moment) int { return cmp.Compare(a.At, b.At) })
	return out
}

// endOf is the end of a timeline; of one that tells none the last thing that happens.
func endOf(src *v1alpha1.Timeline) float64 {
	if src.End > 0 {
		return float64(src.End)
	}
	last := unit.Duration(1)
	for _, r := range src.Rows {
		for _, s := range r.Spans {
			last = max(last, s.To)
		}
	}
	for _, e := range src.Events {
		last = max(last, e.At)
	}
	return float64(last)
}

// share is where a time stands, from 0 to 1.
func (v timeView) share(t unit.Duration) float64 {
	return math.Max(0, math.Min(1, float64(t)/v.end))
}

// markRank orders marks, the worst first.
func markRank(mark string) int {
	if i := slices.Index([]string{"bad", "warn", "good"}, mark); i >= 0 {
		return i
	}
	return 3
}

// statesOf are the states in the order in which they come up, each with its worst
// mark and a letter of its own: of its name, where one is free; a capital where it
// is bad.
func statesOf(rows []v1alpha1.TimelineRow) []timeState {
	var out []timeState
	at := map[string]int{}
	for _, r := range rows {
		for _, s := range r.Spans {
			i, ok := at[s.State]
			if !ok {
				i = len(out)
				at[s.State] = i
				out = append(out, timeState{name: s.State, mark: s.Mark})
			}
			if markRank(s.Mark) < markRank(out[i].mark) {
				out[i].mark = s.Mark
			}
		}
	}
	taken := map[byte]bool{}
	for i := range out {
		out[i].letter = freeLetter(out[i], taken)
		taken[out[i].letter] = true
	}
	return out
}

// freeLetter is a letter that no other state has; the mark of all others when the
// alphabet is used up.
func freeLetter(s timeState, taken map[byte]bool) byte {
	lower, upper := strings.ToLower(s.name), strings.ToUpper(s.name)
	tries := lower + upper
	if s.mark == "bad" {
		tries = upper + lower
	}
	for _, c := range []byte(tries + string(podLetters)) {
		if strings.IndexByte(string(podLetters), c) >= 0 && !taken[c] {
			return c
		}
	}
	return otherMark
}

// stateAt is the index of a state by name.
func (v timeView) stateAt(name string) int {
	return slices.IndexFunc(v.states, func(s timeState) bool { return s.name == name })
}

// foldRows leaves at most so many rows, 0 is all as they are: equal ones share one,
// and of what are still too many those with something bad stay, and others evenly
// spread.
func foldRows(rows []v1alpha1.TimelineRow, most int) ([]timeRow, string) {
	if most == 0 {
		return namedRows(rows), ""
	}
	out := equalRows(rows)
	if len(out) <= most {
		return out, ""
	}
	return chosenRows(out, most), fmt.Sprintf("%d of %s: those with something bad first, the others evenly spread.", most,
		words.Count(len(out), "row"))
}

// equalRows joins the rows of one group to which the same happens.
func equalRows(rows []v1alpha1.TimelineRow) []timeRow {
	return merged(namedRows(rows), func(r *timeRow) (string, bool) {
		return fmt.Sprintf("%q %#v %#v", r.Group, r.Spans, r.Events), true
	}, func(to *timeRow, r timeRow) { to.names = append(to.names, r.names...) })
}

// namedRows are the rows as they are.
func namedRows(rows []v1alpha1.TimelineRow) []timeRow {
	return each(rows, func(r v1alpha1.TimelineRow) timeRow { return timeRow{r, []string{r.Name}} })
}

// chosenRows are so many of the rows, in their order.
func chosenRows(rows []timeRow, most int) []timeRow {
	var bad, rest []int
	for i, r := range rows {
		if r.worst() == 0 {
			bad = append(bad, i)
		} else {
			rest = append(rest, i)
		}
	}
	bad = evenly(bad, max(most/2, most-len(rest)))
	keep := append(bad, evenly(rest, most-len(bad))...)
	slices.Sort(keep)
	return each(keep, func(i int) timeRow { return rows[i] })
}

// evenly picks n of a list, the first and the last among them.
func evenly(list []int, n int) []int {
	if len(list) <= n {
		return list
	}
	out := make([]int, n)
	for i := range out {
		out[i] = list[i*(len(list)-1)/max(1, n-1)]
	}
	return out
}

// worst is the rank of the worst mark in a row.
func (r timeRow) worst() int {
	rank := markRank("")
	for _, s := range r.Spans {
		rank = min(rank, markRank(s.Mark))
	}
	for _, e := range r.Events {
		rank = min(rank, markRank(e.Mark))
	}
	return rank
}

// rowLabel is the most columns that the names of a row take, however many they are.
const rowLabel = 26

// label is the name of a row, or the names of those that share it.
func (r timeRow) label() string { return namesText(r.names, rowLabel) }

// namesText is names with ranges, or the first and how many there are more where
// they take more columns than most.
func namesText(names []string, most int) string {
	if len(names) == 0 {
		return ""
	}
	out := oneLine(foldedNames(names))
	if len(names) > 1 && table.Width(out) > most {
		more := " and " + words.Number(len(names)-1) + " more"
		return cutMiddle(oneLine(names[0]), most-len(more)) + more
	}
	return out
}

// cutMiddle is s in so many columns, with dots in the middle where it is longer: names
// of one cluster begin alike and differ at their ends.
func cutMiddle(s string, columns int) string {
	if table.Width(s) <= columns {
		return s
	}
	head := table.Cut(s, max(1, (columns-2)/2))
	runes := []rune(s[len(head):])
	for len(runes) > 1 && table.Width(head)+2+table.Width(string(runes)) > columns {
		runes = runes[1:]
	}
	return head + ".." + string(runes)
}
