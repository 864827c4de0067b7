package load

import (
	"strings"
	"testing"
	"time"

	"plimsoll.dev/bench"
)

// Thresholds: what is read, and what they say of too few values and of what never ended.
func TestThresholds(t *testing.T) {
	for _, wrong := range []string{"", "pod/ready", "pod/ready=5s", "pod/ready.p98=5s", "pod/ready.p99=5", "a[.p50=1s",
		".p50=1s", "server/create/pods.max=1s"} {
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

// What can't be said of few values, or of a histogram, is not known: no threshold is violated, and the verdict is
// not green.
func TestThresholdUnknown(t *testing.T) {
	times := []time.Duration{time.Second, 6 * time.Second}
	few := Latency{"pod/ready", "", "own", bench.Summarize(times, 0), times}
	inServer := Latency{"server/create/pods", "", "server",
		bench.FromBuckets([]bench.Bucket{{Most: time.Second, Count: 500}}), nil}
	for text, want := range map[string]string{
		"pod/ready.p99=5s": "p99 of pod/ready can't be said of 2 values, of which the largest is 6s; the threshold " +
			"is 5s",
		"*/*/pods.max=1ns":          "max of server/create/pods can't be said of the 500 values of a histogram",
		"server/create/pods.p99=1s": "",
	} {
		threshold, err := ParseThreshold(text)
		if err != nil {
			t.Fatal(err)
		}
		r := &Result{Latencies: []Latency{few, inServer}}
		v := r.Answer(nil, []Threshold{threshold}).Verdict
		if !v.OK || v.Problem != "" || strings.Join(v.Open, "; ") != want {
			t.Errorf("%s: %+v", text, v)
		}
	}
}

// A level of which a threshold says nothing ends the climb, and has neither held nor broken.
func TestClimbUnknown(t *testing.T) {
	slow := Threshold{Latency: "pod/ready", Quantile: "p99", Most: 20 * time.Millisecond}
	out := climbed(t, &fake{Start: 60 * time.Millisecond}, "pods-per-namespace", 400, 10, slow)
	if out.Held != 0 || out.Broke != 0 || len(out.Levels) != 1 || out.Levels[0].Broke != "" ||
		!strings.Contains(out.Stopped, "p99 of pod/ready can't be said of 50 values") || out.Answer("test").Verdict.OK ||
		out.course().Phases[0].State != "not known" {
		t.Errorf("%+v", out)
	}
}
