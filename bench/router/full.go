package router

import (
	"slices"
	"strings"

	"plimsoll.dev/bench"
	"plimsoll.dev/bench/measure"
	"plimsoll.dev/unit"
)

// FullShare of its CPUs is what a part uses that is full.
const FullShare = 0.9

// part of the measurement.
type part struct {
	name string
	cpus unit.CPUSet
	// used is how many CPUs.
	used float64
}

// used is the median of the CPUs that a part used.
func (m Measured) used(of func(Repetition) *measure.CPU) float64 {
	var all []float64
	for _, r := range m.Repetitions {
		if c := of(r); c != nil && r.Seconds > 0 {
			all = append(all, c.Busy()/r.Seconds)
		}
	}
	return bench.Estimated(all).Median
}

func ofRouter(r Repetition) *measure.CPU    { return r.Router }
func ofGenerator(r Repetition) *measure.CPU { return r.Client }
func ofBackEnd(r Repetition) *measure.CPU   { return r.Server }

// others are processes that are none of the bench's.
const others = "others"

// Full are the parts that had no CPU left: the router, by its threads, or the generator and the back end, together
// where they share CPUs. Where none was and others used the machine, these are. None is full where the connections are
// too few, or the rate is a constant one.
func (r *Run) Full(m Measured) []string {
	parts := []part{{"router", r.Pins.Router, m.used(ofRouter)}, {"generator", r.Pins.Generator, m.used(ofGenerator)},
		{"back end", r.Pins.BackEnd, m.used(ofBackEnd)}}
	var out []string
	threads := min(r.Setup.Threads, r.cpus(parts[0].cpus)) // 0 of a router that ran already, of which nobody knows
	if threads > 0 && parts[0].used >= FullShare*float64(threads) {
		out = append(out, parts[0].name)
	}
	for i := range parts {
		var with []string
		sum, first := 0.0, true
		for j, p := range parts {
			if p.cpus == parts[i].cpus {
				first = first && j >= i
				sum += p.used
				if p.used > 0 {
					with = append(with, p.name)
				}
			}
		}
		name := strings.Join(with, " and ")
		if first && sum >= FullShare*float64(r.cpus(parts[i].cpus)) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	if len(out) == 0 && m.foreign() > measure.ForeignCPUs {
		out = append(out, others)
	}
	return out
}

// foreign is the median of the CPUs that others used.
func (m Measured) foreign() float64 {
	var all []float64
	for _, r := range m.Repetitions {
		all = append(all, r.Foreign())
	}
	return bench.Estimated(all).Median
}

// cpus that a part may use.
func (r *Run) cpus(set unit.CPUSet) int {
	if set.IsEmpty() {
		return max(1, r.Host.CPUs)
	}
	return set.Len()
}

// Limited says whether the router itself was what held a cell's rate.
func (r *Run) Limited(m Measured) bool { return slices.Contains(r.Full(m), "router") }
