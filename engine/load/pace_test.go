package load

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// A delay of the configuration is a pace as a rate is: what one request at a time delays is seen in both.
func TestDelayIsPace(t *testing.T) {
	const text = "projects: [{num: 1, basename: a, tuning: t, pods: [{num: 100, basename: p, file: default}]}]\n" +
		"tuningsets: [{name: t, pods: {rate_limit: {delay: 1}}}]"
	lag := func(rate float64) time.Duration {
		opt := quick
		opt.Rate, opt.Concurrency = rate, 1
		f := &fake{Start: time.Millisecond, Latency: 10 * time.Millisecond}
		return latency(t, made(t, start(t, f), text, opt), "due/created").Summary.Max
	}
	delayed, rated := lag(0), lag(1000)
	if delayed < 100*(10-1)*time.Millisecond || rated < 100*(10-1)*time.Millisecond {
		t.Errorf("the last is %v late after a delay, %v at a rate", delayed, rated)
	}
}

// What the run holds back by its own rule is not late: behind a full queue, a step or a pause.
func TestHeldBackIsNotLate(t *testing.T) {
	for name, of := range map[string]struct {
		tuning string
		rate   float64
		queue  int
	}{
		"queue":           {"{}", 2000, 5},
		"steps":           {"{stepping: {stepsize: 10}}", 2000, 0},
		"steps and delay": {"{stepping: {stepsize: 10, pause: 50ms}, rate_limit: {delay: 1}}", 0, 0},
		"queue and delay": {"{rate_limit: {delay: 1}}", 0, 5},
	} {
		opt := quick
		opt.Rate, opt.Queue = of.rate, of.queue
		r := made(t, start(t, &fake{Start: 100 * time.Millisecond}), "projects: [{num: 1, basename: a, tuning: t, pods: "+
			"[{num: 40, basename: p, file: default}]}]\ntuningsets: [{name: t, pods: "+of.tuning+"}]", opt)
		if due := latency(t, r, "due/created").Summary; r.Took < 300*time.Millisecond || due.Max > 250*time.Millisecond {
			t.Errorf("%s: it took %v, the last is %v late", name, r.Took, due.Max)
		}
	}
}

// The clock stands only while all who take from it hold back, only from when the next request is due, and
// what was late before stays as late.
func TestClockStands(t *testing.T) {
	at := func(ms int) time.Time { return time.Unix(0, 0).Add(time.Duration(ms) * time.Millisecond) }
	c := newClock(10*time.Millisecond, nil)
	c.change(2, 0, at(0))
	c.due(at(0))
	c.change(0, 1, at(5)) // one of two
	c.change(0, 1, at(50))
	c.change(0, -1, at(100))
	if got := c.due(at(100)); got != at(60) { // it was due at 10, and the clock stood for 50
		t.Errorf("%v", got.Sub(at(0)))
	}
	c.change(0, -1, at(100))
	for range 10 {
		c.due(at(100)) // up to 160
	}
	c.change(0, 2, at(110))
	c.change(0, -1, at(150))
	if got := c.due(at(150)); got != at(170) || c.stood != 50*time.Millisecond {
		t.Errorf("%v, stood for %v", got.Sub(at(0)), c.stood)
	}
}

// The rate is that of the intervals between objects. Where it was not reached because the run held back, that is
// told, and no concurrency advised.
func TestRate(t *testing.T) {
	one := "projects: [{num: 1, basename: a, tuning: t, pods: [{num: %d, basename: p, file: default}]}]\n" +
		"tuningsets: [{name: t, pods: {stepping: {stepsize: 10}}}]"
	opt := quick
	opt.Rate = 10
	r := made(t, start(t, &fake{Start: time.Millisecond}), fmt.Sprintf(one, 5), opt)
	if r.RateReached < 7.5 || r.RateReached > 11.5 {
		t.Errorf("%v of 10 objects a second", r.RateReached)
	}
	if r = made(t, start(t, &fake{}), fmt.Sprintf(one, 1), opt); len(r.Answer(nil, nil).Findings) > 0 {
		t.Errorf("%+v", r.Answer(nil, nil))
	}
	opt.Rate = 200
	r = made(t, start(t, &fake{Start: 100 * time.Millisecond}), fmt.Sprintf(one, 40), opt)
	if r.HeldBack < 200*time.Millisecond || r.HeldBack > r.Last.Sub(r.First) {
		t.Errorf("it held back for %v", r.HeldBack)
	}
	r = &Result{RateAsked: 200, RateReached: 80, HeldBack: 300 * time.Millisecond, Filled: 41, First: time.Unix(0, 0),
		Last: time.Unix(0, 0).Add(500 * time.Millisecond)} // 40 in the 200 ms that are left
	found := r.Answer(nil, nil).Findings
	if len(found) != 1 || found[0].Remedy != "" || !strings.Contains(found[0].Message, "nothing was due, behind") {
		t.Errorf("%+v", found)
	}
	r.Last = r.Last.Add(time.Second)
	if found = r.Answer(nil, nil).Findings; len(found) != 1 || found[0].Remedy == "" {
		t.Errorf("%+v", found)
	}
}

// The summary tells creation and the whole run apart, and counts nothing that was left out.
func TestSummary(t *testing.T) {
	opt := quick
	opt.Missing = "skip"
	r := made(t, start(t, &fake{Start: 200 * time.Millisecond}), "projects: [{num: 1, basename: a, pods: [{num: 3, "+
		"basename: p, file: default}], templates: [{num: 1, file: dc.yaml}]}]", opt)
	r.First, r.Last, r.Took = r.Began, r.Began.Add(20*time.Millisecond), 6*time.Second
	r.RateReached = r.rate()
	if got, want := r.Answer(nil, nil).Verdict.Summary, "3 objects created in 20ms, 100.0 a second, 1 left out; "+
		"3 of 3 pods ready after 6s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	r.Pods = 0
	if got := r.Answer(nil, nil).Verdict.Summary; !strings.HasSuffix(got, "1 left out; done after 6s") {
		t.Errorf("without pods: %q", got)
	}
}
