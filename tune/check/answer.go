package check

import (
	"fmt"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/tune/era"
	"plimsoll.dev/tune/object"
)

// answer shows the result.
func (r Result) answer(e era.Era, found []v1alpha1.Finding) v1alpha1.Answer {
	a := v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: "Check", Title: "Check of manifests", Era: e.String(), Findings: found, Result: r}
	a.Verdict.OK = r.Errors == 0
	a.Verdict.Summary = fmt.Sprintf("%s in %s: %s", counted(r.Objects, "object"), counted(len(r.Files), "file"), r.Counts)
	if r.Suppressed > 0 {
		a.Verdict.Summary += fmt.Sprintf(" (%d silenced)", r.Suppressed)
	}
	if n := r.unread(); n > 0 && n == r.Objects {
		a.Verdict.Summary += "; no rule reads objects of " + kindsText(r.NotRead)
	}
	a.Verdict.Summary += "."
	if len(found) > 0 && found[0].Severity != v1alpha1.Info {
		a.Verdict.Problem = found[0].Message
	}
	if part := (v1alpha1.Part{Title: "Files", Tables: r.tables(), Wide: true}); len(part.Tables) > 0 {
		a.Parts = append(a.Parts, part)
	}
	return a
}

// unread is the number of objects that no rule reads.
func (r Result) unread() (n int) {
	for _, k := range r.NotRead {
		n += k.Objects
	}
	return n
}

// kindsText names some kinds.
func kindsText(list []Kind) string {
	const most = 3
	var names []string
	for _, k := range list[:min(most, len(list))] {
		names = append(names, k.Kind)
	}
	if more := len(list) - most; more > 0 {
		names = append(names, counted(more, "other kind"))
	}
	return strings.Join(names, ", ")
}

// tables are the files, where there are several, and what was not read.
func (r Result) tables() []v1alpha1.Table {
	var out []v1alpha1.Table
	if len(r.Files) > 1 {
		t := v1alpha1.Table{ID: "check.files", Title: "Findings by file", Wide: true, Columns: []v1alpha1.Column{{Title: "File"}, {Title: "Objects", Right: true},
			{Title: "Errors", Right: true}, {Title: "Warnings", Right: true}, {Title: "Remarks", Right: true}}}
		for _, f := range r.Files {
			t.Rows = append(t.Rows, []v1alpha1.Cell{{Text: f.Name}, number(f.Objects, ""), number(f.Errors, "bad"), number(f.Warnings, "warn"), number(f.Remarks, "")})
		}
		out = append(out, t)
	}
	if len(r.NotRead) > 0 {
		t := v1alpha1.Table{ID: "check.notRead", Title: "Kinds that no rule reads", Wide: true, Columns: []v1alpha1.Column{{Title: "Kind"}, {Title: "Objects", Right: true}}}
		for _, k := range r.NotRead {
			t.Rows = append(t.Rows, []v1alpha1.Cell{{Text: k.Kind}, number(k.Objects, "")})
		}
		out = append(out, t)
	}
	return out
}

// number is a cell with a count, marked when it is above 0.
func number(n int, mark string) v1alpha1.Cell {
	v := float64(n)
	c := v1alpha1.Cell{Text: fmt.Sprint(n), Number: &v}
	if n > 0 {
		c.Mark = mark
	}
	return c
}

// List shows the catalogue: all rules, and all that differs by era.
func List() v1alpha1.Answer {
	found, differ := Catalogue(), Eras()
	rules := v1alpha1.Table{ID: "check.rules", Title: "What is found", Columns: []v1alpha1.Column{{Title: "Rule"}, {Title: "Severity"}, {Title: "What is wrong"}, {Title: "Source", Wide: true}}}
	for _, r := range found {
		source := ""
		if len(r.Sources) > 0 {
			source = r.Sources[0].String()
		}
		rules.Rows = append(rules.Rows, []v1alpha1.Cell{{Text: r.ID}, {Text: string(r.Severity)}, {Text: r.Title}, {Text: source}})
	}
	eras := v1alpha1.Table{ID: "check.eras", Title: "What differs by era", Wide: true, Columns: []v1alpha1.Column{{Title: "Rule"}, {Title: "What is decided"}}}
	for _, e := range era.All() {
		eras.Columns = append(eras.Columns, v1alpha1.Column{Title: e.String()})
	}
	for _, row := range differ {
		cells := []v1alpha1.Cell{{Text: row.ID}, {Text: row.Title}}
		for _, v := range row.At {
			cells = append(cells, v1alpha1.Cell{Text: v})
		}
		eras.Rows = append(eras.Rows, cells)
	}
	return v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: "CheckCatalogue", Title: "What plimsoll tune check finds",
		Verdict: v1alpha1.AnswerVerdict{OK: true, Summary: fmt.Sprintf("%d rules; %d behaviours differ by era.", len(found), len(differ))},
		Result:  listed(found, differ), Parts: []v1alpha1.Part{{Title: "Rules", Tables: []v1alpha1.Table{rules}}, {Title: "Eras", Tables: []v1alpha1.Table{eras}, Wide: true}}}
}

// Listed is the catalogue for programs.
type Listed struct {
	Rules []ListedRule `json:"rules"`
	Eras  []ListedEra  `json:"eras"`
}

// ListedRule is a rule for programs.
type ListedRule struct {
	ID       string            `json:"id"`
	Severity v1alpha1.Severity `json:"severity"`
	Title    string            `json:"title"`
	Sources  []derive.Source   `json:"sources,omitempty"`
}

// ListedEra is a rule that differs by era, with its values by the names of the eras.
type ListedEra struct {
	ID     string            `json:"id"`
	Title  string            `json:"title"`
	Values map[string]string `json:"values"`
	Source derive.Source     `json:"source"`
}

func listed(rules []object.Rule, eras []era.Row) Listed {
	var out Listed
	for _, r := range rules {
		out.Rules = append(out.Rules, ListedRule{r.ID, r.Severity, r.Title, r.Sources})
	}
	for _, row := range eras {
		values := map[string]string{}
		for _, e := range era.All() {
			values[e.String()] = row.At[e]
		}
		out.Eras = append(out.Eras, ListedEra{row.ID, row.Title, values, row.Source})
	}
	return out
}
