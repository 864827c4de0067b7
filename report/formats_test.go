package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
)

func TestFindingsGolden(t *testing.T) {
	for name, a := range map[string]*v1alpha1.Answer{"check": check(), "hostile": answers()["hostile"]} {
		golden(t, "answer-"+name+".junit.xml", []byte(answerOf(t, a, JUnit, Options{})))
		golden(t, "answer-"+name+".sarif.json", []byte(answerOf(t, a, SARIF, Options{})))
	}
}

// TestSARIF: each result names a rule of the tool, a level, and a place that can be shown.
func TestSARIF(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := anyFindings(t)
		var log sarifLog
		if err := json.Unmarshal([]byte(answerOf(t, a, SARIF, Options{})), &log); err != nil {
			t.Fatal(err)
		}
		run := log.Runs[0]
		if log.Version != "2.1.0" || len(run.Results) != len(a.Findings) {
			t.Fatalf("version %s, %d results of %d findings", log.Version, len(run.Results), len(a.Findings))
		}
		for _, r := range run.Results {
			if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID || r.Message.Text == "" &&
				r.RuleID != "" && strings.TrimSpace(r.Message.Text) != "" {
				t.Fatalf("%+v", r)
			}
			if !slices.Contains([]string{"error", "warning", "note"}, r.Level) {
				t.Fatalf("level %q", r.Level)
			}
			for _, l := range r.Locations {
				if p := l.Physical; p != nil && (p.Artifact.URI == "" || strings.ContainsAny(p.Artifact.URI, " \n<") ||
					p.Region != nil && (p.Region.Line < 1 || p.Region.Column < 0)) {
					t.Fatalf("%+v", *p)
				}
			}
		}
	})
}

// anyFindings is an answer with findings that no program would make.
func anyFindings(t *rapid.T) *v1alpha1.Answer {
	a := &v1alpha1.Answer{}
	text := rapid.SampledFrom([]string{"", "a.b", "place.refused[x y]", nasty, "]]>", "two\nlines", "\xff"})
	for range rapid.IntRange(0, 6).Draw(t, "findings") {
		f := v1alpha1.Finding{Severity: rapid.SampledFrom([]v1alpha1.Severity{"error", "warning", "info", "", "odd"}).Draw(t,
			"severity"),
			ID: text.Draw(t, "id"), Message: text.Draw(t, "message"), Remedy: text.Draw(t, "remedy"),
			Field: text.Draw(t, "field")}
		if rapid.Bool().Draw(t, "placed") {
			f.Place = &v1alpha1.Place{File: text.Draw(t, "file"), Line: rapid.IntRange(-1, 9).Draw(t, "line"),
				Col: rapid.IntRange(-1, 9).Draw(t, "column"), Object: text.Draw(t, "object")}
		}
		a.Findings = append(a.Findings, f)
	}
	return a
}

// TestJUnit: a case for the verdict and for each finding; what is bad fails.
func TestJUnit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := anyFindings(t)
		a.Verdict.OK = rapid.Bool().Draw(t, "ok")
		var suite junitSuite
		if err := xml.Unmarshal([]byte(answerOf(t, a, JUnit, Options{})), &suite); err != nil {
			t.Fatal(err)
		}
		bad := 0
		if !a.Verdict.OK {
			bad++
		}
		for _, f := range a.Findings {
			if f.Severity == v1alpha1.Error || f.Severity == v1alpha1.Warning {
				bad++
			}
		}
		if suite.Tests != len(a.Findings)+1 || len(suite.Cases) != suite.Tests || suite.Failures != bad {
			t.Fatalf("%d cases, %d failures, want %d, %d", suite.Tests, suite.Failures, len(a.Findings)+1, bad)
		}
	})
}

