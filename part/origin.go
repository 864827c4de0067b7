package part

import (
	"regexp"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/unit"
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

// Runs says whether a snapshot gave the field's value: it is that of a cluster that runs.
func (o *Origin) Runs(path string) bool {
	a, ok := o.find(path)
	return ok && a.Why == v1alpha1.AsSnapshot
}

func (o *Origin) find(path string) (v1alpha1.Assumption, bool) {
	if a, ok := o.assumed[path]; ok {
		return a, true
	}
	a, ok := o.assumed[anyIndex.ReplaceAllString(path, "[*]")]
	return a, ok
}

// Value is the number of the scenario field path with its provenance. One assumption
// may stand for several elements of a list of which others were written: an element
// with another number than the assumed one is the user's.
func (o *Origin) Value(path string, number float64, unitName string) derive.Value {
	a, ok := o.find(path)
	if _, itself := o.assumed[path]; ok && !itself {
		if n, known := parse(a.Value, unitName); known && n != number {
			ok = false
		}
	}
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

// parse reads the number of an assumption as its field writes it: "16Gi", "10G",
// "80%" or "2.6".
func parse(text, unitName string) (float64, bool) {
	switch unitName {
	case unit.ByteUnit, unit.BytesPerS:
		b, err := unit.ParseBytes(text)
		return float64(b), err == nil
	case unit.Millicores:
		c, err := unit.ParseCPU(text)
		return float64(c), err == nil
	case unit.Seconds:
		d, err := unit.ParseDuration(text)
		return float64(d), err == nil
	case unit.BitsPerS:
		b, err := unit.ParseBitRate(text)
		return float64(b), err == nil
	}
	if share, ok := strings.CutSuffix(text, "%"); ok {
		n, err := strconv.ParseFloat(share, 64)
		return n / 100, err == nil
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}
