package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
)

// groupedFindings is the number of findings from which they stand under the names
// of their files; excerpts are shown then in wide output only.
const groupedFindings = 8

// shortFindings is the number of findings that a short list has.
const shortFindings = 8

// placedFindings writes the findings: those that stand in files as compilers do,
// the others with a mark. A short list is without excerpts, has equal ones once,
// and is cut.
func (t *text) placedFindings(short bool) {
	all := t.findings()
	infos := t.count(v1alpha1.Info)
	if t.wide {
		infos = 0
	} else {
		all = slices.DeleteFunc(all, func(f v1alpha1.Finding) bool { return severityRank(f.Severity) == 2 })
	}
	if len(all)+infos == 0 {
		return
	}
	t.heading("Findings")
	list, left := gathered(all, short), 0
	if short && len(list) > shortFindings+1 {
		list, left = list[:shortFindings], len(list)-shortFindings
	}
	t.gatheredFindings(list, short)
	if left > 0 {
		t.line("  ", table.Faint, fmt.Sprintf("and %s more (-o wide)", plural(left, "finding")))
	}
	if infos > 0 {
		t.line("  ", table.Faint, moreRemarks(infos, len(list)))
	}
}

// gatheredFinding is a finding, and all places of a file where it stands.
type gatheredFinding struct {
	v1alpha1.Finding
	places []v1alpha1.Place
}

// at is "nodes.yaml:12:7, 14:7".
func (f gatheredFinding) at() string {
	slices.SortStableFunc(f.places, comparePlaces)
	out := make([]string, len(f.places))
	for i, p := range f.places {
		out[i] = position(p)
	}
	return f.Place.File + ":" + strings.Join(out, ", ")
}

// comparePlaces orders places of one file.
func comparePlaces(a, b v1alpha1.Place) int {
	return cmp.Or(a.Line-b.Line, a.Col-b.Col)
}

// gathered are findings of which equal ones of a file are one, if they may be.
func gathered(list []v1alpha1.Finding, together bool) []gatheredFinding {
	var out []gatheredFinding
	seen := map[string]int{}
	for _, f := range list {
		if f.Place == nil {
			out = append(out, gatheredFinding{f, nil})
			continue
		}
		key := fmt.Sprintf("%q", []string{f.Place.File, string(f.Severity), f.ID, f.Message, f.Remedy})
		if i, ok := seen[key]; ok && together {
			out[i].places = append(out[i].places, *f.Place)
			continue
		}
		seen[key] = len(out)
		out = append(out, gatheredFinding{f, []v1alpha1.Place{*f.Place}})
	}
	return out
}

func (t *text) gatheredFindings(list []gatheredFinding, short bool) {
	var placed []v1alpha1.Finding
	for _, f := range list {
		if f.Place != nil {
			placed = append(placed, f.Finding)
		}
	}
	if !short && len(placed) >= groupedFindings {
		t.byFile(placed)
		list = slices.DeleteFunc(slices.Clone(list), func(f gatheredFinding) bool { return f.Place != nil })
	}
	for _, f := range list {
		switch {
		case f.Place == nil && t.wide:
			t.finding(f.Finding)
		case f.Place == nil:
			t.unplaced(f.Finding)
		default:
			t.placed("", f.at(), f.Finding, !short)
		}
	}
}

// unplaced writes a finding that stands in no file, in short.
func (t *text) unplaced(f v1alpha1.Finding) {
	mark, style := markOfFinding(f.Severity)
	says := f.Message
	if f.ID != "" {
		says += " [" + f.ID + "]"
	}
	t.mark("", mark, style, table.Plain, says)
	if f.Remedy != "" {
		t.line("  -> ", table.Plain, f.Remedy)
	}
	for _, s := range f.Sources {
		t.cites[s.Code] = true
	}
}

// moreRemarks says that there are remarks, besides what is shown.
func moreRemarks(n, shown int) string {
	if shown == 0 {
		return plural(n, "remark") + " (-o wide)"
	}
	return fmt.Sprintf("and %s (-o wide)", plural(n, "remark"))
}

// byFile writes findings under the names of their files, in the order of the worst
// finding of each.
func (t *text) byFile(list []v1alpha1.Finding) {
	for _, g := range groupByFile(list) {
		t.line("", table.Bold, g.title())
		for _, f := range g.list {
			t.placed("  ", position(*f.Place), f, t.wide)
		}
	}
}

// fileFindings are the findings of one file, in its order.
type fileFindings struct {
	file string
	list []v1alpha1.Finding
}

func groupByFile(list []v1alpha1.Finding) []fileFindings {
	var out []fileFindings
	for _, f := range list {
		i := slices.IndexFunc(out, func(g fileFindings) bool { return g.file == f.Place.File })
		if i < 0 {
			i = len(out)
			out = append(out, fileFindings{file: f.Place.File})
		}
		out[i].list = append(out[i].list, f)
	}
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
			parts = append(parts, plural(n, severityNoun(s)))
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

// placed writes a finding behind its place as "file:line:col: error: message
// (remedy) [rule]", and the lines of the file below it, if they are wanted.
func (t *text) placed(indent, at string, f v1alpha1.Finding, excerpt bool) {
	_, style := markOfFinding(f.Severity)
	word := oneLine(string(f.Severity)) + ":"
	says := oneLine(at+": ") + " " + word + " " + f.Message
	if f.Remedy != "" {
		says += " (" + f.Remedy + ")"
	}
	if f.ID != "" {
		says += " [" + f.ID + "]"
	}
	first := 0
	if t.width > 0 {
		first = t.width - len(indent)
	}
	for i, l := range table.Hang(oneLine(says), first, first-4) {
		if i > 0 {
			l = "    " + l
		}
		t.b.WriteString(indent + strings.Replace(l, word, t.paint(style, word), 1) + "\n")
		if i == 0 {
			word = " " // stands on the first line
		}
	}
	for _, s := range f.Sources {
		t.cites[s.Code] = true
	}
	if excerpt {
		t.excerpt(f.Place.Excerpt)
	}
	if where := aboutPlaced(f); where != "" && t.wide {
		t.line(indent+"    ", table.Faint, where)
	}
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

// aboutPlaced names object, field and sources of a finding.
func aboutPlaced(f v1alpha1.Finding) string {
	out := strings.TrimSpace(f.Place.Object + " " + f.Place.Field)
	f.Field = ""
	if more := aboutFinding(f); more != "" && out != "" {
		out += "; " + more
	} else {
		out += more
	}
	return out
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
			l = strings.TrimPrefix(l, cut(l, drop))
		}
		if t.width > 0 {
			l = cut(l, t.width)
		}
		t.b.WriteString(t.paint(table.Faint, l) + "\n")
	}
}
