package report

import (
	"bytes"
	"encoding/json"
	"io"

	"plimsoll.dev/api/v1alpha1"
)

// difference is the comparison of two plans, and its JSON document.
type difference struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Old and New name the plans.
	Old named `json:"old"`
	New named `json:"new"`
	// Changed is false when the plans are equal.
	Changed bool `json:"changed"`
	// Changes are grouped, the weightiest group first, and inside a group the
	// worst first, then the largest.
	Changes []change `json:"changes"`
	// terms are the words of the new plan's platform.
	terms terms
}

// named is the name of a plan with its platform and verdict.
type named struct {
	Name     string `json:"name"`
	Platform string `json:"platform"`
	Fits     bool   `json:"fits"`
}

// change is one thing that differs.
type change struct {
	// Group is verdict, limits, findings, options, decisions, figures, nodes,
	// tables, assumptions, scenario, skipped or other.
	Group string `json:"group"`
	// Change is added, removed or changed.
	Change string `json:"change"`
	ID     string `json:"id"`
	Title  string `json:"title,omitempty"`
	Old    string `json:"old,omitempty"`
	New    string `json:"new,omitempty"`
	// Relative is (new - old) / old for numbers; absent when old is 0.
	Relative *float64 `json:"relative,omitempty"`
	// Effect is better or worse where that can be said.
	Effect string `json:"effect,omitempty"`
}

const (
	added   = "added"
	removed = "removed"
	altered = "changed"
	better  = "better"
	worse   = "worse"
)

// Diff writes what differs between the plans a and b, in a format of Formats,
// and reports whether anything does.
func Diff(w io.Writer, a, b *v1alpha1.Plan, format string, opt Options) (changed bool, err error) {
	d, err := compare(newIndex(a, opt), newIndex(b, opt))
	if err != nil {
		return false, err
	}
	return d.Changed, d.document(format).write(w, format, opt)
}

// compare finds all changes.
func compare(a, b *index) (difference, error) {
	d := difference{APIVersion: v1alpha1.APIVersion, Kind: "PlanDiff", Old: name(a.plan), New: name(b.plan),
		Changes: []change{}, terms: b.terms()}
	for _, part := range diffParts {
		d.Changes = append(d.Changes, part.changes(a, b)...)
	}
	equal, err := same(a.plan, b.plan)
	if err != nil {
		return d, err
	}
	if !equal && len(d.Changes) == 0 {
		d.Changes = append(d.Changes, change{Group: otherPart, Change: altered, ID: "plan",
			Title: "Notes, sources or the order of things"})
	}
	d.Changed = len(d.Changes) > 0
	return d, nil
}

func name(p *v1alpha1.Plan) named {
	return named{p.Metadata.Name, platform(p.Platform), p.Verdict.Fits}
}

// same says whether the plans are equal in all that counts.
func same(a, b *v1alpha1.Plan) (bool, error) {
	x, err := json.Marshal(essence(a))
	if err != nil {
		return false, err
	}
	y, err := json.Marshal(essence(b))
	return bytes.Equal(x, y), err
}

// Mark is the ASCII mark of a change.
func (c change) Mark() string {
	switch {
	case c.Effect == worse:
		return "!"
	case c.Change == added:
		return "+"
	case c.Change == removed:
		return "-"
	}
	return "~"
}

// By is the relative change: "+12 %".
func (c change) By() string {
	if c.Relative == nil || *c.Relative == 0 {
		return ""
	}
	if *c.Relative < 0 {
		return "-" + percent(-*c.Relative)
	}
	return "+" + percent(*c.Relative)
}
