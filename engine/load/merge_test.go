package load

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"plimsoll.dev/bench"
)

// The times of workers, merged, are summed up as they are in one run, whatever share each has.
func TestMergeIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		n := 1 + rng.IntN(6)
		parts := make([][]time.Duration, n)
		var all []time.Duration
		for range rng.IntN(2000) {
			d := time.Duration(rng.ExpFloat64() * float64(time.Second))
			all = append(all, d)
			i := rng.IntN(n)
			parts[i] = append(parts[i], d)
		}
		never := 0
		var results []*Result
		for _, times := range parts {
			censored := rng.IntN(3)
			never += censored
			results = append(results, &Result{Latencies: []Latency{
				{"pod/ready", "", "own", bench.Summarize(times, censored), times},
				{"server/create/pods", "", "server", bench.Summary{N: 5}, nil}}})
		}
		got := Merge(results).Latencies
		if len(all)+never == 0 {
			continue
		}
		if want := bench.Summarize(all, never); len(got) != 1 || !reflect.DeepEqual(got[0].Summary, want) {
			t.Fatalf("%+v\nwant %+v", got, want)
		}
	}
}

// Counts add up, moments are laid beside each other, and the first failure is told.
func TestMerge(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	kind := func(n int, how string) []KindCount {
		return []KindCount{{APIVersion: "v1", Kind: "Pod", How: how, Created: n, Failed: 1, Waited: true, Ready: 1}}
	}
	got := Merge([]*Result{
		{Began: at.Add(time.Second), First: at.Add(time.Second), Last: at.Add(3 * time.Second), Filled: 41,
			Took: 5 * time.Second,
			Pods: 4, Ready: 4, RateAsked: 10, Kinds: kind(40, native), Phases: []Phase{{"pods", 0, 2 * time.Second, 40}},
			Failures: []Failure{{"refused", 1, "a"}}},
		{Began: at, First: at, Last: at.Add(4 * time.Second), Filled: 60,
			Took: 4 * time.Second, Pods: 5, Ready: 3, RateAsked: 10,
			Kinds:    kind(60, native),
			Phases:   []Phase{{"before", 0, time.Second, 0}, {"pods", time.Second, 4 * time.Second, 60}},
			Failures: []Failure{{"Unschedulable", 1, "c"}, {"refused", 2, "b"}}, Failed: "it broke"},
	})
	want := &Result{Began: at, First: at, Last: at.Add(4 * time.Second), Filled: 101,
		Took: 6 * time.Second, Pods: 9, Ready: 7,
		RateAsked: 20, RateReached: 25, Kinds: kind(100, native), Failed: "it broke",
		Phases:   []Phase{{"before", 0, time.Second, 0}, {"pods", time.Second, 4 * time.Second, 100}},
		Failures: []Failure{{"refused", 3, "a"}, {"Unschedulable", 1, "c"}}}
	got.Course = nil // which has a test of its own
	want.Kinds[0].Failed, want.Kinds[0].Ready = 2, 2
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}
