package cli

import (
	"encoding/json"
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/engine/load"
	"plimsoll.dev/facts"
	"plimsoll.dev/loadmodel"
	"plimsoll.dev/plan"
)

// measure puts what climbs have measured in the place of the figures that the scenario is planned with.
func (in *input) measure(a *app, s *v1alpha1.Scenario) error {
	for _, path := range in.measured {
		l, err := a.readClimb(path)
		if err != nil {
			return err
		}
		maximum, _ := loadmodel.FindMaximum(l.Maximum)
		f, _, _, ok := plan.Maximum(facts.Load(), s.Platform, maximum.Quantity)
		if !ok {
			return fmt.Errorf("%s: the catalogue has no maximum of %s for %s %s that could be replaced", path, l.Unit,
				s.Platform.Type, s.Platform.Release)
		}
		m, err := l.Measured(f.ID)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		others := slices.DeleteFunc(s.Measurements, func(x v1alpha1.Measurement) bool { return x.Fact == f.ID })
		s.Measurements = append(others, m)
	}
	return nil
}

// readClimb reads what "load --maximum -o json" wrote.
func (a *app) readClimb(path string) (*load.Climbed, error) {
	text, name, err := (&tuning{app: a}).slurp(path, maxRun)
	if err != nil {
		return nil, err
	}
	var climb struct {
		Kind   string
		Result *load.Climbed
	}
	if err := json.Unmarshal(text, &climb); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if l := climb.Result; climb.Kind == "LoadClimb" && l != nil && len(l.Levels) > 0 &&
		!slices.ContainsFunc(l.Levels, func(x load.Level) bool { return x.Result == nil }) {
		return l, nil
	}
	return nil, fmt.Errorf("%s: is no climb (write one with 'plimsoll load --maximum NAME -o json')", name)
}
