package infra

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/tune/cell"
)

// Answer shows the move.
func (m Move) Answer() v1alpha1.Answer {
	a := v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: "InfraMove", Title: "Move to infrastructure nodes",
		Release: m.Release, Findings: m.Findings, Result: m}
	bad := slices.IndexFunc(m.Findings, func(f v1alpha1.Finding) bool { return f.Severity == v1alpha1.Error })
	a.Verdict = v1alpha1.AnswerVerdict{OK: bad < 0,
		Summary: fmt.Sprintf("%d manifests and %d steps move the platform's components to infrastructure nodes.",
			len(m.Files), len(m.Steps))}
	if bad >= 0 {
		a.Verdict.Problem = m.Findings[bad].Message
	}
	steps := v1alpha1.Part{Title: "Steps", Tables: []v1alpha1.Table{m.table()}}
	files := v1alpha1.Part{Title: "Manifests"}
	for _, f := range m.Files {
		files.Texts = append(files.Texts, v1alpha1.Text{Title: f.Name, Language: "yaml", Body: f.YAML})
	}
	a.Parts = []v1alpha1.Part{steps, {Title: "Commands", Texts: []v1alpha1.Text{{Body: m.script()}}}, files}
	return a
}

// table are the steps with what they are for.
func (m Move) table() v1alpha1.Table {
	t := v1alpha1.Table{ID: "infra.steps", Title: "Steps in their order",
		Columns: cell.Columns(">Step", "What", "Why, or what to mind")}
	for i, s := range m.Steps {
		t.Rows = append(t.Rows, []v1alpha1.Cell{cell.Count(i + 1), cell.Text(s.Title), cell.Text(s.Why)})
	}
	return t
}

// script are the commands of all steps.
func (m Move) script() string {
	var b strings.Builder
	for i, s := range m.Steps {
		fmt.Fprintf(&b, "# %d. %s\n", i+1, s.Title)
		for _, c := range s.Commands {
			b.WriteString(c + "\n")
		}
	}
	return b.String()
}
