package prom

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"plimsoll.dev/engine/prometheus"
)

// Query is the instant vector of an expression, as a Prometheus gives it: what is no number is left out.
func (s *Store) Query(_ context.Context, expression string, at time.Time) ([]prometheus.Sample, error) {
	n, err := parse(expression)
	if err != nil {
		return nil, err
	}
	var out []prometheus.Sample
	for _, one := range s.vector(n, s.moment(at)) {
		if !math.IsNaN(one.value) && !math.IsInf(one.value, 0) {
			out = append(out, prometheus.Sample{Labels: one.labels, Value: one.value})
		}
	}
	return sorted(out), nil
}

// sorted has samples in the order in which the client of a Prometheus has them.
func sorted(list []prometheus.Sample) []prometheus.Sample {
	slices.SortFunc(list, func(a, b prometheus.Sample) int {
		return strings.Compare(fmt.Sprint(a.Labels), fmt.Sprint(b.Labels))
	})
	return list
}

// Range is an expression at each step of a time, as a Prometheus gives it.
func (s *Store) Range(_ context.Context, expression string, from, to time.Time, step time.Duration) (
	[]prometheus.Series, error) {
	n, err := parse(expression)
	if err != nil {
		return nil, err
	}
	by := map[string]*prometheus.Series{}
	for at := from; !at.After(to); at = at.Add(step) {
		for _, one := range s.vector(n, at.UnixMilli()) {
			if math.IsNaN(one.value) || math.IsInf(one.value, 0) {
				continue
			}
			if by[one.key] == nil {
				by[one.key] = &prometheus.Series{Labels: one.labels}
			}
			by[one.key].Points = append(by[one.key].Points, prometheus.Point{At: at, Value: one.value})
		}
	}
	var out []prometheus.Series
	for _, one := range by {
		out = append(out, *one)
	}
	prometheus.Sort(out)
	return out, nil
}

// moment in milliseconds; that of a single scrape is the beginning of time.
func (s *Store) moment(at time.Time) int64 {
	if s.single {
		return 0
	}
	return at.UnixMilli()
}

// sample of an instant vector.
type sample struct {
	labels map[string]string
	key    string
	value  float64
}

// lookback is how old a sample may be that still is the value of its series: Prometheus' --query.lookback-delta.
const lookback = int64(5 * time.Minute / time.Millisecond)

// vector evaluates an expression at a moment.
func (s *Store) vector(n *node, at int64) []sample {
	switch {
	case n.function == "histogram_quantile":
		return quantiles(n.quantile, s.vector(n.of, at))
	case n.function != "":
		return s.ranged(n, at)
	}
	var out []sample
	for _, one := range s.selected(n) {
		last := one.until(at)
		if last < 0 || one.at[last] < at-lookback || math.IsNaN(one.value[last]) {
			continue
		}
		out = append(out, sample{one.labels, one.key, one.value[last]})
	}
	return out
}

// selected are the series that a selector means.
func (s *Store) selected(n *node) []*series {
	return slices.DeleteFunc(slices.Clone(s.byName[n.metric]), func(one *series) bool {
		return slices.ContainsFunc(n.equal, func(e [2]string) bool { return one.labels[e[0]] != e[1] })
	})
}

// until is the index of the last sample that is not later than a moment; -1 where there is none.
func (one *series) until(at int64) int {
	return sort.Search(len(one.at), func(i int) bool { return one.at[i] > at }) - 1
}

// window are the samples of a range, both of whose ends belong to it, as in Prometheus 2. A value that is no number is
// how promtool writes the mark that a series has ended: it is no sample.
func (one *series) window(from, to int64) (at []int64, value []float64) {
	last := one.until(to)
	first := sort.Search(len(one.at), func(i int) bool { return one.at[i] >= from })
	for i := first; i <= last; i++ {
		if !math.IsNaN(one.value[i]) {
			at, value = append(at, one.at[i]), append(value, one.value[i])
		}
	}
	return at, value
}

// ranged evaluates a function of a range.
func (s *Store) ranged(n *node, at int64) []sample {
	var out []sample
	for _, one := range s.selected(n.of) {
		back := n.of.back.Milliseconds()
		times, values := one.window(at-back, at)
		if len(values) == 0 {
			continue
		}
		var v float64
		switch n.function {
		case "max_over_time":
			v = slices.Max(values)
		case "min_over_time":
			v = slices.Min(values)
		default:
			if len(values) < 2 {
				continue
			}
			v = extrapolated(times, values, at-back, at)
			if n.function == "rate" {
				v = grown(values) * (v / (n.of.back.Seconds()))
			} else {
				v *= grown(values)
			}
		}
		labels, key := without(one.labels, nameLabel)
		out = append(out, sample{labels, key, v})
	}
	return out
}

// grown is by how much a counter has grown, whose value goes down only where it begins anew.
func grown(values []float64) float64 {
	sum, before := values[len(values)-1]-values[0], values[0]
	for _, v := range values[1:] {
		if v < before {
			sum += before
		}
		before = v
	}
	return sum
}

// extrapolated is the factor by which the growth between the first and the last sample is that of the whole range. A
// series that begins or ends within it is taken to go on for half the time between two samples, and a counter not
// below 0. Source: prometheus, promql/functions.go, extrapolatedRate, of 2.42.
func extrapolated(at []int64, values []float64, from, to int64) float64 {
	seconds := func(ms int64) float64 { return float64(ms) / 1000 }
	start, end := seconds(at[0]-from), seconds(to-at[len(at)-1])
	sampled := seconds(at[len(at)-1] - at[0])
	between := sampled / float64(len(at)-1)
	if all := grown(values); all > 0 && values[0] >= 0 {
		start = min(start, sampled*(values[0]/all))
	}
	whole := sampled
	for _, d := range []float64{start, end} {
		const close = 1.1
		if d < between*close {
			whole += d
		} else {
			whole += between / 2
		}
	}
	return whole / sampled
}

// without is a set of labels but for one, and its key.
func without(labels map[string]string, name string) (map[string]string, string) {
	out := make(map[string]string, len(labels))
	for k, v := range labels {
		if k != name {
			out[k] = v
		}
	}
	return out, keyOf(out)
}
