package compute

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/place/cloud"
	"plimsoll.dev/unit"
)

// provide finds the number of hosts with the spare ones, and loses hosts to see
// whether the VMs still fit.
func (f *Fleet) provide(in Input) {
	f.Least = max(f.Base, int(derive.Ceil(in.VMs.Number/in.mostVMs().Number)))
	f.Spares = int(in.Spares.Number)
	switch {
	case in.CPE:
		f.cpe(in)
	case f.Given > 0:
		f.stated(in)
	default:
		f.grow(in)
		if t := &in.Scenario.Hardware.NodeTypes[f.Type]; t.Available != nil && f.Total > *t.Available {
			f.Fits, f.Why = false, fmt.Sprintf("%s are needed with the spare ones, %d are in stock", hosts(f.Total), *t.Available)
		}
	}
}

// cpe counts the two hosts of a CPE, each of which must carry all VMs. A setting of
// the scheduling with which one carries what both carried is the plan's.
func (f *Fleet) cpe(in Input) {
	f.Total, f.Least, f.Spares = CPEHosts, 1, 1
	f.settle(in, f.Total)
	switch {
	case f.Base > 1:
		f.Fits, f.Why = false, fmt.Sprintf("the VMs need %s, and each of the two has to carry all of them", hosts(f.Base))
	case !f.Fits || !f.Evacuates:
		why := f.Why
		if words, with := f.cure(in); words != "" {
			f.Setting = words
			f.settle(with, f.Total)
			f.Why = why + "; with " + words + " they do"
		} else {
			f.Fits = false
		}
	}
}

// stated judges the number of hosts that the scenario states.
func (f *Fleet) stated(in Input) {
	f.Total = f.Given
	f.settle(in, f.Total)
	if f.Base+f.Spares > f.Given {
		f.Evacuates, f.Why = false, fmt.Sprintf("stated are %s, and the VMs need %d and %d spare", hosts(f.Given), f.Base, f.Spares)
		// Spare hosts are advice, unless the scenario asks for them.
		f.Fits = f.Base <= f.Given && f.Fits && in.Origin.OrWritten(in.Facts).Assumed("policy.spareNodes")
	}
}

// grow provides the hosts that the VMs need and the spare ones, and more where with
// them VMs find no host in the order of arrival or after a loss, or one host runs
// more VMs than were tested. When more hosts are no help, none are added.
func (f *Fleet) grow(in Input) {
	f.Total = f.Least + f.Spares
	f.settle(in, f.Total)
	if f.holds(in) {
		return
	}
	n := f.Enough(in)
	if n == 0 {
		return
	}
	why := f.shortfall(in)
	f.Beyond, f.Total = n-f.Total, n
	f.settle(in, n)
	f.Why = fmt.Sprintf("%s beyond those that the VMs and the spare ones need: with %s %s", hosts(f.Beyond), hosts(n-f.Beyond), why)
}

// holds says that all VMs run, also after a loss, and no host runs more than were
// tested.
func (f *Fleet) holds(in Input) bool { return f.Fits && f.Evacuates && !f.crowded(in) }

// crowded says that a host runs more VMs than were tested on one. On a CPE that is a
// limit of the model.
func (f *Fleet) crowded(in Input) bool {
	return !in.CPE && float64(f.Most()) > in.mostVMs().Number
}

// shortfall says what does not hold.
func (f *Fleet) shortfall(in Input) string {
	if f.Fits && f.Evacuates {
		return fmt.Sprintf("%s run on the fullest host, %s are tested", vms(f.Most()), in.mostVMs())
	}
	return f.Why
}

// Enough is the fewest hosts found, beyond Total, on which all VMs run, also after a
// loss, with no more on one host than were tested; 0 when no number that was tried
// does. Hosts on which the order of arrival wastes room are bounded more closely than
// those that spread VMs.
func (f *Fleet) Enough(in Input) int {
	from := max(f.Total, f.Least+f.Spares-1)
	far := 2*from + nearby
	t, problems := f.trials(in, far)
	if len(problems) > 0 || !f.try(in, t, far).ok() {
		return 0 // hosts are no help
	}
	near := from + nearby + f.Base/10
	return fewest(from, far, func(n int) (ok, goOn bool) {
		o := f.try(in, t, n)
		return o.ok(), n < near || o.crowded
	})
}

// nearby is how many hosts more are tried at least.
const nearby = 4

// fewest is a number beyond from, up to most, that holds while a smaller one near it
// doesn't; 0 when none is found. Steps double until a number holds, or until goOn says
// that larger ones are no use; then the gap is halved, down to the first step.
func fewest(from, most int, holds func(n int) (ok, goOn bool)) int {
	first := max(1, from/100)
	fails, works := from, 0
	for step := first; works == 0; step *= 2 {
		n := min(fails+step, most)
		if n == fails {
			return 0
		}
		ok, goOn := holds(n)
		switch {
		case ok:
			works = n
		case !goOn:
			return 0
		default:
			fails = n
		}
	}
	for works-fails > first {
		n := (fails + works) / 2
		if ok, _ := holds(n); ok {
			works = n
		} else {
			fails = n
		}
	}
	return works
}

// leastCures is how many settings are tried, however many the VMs are.
const leastCures = 2

