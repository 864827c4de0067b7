package facts

import (
	"plimsoll.dev/derive"
	"plimsoll.dev/limit"
	"plimsoll.dev/unit"
)

// Grade says how far a figure can be trusted.
type Grade string

// The grades, best first.
const (
	Stated       Grade = "stated"        // the source says it in so many words
	Arithmetic   Grade = "arithmetic"    // it follows from stated figures
	SecondSource Grade = "second-source" // told by another source than the vendor's document, or read from code
	Doubtful     Grade = "doubtful"      // the source contradicts itself or reality
)

// Grades lists all grades, best first.
func Grades() []Grade { return []Grade{Stated, Arithmetic, SecondSource, Doubtful} }

// Fact is one figure of the catalogue.
type Fact struct {
	// ID is the quantity and the values of its dimensions: "ocp.max.nodes/4.4".
	ID string `json:"id"`
	// Quantity is the ID without the dimensions: "ocp.max.nodes".
	Quantity string `json:"quantity"`
	// Title says in words what is counted or measured.
	Title string `json:"title"`
	// Platform is openshift, kubernetes, helion or any.
	Platform string `json:"platform"`
	// Scope is what a limit applies to: cluster, node, namespace, service, router.
	Scope string `json:"scope,omitempty"`
	// Dims are the dimensions in the order of the ID.
	Dims []Dim `json:"dims,omitempty"`
	// Number is the figure in base units; 0 for a textual fact.
	Number float64 `json:"number"`
	// Unit is a unit of package unit or the noun of a count.
	Unit string `json:"unit,omitempty"`
	// Text replaces the number for a fact that is words or a name.
	Text string `json:"text,omitempty"`
	// Kind says what passing it means.
	Kind limit.Kind `json:"kind"`
	// Grade says how far it can be trusted.
	Grade Grade `json:"grade"`
	// Source is where it stands.
	Source derive.Source `json:"source"`
	// Conditions are those under which it was measured or holds.
	Conditions string `json:"conditions,omitempty"`
	// Date is when the source was published or read, as YYYY or YYYY-MM.
	Date string `json:"date,omitempty"`
	// Notes are the source's footnotes and our remarks, in plain words.
	Notes []string `json:"notes,omitempty"`
	// Contradicts are the ids of facts that say something else about the same.
	Contradicts []string `json:"contradicts,omitempty"`
}

// Dim is one dimension of a fact, such as release 4.4.
type Dim struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Dim returns the value of the dimension name, empty when there is none.
func (f Fact) Dim(name string) string {
	for _, d := range f.Dims {
		if d.Name == name {
			return d.Value
		}
	}
	return ""
}

// Value is the figure for use in a derivation; its From is the fact.
func (f Fact) Value() derive.Value {
	v := derive.Published(f.ID, f.Number, f.Unit, f.Source)
	if f.Text != "" {
		v.Text = f.Text
	}
	return v
}

// Printed is the figure for people: "250 nodes".
func (f Fact) Printed() string {
	if f.Text != "" {
		return f.Text
	}
	return unit.Format(f.Number, f.Unit)
}
