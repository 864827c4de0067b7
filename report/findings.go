package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/internal/words"
)

// groupedFindings is the number of findings from which they stand under the names
// of their files; excerpts are shown then in wide output only.
const groupedFindings = 8

// shortFindings is the number of findings that a short list has.
const shortFindings = 8

// gatheredFinding is a finding, and all places of a file where it stands.
type gatheredFinding struct {
	v1alpha1.Finding
	places []v1alpha1.Place
}

// inFile says whether a finding stands in a file that people look into.
func inFile(f v1alpha1.Finding) bool { return f.Place != nil && !f.Place.Cluster }

// at is "nodes.yaml:12:7, 14:7".
func (f gatheredFinding) at() string {
	slices.SortStableFunc(f.places, comparePlaces)
	return f.Place.File + ":" + joined(f.places, ", ", position)
}

// comparePlaces orders places of one file.
func comparePlaces(a, b v1alpha1.Place) int {
	return cmp.Or(a.Line-b.Line, a.Col-b.Col)
}

// gathered are findings of which equal ones of a file are one, if they may be.
func gathered(list []v1alpha1.Finding, together bool) []gatheredFinding {
	var out []gatheredFinding
	for _, f := range list {
		g := gatheredFinding{Finding: f}
		if inFile(f) {
			g.places = []v1alpha1.Place{*f.Place}
		}
		out = append(out, g)
	}
	return merged(out, func(f *gatheredFinding) (string, bool) {
		if !inFile(f.Finding) || !together {
			return "", false
		}
		return fmt.Sprintf("%q", []string{f.Place.File, string(f.Severity), f.ID, f.Message, f.Remedy}), true
	}, func(to *gatheredFinding, f gatheredFinding) { to.places = append(to.places, f.places...) })
}

// moreRemarks says that there are remarks, besides what is shown.
func moreRemarks(n, shown int) string {
	if shown == 0 {
		return words.Count(n, "remark") + " (-o wide)"
	}
	return fmt.Sprintf("and %s (-o wide)", words.Count(n, "remark"))
}

// fileFindings are the findings of one file, in its order.
type fileFindings struct {
	file string
	list []v1alpha1.Finding
}

func groupByFile(list []v1alpha1.Finding) []fileFindings {
	out := each(list, func(f v1alpha1.Finding) fileFindings {
		return fileFindings{f.Place.File, []v1alpha1.Finding{f}}
	})
	out = merged(out, func(g *fileFindings) (string, bool) { return g.file, true },
		func(to *fileFindings, g fileFindings) { to.list = append(to.list, g.list...) })
	for _, g := range out {
		slices.SortStableFunc(g.list, func(a, b v1alpha1.Finding) int { return comparePlaces(*a.Place, *b.Place) })
	}
	return out
}

// title is "nodes.yaml: 2 errors, 1 warning".
func (g fileFindings) title() string {
	var parts []string
	for _, s := range v1alpha1.Severities() {
		n := 0
		for _, f := range g.list {
			if f.Severity == s {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, words.Count(n, severityNoun(s)))
		}
	}
	return g.file + ": " + strings.Join(parts, ", ")
}

// severityNoun is what a finding of a severity is called.
func severityNoun(s v1alpha1.Severity) string {
	if s == v1alpha1.Info {
		return "remark"
	}
	return string(s)
}

// position is "12:7", or what is known of it.
func position(p v1alpha1.Place) string {
	switch {
	case p.Line < 1:
		return p.Object
	case p.Col < 1:
		return strconv.Itoa(p.Line)
	}
	return strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Col)
}

// placeText is "nodes.yaml:12:7".
func placeText(p v1alpha1.Place) string {
	return strings.Trim(p.File+":"+position(p), ":")
}

// excerpt writes a line of a file with the caret below it, cut to the width so
// that the caret still stands right.
func (t *text) excerpt(s string) {
	lines := bodyLines(s)
	caret := 0
	for i, l := range lines {
		lines[i] = strings.TrimRight(table.Clean(expanded(l)), " ")
		caret = table.Width(lines[i])
	}
	drop := 0
	if t.width > 0 && caret > t.width {
		drop = caret - t.width/2
	}
	for _, l := range lines {
		if drop > 0 {
			l = strings.TrimPrefix(l, table.Cut(l, drop))
		}
		if t.width > 0 {
			l = table.Cut(l, t.width)
		}
		t.b.WriteString(t.paint(table.Faint, l) + "\n")
	}
}

// aboutFinding names field, figure and sources of a finding.
func aboutFinding(f v1alpha1.Finding) string {
	var parts []string
	if f.Place != nil {
		if at := strings.TrimSpace(f.Place.Object + " " + f.Place.Field); at != "" {
			parts = append(parts, at)
		}
	} else if f.Field != "" {
		parts = append(parts, "field "+f.Field)
	}
	if f.Figure != "" {
		parts = append(parts, "figure "+f.Figure)
	}
	if len(f.Sources) > 0 {
		parts = append(parts, sources(f.Sources))
	}
	return strings.Join(parts, "; ")
}

// whereFound is the place of a finding, empty when it stands in no file.
func whereFound(f v1alpha1.Finding) string {
	if f.Place == nil {
		return ""
	}
	return placeText(*f.Place)
}
