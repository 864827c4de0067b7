package load

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/bench"
	"plimsoll.dev/internal/words"
)

// Course is how a run went on, in equal pieces of its time, of which there are at most 120.
type Course struct {
	Every time.Duration `json:"every"`
	// Created objects in each piece, and pods that had become ready at its end.
	Created []int `json:"created"`
	Ready   []int `json:"ready"`
}

// pieces bounds what is told of a course. Pieces are never shorter than leastPiece, in which too little
// happens.
const (
	pieces     = 120
	leastPiece = 100 * time.Millisecond
)

// pieceOf is a round duration of which few enough fill a time.
func pieceOf(took time.Duration) time.Duration {
	for scale := leastPiece; ; scale *= 10 {
		for _, n := range []time.Duration{1, 2, 5} {
			if took <= n*scale*pieces {
				return n * scale
			}
		}
	}
}

// newCourse has as many pieces as fill a time.
func newCourse(took time.Duration) *Course {
	c := &Course{Every: pieceOf(took)}
	n := max(1, int((took+c.Every-1)/c.Every))
	c.Created, c.Ready = make([]int, n), make([]int, n)
	return c
}

// add a moment of the course to a list of it. What came behind its end is in the last piece.
func (c *Course) add(list []int, at time.Duration, n int) {
	list[max(0, min(len(list)-1, int(at/c.Every)))] += n
}

// course of a run that took so long. The caller has locked.
func (r *run) course(took time.Duration) *Course {
	c := newCourse(took)
	for _, at := range r.createdAt {
		c.add(c.Created, at, 1)
	}
	for _, p := range r.pods.all() {
		if p.isReady() { // what ran to its end was ready for a moment that nobody saw
			at := cmp.Or(p.ready, p.running)
			c.add(c.Ready, at.Sub(r.began), 1)
		}
	}
	for i := range c.Ready[1:] {
		c.Ready[i+1] += c.Ready[i]
	}
	return c
}

// together is the course of runs, of one or more, that followed each other or went on at once, from the begin
// of the first.
func together(runs []*Result) (c *Course, took time.Duration) {
	began := runs[0].Began
	for _, r := range runs {
		if r.Began.Before(began) {
			began = r.Began
		}
	}
	for _, r := range runs {
		took = max(took, r.Began.Sub(began)+r.Took)
	}
	c = newCourse(took)
	for _, r := range runs {
		if r.Course == nil {
			continue
		}
		before := 0
		for i, n := range r.Course.Created {
			at := r.Began.Sub(began) + time.Duration(i)*r.Course.Every
			c.add(c.Created, at, n)
			c.add(c.Ready, at, r.Course.Ready[i]-before)
			before = r.Course.Ready[i]
		}
	}
	for i := range c.Ready[1:] {
		c.Ready[i+1] += c.Ready[i]
	}
	return c, took
}

// drawn is the run on a time axis: its phases, what was created a second, and the pods ready.
func (r *Result) drawn() *v1alpha1.Course {
	if r.Course == nil {
		return nil
	}
	out := r.Course.curves(r.Took+r.CleanTook, r.RateAsked, r.Pods)
	for _, p := range r.Phases {
		out.Phases = append(out.Phases, v1alpha1.CoursePhase{Name: p.Title, State: stateOf(p), From: p.From.Seconds(),
			To: p.To.Seconds()})
	}
	if r.CleanTook > 0 {
		out.Phases = append(out.Phases, v1alpha1.CoursePhase{Name: "clean-up", State: "clean-up", From: r.Took.Seconds(),
			To: (r.Took + r.CleanTook).Seconds()})
	}
	slices.SortStableFunc(out.Phases, func(a, b v1alpha1.CoursePhase) int { return cmp.Compare(a.From, b.From) })
	return out
}

// stateOf says what goes on in a phase.
func stateOf(p Phase) string {
	switch {
	case p.Title == "churn":
		return "churn"
	case p.Items > 0:
		return "creating"
	}
	return "waiting"
}

// curves of a course that is drawn up to an end. Behind the course itself nothing is created, and
// pods that are taken away are told by nobody.
func (c *Course) curves(end time.Duration, asked float64, pods int) *v1alpha1.Course {
	out := &v1alpha1.Course{End: max(end, c.Every).Seconds()}
	n := max(len(c.Created), int((end+c.Every-1)/c.Every))
	out.End = max(out.End, (time.Duration(n) * c.Every).Seconds())
	rate := v1alpha1.Curve{Title: "Objects created", Unit: "objects/s", Amounts: make([]float64, n)}
	for i, k := range c.Created {
		rate.Amounts[i] = float64(k) / c.Every.Seconds()
	}
	if asked > 0 {
		rate.Limits = []v1alpha1.LevelLimit{{Name: "asked for", Amount: asked}}
	}
	out.Curves = append(out.Curves, rate)
	if pods == 0 {
		return out
	}
	ready := v1alpha1.Curve{Title: "Pods that have become ready", Unit: "pods",
		Limits: []v1alpha1.LevelLimit{{Name: "waited for", Amount: float64(pods)}}}
	for i := range n {
		ready.Amounts = append(ready.Amounts, float64(c.Ready[min(i, len(c.Ready)-1)]))
	}
	out.Curves = append(out.Curves, ready)
	return out
}

// spread draws the quantiles of the latencies, with the thresholds that they are held against.
func spread(latencies []Latency, judged []Judgement) *v1alpha1.Spread {
	out := &v1alpha1.Spread{Title: "Quantiles", Description: "From the median to the longest, with the intervals that " +
		"hold each with 95 %; the numbers stand in the table. A line is what a quantile may be at most."}
	for _, l := range latencies {
		out.Rows = append(out.Rows, spreadRow(l.Title, l.ID, l.Summary, judged))
	}
	return out
}

func spreadRow(title, id string, s bench.Summary, judged []Judgement) v1alpha1.SpreadRow {
	row := v1alpha1.SpreadRow{Name: title, Marks: marks(s)}
	if s.Censored > 0 {
		row.Name += fmt.Sprintf(" (%s of %s never)", words.Number(s.Censored), words.Number(s.N))
	}
	for _, j := range judged {
		most := j.Threshold.Most.Seconds()
		switch { // the first that is passed, else the least
		case j.Latency != id || row.Passed:
			continue
		case row.Limit == 0, j.Known && !j.Holds, most < row.Limit:
			row.Limit, row.LimitName = most, j.Threshold.Quantile+" at most "+j.Threshold.Most.String()
		}
		row.Passed = j.Known && !j.Holds
	}
	return row
}

// marks are the quantiles that are known, and the longest where nothing lasted longer.
func marks(s bench.Summary) []v1alpha1.SpreadMark {
	var out []v1alpha1.SpreadMark
	for _, q := range []struct {
		name string
		bench.Quantile
	}{{"50", s.P50}, {"90", s.P90}, {"95", s.P95}, {"99", s.P99}} {
		if !q.Known {
			continue
		}
		m := v1alpha1.SpreadMark{Name: q.name, At: q.Value.Seconds(), Low: q.Low.Seconds(), High: q.High.Seconds()}
		if !q.Bounded { // the interval reaches at least to the largest that was seen
			m.High = max(q.Value, s.Max).Seconds()
		}
		out = append(out, m)
	}
	if s.Max > 0 && s.Censored == 0 {
		at := s.Max.Seconds()
		out = append(out, v1alpha1.SpreadMark{Name: "100", At: at, Low: at, High: at})
	}
	return out
}
