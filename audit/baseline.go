package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
)

// Earlier reads an answer that was written as JSON.
func Earlier(text []byte) (*v1alpha1.Answer, error) {
	const fix = "write one with plimsoll audit -o json"
	out := &v1alpha1.Answer{Result: &Result{}}
	if err := json.Unmarshal(text, out); err != nil {
		return nil, fmt.Errorf("it is no audit as JSON: %w (%s)", err, fix)
	}
	if r, _ := out.Result.(*Result); out.Kind != "Audit" || r == nil || r.Time == "" {
		return nil, errors.New("it is no audit (" + fix + ")")
	}
	return out, nil
}

// Since leaves in an answer about a cluster what an earlier one does not have: another rule, another object, or worse
// than then. Of a rule's finding the objects stay that are new. What is gone is named.
func Since(a *v1alpha1.Answer, c *Cloud, before v1alpha1.Answer) {
	known, still := severities(before.Findings), map[string]bool{}
	for _, f := range a.Findings {
		still[f.ID] = true
	}
	all := len(a.Findings)
	fresh, old := since(a.Findings, c, known)
	a.Findings, a.Baseline = fresh, true
	r := a.Result.(Result)
	a.Aside = againstBaseline(a.Aside, before)
	for _, f := range old {
		a.Aside = append(a.Aside, v1alpha1.Aside{Finding: f, Baseline: "unchanged"})
	}
	for _, f := range r.Waived { // which is known, and not gone
		still[f.ID] = true
	}
	r.New, r.Since = true, before.Result.(*Result).Time
	for _, f := range before.Findings {
		if !still[f.ID] && !slices.Contains(r.Gone, f.ID) {
			r.Gone = append(r.Gone, f.ID)
		}
		if !still[f.ID] {
			a.Aside = append(a.Aside, v1alpha1.Aside{Finding: f, Baseline: "absent"})
		}
	}
	a.Result = r
	verdict(a, r, all-len(a.Findings))
}

// againstBaseline says of what is waived whether an earlier answer has it, waived or not.
func againstBaseline(aside []v1alpha1.Aside, before v1alpha1.Answer) []v1alpha1.Aside {
	found := slices.Clone(before.Findings)
	for _, w := range before.Result.(*Result).Waived {
		found = append(found, w.Finding)
	}
	known := severities(found)
	for i := range aside {
		switch a := &aside[i]; {
		case a.Waiver == nil:
		case slices.ContainsFunc(toldOf(a.Finding), worse(known, a.Severity)):
			a.Baseline = "new"
		default:
			a.Baseline = "unchanged"
		}
	}
	return aside
}

// severities are how bad is what findings tell of.
func severities(found []v1alpha1.Finding) map[earlier]v1alpha1.Severity {
	out := map[earlier]v1alpha1.Severity{}
	for _, f := range found {
		for _, k := range toldOf(f) {
			if have, ok := out[k]; !ok || f.Severity.Rank() < have.Rank() {
				out[k] = f.Severity
			}
		}
	}
	return out
}

// worse says of what is told whether it is not known, or known as less bad.
func worse(known map[earlier]v1alpha1.Severity, now v1alpha1.Severity) func(earlier) bool {
	return func(k earlier) bool { was, ok := known[k]; return !ok || now.Rank() < was.Rank() }
}

// sinceThen says how many findings are new, and how many are known and so not shown.
func sinceThen(fresh []v1alpha1.Finding, r Result, known int) string {
	out := "Nothing is new"
	if n := len(fresh); n > 0 {
		out = "New: " + words.Count(n, "finding")
		if said := tally(fresh); said != "" {
			out += ", of which " + said
		}
	}
	if day, _, ok := strings.Cut(r.Since, "T"); ok {
		out += " since " + day
	}
	if known > 0 {
		out += "; " + words.Count(known, "finding") + " known and not shown"
	}
	if len(r.Gone) > 0 {
		out += "; gone: " + words.Some(r.Gone, shown)
	}
	return out
}

// earlier is an object of which a rule has told; an empty one is the cluster.
type earlier struct{ rule, object string }

func toldOf(f v1alpha1.Finding) (out []earlier) {
	for _, o := range objectsOf(f) {
		out = append(out, earlier{f.ID, o})
	}
	if len(out) == 0 {
		out = append(out, earlier{rule: f.ID})
	}
	return out
}

// since are the findings of what is not known, or known as less bad, and those of what is known.
func since(found []v1alpha1.Finding, c *Cloud, known map[earlier]v1alpha1.Severity) (out,
	unchanged []v1alpha1.Finding) {
	fresh, old := map[earlier]bool{}, map[string]int{}
	for _, f := range found {
		is := worse(known, f.Severity)
		for _, k := range toldOf(f) {
			if is(k) {
				fresh[k] = true
			} else {
				old[f.ID]++
			}
		}
	}
	again := map[string]bool{}
	for _, f := range found {
		is := func(k earlier) bool { return fresh[k] }
		i := slices.IndexFunc(c.tests(), func(k test) bool { return k.rule.ID == f.ID })
		switch {
		case !slices.ContainsFunc(toldOf(f), is):
			unchanged = append(unchanged, f)
		case i < 0 || old[f.ID] == 0:
			out = append(out, f)
		case !again[f.ID]: // all that the rule tells of what is new, and of what is not
			again[f.ID] = true
			of := func(isNew bool) []v1alpha1.Finding {
				return c.tests()[i].judge(c, func(o string) bool { return fresh[earlier{f.ID, o}] == isNew }).Findings
			}
			for _, f := range of(true) {
				f.Message += fmt.Sprintf(" (%s not new)", words.Count(old[f.ID], "other is", "others are"))
				out = append(out, f)
			}
			unchanged = append(unchanged, of(false)...)
		}
	}
	return out, unchanged
}
