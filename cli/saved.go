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
// plan must not be shown as if it were so.
func confirmed(name string, made *v1alpha1.Plan) error {
	wrong := plan.Confirm(made, facts.Load())
	if len(wrong) == 0 {
		return nil
	}
	by := ""
	if made.MadeBy != nil && *made.MadeBy != build() {
		by = fmt.Sprintf(", it was made by %s", made.MadeBy)
	}
	return &exitError{ExitNegative, fmt.Errorf("%s: is not what this version plans, in %s; the first: %w "+
		"(\"plimsoll verify\" tells them; plan its scenario again%s)", name, words.Count(len(wrong), "place"), wrong[0], by)}
}

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
