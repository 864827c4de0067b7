package compute

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/place/cloud"
)

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
	each := max(1, in.Scenario.Policy.Zones)
	for _, domains := range in.Scenario.Hardware.NodeTypes[f.Type].Domains {
		each = max(each, domains)
	}
	if all := vmsOf(in.Scenario) + f.Spares + 1; all < n/each {
		return all * each
	}
	return n
}

// mostLosses is the largest number of hosts that are lost together while the number of hosts
// is searched: more of them are too many cases for every number. What is found loses them all.
const mostLosses = 12

// try places the VMs on n hosts and, when all find one, loses as many as are spare, but no more
// than so many.
func (f *Fleet) try(in Input, t *cloud.Trials, n, losses int) outcome {
	p := t.On(f.built(in, n))
	o := outcome{refused: p.Refused() > 0}
	if !o.refused {
		o.crowded = !in.CPE && float64(most(p.Loads())) > in.mostVMs().Number
	}
	for k := 1; k <= min(f.Spares, losses) && o.ok(); k++ {
		o.lost = !p.Survives(k)
	}
	if in.Scenario.Policy.SurviveZoneLoss && o.ok() {
		_, survives := p.ZoneLoss()
		o.lost = !survives
	}
	return o
}

// settle places the VMs on n hosts for good, and says what comes of it.
func (f *Fleet) settle(in Input, n int) {
	f.Pool.Count = n
	f.Fits, f.Evacuates, f.ZoneLost, f.Why = true, true, false, ""
	f.Loads, f.After, f.Resources, f.Every = nil, nil, nil, true
	f.Open, f.Housing, f.homeless = nil, nil, nil // of a smaller trial
	t, problems := f.trials(in, n)
	if len(problems) > 0 {
		f.Fits, f.Evacuates, f.Why = false, false, problems[0].Error()
		return
	}
	p := t.On(f.built(in, n))
	f.Resources = p.Resources(n - f.built(in, n))
	if refused := p.Refused(); refused > 0 {
		f.Fits, f.Evacuates = false, false
		f.Why = fmt.Sprintf("%s no host on %s in the order in which they are listed", find(refused), hosts(n))
		f.refusal(in, n)
		return
	}
	f.Loads = p.Loads()
	p.Keep()
	for k := 1; k <= f.Spares && f.Evacuates; k++ {
		f.Every = f.Every && p.Every(k)
		if f.Evacuates = p.Survives(k); !f.Evacuates {
			f.Why = f.loss(in, p.Loss(k))
		}
	}
	if in.Scenario.Policy.SurviveZoneLoss && f.Evacuates {
		var l v1alpha1.ServerLoss
		if l, f.Evacuates = p.ZoneLoss(); !f.Evacuates {
			f.Why, f.ZoneLost = f.loss(in, l), true
		}
	}
	f.After = p.Took()
}

// refusal adds why most VMs find no host, and keeps what would give them one.
func (f *Fleet) refusal(in Input, n int) {
	pool := f.Pool
	pool.Count = f.built(in, n)
	c, problems := cloud.New(in.Scenario, []cloud.Pool{pool})
	if len(problems) > 0 || vmsOf(in.Scenario) > mostTold {
		return
	}
	made := cloud.Make(c, cloud.Options{})
	f.Why += ": " + made.Verdict.Problem
	f.keepHousing(c)
}

// find says that so many VMs find something.
func find(n int) string {
	return fmt.Sprintf("%s %s", vms(n), words.Form(n, "finds", "find"))
}

// breaks says what does not hold on n hosts, in a few words.
func (f *Fleet) breaks(in Input, n int) string {
	t, problems := f.trials(in, n)
	if len(problems) > 0 {
		return problems[0].Error()
	}
	p := t.On(f.built(in, n))
	if refused := p.Refused(); refused > 0 {
		return find(refused) + " no host"
	}
	if full := most(p.Loads()); !in.CPE && float64(full) > in.mostVMs().Number {
		return fmt.Sprintf("%s run on one host, %s are tested", vms(full), in.mostVMs())
	}
	for k := 1; k <= min(f.Spares, mostLosses); k++ {
		if !p.Survives(k) {
			return homelessIn(in, p.Loss(k))
		}
	}
	l, _ := p.ZoneLoss()
	return homelessIn(in, l)
}

// homelessIn is the worst case of a loss in a few words.
func homelessIn(in Input, l v1alpha1.ServerLoss) string {
	if len(l.Homeless) == 0 {
		return "VMs find no host after the loss of " + l.What
	}
	h := l.Homeless[0]
	return fmt.Sprintf("%s of %s %s no host after the loss of %s", vms(h.Count),
		in.Scenario.Workload.Servers[h.ServerType].Name, words.Form(h.Count, "finds", "find"), l.Worst)
}

// mostTold is the most VMs whose placement is told with what a loss does.
const mostTold = 20_000

// Placement is the placement on Total hosts as package cloud tells it, the loss of one
// host included unless the VMs are very many; nil when there is none.
func (f *Fleet) Placement(in Input) *v1alpha1.ServerPlacement {
	if f.Total == 0 || len(f.Problems) > 0 {
		return nil
	}
	pool := f.Pool
	pool.Count = f.built(in, f.Total)
	c, problems := cloud.New(in.Scenario, []cloud.Pool{pool})
	if len(problems) > 0 {
		return nil
	}
	opt := cloud.Options{}
	if f.Spares > 0 && vmsOf(in.Scenario) <= mostTold {
		opt.Failures = 1
	}
	return cloud.Make(c, opt)
}

// mostCounted is the most cases of a loss that are told by number.
const mostCounted = 1_000_000

// loss tells what the loss of hosts does, with the worst case.
func (f *Fleet) loss(in Input, l v1alpha1.ServerLoss) string {
	of := l.Of
	if of == 0 {
		of = int64(l.Tried)
	}
	cases := fmt.Sprintf("%d of %d", of-l.Survived, of)
	if of > mostCounted {
		cases = fmt.Sprintf("%.2g %% of the", 100*float64(of-l.Survived)/float64(of))
	}
	out := fmt.Sprintf("after the loss of %s, in %s cases, VMs find no host beside those that run", l.What, cases)
	for _, h := range l.Homeless {
		f.homeless = append(f.homeless, h.ServerType)
	}
	if len(l.Homeless) > 0 {
		h := l.Homeless[0]
		out += fmt.Sprintf("; %s lost: %s of %s: %s", l.Worst, vms(h.Count), in.Scenario.Workload.Servers[h.ServerType].Name,
			h.Reason)
	}
	return out
}
