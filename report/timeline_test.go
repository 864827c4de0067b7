package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/unit"
)

func TestTimelineAsText(t *testing.T) {
	span := func(from, to unit.Duration, state, mark string) v1alpha1.TimelineSpan {
		return v1alpha1.TimelineSpan{From: from, To: to, State: state, Mark: mark}
	}
	src := &v1alpha1.Timeline{End: 20, Rows: []v1alpha1.TimelineRow{
		{Name: "worker-1", Spans: []v1alpha1.TimelineSpan{span(4, 8, "draining", ""), span(8, 12, "rebooting", "bad"),
			span(12, 20, "updated", "good")}},
		{Name: "worker-2", Spans: []v1alpha1.TimelineSpan{span(0, 1, "down", ""), span(1, 20, "draining", "")}}},
		Level: &v1alpha1.Level{Unit: "nodes",
			Steps: []v1alpha1.LevelStep{{At: 0, Amount: 100}, {At: 8, Amount: 97}, {At: 12, Amount: 98}}},
		Events: []v1alpha1.TimelineEvent{{At: 8, Mark: "bad"}, {At: 19}}}
	got := newTimeGrid(newTimeView(src, 0), 34)
	want := []string{
		"            0         10 s",
		"            |         |",
		"  worker-1  ....ddddRRRRuuuuuuuu",
		"  worker-2  oddddddddddddddddddd",
		"  events            !          *",
		"  nodes     100-----97--98------",
	}
	if diff := cmp.Diff(want, got.lines()); diff != "" {
		t.Error(diff)
	}
	if key := "d draining, R rebooting (bad), u updated, o down, a column is 1 s"; got.key() != key {
		t.Error(got.key())
	}
}

// TestColumnsShowTheWorst: what lasts a second among hours is seen when it is bad.
func TestColumnsShowTheWorst(t *testing.T) {
	src := &v1alpha1.Timeline{End: 86400, Rows: []v1alpha1.TimelineRow{{Name: "a", Spans: []v1alpha1.TimelineSpan{
		{From: 0, To: 43200, State: "up"}, {From: 43200, To: 43201, State: "lost", Mark: "bad"},
		{From: 43201, To: 43202, State: "slow"}, {From: 43202, To: 86400, State: "up"}}}}}
	g := newTimeGrid(newTimeView(src, 0), 80)
	if row := g.letters(g.rows[0]); strings.Count(row, "L") != g.rep || strings.Contains(row, "s") ||
		strings.Contains(row, ".") {
		t.Error(row)
	}
}

func TestTicks(t *testing.T) {
	for end, want := range map[float64]string{20: "0 5 s 10 s 15 s 20 s", 90: "0 15 s 30 s 45 s 1 min 1:15 min 1:30 min",
		1980: "0 10 min 20 min 30 min", 10800: "0 30 min 1 h 1:30 h 2 h 2:30 h 3 h",
		86400 * 3: "0 12 h 24 h 36 h 48 h 60 h 72 h", 86400 * 10: "0 2 d 4 d 6 d 8 d 10 d"} {
		step := timeStep(end, drawnTicks)
		var got []string
		for at := 0.0; at <= end; at += step {
			got = append(got, tickText(at, step))
		}
		if g := strings.Join(got, " "); g != want {
			t.Errorf("%v: %s, want %s", end, g, want)
		}
	}
}

// TestRowsFold: however many things there are, a drawing has at most 60 rows, those
// with something bad are among them, and equal ones share a row.
func TestRowsFold(t *testing.T) {
	v := newTimeView(many().Parts[0].Timeline, drawnRows)
	bad := 0
	for _, r := range v.rows {
		if r.worst() == 0 {
			bad++
		}
	}
	if len(v.rows) != drawnRows || bad != 5 || v.rows[0].Name != "node-0" || v.rows[drawnRows-1].Name != "node-299" ||
		v.note == "" {
		t.Errorf("%d rows, %d bad, note %q", len(v.rows), bad, v.note)
	}
	equal := v1alpha1.Timeline{}
	for range 500 {
		equal.Rows = append(equal.Rows, v1alpha1.TimelineRow{Name: "n", Spans: []v1alpha1.TimelineSpan{{To: 5, State: "up"}}})
	}
	if v := newTimeView(&equal, drawnRows); len(v.rows) != 1 || v.rows[0].label() != "n and 499 more" {
		t.Errorf("%d rows", len(v.rows))
	}
	rapid.Check(t, func(t *rapid.T) {
		var rows []v1alpha1.TimelineRow
		for i, mark := range rapid.SliceOfN(rapid.SampledFrom([]string{"", "", "", "bad", "good"}), 0, 200).Draw(t, "marks") {
			rows = append(rows, v1alpha1.TimelineRow{Spans: []v1alpha1.TimelineSpan{{To: unit.Duration(i % 150), Mark: mark}}})
		}
		most := rapid.IntRange(2, 60).Draw(t, "most")
		got, note := foldRows(rows, most)
		if equal := len(equalRows(rows)); len(got) != min(most, equal) || (note == "") != (equal <= most) {
			t.Fatalf("%d rows of %d, note %q", len(got), len(rows), note)
		}
	})
}

// TestLeastLevels compares with a walk over every second.
func TestLeastLevels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 7).Draw(t, "parts")
		per := rapid.IntRange(1, 9).Draw(t, "seconds in each")
		l := &v1alpha1.Level{}
		at := 0
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			l.Steps = append(l.Steps, v1alpha1.LevelStep{At: unit.Duration(at),
				Amount: float64(rapid.IntRange(-3, 9).Draw(t, "amount"))})
			at += rapid.IntRange(1, 9).Draw(t, "for")
		}
		got := leastLevels(l, float64(n*per), n)
		for i := range n {
			least := 1e9
			for second := i * per; second < (i+1)*per; second++ {
				amount := 0.0
				for _, s := range l.Steps {
					if int(s.At) <= second {
						amount = s.Amount
					}
				}
				least = min(least, amount)
			}
			if got[i] != least {
				t.Fatalf("part %d: %v, want %v", i, got[i], least)
			}
		}
	})
}

// Names of one cluster differ at their ends, and rows of two pools are two rows.
func TestRowsAreToldApart(t *testing.T) {
	for _, c := range []struct {
		name string
		most int
		want string
	}{{"worker-1", 8, "worker-1"}, {"ci-ln-t0prq3t-72292-h4x2n-master-0", 20, "ci-ln-t0p..-master-0"},
		{"\u7bc0\u9ede\u7bc0\u9ede\u7bc0", 8, "\u7bc0..\u9ede\u7bc0"}, {"abcdef", 3, "a..f"}} {
		if got := cutMiddle(c.name, c.most); got != c.want {
			t.Errorf("%s in %d: %q, want %q", c.name, c.most, got, c.want)
		}
	}
	spans := []v1alpha1.TimelineSpan{{To: 1, State: "rebooting"}}
	rows := []v1alpha1.TimelineRow{{Name: "ci-ln-t0prq3t-72292-h4x2n-master-0", Group: "master", Spans: spans},
		{Name: "worker-1", Group: "worker", Spans: spans},
		{Name: "ci-ln-t0prq3t-72292-h4x2n-master-z", Group: "master", Spans: spans}}
	var got []string
	for _, r := range equalRows(rows) {
		got = append(got, r.label())
	}
	if diff := cmp.Diff([]string{"ci-ln-..aster-0 and 1 more", "worker-1"}, got); diff != "" {
		t.Error(diff)
	}
}
