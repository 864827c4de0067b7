package load

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"plimsoll.dev/loadmodel"
)

func climbed(t *testing.T, f *fake, maximum string, goal int, thresholds ...Threshold) *Climbed {
	t.Helper()
	m, ok := loadmodel.FindMaximum(maximum)
	if !ok {
		t.Fatal(maximum)
	}
	opt := quick
	opt.Patience = 300 * time.Millisecond
	c := start(t, f)
	out, err := ClimbTo(context.Background(), c, m, loadmodel.Climb(50, 0, goal), opt, thresholds)
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
	out := climbed(t, &fake{Start: time.Millisecond}, "pods-per-namespace", 400)
	if out.Held != 400 || len(out.Levels) != 4 || out.Levels[3].Result.Pods != 200 || !out.Answer("test").Verdict.OK {
		t.Errorf("%+v", out)
	}
	refuses := func(_, name string) int { // as a quota would
		if n, _ := strconv.Atoi(strings.TrimPrefix(name, "pod-")); n >= 150 {
			return http.StatusForbidden
		}
		return 0
	}
	out = climbed(t, &fake{Start: time.Millisecond, Answer: refuses}, "pods-per-namespace", 400)
	a := out.Answer("test")
	if out.Held != 100 || len(out.Levels) != 3 || !strings.Contains(out.Levels[2].Broke, "exceeded quota") ||
		a.Verdict.OK || !strings.HasPrefix(a.Verdict.Problem, "at 200 pods: ") {
		t.Errorf("%+v\n%+v", out, a.Verdict)
	}
	slow := Threshold{Latency: "pod/ready", Quantile: "p50", Most: 20 * time.Millisecond}
	out = climbed(t, &fake{Start: 60 * time.Millisecond}, "pods-per-namespace", 400, slow)
	if out.Held != 0 || len(out.Levels) != 1 || !strings.Contains(out.Levels[0].Broke, "p50 of pod/ready is") {
		t.Errorf("%+v", out)
	}
}

// Thresholds: what is read, and what they say of too few values and of what never ended.
func TestThresholds(t *testing.T) {
	for _, wrong := range []string{"", "pod/ready", "pod/ready=5s", "pod/ready.p98=5s", "pod/ready.p99=5", "a[.p50=1s",
		".p50=1s"} {
		if got, err := ParseThreshold(wrong); err == nil {
			t.Errorf("%q is %+v", wrong, got)
		}
	}
	f := &fake{Start: time.Millisecond, Stuck: map[string]string{"p3": "CrashLoopBackOff"}}
	opt := quick
	opt.Patience = 200 * time.Millisecond
	r := made(t, start(t, f), "projects: [{num: 1, basename: a, pods: [{num: 40, basename: p, file: default}]}]", opt)
	for text, want := range map[string]string{
		"pod/ready.p50=1m":   "",
		"pod/ready.p50=1ns":  "p50 of pod/ready is",
		"pod/ready.p99=1m":   "exceeds 1m0s: 1 of 40 never ended",
		"pod/ready.max=1m":   "exceeds 1m0s: 1 of 40 never ended",
		"create/*.p99=1m":    "", // too few for a p99, but all are below
		"create/*.p99=1ns":   "can't be said of",
		"create/none.max=1s": "nothing was measured under create/none",
	} {
		threshold, err := ParseThreshold(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range r.Judge([]Threshold{threshold}) {
			if j.Holds != (want == "") || !strings.Contains(j.Why, want) {
				t.Errorf("%s: %+v", text, j)
			}
		}
	}
}
