package cli

import (
	"fmt"
	"path/filepath"

	"github.com/go-json-experiment/json"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/pack/certify"
	"plimsoll.dev/plan"
	"plimsoll.dev/source/scenario"
)

// confirmed is an error where a saved plan says what its scenario does not give: such a
// plan must not be shown as if it were so. What it can't prove is said.
func (a *app) confirmed(name string, made *v1alpha1.Plan) error {
	wrong, saved := checked(made)
	saved.Unlisted = nil // "plimsoll verify" tells these, which change nothing here
	if len(wrong) == 0 {
		for _, r := range remarked(made, saved) {
			a.say("%s: %s", name, r)
		}
		return nil
	}
	by := ""
	if made.MadeBy != nil && *made.MadeBy != build() {
		by = fmt.Sprintf(", it was made by %s", made.MadeBy)
	}
	return &exitError{ExitNegative, fmt.Errorf("%s: is not what this version plans, in %s; the first: %w "+
		"(\"plimsoll verify\" tells them; plan its scenario again%s)", name, words.Count(len(wrong), "place"), wrong[0], by)}
}

// checked is what a plan says that does not hold. A scenario that no reader would let pass is
// not planned.
func checked(made *v1alpha1.Plan) (wrong []error, saved *scenario.Saved) {
	saved = &scenario.Saved{}
	var invalid, unassumed []error
	if made.Scenario != nil {
		saved, invalid, unassumed = scenario.ReadSaved(made.Scenario, made.Assumptions)
	}
	if len(invalid) > 0 {
		wrong = append(plan.Verify(made, facts.Load()), invalid...)
	} else {
		wrong = append(plan.Confirm(made, facts.Load()), unassumed...)
	}
	return wrong, saved
}

// remarked is what of a saved plan only its input can confirm.
func remarked(made *v1alpha1.Plan, saved *scenario.Saved) (out []string) {
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf("not proven here: "+format, args...)) }
	if n := len(made.Skipped); n > 0 || saved.Files {
		say("what of its files was not counted (the plan says: %s)", words.Count(n, "thing"))
	}
	if n := len(saved.Taken); n > 0 {
		say("%s from files or flags (%s)", words.Count(n, "value"), words.Some(saved.Taken, few))
	}
	if n := len(saved.Unlisted); n > 0 {
		say("that it was not assumed but written: %s", words.Some(saved.Unlisted, few))
	}
	if len(out) > 0 {
		out = append(out, `"plimsoll verify PLAN SCENARIO" compares with the input`)
	}
	if by := made.MadeBy; by != nil && *by != build() {
		out = append(out, fmt.Sprintf("made by %s, checked by %s", by, build()))
	}
	return out
}

// few are the fields that a remark names.
const few = 4

// maxPlan bounds a saved plan, in bytes.
const maxPlan = 64 << 20

// savedPlan reads a plan; nil when the file is none.
func savedPlan(name string) (*v1alpha1.Plan, error) {
	if filepath.Ext(name) != ".json" {
		return nil, nil
	}
	text, err := readBounded(name)
	if err != nil {
		return nil, badInput(err)
	}
	return decodePlan(name, text)
}

// decodePlan reads a plan; nil when the text is none.
func decodePlan(name string, text []byte) (*v1alpha1.Plan, error) {
	var head struct {
		Kind string `json:"kind"`
	}
	_ = json.Unmarshal(text, &head) // what is wrong with a plan is told below, with all else by its own reader
	switch head.Kind {
	case kindList:
		return nil, badInput(fmt.Errorf("%s: is a snapshot of a cluster: give it with --snapshot, "+
			"or as workload.snapshot of a scenario", name))
	case v1alpha1.KindPlan:
	default:
		return nil, nil
	}
	var p v1alpha1.Plan
	if err := certify.Decode(text, &p); err != nil {
		return nil, badInput(fmt.Errorf("%s: is not a plan of this version of plimsoll: %w", name, err))
	}
	if p.APIVersion != v1alpha1.APIVersion || len(p.Sections) == 0 {
		return nil, badInput(fmt.Errorf("%s: is not a plan of %s (plan its scenario anew)", name, v1alpha1.APIVersion))
	}
	if p.Scenario != nil {
		if err := scenario.Exceeded(p.Scenario); err != nil {
			return nil, badInput(fmt.Errorf("%s: scenario.%w", name, err))
		}
	}
	return &p, nil
}

// kindList is the kind of what kubectl writes.
const kindList = "List"
