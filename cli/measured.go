package cli

import (
	"encoding/json"
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	routerbench "plimsoll.dev/bench/router"
	"plimsoll.dev/engine/load"
	"plimsoll.dev/facts"
	"plimsoll.dev/loadmodel"
	"plimsoll.dev/plan"
	"plimsoll.dev/plan/router"
)

// measure puts what climbs and benches have measured in the place of the figures that the scenario is planned with.
func (in *input) measure(a *app, s *v1alpha1.Scenario) error {
	for _, path := range in.measured {
		text, name, err := (&tuning{app: a}).slurp(path, maxRun)
		if err != nil {
			return err
		}
		all, err := measurementsOf(text, s)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, m := range all {
			others := slices.DeleteFunc(s.Measurements, func(x v1alpha1.Measurement) bool { return x.Fact == m.Fact })
			s.Measurements = append(others, m)
		}
	}
	return nil
}

// measurementsOf what "load --maximum -o json" or "bench router -o json" wrote, for a scenario.
func measurementsOf(text []byte, s *v1alpha1.Scenario) ([]v1alpha1.Measurement, error) {
	var made struct {
		Kind   string
		Result json.RawMessage
	}
	if err := json.Unmarshal(text, &made); err != nil {
		return nil, err
	}
	switch made.Kind {
	case "LoadClimb":
		return climbed(made.Result, s)
	case routerbench.RunKind:
		var run routerbench.Run
		if err := json.Unmarshal(made.Result, &run); err != nil {
			return nil, err
		}
		return run.Measurements(router.Setup(s.Router, s.Platform))
	}
	return nil, fmt.Errorf("is no climb or router's bench (write one with 'plimsoll load --maximum NAME -o json' or " +
		"'plimsoll bench router -o json')")
}

// climbed is the limit that a climb has found.
func climbed(result []byte, s *v1alpha1.Scenario) ([]v1alpha1.Measurement, error) {
	var l load.Climbed
	if err := json.Unmarshal(result, &l); err != nil {
		return nil, err
	}
	if len(l.Levels) == 0 || slices.ContainsFunc(l.Levels, func(x load.Level) bool { return x.Result == nil }) {
		return nil, fmt.Errorf("is no climb (write one with 'plimsoll load --maximum NAME -o json')")
	}
	maximum, _ := loadmodel.FindMaximum(l.Maximum)
	f, _, _, ok := plan.Maximum(facts.Load(), s.Platform, maximum.Quantity)
	if !ok {
		return nil, fmt.Errorf("the catalogue has no maximum of %s for %s %s that could be replaced", l.Unit, s.Platform.Type,
			s.Platform.Release)
	}
	m, err := l.Measured(f.ID)
	return []v1alpha1.Measurement{m}, err
}
