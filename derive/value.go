package derive

import "plimsoll.dev/unit"

// RefKind says what sort of place a value comes from.
type RefKind string

// The places that a value can come from.
const (
	FromFigure   RefKind = "figure"   // another figure of the same plan
	FromFact     RefKind = "fact"     // the facts catalogue
	FromScenario RefKind = "scenario" // a field that the user wrote
	FromDefault  RefKind = "default"  // a field that was filled in
	FromFile     RefKind = "file"     // a manifest or a snapshot
)

// Ref names the place that a value comes from.
type Ref struct {
	Kind RefKind `json:"kind"`
	// ID is the figure's or fact's id, the scenario field's path, or file:line.
	ID string `json:"id"`
	// Source is where a fact was published.
	Source *Source `json:"source,omitempty"`
}

// String writes the reference as "fact ocp.max.nodes/4.4 (OCP 9.2)".
func (r Ref) String() string {
	s := string(r.Kind) + " " + r.ID
	if r.Source != nil {
		s += " (" + r.Source.String() + ")"
	}
	return s
}

// Source is a place in a document.
type Source struct {
	// Code is the document's short name: OCP, ROUT, ZTIP, ZNET, HCG for the five
	// documents, another short title otherwise.
	Code string `json:"code"`
	// Section is the chapter or table inside the document, such as "9.2".
	Section string `json:"section,omitempty"`
}

// String writes the source as it is cited: "OCP 9.2".
func (s Source) String() string {
	if s.Section == "" {
		return s.Code
	}
	return s.Code + " " + s.Section
}

// Value is a number in a unit of package unit, or a text such as a CIDR, with
// the place it comes from.
type Value struct {
	// Number is the value in base units (millicores, bytes, seconds, counts). For
	// a textual value it is the number that the text is made from, or 0.
	Number float64 `json:"number"`
	// Unit is one of the names of package unit, or the noun of a count.
	Unit string `json:"unit,omitempty"`
	// Text is the printed form.
	Text string `json:"text"`
	// From is the place the value comes from; empty inside a figure.
	From *Ref `json:"from,omitempty"`
}

// String is the printed form.
func (v Value) String() string { return v.Text }

// Int is the number rounded to the nearest integer.
func (v Value) Int() int64 {
	if v.Number < 0 {
		return unit.Whole(v.Number - 0.5)
	}
	return unit.Whole(v.Number + 0.5)
}

// Of makes a value with no place yet.
func Of(number float64, unitName string) Value {
	return Value{Number: number, Unit: unitName, Text: unit.Format(number, unitName)}
}

// Given makes a value that the user wrote at the scenario path.
func Given[N ~int | ~int64 | ~float64](path string, number N, unitName string) Value {
	return Of(float64(number), unitName).at(FromScenario, path)
}

// Default makes a value that was filled in for the scenario path.
func Default[N ~int | ~int64 | ~float64](path string, number N, unitName string) Value {
	return Of(float64(number), unitName).at(FromDefault, path)
}

// FromPlace makes a value read from a file, at "file:line" or "file".
func FromPlace[N ~int | ~int64 | ~float64](place string, number N, unitName string) Value {
	return Of(float64(number), unitName).at(FromFile, place)
}

// Published makes a value that the facts catalogue holds under id.
func Published(id string, number float64, unitName string, source Source) Value {
	v := Of(number, unitName).at(FromFact, id)
	v.From.Source = &source
	return v
}

// Cite is the value of a recorded figure, referring to it.
func Cite(f Figure) Value { return f.Value.at(FromFigure, f.ID) }

// WithText replaces the printed form.
func (v Value) WithText(text string) Value {
	v.Text = text
	return v
}

func (v Value) at(kind RefKind, id string) Value {
	v.From = &Ref{Kind: kind, ID: id}
	return v
}
