package report

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/derive"
	"plimsoll.dev/limit"
)

// documents are the titles behind the short names that sources carry.
var documents = map[string]string{
	"Plimsoll": "this program's own choice, and why",
	"OCP":      "OpenShift Container Platform 4.4, Scalability and performance",
	"ROUT":     "OpenShift Container Platform 3, chapter 8: Routing optimization",
	"ZTIP":     "Red Hat OpenShift on IBM Z: Performance experiences, hints and tips",
	"ZNET":     "Red Hat OpenShift Container Platform on Z: Networking performance",
	"HCG":      "Helion OpenStack Carrier Grade 4.0: System engineering guidelines",
}

// document is one document that a plan cites.
type document struct {
	// Code is the short name, Title the whole one; empty when the short one is all
	// there is.
	Code, Title string
	// Sections are the places cited, in the order of the document.
	Sections []string
}

// cited lists the documents that the plan's figures, gauges and findings cite,
// by short name.
func (ix *index) cited() []document {
	byCode := map[string][]string{}
	add := func(sources ...derive.Source) {
		for _, s := range sources {
			switch {
			case s.Code == "":
			case s.Section == "": // the document as a whole
				byCode[s.Code] = append([]string{}, byCode[s.Code]...)
			default:
				byCode[s.Code] = append(byCode[s.Code], s.Section)
			}
		}
	}
	for _, v := range ix.usedFacts() {
		add(sourceOf(v.From))
	}
	for _, f := range ix.plan.Figures {
		add(f.Sources...)
	}
	for _, f := range ix.plan.Findings {
		add(f.Sources...)
	}
	var out []document
	for _, code := range slices.Sorted(maps.Keys(byCode)) {
		places := byCode[code]
		slices.SortFunc(places, byNumber)
		out = append(out, document{Code: code, Title: documents[code], Sections: slices.Compact(places)})
	}
	return out
}

// byNumber compares sections as readers do: 2.10 after 2.9, words after numbers.
func byNumber(a, b string) int {
	x, y := strings.FieldsFunc(a, isDotOrBlank), strings.FieldsFunc(b, isDotOrBlank)
	for i := range min(len(x), len(y)) {
		n, errN := strconv.Atoi(x[i])
		m, errM := strconv.Atoi(y[i])
		c := strings.Compare(x[i], y[i])
		if errN == nil && errM == nil {
			c = n - m
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Or(len(x)-len(y), strings.Compare(a, b))
}

func isDotOrBlank(r rune) bool { return r == '.' || r == ' ' }

// sourceOf is the source of a reference, empty when it has none.
func sourceOf(r *derive.Ref) derive.Source {
	if r == nil || r.Source == nil {
		return derive.Source{}
	}
	return *r.Source
}

// sources joins sources as they are cited: "OCP 1.1, OCP 12.2".
func sources(list []derive.Source) string { return joined(list, ", ", derive.Source.String) }

// origin says in words where a value comes from; empty when nobody says.
func origin(r *derive.Ref) string {
	if r == nil {
		return ""
	}
	switch r.Kind {
	case derive.FromFigure:
		return "figure " + r.ID
	case derive.FromFact:
		if s := sourceOf(r).String(); s != "" {
			return "fact " + r.ID + " (" + s + ")"
		}
		return "fact " + r.ID
	case derive.FromScenario:
		return "scenario " + r.ID
	case derive.FromDefault:
		return "default of " + r.ID
	case derive.FromFile:
		return "file " + r.ID
	}
	return string(r.Kind) + " " + r.ID
}

// limitSource is the short origin of a limit: its source, else what it is.
func limitSource(v derive.Value) string {
	if s := sourceOf(v.From).String(); s != "" {
		return s
	}
	if v.From != nil && v.From.Kind == derive.FromFigure {
		return "computed"
	}
	if v.From != nil {
		return string(v.From.Kind) // the field or file itself is told with the figure
	}
	return ""
}

// longSource is the length from which a column names only the document; the
// place in it stands elsewhere in the report.
const longSource = 20

// shortSource is limitSource for a column.
func shortSource(v derive.Value) string {
	full := limitSource(v)
	switch {
	case len(full) <= longSource || v.From == nil:
		return full
	case sourceOf(v.From).Code != "":
		return sourceOf(v.From).Code
	case v.From.Kind == derive.FromScenario, v.From.Kind == derive.FromDefault, v.From.Kind == derive.FromFile:
		return string(v.From.Kind)
	}
	return full
}

// meaning says what it means to pass a limit of a kind.
func meaning(k limit.Kind) string {
	switch k {
	case limit.Hard:
		return "the system refuses or breaks beyond it"
	case limit.Supported:
		return "the vendor gives no support beyond it"
	case limit.Tested:
		return "nobody has published a test beyond it"
	case limit.Recommended:
		return "experience advises against more"
	case limit.Measured:
		return "what a measurement reached"
	case limit.Assumed:
		return "nobody states it; Plimsoll's own choice"
	}
	return ""
}
