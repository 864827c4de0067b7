package audit

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/tune/cell"
	"plimsoll.dev/tune/check"
)

// Listed is a rule for programs.
type Listed struct {
	ID       string            `json:"id"`
	Severity v1alpha1.Severity `json:"severity"`
	Title    string            `json:"title"`
	Effect   string            `json:"effect,omitempty"`
	Needs    []string          `json:"needs,omitempty"`
	Sources  []string          `json:"sources,omitempty"`
}

// List shows the rules of an audit; those of package tune are listed there.
func List() v1alpha1.Answer {
	var out []Listed
	t := v1alpha1.Table{ID: "audit.list", Columns: cell.Columns("Rule", "Severity", "What is wrong", "*Needs", "*Source")}
	rules := Rules()
	slices.SortFunc(rules, func(a, b object.Rule) int { return strings.Compare(a.ID, b.ID) })
	for _, r := range rules {
		l := Listed{ID: r.ID, Severity: r.Severity, Title: r.Title, Effect: r.Effect, Needs: r.Needs}
		for _, s := range r.Sources {
			l.Sources = append(l.Sources, s.String())
		}
		out = append(out, l)
		t.Rows = append(t.Rows, cell.Texts(r.ID, string(r.Severity), r.Title, strings.Join(r.Needs, " "),
			strings.Join(l.Sources, "; ")))
	}
	return v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: "AuditCatalogue", Title: "What plimsoll audit finds",
		Verdict: v1alpha1.AnswerVerdict{OK: true, Summary: fmt.Sprintf(
			"%d rules, beside the limits of plan and the %d rules of tune check.", len(out), len(check.Catalogue()))},
		Result: out, Parts: []v1alpha1.Part{{Title: "Rules", Tables: []v1alpha1.Table{t}}}}
}

// known are the ids of all rules that an audit tells of, those of settings included.
func known() []string {
	var out []string
	for _, r := range slices.Concat(Rules(), check.Catalogue()) {
		out = append(out, r.ID)
	}
	return out
}
