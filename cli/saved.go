package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/plan"
	"plimsoll.dev/source/scenario"
)

// confirmed is an error where a saved plan says what its scenario does not give: such a
// plan must not be explained as if it were so.
func (in *input) confirmed(name string, made *v1alpha1.Plan) error {
	if !in.saved {
		return nil
	}
	wrong := plan.Confirm(made, facts.Load())
	if len(wrong) == 0 {
		return nil
	}
	return &exitError{ExitNegative, fmt.Errorf("%s: is not what this version plans, in %s; the first: %w "+
		"(\"plimsoll verify\" tells them; plan its scenario again)", name, words.Count(len(wrong), "place"), wrong[0])}
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
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var p v1alpha1.Plan
	err := d.Decode(&p)
	if err == nil && d.More() {
		err = errors.New("text follows the plan")
	}
	switch kind := kindOf(&p, text, err); {
	case kind == kindList:
		return nil, badInput(fmt.Errorf("%s: is a snapshot of a cluster: give it with --snapshot, "+
			"or as workload.snapshot of a scenario", name))
	case kind != v1alpha1.KindPlan:
		return nil, nil
	case err != nil:
		return nil, badInput(fmt.Errorf("%s: is not a plan of this version of plimsoll: %w", name, err))
	case p.APIVersion != v1alpha1.APIVersion || len(p.Sections) == 0:
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

// kindOf is the kind of a document that was decoded as a plan. Decoding goes on
// behind an unknown field, but not behind every error.
func kindOf(p *v1alpha1.Plan, text []byte, err error) string {
	if p.Kind != "" || err == nil {
		return p.Kind
	}
	var head struct{ Kind string }
	if json.Unmarshal(text, &head) != nil {
		return ""
	}
	return head.Kind
}
