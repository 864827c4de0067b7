package compute

import (
	"fmt"

	"plimsoll.dev/derive"
	"plimsoll.dev/place/cloud"
	"plimsoll.dev/unit"
)

// provide finds the number of hosts with the spare ones, and loses hosts to see
// whether the VMs still fit.
func (f *Fleet) provide(in Input) {
	f.Spares = int(in.Spares.Number)
	switch {
	case in.CPE:
		f.cpe(in)
	case f.Given > 0:
		f.stated(in)
	default:
		f.grow(in)
	}
	// Spare hosts are advice, unless the scenario asks for them.
	if f.ZoneLost || !f.Evacuates && !in.Origin.OrWritten(in.Facts).Assumed("policy.spareNodes") {
		f.Fits = false
	}
	if !in.CPE && f.Given == 0 {
		if t := &in.Scenario.Hardware.NodeTypes[f.Type]; t.Available != nil && f.Total > *t.Available {
			f.Fits, f.Why = false, fmt.Sprintf("%s are needed with the spare ones, %d are in stock", hosts(f.Total),
				*t.Available)
		}
	}
}

// least is the number of hosts for the VMs, no more on one than were tested.
func (f *Fleet) least(in Input) int {
	return max(f.Base, int(derive.Ceil(in.VMs.Number/in.mostVMs().Number)))
}

// cpe counts the two hosts of a CPE, each of which must carry all VMs. A setting of
// the scheduling with which one carries what both carried is the plan's.
func (f *Fleet) cpe(in Input) {
	f.Total, f.Least, f.Spares = CPEHosts, 1, 1
	f.settle(in, f.Total)
	switch {
	case f.Base > 1:
		why := fmt.Sprintf("the VMs need %s, and each of the two has to carry all of them", hosts(f.Base))
		if f.Why != "" {
			why += "; " + f.Why
		}
		f.Fits, f.Why = false, why
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
	f.proven()
	f.Least = f.least(in)
	if f.Base+f.Spares > f.Given {
		refused := f.Why
		f.Evacuates, f.Why = false, fmt.Sprintf("the scenario states %s, and the VMs need %d", hosts(f.Given), f.Base)
		if f.Spares > 0 {
			f.Why += fmt.Sprintf(" and %d spare", f.Spares)
		}
		if !f.Fits { // more hosts may not help
			f.Why = refused + "; " + f.Why
		}
		f.Fits = f.Fits && f.Base <= f.Given
	}
	f.seek(in)
}

// seek finds how many hosts are enough, from the fewest upwards that could be.
func (f *Fleet) seek(in Input) {
	from := max(f.Floor, int(derive.Ceil(in.VMs.Number/in.mostVMs().Number)), 1) + f.Spares
	if f.Spares > mostLosses { // the others are not lost in a trial
		from = f.Least + f.Spares
	}
	f.Enough, f.Each = f.search(in, from)
	if n := f.Enough; n > 0 && f.Spares > mostLosses {
		if t, _ := f.trials(in, n); !f.try(in, t, n, f.Spares).ok() {
			f.Enough, f.Each = 0, false
		}
	}
	if f.Enough > 0 {
		f.Base = min(f.Base, f.Enough-min(f.Spares, mostLosses))
		f.Least = f.least(in)
		f.Beyond = f.Enough - f.Least - f.Spares
	}
}

// proven lowers the number of hosts that hold all VMs where the placement on those
// stated shows that fewer do: the others run none, or may be lost.
func (f *Fleet) proven() {
	if used := hostsWith(f.Loads); used > 0 {
		f.Base = min(f.Base, used)
		if f.Evacuates && f.Spares <= mostLosses {
			f.Base = min(f.Base, max(1, f.Given-f.Spares))
		}
	}
}

func hostsWith(loads []cloud.Load) int {
	n := 0
	for _, l := range loads {
		n += l.Hosts
	}
	return n
}

// grow provides the fewest hosts found on which all VMs run in the order of arrival,
// also after a loss, with no more on one than were tested. When no number does, it is
// the VMs' need and the spare ones.
func (f *Fleet) grow(in Input) {
	f.Least = f.least(in)
	f.seek(in)
	f.Total = f.Needed()
	if f.Beyond > 0 {
		f.settle(in, f.Total-f.Beyond)
	}
	why := f.shortfall(in)
	if f.settle(in, f.Total); f.Beyond > 0 && f.Evacuates {
		f.Why = fmt.Sprintf("%s beyond those that the VMs and the spare ones need: with %s %s", hosts(f.Beyond),
			hosts(f.Total-f.Beyond), why)
	}
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
