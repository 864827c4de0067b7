package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/part"
)

// mostDifferences are told of a plan; a forged plan may have thousands.
const mostDifferences = 20

// Confirm is Verify, and plans the scenario that the plan carries again to compare every
// word: texts, verdicts, findings, formulas and all else that numbers alone don't say. A
// plan that was made elsewhere, or edited, can be checked so. What was read from files
// (the scenario, its assumptions, what was passed over) is taken as it stands: package
// scenario checks the first two (ReadSaved), and Against compares all with the input.
func Confirm(p *v1alpha1.Plan, c *facts.Catalogue) []error {
	v := verifier{facts: c}
	if p.Scenario == nil {
		v.bad("the plan does not say which scenario it answers, so it can't be verified (plan it again with this version)")
	}
	v.errs = append(v.errs, Verify(p, c)...)
	if p.Scenario != nil {
		v.again(p)
	}
	return v.errs
}

func (v *verifier) again(p *v1alpha1.Plan) {
	made, err := remake(p, v.facts)
	if err != nil {
		v.bad("the scenario of the plan: %w", err)
		return
	}
	v.differ(p, made)
}

// Against tells where a plan is not the one that its input gives now.
func Against(p, input *v1alpha1.Plan) []error {
	says, v := *p, verifier{}
	says.MadeBy = input.MadeBy
	v.differ(&says, input)
	return v.errs
}

func (v *verifier) differ(p, made *v1alpha1.Plan) {
	d := differences{}
	d.compare("", tree(p), tree(made))
	for i, text := range d.found {
		if i == mostDifferences {
			v.bad("and %d more places where the plan is not what its scenario gives", len(d.found)-i)
			break
		}
		v.bad("%s", text)
	}
}

// remake plans the scenario of a plan. The scenario may be anybody's: where the
// planner breaks down over it, the plan is not one that it has made.
func remake(p *v1alpha1.Plan, c *facts.Catalogue) (made *v1alpha1.Plan, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("can't be planned (%v)", fault)
		}
	}()
	var s v1alpha1.Scenario // a copy: planning must not touch what is compared
	text, err := json.Marshal(p.Scenario)
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		return nil, err
	}
	made = MakeOn(&s, p.Assumptions, Catalogue(c, &s), Read{Machines: p.Machines, Snapshot: p.Snapshot})
	made.Scenario, made.Machines, made.MadeBy = p.Scenario, p.Machines, p.MadeBy
	part.Skip(made, p.Skipped)
	return made, nil
}

// tree is a plan as JSON has it, numbers as they are written.
func tree(p *v1alpha1.Plan) any {
	text, err := json.Marshal(p)
	if err != nil {
		return err.Error()
	}
	var t any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&t); err != nil {
		return err.Error()
	}
	return t
}

// differences are the places where two trees differ.
type differences struct{ found []string }

func (d *differences) compare(path string, says, gives any) {
	switch says := says.(type) {
	case map[string]any:
		if gives, ok := gives.(map[string]any); ok {
			d.objects(path, says, gives)
			return
		}
	case []any:
		if gives, ok := gives.([]any); ok && len(says) == len(gives) {
			for i := range says {
				d.compare(fmt.Sprintf("%s[%s]", path, named(gives[i], i)), says[i], gives[i])
			}
			return
		}
	case json.Number:
		if gives, ok := gives.(json.Number); ok && sameNumber(says, gives) {
			return
		}
	default:
		if says == gives {
			return
		}
	}
	d.found = append(d.found, fmt.Sprintf("%s: the plan says %s, its scenario gives %s", path, short(says), short(gives)))
}

func (d *differences) objects(path string, says, gives map[string]any) {
	var names []string
	for name := range says {
		names = append(names, name)
	}
	for name := range gives {
		if _, ok := says[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		at := name
		if path != "" {
			at = path + "." + name
		}
		d.compare(at, says[name], gives[name])
	}
}

// sameNumber forgives the last digits, in which processors differ.
func sameNumber(a, b json.Number) bool {
	if a == b {
		return true
	}
	x, errX := a.Float64()
	y, errY := b.Float64()
	return errX == nil && errY == nil && equal(x, y)
}

// named is the id or the name of an item, or else its number.
func named(item any, i int) string {
	if m, ok := item.(map[string]any); ok {
		for _, key := range []string{"id", "name"} {
			if s, ok := m[key].(string); ok {
				return s
			}
		}
	}
	return fmt.Sprint(i)
}

// short is a value in a few words.
func short(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case map[string]any:
		return "an entry"
	case []any:
		return fmt.Sprintf("%d entries", len(v))
	case string:
		const most = 60
		if r := []rune(v); len(r) > most {
			v = string(r[:most]) + "..."
		}
		return fmt.Sprintf("%q", v)
	}
	return fmt.Sprint(v)
}
