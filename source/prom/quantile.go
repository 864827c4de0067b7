package prom

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

// bucket of a histogram: how many events were not above a bound.
type bucket struct{ bound, count float64 }

// quantiles of histograms, whose buckets are the samples with the label le.
func quantiles(q float64, buckets []sample) []sample {
	by := map[string][]bucket{}
	var out []sample
	for _, one := range buckets {
		bound, err := strconv.ParseFloat(one.labels["le"], 64)
		if err != nil || math.IsNaN(bound) {
			continue
		}
		labels, _ := without(one.labels, "le")
		labels, key := without(labels, nameLabel)
		if by[key] == nil {
			out = append(out, sample{labels: labels, key: key})
		}
		by[key] = append(by[key], bucket{bound, one.value})
	}
	for i := range out {
		out[i].value = quantile(q, by[out[i].key])
	}
	return out
}

// quantile of a histogram, on a straight line within the bucket that it lies in; NaN where there were no events.
// Source: prometheus, promql/quantile.go, bucketQuantile, of 2.42.
func quantile(q float64, list []bucket) float64 {
	slices.SortFunc(list, func(a, b bucket) int { return cmp.Compare(a.bound, b.bound) })
	if len(list) == 0 || !math.IsInf(list[len(list)-1].bound, 1) {
		return math.NaN()
	}
	list = joined(list)
	last := len(list) - 1
	if last < 1 || list[last].count == 0 || math.IsNaN(list[last].count) {
		return math.NaN()
	}
	rank := q * list[last].count
	i := slices.IndexFunc(list[:last], func(b bucket) bool { return b.count >= rank })
	switch {
	case i < 0:
		return list[last-1].bound
	case i == 0 && list[0].bound <= 0:
		return list[0].bound
	}
	low, count := 0.0, list[i].count
	if i > 0 {
		low, count, rank = list[i-1].bound, count-list[i-1].count, rank-list[i-1].count
	}
	return low + (list[i].bound-low)*(rank/count)
}

// joined has one bucket of each bound, none of which counts fewer than one below it: their samples were not taken at
// one moment.
func joined(list []bucket) []bucket {
	var out []bucket
	for _, b := range list {
		if n := len(out); n > 0 && out[n-1].bound == b.bound {
			out[n-1].count += b.count
			continue
		}
		out = append(out, b)
	}
	for i := 1; i < len(out); i++ {
		out[i].count = max(out[i].count, out[i-1].count)
	}
	return out
}
