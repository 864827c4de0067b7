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
	known, still := map[earlier]v1alpha1.Severity{}, map[string]bool{}
	for _, f := range before.Findings {
		for _, k := range toldOf(f) {
			if have, ok := known[k]; !ok || f.Severity.Rank() < have.Rank() {
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
	for _, f := range r.Waived { // which is known, and not gone
		still[f.ID] = true
	}
	r.New, r.Since = true, before.Result.(*Result).Time
	for _, f := range before.Findings {
		if !still[f.ID] && !slices.Contains(r.Gone, f.ID) {
			r.Gone = append(r.Gone, f.ID)
		}
	}
	a.Result = r
	verdict(a, r, all-len(a.Findings))
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

// since are the findings of what is not known, or known as less bad.
func since(found []v1alpha1.Finding, c *Cloud, known map[earlier]v1alpha1.Severity) (out []v1alpha1.Finding) {
	fresh, old := map[earlier]bool{}, map[string]int{}
	for _, f := range found {
		for _, k := range toldOf(f) {
			if was, ok := known[k]; !ok || f.Severity.Rank() < was.Rank() {
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
		case i < 0 || old[f.ID] == 0:
			out = append(out, f)
		case !again[f.ID]: // all that the rule tells of what is new
			again[f.ID] = true
			for _, f := range c.tests()[i].judge(c, func(o string) bool { return fresh[earlier{f.ID, o}] }).Findings {
				f.Message += fmt.Sprintf(" (%s not new)", words.Count(old[f.ID], "other is", "others are"))
				out = append(out, f)
			}
		}
	}
	return out
}
