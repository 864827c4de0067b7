package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
)

// Earlier reads an answer that was written as JSON.
func Earlier(text []byte) (*v1alpha1.Answer, error) {
	out := &v1alpha1.Answer{Result: &Result{}}
	if err := json.Unmarshal(text, out); err != nil {
		return nil, fmt.Errorf("it is no answer as JSON: %w", err)
	}
	if out.Kind != "Audit" {
		return nil, errors.New("it is no audit (write one with plimsoll audit -o json)")
	}
	return out, nil
}

// Since leaves in an answer the findings that an earlier one does not have: another rule, another object, or worse than
// then. What is gone is named.
func Since(a *v1alpha1.Answer, before v1alpha1.Answer) {
	type key struct{ id, object string }
	keys := func(f v1alpha1.Finding) []key {
		var out []key
		for _, o := range objectsOf(f) {
			out = append(out, key{f.ID, o})
		}
		if len(out) == 0 {
			out = append(out, key{id: f.ID})
		}
		return out
	}
	known, still := map[key]v1alpha1.Severity{}, map[string]bool{}
	for _, f := range before.Findings {
		for _, k := range keys(f) {
			if have, ok := known[k]; !ok || worse(f.Severity, have) {
				known[k] = f.Severity
			}
		}
	}
	for _, f := range a.Findings {
		still[f.ID] = true
	}
	all := len(a.Findings)
	a.Findings = slices.DeleteFunc(a.Findings, func(f v1alpha1.Finding) bool {
		return !slices.ContainsFunc(keys(f), func(k key) bool {
			was, ok := known[k]
			return !ok || worse(f.Severity, was)
		})
	})
	r := a.Result.(Result)
	r.New = true
	for _, f := range before.Findings {
		if !still[f.ID] && !slices.Contains(r.Gone, f.ID) {
			r.Gone = append(r.Gone, f.ID)
		}
	}
	a.Result = r
	verdict(a, r)
	said := "None of them is new"
	if n := len(a.Findings); n > 0 {
		said = words.Count(n, "finding") + " of " + words.Number(all) + " not in the earlier audit"
	}
	if len(r.Gone) > 0 {
		said += "; gone: " + words.Some(r.Gone, shown)
	}
	a.Verdict.Summary = said + ". " + a.Verdict.Summary
}

func worse(a, b v1alpha1.Severity) bool { return rank(a) < rank(b) }

func rank(s v1alpha1.Severity) int {
	return slices.Index([]v1alpha1.Severity{v1alpha1.Error, v1alpha1.Warning, v1alpha1.Info}, s)
}
