package part

import (
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

// Change is a change of a scenario that may mend what a finding says.
type Change struct {
	// Kind of change: of each kind the first that helps is told, and of those together the last.
	Kind string
	// Says it in words, such as "set policy.spareNodes to 2".
	Says string
	// Sets is the field that the scenario states from then on, where it may have left it to a default.
	Sets string
	// Do changes a scenario. What the scenario shares with others is replaced, not written into.
	Do func(s *v1alpha1.Scenario)
}

// Trial is a plan, and what might mend a finding of it, the most likely first.
type Trial struct {
	Plan    *v1alpha1.Plan
	Changes func(f *v1alpha1.Finding) []Change
}

// Mender looks for remedies: each change is made to the scenario, and all planned again.
type Mender struct {
	// Replan plans a changed scenario, which states some fields that it may have left to defaults.
	Replan func(s *v1alpha1.Scenario, stated []string) Trial
	// Left is how many more times that may be done.
	Left int
}

// Unassumed are the assumptions without those about fields that are stated.
func Unassumed(assumed []v1alpha1.Assumption, stated []string) []v1alpha1.Assumption {
	return slices.DeleteFunc(slices.Clone(assumed), func(a v1alpha1.Assumption) bool {
		return slices.Contains(stated, a.Field)
	})
}

const (
	// mostRemedies are told of one finding.
	mostRemedies = 3
	// mostTogether is how many changes are tried together where none helps alone.
	mostTogether = 6
)

// Mend gives the findings of a plan the remedies that were tried. One that no change mends keeps
// what it has.
func (m *Mender) Mend(s *v1alpha1.Scenario, t Trial) {
	for i := range t.Plan.Findings {
		f := &t.Plan.Findings[i]
		if f.Severity == v1alpha1.Info {
			continue
		}
		q := quest{Mender: m, before: t.Plan, about: *f, seen: map[string]bool{f.ID + f.Message: true}}
		if says := q.from(step{s: s, t: t}, f); len(says) > 0 {
			f.Remedy = strings.Join(says, "; or ")
		}
	}
}

// quest is the search for what mends one finding.
type quest struct {
	*Mender
	before *v1alpha1.Plan
	about  v1alpha1.Finding
	// seen are the problems that were met, by id and message.
	seen map[string]bool
}

// step is a scenario with some changes made.
type step struct {
	s      *v1alpha1.Scenario
	t      Trial
	says   []string
	kinds  []string
	stated []string
}

// from are the remedies of a problem: single changes, or else several together.
func (q *quest) from(at step, problem *v1alpha1.Finding) []string {
	if len(at.says) == mostTogether {
		return nil
	}
	type way struct {
		step
		problem *v1alpha1.Finding
	}
	var out []string
	var ways []way
	done := map[string]bool{}
	for _, c := range at.t.Changes(problem) {
		if q.Left == 0 || len(out) == mostRemedies || len(out) > 0 && len(at.says) > 0 {
			break
		}
		if done[c.Kind] {
			continue
		}
		next := q.make(at, c)
		left := q.open(next.t.Plan)
		switch {
		case left == nil:
			out, done[c.Kind] = append(out, strings.Join(next.says, ", and ")), true
		case !q.seen[left.ID+left.Message]:
			q.seen[left.ID+left.Message] = true
			if len(at.says) > 0 { // there is no end of ways to go on
				out = q.from(next, left)
				continue
			}
			ways = append(ways, way{next, left})
		}
	}
	for i := 0; i < len(ways) && len(out) == 0; i++ {
		out = q.from(ways[i].step, ways[i].problem)
	}
	return out
}

// make makes one more change.
func (q *quest) make(at step, c Change) step {
	q.Left--
	s := *at.s
	c.Do(&s)
	next := step{s: &s, says: slices.Clone(at.says), kinds: slices.Clone(at.kinds), stated: at.stated}
	if i := slices.Index(at.kinds, c.Kind); i >= 0 { // what was changed is changed anew
		next.says, next.kinds = slices.Delete(next.says, i, i+1), slices.Delete(next.kinds, i, i+1)
	}
	next.says, next.kinds = append(next.says, c.Says), append(next.kinds, c.Kind)
	if c.Sets != "" {
		next.stated = append(slices.Clip(at.stated), c.Sets)
	}
	next.t = q.Replan(&s, next.stated)
	return next
}

// open is the first problem of a plan that is not better than the one before: what the finding
// says is no milder, or there is an error that was none; nil where there is none.
func (q *quest) open(after *v1alpha1.Plan) *v1alpha1.Finding {
	rank := func(s v1alpha1.Severity) int { return slices.Index(v1alpha1.Severities(), s) }
	for i := range after.Findings {
		g := &after.Findings[i]
		had := slices.ContainsFunc(q.before.Findings, func(f v1alpha1.Finding) bool {
			return f.ID == g.ID && f.Severity == v1alpha1.Error
		})
		if g.ID == q.about.ID && rank(g.Severity) <= rank(q.about.Severity) || g.Severity == v1alpha1.Error && !had {
			return g
		}
	}
	return nil
}
