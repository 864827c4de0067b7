package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"plimsoll.dev/internal/table"
	"plimsoll.dev/pack"
	"plimsoll.dev/pack/certify"
	"plimsoll.dev/pack/peer"
)

// outcome is what came of one instance.
type outcome struct {
	name        string
	solution    pack.Solution
	cpu, check  time.Duration
	faults      []string // that the checker finds
	peers       []peer.Result
	best, least int64 // known figures; 0 when there are none
}

// solve packs an instance with the solver's own effort, times so many, or so
// many CPU seconds, and checks the answer. An answer that took longer than the bar
// allows is found again, four times at most, each after a longer pause: the work is the same
// each time, and the shortest time is that with the least of what else the machine does, which
// may do it for seconds.
func (s *settings) solve(name string, p pack.Problem, times int64) (outcome, error) {
	o := outcome{name: name}
	for turn := 0; turn == 0 || turn < 5 && o.cpu > time.Duration(times)*time.Second; turn++ {
		time.Sleep(time.Duration(turn) * 3 * time.Second)
		solution, took, err := s.timed(p, times)
		if err != nil {
			return o, fmt.Errorf("%s: %w", name, err)
		}
		if turn == 0 || took < o.cpu {
			o.solution, o.cpu = solution, took
		}
	}
	start := cpuTime()
	o.faults = certify.Check(p, o.solution)
	o.check = cpuTime() - start
	o.peers = peer.Compare(p)
	return o, nil
}

// timed packs an instance once.
func (s *settings) timed(p pack.Problem, times int64) (pack.Solution, time.Duration, error) {
	runtime.GC()
	start := cpuTime()
	options := pack.Options{Effort: times * pack.DefaultEffort, Start: peer.Packings}
	if s.seconds > 0 {
		limit := time.Duration(s.seconds * float64(times) * float64(time.Second))
		options.Effort *= 1000
		options.Stop = func() bool { return cpuTime()-start > limit }
	}
	solution, err := pack.Solve(p, options)
	return solution, cpuTime() - start, err
}

// gap of the packing above its bound, as a share.
func (o outcome) gap() float64 { return o.solution.Bound.Gap }

func (o outcome) nodes() int64 {
	total := int64(0)
	for _, n := range o.solution.Nodes {
		total += n
	}
	return total
}

// print writes a line of the outcome.
func (o outcome) print(out io.Writer) {
	b := o.solution.Bound
	fmt.Fprintf(out, "%-34s %8d nodes  cost %10d  bound %10d  gap %7.4f %%  cpu %6.3f s  check %6.3f s  %s\n",
		o.name, o.nodes(), o.solution.Cost, b.Cost, 100*b.Gap, o.cpu.Seconds(), o.check.Seconds(), b.Method)
	for _, f := range o.faults {
		fmt.Fprintf(out, "    not accepted: %s\n", f)
	}
}

// quantile of the outcomes by a figure, 0 the least and 1 the most.
func quantile(list []outcome, share float64, figure func(outcome) float64) float64 {
	if len(list) == 0 {
		return 0
	}
	figures := make([]float64, len(list))
	for i, o := range list {
		figures[i] = figure(o)
	}
	slices.Sort(figures)
	return figures[int(share*float64(len(figures)-1)+0.5)]
}

// share of the outcomes of which something is so.
func share(list []outcome, is func(outcome) bool) float64 {
	n := 0
	for _, o := range list {
		if is(o) {
			n++
		}
	}
	return float64(n) / float64(max(len(list), 1))
}

// times prints the CPU times and gaps of a class of instances.
func times(out io.Writer, title string, list []outcome) {
	cpu := func(o outcome) float64 { return o.cpu.Seconds() }
	check := func(o outcome) float64 { return o.check.Seconds() }
	fmt.Fprintf(out, "%s: %d instances; gap %.4f %% median, %.4f %% most; CPU %.3f s median, %.3f s most; "+
		"check %.3f s median, %.3f s most\n",
		title, len(list), 100*quantile(list, 0.5, outcome.gap), 100*quantile(list, 1, outcome.gap),
		quantile(list, 0.5, cpu), quantile(list, 1, cpu), quantile(list, 0.5, check), quantile(list, 1, check))
}

// peers prints what each peer pays on the same instances, above our cost.
func peers(out io.Writer, title string, list []outcome) {
	t := table.Table{Columns: []table.Column{{Title: "Peer, " + title}, {Title: "Mean", Right: true},
		{Title: "Worst", Right: true}, {Title: "Doesn't fit", Right: true}}}
	for i := range list[0].peers {
		sum, worst, fit := 0.0, 0.0, 0
		for _, o := range list {
			if o.peers[i].Cost == 0 || len(o.peers[i].Left) > 0 {
				continue
			}
			above := float64(o.peers[i].Cost)/float64(max(o.solution.Cost, 1)) - 1
			sum, worst, fit = sum+above, max(worst, above), fit+1
		}
		t.Add(list[0].peers[i].Name, fmt.Sprintf("%+.1f %%", 100*sum/float64(max(fit, 1))),
			fmt.Sprintf("%+.1f %%", 100*worst), fmt.Sprint(len(list)-fit))
	}
	fmt.Fprintln(out, t.String(100))
}
