package load

import (
	"cmp"
	"slices"
	"time"

	"plimsoll.dev/bench"
)

// Merge is the result of several workers, which ran together, as one: every single time of all of them counts.
// Moments are those of the workers' own clocks.
func Merge(results []*Result) *Result {
	out := &Result{}
	var phases []Phase
	var failures tally
	for i, r := range results {
		if i == 0 || r.Began.Before(out.Began) {
			out.Began = r.Began
		}
		if !r.First.IsZero() && (out.First.IsZero() || r.First.Before(out.First)) {
			out.First = r.First
		}
		if r.Last.After(out.Last) {
			out.Last = r.Last
		}
		out.Filled, out.RateAsked = out.Filled+r.Filled, out.RateAsked+r.RateAsked
		out.Unchurned += r.Unchurned
		out.Restarted, out.Restart = out.Restarted+r.Restarted, cmp.Or(out.Restart, r.Restart)
		out.HeldBack = max(out.HeldBack, r.HeldBack)
		out.Pods, out.Ready = out.Pods+r.Pods, out.Ready+r.Ready
		if out.Failed == "" && r.Failed != "" {
			out.Failed = r.Failed
		}
		out.addKinds(r.Kinds)
		for _, f := range r.Failures {
			failures.merge(f)
		}
		out.addLatencies(r.Latencies)
	}
	out.RateReached, out.Failures = out.rate(), failures.list()
	for _, r := range results {
		late := r.Began.Sub(out.Began)
		out.Took = max(out.Took, late+r.Took)
		phases = joined(phases, r.Phases, late)
	}
	slices.SortStableFunc(phases, func(a, b Phase) int { return cmp.Compare(a.From, b.From) })
	out.Phases = phases
	if len(results) > 0 {
		out.Cluster = results[0].Cluster
		out.Course, _ = together(results)
	}
	for i := range out.Latencies {
		l := &out.Latencies[i]
		l.Summary = bench.Summarize(l.Times, l.Summary.Censored)
	}
	return out
}

func (r *Result) addKinds(kinds []KindCount) {
	for _, k := range kinds {
		at := slices.IndexFunc(r.Kinds, func(o KindCount) bool { return o.APIVersion == k.APIVersion && o.Kind == k.Kind })
		if at < 0 {
			r.Kinds = append(r.Kinds, k)
			continue
		}
		sum := &r.Kinds[at]
		sum.Created, sum.Failed = sum.Created+k.Created, sum.Failed+k.Failed
		sum.Waited, sum.Ready = sum.Waited || k.Waited, sum.Ready+k.Ready
	}
}

// addLatencies adds single times; histograms of the server, which count the calls of all, have none.
func (r *Result) addLatencies(latencies []Latency) {
	for _, l := range latencies {
		if len(l.Times) == 0 && l.Summary.Censored == 0 {
			continue
		}
		at := slices.IndexFunc(r.Latencies, func(o Latency) bool { return o.ID == l.ID })
		if at < 0 {
			l.Times = slices.Clone(l.Times)
			r.Latencies = append(r.Latencies, l)
			continue
		}
		r.Latencies[at].Times = append(r.Latencies[at].Times, l.Times...)
		r.Latencies[at].Summary.Censored += l.Summary.Censored
	}
}

// joined phases of the same title last from the first begin to the last end.
func joined(all, more []Phase, late time.Duration) []Phase {
	for _, p := range more {
		p.From, p.To = p.From+late, p.To+late
		at := slices.IndexFunc(all, func(o Phase) bool { return o.Title == p.Title })
		if at < 0 {
			all = append(all, p)
			continue
		}
		all[at].From, all[at].To = min(all[at].From, p.From), max(all[at].To, p.To)
		all[at].Items += p.Items
	}
	return all
}
