package part

import (
	"regexp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
)

// OwnMeasurement is the source of figures that a scenario measured itself.
const OwnMeasurement = "own measurement"

// Origin tells for each scenario field whether the user wrote it, the defaults
// filled it in, or a fact stands behind the default.
type Origin struct {
	assumed map[string]v1alpha1.Assumption
	facts   *facts.Catalogue
}

// NewOrigin remembers which fields were assumed.
func NewOrigin(assumed []v1alpha1.Assumption, c *facts.Catalogue) *Origin {
	o := &Origin{assumed: map[string]v1alpha1.Assumption{}, facts: c}
	for _, a := range assumed {
		o.assumed[a.Field] = a
	}
	return o
}

// OrWritten is o, or an origin that takes every field as written by the user
// when o is nil.
func (o *Origin) OrWritten(c *facts.Catalogue) *Origin {
	if o == nil {
		return NewOrigin(nil, c)
	}
	return o
}

var anyIndex = regexp.MustCompile(`\[\d+\]`)

// Assumed says whether the field was filled in.
func (o *Origin) Assumed(path string) bool {
	_, ok := o.find(path)
	return ok
}

func (o *Origin) find(path string) (v1alpha1.Assumption, bool) {
	if a, ok := o.assumed[path]; ok {
		return a, true
	}
	a, ok := o.assumed[anyIndex.ReplaceAllString(path, "[*]")]
	return a, ok
}

// Value is the number of the scenario field path with its provenance.
func (o *Origin) Value(path string, number float64, unitName string) derive.Value {
	a, ok := o.find(path)
	if !ok {
		return derive.Given(path, number, unitName)
	}
	v := derive.Default(path, number, unitName)
	if f, known := o.facts.Get(a.Fact); known {
		source := f.Source
		v.From.Source = &source
	}
	return v
}
