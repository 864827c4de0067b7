package check

import (
	"fmt"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/cell"
	"plimsoll.dev/tune/performance"
)

// answer shows the result of a check by somebody's rules.
func (r Result) answer(rules string, found []v1alpha1.Finding) v1alpha1.Answer {
	a := v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: "Check", Title: "Check of manifests", Release: rules,
		Findings: found, Result: r}
	a.Verdict.OK = r.Errors == 0
	a.Verdict.Summary = fmt.Sprintf("%s in %s: %s", words.Count(r.Objects, "object", "objects"),
		words.Count(len(r.Files), "file", "files"), r.Counts)
	if r.Suppressed > 0 {
		a.Verdict.Summary += fmt.Sprintf(" (%d silenced)", r.Suppressed)
	}
	if n := r.unread(); n > 0 && n == r.Objects {
		a.Verdict.Summary += "; no rule reads objects of " + kindsText(r.NotRead)
	}
	a.Verdict.Summary += "."
	a.Verdict.Open = Unjudged(found)
	if len(found) > 0 && found[0].Severity != v1alpha1.Info {
		a.Verdict.Problem = found[0].Message
	}
	if part := (v1alpha1.Part{Title: "Files", Tables: r.tables(), Wide: true}); len(part.Tables) > 0 {
		a.Parts = append(a.Parts, part)
	}
	return a
}

// Unjudged says what is not judged of the objects that the rules are about, so that nothing of it is taken for good.
func Unjudged(found []v1alpha1.Finding) []string {
	count := map[string]int{}
	for _, f := range found {
		if f.Place == nil {
			continue
		}
		if kind, name, _ := strings.Cut(f.Place.Object, "/"); weighs(kind, name) {
			count[f.ID]++
		}
	}
	var out []string
	for _, c := range []struct {
		rule      object.Rule
		one, many string
	}{{template, "template", "templates"}, {encrypted, "encrypted object", "encrypted objects"},
		{patch, "patch", "patches"},
		{completed, "object that is completed or changed", "objects that are completed or changed"}} {
		if n := count[c.rule.ID]; n > 0 {
			out = append(out, "what becomes of "+words.Count(n, c.one, c.many))
		}
	}
	if n := count["performance.notMade"]; n > 0 {
		out = append(out, fmt.Sprintf("what becomes of %s before %s", words.Count(n, "PerformanceProfile",
			"PerformanceProfiles"), performance.Oldest))
	}
	if n := count["monitoring.notFilledIn"]; n > 0 {
		out = append(out, words.Count(n, "value", "values")+" of config.yaml")
	}
	if n := count["profile.includeNowhere"]; n > 0 {
		out = append(out, "the text of "+words.Count(n, "included profile", "included profiles"))
	}
	return out
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
		names = append(names, words.Count(more, "other kind", "other kinds"))
	}
	return strings.Join(names, ", ")
}

// tables are the files, where there are several, and what was not read.
func (r Result) tables() []v1alpha1.Table {
	var out []v1alpha1.Table
	if len(r.Files) > 1 {
		t := v1alpha1.Table{ID: "check.files", Title: "Findings by file", Wide: true,
			Columns: cell.Columns("File", ">Objects", ">Errors", ">Warnings", ">Remarks")}
		for _, f := range r.Files {
			t.Rows = append(t.Rows, []v1alpha1.Cell{cell.Text(f.Name), cell.Count(f.Objects), marked(f.Errors, "bad"),
				marked(f.Warnings, "warn"), cell.Count(f.Remarks)})
		}
		out = append(out, t)
	}
	if len(r.NotRead) > 0 {
		t := v1alpha1.Table{ID: "check.notRead", Title: "Kinds that no rule reads", Wide: true,
			Columns: cell.Columns("Kind", ">Objects")}
		for _, k := range r.NotRead {
			t.Rows = append(t.Rows, []v1alpha1.Cell{cell.Text(k.Kind), cell.Count(k.Objects)})
		}
		out = append(out, t)
	}
	return out
}

// marked is a cell with a count, marked when it is above 0.
func marked(n int, mark string) v1alpha1.Cell {
	c := cell.Count(n)
	if n > 0 {
		c.Mark = mark
	}
	return c
}

// List shows the catalogue: all rules, and all that differs between releases.
func List() v1alpha1.Answer {
	found, differ := Catalogue(), Behaviours()
	rules := v1alpha1.Table{ID: "check.rules", Title: "What is found",
		Columns: cell.Columns("Rule", "Severity", "What is wrong", "*Source")}
	for _, r := range found {
		source := ""
		if len(r.Sources) > 0 {
			source = r.Sources[0].String()
		}
		rules.Rows = append(rules.Rows, cell.Texts(r.ID, string(r.Severity), r.Title, source))
	}
	behaviours := v1alpha1.Table{ID: "check.behaviours", Title: "What differs between releases", Wide: true,
		Columns: cell.Columns("Behaviour", "What is decided", "Release", "*Source")}
	for _, row := range differ {
		behaviours.Rows = append(behaviours.Rows, cell.Texts(row.ID, row.Title, row.Values(), row.Source.String()))
	}
	return v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: "CheckCatalogue",
		Title: "What plimsoll tune check finds",
		Verdict: v1alpha1.AnswerVerdict{OK: true,
			Summary: fmt.Sprintf("%d rules; %d behaviours differ between releases.", len(found), len(differ))},
		Result: listed(found, differ), Parts: []v1alpha1.Part{{Title: "Rules", Tables: []v1alpha1.Table{rules}},
			{Title: "Releases", Tables: []v1alpha1.Table{behaviours}, Wide: true}}}
}

// Listed is the catalogue for programs.
type Listed struct {
	Rules      []ListedRule  `json:"rules"`
	Behaviours []release.Row `json:"behaviours"`
}

// ListedRule is a rule for programs.
type ListedRule struct {
	ID       string            `json:"id"`
	Severity v1alpha1.Severity `json:"severity"`
	Title    string            `json:"title"`
	Sources  []derive.Source   `json:"sources,omitempty"`
}

func listed(rules []object.Rule, behaviours []release.Row) Listed {
	out := Listed{Behaviours: behaviours}
	for _, r := range rules {
		out.Rules = append(out.Rules, ListedRule{r.ID, r.Severity, r.Title, r.Sources})
	}
	return out
}

// Missing puts into an answer about a cluster the files of it that could not be read: what they hold is missing in
// the answer, which can't be good then.
func Missing(a *v1alpha1.Answer, passed []v1alpha1.Skipped) {
	for _, p := range passed {
		a.Findings = append(a.Findings, v1alpha1.Finding{Severity: dumpUnread.Severity, ID: dumpUnread.ID,
			Message: p.What + " is passed over: " + p.Why + "; what it holds is missing here",
			Remedy:  "write it anew, or leave it out of the directory", Sources: dumpUnread.Sources,
			Place: &v1alpha1.Place{File: p.Place, Line: 1, Col: 1}})
	}
	if len(passed) > 0 {
		a.Verdict.OK = false
		a.Verdict.Problem = a.Findings[len(a.Findings)-len(passed)].Message
	}
}