// cure is a choice of the order of hosts, NUMA nodes or VMs with which all holds on
// Total hosts, in words and as the input to place with; empty when none is.
func (f *Fleet) cure(in Input) (words string, with Input) {
	const pack, spread = "pack", "spread"
	was := in.Scenario.Scheduling
	tries := max(leastCures, effort/max(1, vmsOf(in.Scenario)))
	for _, c := range []struct{ host, numa, order, words string }{
		{spread, was.NUMAStrategy, was.Order, "scheduling.hostStrategy: spread"},
		{pack, was.NUMAStrategy, was.Order, "scheduling.hostStrategy: pack"},
		{was.HostStrategy, pack, was.Order, "scheduling.numaStrategy: pack"},
		{was.HostStrategy, was.NUMAStrategy, "largestFirst", "the largest VMs first (scheduling.order: largestFirst)"},
		{pack, pack, "largestFirst", "hostStrategy and numaStrategy: pack and the largest VMs first (scheduling.order: largestFirst)"},
	} {
		s := *in.Scenario
		s.Scheduling.HostStrategy, s.Scheduling.NUMAStrategy, s.Scheduling.Order = c.host, c.numa, c.order
		if c.host == was.HostStrategy && c.numa == was.NUMAStrategy && c.order == was.Order || tries == 0 {
			continue
		}
		tries--
		with = in
		with.Scenario = &s
		if t, problems := f.trials(with, f.Total); len(problems) == 0 && f.try(with, t, f.Total).ok() {
			return c.words, with
		}
	}
	return "", in
}

// Remedy is a setting or a number of hosts with which all holds; both were tried.
// It is empty when neither was found.
func (f *Fleet) Remedy(in Input) string {
	if words, _ := f.cure(in); words != "" {
		return "place with " + words + ": then all holds on " + hosts(f.Total)
	}
	if n := f.Enough(in); n > 0 {
		return "take " + hosts(n) + ": then all holds"
	}
	return ""
}

func vms(n int) string { return unit.Format(float64(n), "VMs") }

func hosts(n int) string { return unit.Format(float64(n), "hosts") }

// mostVMs is how many VMs on one host were tested.
func (in Input) mostVMs() derive.Value {
	f, _, _, _ := in.Facts.ForRelease("hcg.max.vmsPerCompute", in.Scenario.Platform.Release)
	if f.Number == 0 {
		f = in.Facts.Must("hcg.max.vmsPerCompute/4.0")
	}
	return f.Value()
}

// outcome is what a number of hosts comes to.
type outcome struct{ refused, lost, crowded bool }

func (o outcome) ok() bool { return o == outcome{} }

// trials are placements on up to so many hosts. Of a stated number of hosts no more
// are built than VMs can tell apart: each finds an empty one among as many as there
// are VMs.
func (f *Fleet) trials(in Input, most int) (*cloud.Trials, []cloud.Problem) {
	return cloud.NewTrials(in.Scenario, f.Pool, f.built(in, most))
}

// built is how many of n hosts are placed on: the others stay empty.
func (f *Fleet) built(in Input, n int) int {
	each := 1
	for _, domains := range in.Scenario.Hardware.NodeTypes[f.Type].Domains {
		each = max(each, domains)
	}
	if all := vmsOf(in.Scenario) + f.Spares + 1; all < n/each {
		return all * each
	}
	return n
}

// mostLosses is the largest number of hosts that are lost together in a trial; more
// of them are too many cases to try.
const mostLosses = 2

// try places the VMs on n hosts and, when all find one, loses as many as are spare.
func (f *Fleet) try(in Input, t *cloud.Trials, n int) outcome {
	p := t.On(f.built(in, n))
	o := outcome{refused: p.Refused() > 0}
	if !o.refused {
		o.crowded = !in.CPE && float64(most(p.Loads())) > in.mostVMs().Number
	}
	for k := 1; k <= min(f.Spares, mostLosses) && o.ok(); k++ {
		o.lost = !p.Survives(k)
	}
	return o
}

// settle places the VMs on n hosts for good, and says what comes of it.
func (f *Fleet) settle(in Input, n int) {
	f.Pool.Count = n
	f.Fits, f.Evacuates, f.Why = true, true, ""
	f.Loads, f.After, f.Resources = nil, nil, nil
	t, problems := f.trials(in, n)
	if len(problems) > 0 {
		f.Fits, f.Evacuates, f.Why = false, false, problems[0].Error()
		return
	}
	p := t.On(f.built(in, n))
	f.Resources = p.Resources(n - f.built(in, n))
	if refused := p.Refused(); refused > 0 {
		f.Fits, f.Evacuates = false, false
		f.Why = fmt.Sprintf("%s find no host on %s in the order in which they are listed", vms(refused), hosts(n))
		return
	}
	f.Loads = p.Loads()
	for k := 1; k <= min(f.Spares, mostLosses) && f.Evacuates; k++ {
		if f.Evacuates = p.Survives(k); !f.Evacuates {
			f.Why = f.loss(in, p.Loss(k))
		}
	}
	f.After = p.Took()
}

// loss tells what the loss of hosts does, with the worst case.
func (f *Fleet) loss(in Input, l v1alpha1.ServerLoss) string {
	of := l.Of
	if of == 0 {
		of = int64(l.Tried)
	}
	out := fmt.Sprintf("after the loss of %s, in %d of %d cases, VMs find no host beside those that run", l.What, of-l.Survived, of)
	if len(l.Homeless) > 0 {
		h := l.Homeless[0]
		out += fmt.Sprintf("; %s lost: %s of %s: %s", l.Worst, vms(h.Count), in.Scenario.Workload.Servers[h.ServerType].Name, h.Reason)
	}
	return out
}
