package report

import (
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
)

// A cluster with warnings is not marked as good, and what is found stands above the tables.
func TestAuditWarns(t *testing.T) {
	for _, kind := range []string{"Audit", "AuditHistory"} {
		a := &v1alpha1.Answer{Kind: kind, Title: "T", Verdict: v1alpha1.AnswerVerdict{OK: true, Summary: "S."},
			Findings: []v1alpha1.Finding{{Severity: v1alpha1.Warning, ID: "a.b", Message: "wrong"}},
			Parts: []v1alpha1.Part{{Title: "Limits", Tables: []v1alpha1.Table{{ID: "l", Columns: []v1alpha1.Column{{Title: "L"}},
				Rows: [][]v1alpha1.Cell{{{Text: "x"}}}}}},
				{Title: "More", Wide: true, Lead: []string{"all of it"}}}}
		got := answerOf(t, a, Table, Options{})
		if !strings.Contains(got, "\n~ S.") || strings.Index(got, "Findings") > strings.Index(got, "Limits") ||
			strings.Contains(got, "all of it") {
			t.Errorf("%s:\n%s", kind, got)
		}
		if got := answerOf(t, a, Table, Options{Section: "more"}); !strings.Contains(got, "all of it") {
			t.Errorf("%s: a section of wide output is not found:\n%s", kind, got)
		}
	}
}
