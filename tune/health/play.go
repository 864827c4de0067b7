package health

import (
	"time"

	"plimsoll.dev/release"
	"plimsoll.dev/unit"
)

// Play plays the scenario by the rules of a release.
func (s *Script) Play(r release.Release) *Simulation {
	return s.PlayWith(r, (*Policy).reconcile)
}

// Decide is one reconcile of a check, which fills a pass; its slices are used again.
type Decide func(p *Policy, out *Pass, targets []Target, now time.Time)

// PlayWith plays the scenario with somebody else deciding what the operator does: a controller is so held against the
// simulation.
func (s *Script) PlayWith(r release.Release, decide Decide) *Simulation {
	w := newWorld(s, r)
	w.decide = decide
	w.play()
	out := &Simulation{Script: s.Name, Title: s.Title, Release: r, Until: unit.Duration(s.until), Stalled: w.stalled,
		Log: w.log}
	for _, c := range w.checks {
		out.Checks = append(out.Checks, CheckHistory{Name: c.policy.Name, MaxUnhealthy: c.policy.maxText, Refused: c.refused,
			Status: c.history})
		for _, u := range c.left {
			if u.Kept != "" {
				out.Left = append(out.Left, *u)
			}
		}
	}
	for _, m := range w.machines {
		life := MachineLife{Name: m.Name, Spans: m.spans}
		if m.set != nil {
			life.Set = m.set.name
		}
		out.Machines = append(out.Machines, life)
	}
	out.findings = w.findings()
	out.Expectations = w.judge(out.findings)
	return out
}
