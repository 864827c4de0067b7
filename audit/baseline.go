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

// Since leaves in an answer about a cluster what an earlier one does not have: another rule, another object, or worse
// than then. Of a rule's finding the objects stay that are new. What is gone is named.
func Since(a *v1alpha1.Answer, c *Cloud, before v1alpha1.Answer) {
	known, still := map[told]v1alpha1.Severity{}, map[string]bool{}
	for _, f := range before.Findings {
		for _, k := range toldOf(f) {
			if have, ok := known[k]; !ok || worse(f.Severity, have) {
				known[k] = f.Severity
			}
		}
	}
	for _, f := range a.Findings {
		still[f.ID] = true
	}
	all := len(a.Findings)
	a.Findings = since(a.Findings, c, known)
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

// told is an object of which a rule has told; an empty one is the cluster.
type told struct{ rule, object string }

func toldOf(f v1alpha1.Finding) (out []told) {
	for _, o := range objectsOf(f) {
		out = append(out, told{f.ID, o})
	}
	if len(out) == 0 {
		out = append(out, told{rule: f.ID})
	}
	return out
}

// since are the findings of what is not known, or known as less bad.
func since(found []v1alpha1.Finding, c *Cloud, known map[told]v1alpha1.Severity) (out []v1alpha1.Finding) {
	fresh, old := map[told]bool{}, map[string]int{}
	for _, f := range found {
		for _, k := range toldOf(f) {
			if was, ok := known[k]; !ok || worse(f.Severity, was) {
				fresh[k] = true
			} else {
				old[f.ID]++
			}
		}
	}
	again := map[string]bool{}
	for _, f := range found {
		is := func(k told) bool { return fresh[k] }
		i := slices.IndexFunc(tests(), func(k test) bool { return k.rule.ID == f.ID })
		switch {
		case !slices.ContainsFunc(toldOf(f), is):
		case i < 0 || old[f.ID] == 0:
			out = append(out, f)
		case !again[f.ID]: // all that the rule tells of what is new
			again[f.ID] = true
			for _, f := range tests()[i].judge(c, func(o string) bool { return fresh[told{f.ID, o}] }).Findings {
				f.Message += fmt.Sprintf(" (%s not new)", words.Count(old[f.ID], "other is", "others are"))
				out = append(out, f)
			}
		}
	}
	return out
}
