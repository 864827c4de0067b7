package main

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// table sets the shapes below each other: the mean time of a request on each side,
// and how many times as fast ours is.
func table(rows []row) string {
	width := len("geometric mean")
	all := row{shape: "all requests"}
	for _, r := range rows {
		width = max(width, len(r.shape))
		all.requests += r.requests
		all.theirs += r.theirs
		all.fit += r.fit
		all.into += r.into
		all.fits += r.fits
		all.search += r.search
	}
	var out strings.Builder
	fmt.Fprintf(&out, "Nova's numa_fit_instance_to_host and ours (mean of a request, in turns)\n")
	fmt.Fprintf(&out, "  %-*s %8s %12s %11s %9s %11s %9s %11s %9s %11s %9s\n", width, "",
		"requests", "Nova", "Fit", "ratio", "FitInto", "ratio", "Fits", "ratio", "Search", "ratio")
	for _, r := range append(rows, all) {
		fmt.Fprintf(&out, "  %-*s %8d %12s", width, r.shape, r.requests, mean(r.theirs, r.requests))
		for i, ratio := range r.ratios() {
			fmt.Fprintf(&out, " %11s %8.0fx", mean(r.ours()[i], r.requests), ratio)
		}
		out.WriteByte('\n')
	}
	fmt.Fprintf(&out, "  %-*s %8s %12s", width, "geometric mean", "", "")
	for i := range all.ratios() {
		fmt.Fprintf(&out, " %11s %8.0fx", "", geometric(rows, i))
	}
	out.WriteByte('\n')
	return out.String()
}

func (r *row) ours() []time.Duration { return []time.Duration{r.fit, r.into, r.fits, r.search} }

func (r *row) ratios() []float64 {
	var out []float64
	for _, ours := range r.ours() {
		out = append(out, float64(r.theirs)/float64(max(ours, 1)))
	}
	return out
}

// geometric is the mean ratio of the shapes, which no slow shape rules.
func geometric(rows []row, column int) float64 {
	sum := 0.0
	for _, r := range rows {
		sum += math.Log(r.ratios()[column])
	}
	return math.Exp(sum / float64(len(rows)))
}

func mean(total time.Duration, n int) string {
	return fmt.Sprintf("%.2f us", float64(total)/float64(max(n, 1))/float64(time.Microsecond))
}
