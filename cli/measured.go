package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/bench/disk"
	routerbench "plimsoll.dev/bench/router"
	"plimsoll.dev/engine/load"
	"plimsoll.dev/facts"
	"plimsoll.dev/loadmodel"
	"plimsoll.dev/plan"
	"plimsoll.dev/plan/router"
)

// measure puts what was measured in the place of the figures that the scenario is planned with.
func (in *input) measure(a *app, s *v1alpha1.Scenario) error {
	for _, path := range in.measured {
		all, err := a.readMeasurements(path, s)
		if err != nil {
			return err
		}
		for _, m := range all {
			others := slices.DeleteFunc(s.Measurements, func(x v1alpha1.Measurement) bool { return x.Fact == m.Fact })
			s.Measurements = append(others, m)
		}
	}
	return nil
}

// readMeasurements reads what "load --maximum", "bench disk" or "bench router" wrote with -o json.
func (a *app) readMeasurements(path string, s *v1alpha1.Scenario) (all []v1alpha1.Measurement, err error) {
	text, name, err := (&tuning{app: a}).slurp(path, maxRun)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Kind   string
		Result json.RawMessage
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var m v1alpha1.Measurement
	switch answer.Kind {
	case "LoadClimb":
		m, err = measuredLimit(answer.Result, s.Platform)
	case disk.RunKind:
		var run disk.Run
		if err = json.Unmarshal(answer.Result, &run); err == nil {
			m, err = run.Measured()
		}
	case routerbench.RunKind:
		var run routerbench.Run
		if err = json.Unmarshal(answer.Result, &run); err == nil {
			all, err = run.Measurements(router.Setup(s.Router, s.Platform))
		}
	default:
		err = errors.New("is neither a climb nor a run of a disk or a router (plimsoll load --maximum NAME -o json, " +
			"plimsoll bench disk DIR -o json or plimsoll bench router -o json write one)")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if m.Fact != "" {
		all = append(all, m)
	}
	return all, nil
}

// measuredLimit is what a climb says of a limit of the platform.
func measuredLimit(text []byte, platform v1alpha1.Platform) (m v1alpha1.Measurement, err error) {
	var l *load.Climbed
	if err := json.Unmarshal(text, &l); err != nil {
		return m, err
	}
	unfinished := func(x load.Level) bool { return x.Result == nil }
	if l == nil || len(l.Levels) == 0 || slices.ContainsFunc(l.Levels, unfinished) {
		return m, errors.New("the climb has no levels")
	}
	maximum, _ := loadmodel.FindMaximum(l.Maximum)
	f, _, _, ok := plan.Maximum(facts.Load(), platform, maximum.Quantity)
	if !ok {
		return m, fmt.Errorf("the catalogue has no maximum of %s for %s %s that could be replaced", l.Unit, platform.Type,
			platform.Release)
	}
	return l.Measured(f.ID)
}
