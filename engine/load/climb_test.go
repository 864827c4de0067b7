package load

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"plimsoll.dev/loadmodel"
)

func climbed(t *testing.T, f *fake, maximum string, goal, precision int, thresholds ...Threshold) *Climbed {
	t.Helper()
	m, ok := loadmodel.FindMaximum(maximum)
	if !ok {
		t.Fatal(maximum)
	}
	opt := quick
	opt.Patience = 300 * time.Millisecond
	c := start(t, f)
	out, err := ClimbTo(context.Background(), c, Way{m, loadmodel.Climb(50, 0, goal), precision}, opt, thresholds)
	if err != nil {
		t.Fatal(err)
	}
	if !out.Cleaned || len(f.left()) > 0 {
		t.Errorf("left: %v, %v", out.Left, f.left())
	}
	return out
}

// A climb ends at the goal, or names the level that broke and why; nothing of it stays.
func TestClimbTo(t *testing.T) {
	out := climbed(t, &fake{Start: time.Millisecond}, "pods-per-namespace", 400, 0)
	if out.Held != 400 || len(out.Levels) != 4 || out.Levels[3].Result.Pods != 200 || !out.Answer("test").Verdict.OK {
		t.Errorf("%+v", out)
	}
	refuses := func(_, name string) int { // as a quota would
		if n, _ := strconv.Atoi(strings.TrimPrefix(name, "pod-")); n >= 150 {
			return http.StatusForbidden
		}
		return 0
	}
	out = climbed(t, &fake{Start: time.Millisecond, Answer: refuses}, "pods-per-namespace", 400, 0)
	a := out.Answer("test")
	if out.Held != 100 || len(out.Levels) != 3 || !strings.Contains(out.Levels[2].Broke, "exceeded quota") ||
		a.Verdict.OK || !strings.HasPrefix(a.Verdict.Problem, "at 200 pods: ") {
		t.Errorf("%+v\n%+v", out, a.Verdict)
	}
	slow := Threshold{Latency: "pod/ready", Quantile: "p50", Most: 20 * time.Millisecond}
	out = climbed(t, &fake{Start: 60 * time.Millisecond}, "pods-per-namespace", 400, 0, slow)
	if out.Held != 0 || len(out.Levels) != 1 || !strings.Contains(out.Levels[0].Broke, "p50 of pod/ready is") {
		t.Errorf("%+v", out)
	}
}

// A climb that an earlier one is in the way of says so, rather than that the cluster bears nothing.
func TestClimbAgain(t *testing.T) {
	f := &fake{Start: time.Millisecond}
	c := start(t, f)
	m, _ := loadmodel.FindMaximum("secrets")
	way, opt := Way{Maximum: m, Levels: []int{2}}, quick
	opt.RunID, opt.Cleanup = "first", "never"
	if _, err := ClimbTo(context.Background(), c, way, opt, nil); err != nil {
		t.Fatal(err)
	}
	before := len(f.left())
	opt.RunID = "second"
	_, err := ClimbTo(context.Background(), c, way, opt, nil)
	if err == nil || !strings.Contains(err.Error(), "of run first (plimsoll load destroy first)") ||
		len(f.left()) != before {
		t.Errorf("%v, %v left of %d", err, f.left(), before)
	}
}