// TestAside: what is waived is suppressed in SARIF, with its owner and end, and skipped in JUnit as a rule is that says
// nothing; what an earlier answer has is told by SARIF alone. None of it fails.
func TestAside(t *testing.T) {
	f := func(id string) v1alpha1.Finding {
		return v1alpha1.Finding{Severity: v1alpha1.Error, ID: id, Message: "wrong",
			Place: &v1alpha1.Place{File: "cloud.json", Object: "Node/a", Cluster: true}}
	}
	a := &v1alpha1.Answer{Verdict: v1alpha1.AnswerVerdict{OK: true}, Baseline: true,
		Findings: []v1alpha1.Finding{{Severity: v1alpha1.Info, ID: "a.new", Message: "new"}},
		Aside: []v1alpha1.Aside{
			{Finding: f("a.waived"), Skipped: "waived by ops", Baseline: "unchanged",
				Waiver: &v1alpha1.Waived{Reason: "moved", Owner: "ops", Until: "2026-12-31"}},
			{Finding: v1alpha1.Finding{ID: "a.hidden"}, Skipped: "not seen: pods"},
			{Finding: f("a.known"), Baseline: "unchanged"}, {Finding: f("a.gone"), Baseline: "absent"}}}
	var log sarifLog
	if err := json.Unmarshal([]byte(answerOf(t, a, SARIF, Options{})), &log); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range log.Runs[0].Results {
		if r.Suppressions == nil {
			t.Fatalf("%s says nothing of suppressions, and others do", r.RuleID)
		}
		got = append(got, fmt.Sprint(r.RuleID, " ", r.BaselineState, " ", *r.Suppressions, " ", r.Properties["owner"], " ",
			r.Properties["until"], " ", len(r.Locations)))
	}
	want := []string{"a.new new []   0", "a.waived unchanged [{external accepted moved}] ops 2026-12-31 1",
		"a.known unchanged []   1", "a.gone absent []   1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("SARIF (-want +got):\n%s", diff)
	}
	var suite junitSuite
	if err := xml.Unmarshal([]byte(answerOf(t, a, JUnit, Options{})), &suite); err != nil {
		t.Fatal(err)
	}
	got = nil
	for _, c := range suite.Cases {
		if c.Skipped != nil {
			got = append(got, c.Class+": "+c.Skipped.Message)
		}
	}
	if diff := cmp.Diff([]string{"a.waived: waived by ops", "a.hidden: not seen: pods"}, got); diff != "" ||
		suite.Skipped != 2 || suite.Tests != 4 || suite.Failures != 0 {
		t.Errorf("JUnit: %+v (-want +got):\n%s", suite, diff)
	}
}

// TestEveryTableIsCSV: each table that a document names is one, with a cell for each
// column in each row, and what is no name is refused with the names.
func TestEveryTableIsCSV(t *testing.T) {
	documents := map[string]*Document{"plan": planDocument(newIndex(samplePlan(), Options{}), CSV),
		"facts": factsDocument(sampleFacts.All(), CSV, Options{}), "packing": samplePacking().document(CSV),
		"placement": placementDocument(placementNamed("cluster"), CSV, Options{}),
		"servers":   serverDocument(serversNamed("cloud"), CSV, Options{}),
		"rollout":   answerDocument(rollout(), CSV, Options{})}
	for what, d := range documents {
		names, tables := d.Tables()
		if len(names) == 0 {
			t.Errorf("%s has no tables", what)
		}
		for _, name := range names {
			var b bytes.Buffer
			if err := d.write(&b, CSV, Options{Table: name}); err != nil {
				t.Fatal(err)
			}
			records, err := csv.NewReader(&b).ReadAll()
			if err != nil || len(records) != len(tables[name].Rows)+1 || len(records) < 2 && name != "findings" {
				t.Errorf("%s, %s: %d records, %v", what, name, len(records), err)
			}
		}
		for _, name := range []string{"", "none"} {
			err := d.write(&bytes.Buffer{}, CSV, Options{Table: name})
			if usage := (*UsageError)(nil); !errors.As(err, &usage) || !strings.Contains(err.Error(), names[0]) {
				t.Errorf("%s, table %q: %v", what, name, err)
			}
		}
	}
}

// TestNoFindings: what is of a kind without findings says so.
func TestNoFindings(t *testing.T) {
	for _, format := range []string{JUnit, SARIF} {
		if err := Facts(&bytes.Buffer{}, sampleFacts.All(), format, Options{}); err == nil ||
			!strings.Contains(err.Error(), "lists findings") {
			t.Errorf("%s of facts: %v", format, err)
		}
		var b bytes.Buffer
		if err := Write(&b, samplePlan(), format, Options{}); err != nil || b.Len() == 0 {
			t.Errorf("%s of a plan: %v", format, err)
		}
	}
}
