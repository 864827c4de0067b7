package health

import (
	"plimsoll.dev/release"
	"plimsoll.dev/unit"
)

// Play plays the scenario by the rules of a release.
func (s *Script) Play(r release.Release) *Simulation {
	w := newWorld(s, r)
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