// Bisection narrows the gap between what held and what broke, each level on an empty cluster that is filled
// up to what held in the climb, and names the lowest that broke.
func TestBisect(t *testing.T) {
	refuses := func(_, name string) int {
		if n, _ := strconv.Atoi(strings.TrimPrefix(name, "pod-")); n >= 150 {
			return http.StatusForbidden
		}
		return 0
	}
	out := climbed(t, &fake{Start: time.Millisecond, Answer: refuses}, "pods-per-namespace", 400, 10)
	var tried []string
	for _, l := range out.Levels {
		tried = append(tried, fmt.Sprint(l.From, "-", l.At, " ", l.Held, " ", l.Anew))
		if l.Held && l.Result.Pods != l.At-l.From {
			t.Errorf("%d pods were added: %+v", l.Result.Pods, l)
		}
	}
	want := "0-50 true false, 50-100 true false, 100-200 false false, 100-150 true true, 100-175 false true, " +
		"100-162 false true, 100-156 false true"
	if got := strings.Join(tried, ", "); got != want || out.Held != 150 || out.Broke != 156 || out.Stopped != "" {
		t.Errorf("%s; %d held, %d broke, %s", got, out.Held, out.Broke, out.Stopped)
	}
	a := out.Answer("test")
	if !strings.HasPrefix(a.Verdict.Problem, "at 156 pods: ") || !strings.Contains(fmt.Sprint(a.Parts[0].Tables[0].Notes),
		"150 held and 156 did not. Of numbers that were not tried nothing is known") {
		t.Errorf("%+v", a)
	}
	out = climbed(t, &fake{Start: time.Millisecond, Answer: refuses}, "pods-per-namespace", 149, 10)
	if out.Held != 149 || len(out.Levels) != 3 { // the goal: nothing is to be looked for
		t.Errorf("%+v", out)
	}
}

// What held in the climb and does not any more ends the bisection, as does an interrupt; neither is told as a
// level that broke.
func TestBisectStopped(t *testing.T) {
	began := 0
	f := &fake{Start: time.Millisecond, Answer: func(_, name string) int {
		if name == "pod-0" {
			began++
		}
		if began > 1 || name == "pod-99" {
			return http.StatusForbidden
		}
		return 0
	}}
	out := climbed(t, f, "pods-per-namespace", 400, 10)
	if !strings.HasPrefix(out.Stopped, "50 held in the climb and did not when it was made anew: ") || out.Held != 50 ||
		out.Broke != 100 || len(out.Levels) != 2 {
		t.Errorf("%+v", out)
	}
	began = 0
	ctx, stop := context.WithCancel(context.Background())
	f = &fake{Start: time.Millisecond, Answer: func(_, name string) int {
		if name == "pod-60" {
			if began++; began == 2 {
				stop()
			}
		}
		if name == "pod-99" {
			return http.StatusForbidden
		}
		return 0
	}}
	m, _ := loadmodel.FindMaximum("pods-per-namespace")
	out, err := ClimbTo(ctx, start(t, f), Way{m, []int{50, 100}, 10}, quick, nil)
	if err != nil || out.Stopped != "it was interrupted" || out.Broke != 100 || !out.Cleaned || len(f.left()) > 0 {
		t.Errorf("%+v, %v, left %v", out, err, f.left())
	}
}

// A level that an interrupt ends has not broken, and nothing is measured; what is left is told.
func TestClimbInterrupted(t *testing.T) {
	for name, held := range map[string]int{"pod-10": 0, "pod-60": 50} {
		ctx, stop := context.WithCancel(context.Background())
		f := &fake{Start: time.Millisecond, Answer: func(_, posted string) int {
			if posted == name {
				stop()
			}
			return 0
		}}
		m, _ := loadmodel.FindMaximum("pods-per-namespace")
		out, err := ClimbTo(ctx, start(t, f), Way{m, []int{50, 100, 200}, 10}, quick, nil)
		if err != nil {
			t.Fatal(err)
		}
		if out.Held != held || out.Broke != 0 || out.Stopped != "it was interrupted" || !out.Cleaned || len(f.left()) > 0 {
			t.Errorf("%+v, left %v", out, f.left())
		}
		v := out.Answer("test").Verdict
		if v.OK || v.Problem != "the climb ended before a level broke: it was interrupted" {
			t.Errorf("%+v", v)
		}
		if _, err := out.Measured("ocp.max.podsPerNamespace/4.17"); err == nil || held > 0 &&
			err.Error() != "50 pods held, but it was interrupted before a level broke" {
			t.Error(err)
		}
	}
	out := &Climbed{Held: 100, Goal: 100, Unit: "pods", Left: []string{"a"}, Levels: []Level{{At: 100, Held: true,
		Result: &Result{}}}}
	if v := out.Answer("test").Verdict; v.OK || v.Problem != "not all could be taken away: a" {
		t.Errorf("%+v", v)
	}
}
