package load

import (
	"testing"
	"time"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/bench"
)

func sum(list []int) int {
	n := 0
	for _, k := range list {
		n += k
	}
	return n
}

func partWith(a *v1alpha1.Answer, has func(p v1alpha1.Part) bool) v1alpha1.Part {
	for _, p := range a.Parts {
		if has(p) {
			return p
		}
	}
	return v1alpha1.Part{}
}

// All that was created, and all pods that became ready, are in the course; it has few pieces however
// long the run is.
func TestCourse(t *testing.T) {
	for _, took := range []time.Duration{0, 1, time.Second, 11 * time.Second, 13 * time.Minute, 700 * time.Hour} {
		if c := newCourse(took); len(c.Created) > pieces || time.Duration(len(c.Created))*c.Every < took {
			t.Errorf("%s: %d pieces of %s", took, len(c.Created), c.Every)
		}
	}
	opt := quick
	opt.Rate, opt.Cleanup = 200, "always"
	r := made(t, start(t, &fake{Start: 150 * time.Millisecond}), twoProjects, opt)
	created := 0
	for _, k := range r.Kinds {
		created += k.Created
	}
	c := r.Course
	if sum(c.Created) != created || c.Ready[len(c.Ready)-1] != r.Ready || c.Ready[0] == r.Ready {
		t.Errorf("%d created, %d ready: %+v", created, r.Ready, c)
	}
	judged := []Threshold{{Latency: "pod/ready", Quantile: "p50", Most: time.Millisecond},
		{Latency: "create/*", Quantile: "p99", Most: time.Minute}}
	a := r.Answer(nil, judged)
	drawn := partWith(a, func(p v1alpha1.Part) bool { return p.Course != nil }).Course
	last := drawn.Phases[len(drawn.Phases)-1]
	if last.Name != "clean-up" || last.To > drawn.End || len(drawn.Curves) != 2 ||
		drawn.Curves[0].Limits[0].Amount != 200 || drawn.Curves[1].Limits[0].Amount != float64(r.Pods) {
		t.Errorf("%+v", drawn)
	}
	rows := map[string]v1alpha1.SpreadRow{}
	for _, row := range partWith(a, func(p v1alpha1.Part) bool { return p.Spread != nil }).Spread.Rows {
		rows[row.Name] = row
	}
	ready, call := rows["Pod due, until it was seen ready"], rows["API call: create pods"]
	if !ready.Passed || ready.Limit != 0.001 || ready.LimitName != "p50 at most 1ms" || call.Passed ||
		call.Limit != 60 {
		t.Errorf("%+v\n%+v", ready, call)
	}
}

// Levels of a climb follow each other on one axis.
func TestCourseOfClimb(t *testing.T) {
	out := climbed(t, &fake{Start: time.Millisecond}, "pods-per-namespace", 200, 0)
	drawn := partWith(out.Answer("test"), func(p v1alpha1.Part) bool { return p.Course != nil }).Course
	if len(drawn.Phases) != 3 || drawn.Phases[2].Name != "200 pods" || drawn.Phases[2].From < drawn.Phases[1].To ||
		drawn.Phases[2].State != "held" {
		t.Errorf("%+v", drawn.Phases)
	}
	ready := drawn.Curves[1].Amounts
	if ready[len(ready)-1] != 200 {
		t.Errorf("%v pods are ready in the end", ready[len(ready)-1])
	}
}

// Runs at once are one, whichever began first.
func TestCourseTogether(t *testing.T) {
	now := time.Now()
	one := func(at, took time.Duration, created, ready []int) *Result {
		return &Result{Began: now.Add(at), Took: took, Course: &Course{time.Second, created, ready}}
	}
	c, took := together([]*Result{one(2*time.Second, 2*time.Second, []int{3, 4}, []int{0, 5}),
		one(0, 3*time.Second, []int{1, 2, 0}, []int{1, 3, 3})})
	if took != 4*time.Second || sum(c.Created) != 10 || c.Created[0] != 1 || c.Created[20] != 3 ||
		c.Ready[len(c.Ready)-1] != 8 {
		t.Errorf("%s %+v", took, c)
	}
}

// What never ended has no longest, and a comparison has two rows of each latency, the slower one marked.
func TestSpread(t *testing.T) {
	times := func(n int, of time.Duration) []time.Duration {
		out := make([]time.Duration, n)
		for i := range out {
			out[i] = of + time.Duration(i)
		}
		return out
	}
	if m := marks(bench.Summarize(times(99, time.Second), 1)); len(m) != 4 || m[3].Name != "99" || m[3].High < m[3].At {
		t.Errorf("%+v", m)
	}
	old, slow := times(200, time.Second), times(200, 2*time.Second)
	latency := func(times []time.Duration) *Result {
		return &Result{Latencies: []Latency{{"pod/ready", "Pod", "own", bench.Summarize(times, 0), times}}}
	}
	c := Compare(latency(old), latency(slow), 0.1)
	rows := c.Answer().Parts[0].Spread.Rows
	if m := c.Answer().Findings[0].Message; m != "Pod: the median is 2s after 1s, beyond chance" {
		t.Error(m)
	}
	tail := append(times(180, 990*time.Millisecond), times(20, 3*time.Second)...) // faster, but for its end
	if c := Compare(latency(old), latency(tail), 0.1); c.Answer().Findings[0].Message !=
		"Pod: the 99th percentile is 3s after 1s, beyond chance" {
		t.Errorf("%+v", c.Answer().Findings)
	}
	if len(rows) != 2 || rows[0].Passed || !rows[1].Passed || rows[0].Name != "Pod: before" {
		t.Errorf("%+v", rows)
	}
}
