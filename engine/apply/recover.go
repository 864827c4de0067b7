package apply

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/tune/cell"
)

// Recovered is what was put back of a run that was killed.
type Recovered struct {
	// Node is the directory of the simulated node; empty for this machine.
	Node string `json:"node,omitempty"`
	// Found is set when a run was killed; Profile and Began are what it applied and when.
	Found   bool       `json:"found"`
	Profile string     `json:"profile,omitempty"`
	Began   *time.Time `json:"began,omitempty"`
	// Values that it had left: After is what they were found as, RolledBack what they are.
	Values []Change `json:"values"`
	// Reformatted counts files whose value was right, in other bytes. They were put back.
	Reformatted int `json:"reformatted"`
}

// Restore puts back what a run on the node left that was killed, and applies nothing.
// Of the options it needs those that name the node.
func Restore(ctx context.Context, opt Options, progress Progress) (*Recovered, error) {
	if err := errors.Join(opt.nodeFaults()...); err != nil {
		return nil, wrongOptions(err)
	}
	s := &session{opt: opt, progress: progress}
	err := s.reach(ctx)
	if err == nil {
		s.scratch, err = newScratch() // removes what is left of others
	}
	if err = errors.Join(err, s.close()); err != nil {
		return nil, err
	}
	if s.result.Recovered == nil {
		return &Recovered{Node: opt.Root, Values: []Change{}}, nil
	}
	return s.result.Recovered, nil
}

// reach opens the node. What a killed run left there is put back before anything else
// looks at it: it would be taken for what was there.
func (s *session) reach(ctx context.Context) (err error) {
	if s.target, err = s.opt.open(); err != nil {
		return err
	}
	if s.place, err = s.target.place(); err != nil {
		return err
	}
	j, err := s.place.read()
	if err != nil || j == nil {
		return err
	}
	s.progress.tell(Event{Phase: Recovering})
	if err := j.outlive(ctx); err != nil {
		return err
	}
	if j.Boot == s.target.boot() {
		if err := s.recover(j); err != nil {
			return err
		}
	}
	return s.place.remove()
}

// recover puts back what a journal says.
func (s *session) recover(j *journal) error {
	now, err := s.target.read(slices.Collect(maps.Keys(j.was)))
	if err != nil {
		return err
	}
	r := &Recovered{Node: s.opt.Root, Found: true, Profile: j.Profile, Began: &j.Began, Values: []Change{}}
	values, bytes := s.left(j, now)
	back := values
	if s.target.whole() {
		r.Reformatted = len(bytes)
		back = slices.Sorted(slices.Values(append(bytes, values...)))
	}
	err = s.target.putBack(back, j.was)
	last, fault := s.target.read(back)
	if err = errors.Join(err, fault); err == nil {
		if still, _ := s.left(j, last); len(still) > 0 {
			err = fmt.Errorf("/%s is still %s", show(still[0]), quote(last.value(still[0])))
		}
	}
	if err != nil {
		return fmt.Errorf("what a killed run of profile %s left can't be put back: %w (journal %s has the values; "+
			"put them back by hand, then remove it)", show(j.Profile), err, s.place.file())
	}
	for _, name := range values {
		r.Values = append(r.Values, Change{Path: "/" + name, Before: j.was.value(name), After: now.value(name),
			RolledBack: last.value(name)})
	}
	s.result.Recovered = r
	s.progress.tell(Event{Phase: Recovering, Recovered: r})
	return nil
}

// left are the entries of a journal that are not what they were. Of this machine
// others set values, too, so it has those alone that TuneD was to set.
func (s *session) left(j *journal, now snapshot) (values, bytes []string) {
	values, bytes = compare(j.was, now)
	if !s.target.whole() {
		values = slices.DeleteFunc(values, func(name string) bool { _, ok := j.was[name]; return !ok })
	}
	return values, bytes
}

// noteBefore writes down what the node is, before TuneD changes it.
func (s *session) noteBefore() error {
	was := s.before
	if !s.target.whole() {
		was = snapshot{}
		for name := range s.known {
			if e, ok := s.before[name]; ok {
				was[name] = e
			}
		}
	}
	s.noted = true
	return s.place.write(journal{Profile: s.result.Profile, Began: time.Now().UTC().Truncate(time.Second),
		Boot: s.target.boot(), Scratch: s.scratch.dir, Patience: s.opt.timeout(), was: was})
}

// forget removes the journal, once all is what it was.
func (s *session) forget() error {
	if !s.noted || !s.result.Restored {
		return nil
	}
	return s.place.remove()
}

// undo puts back what a TuneD did that was never in sight.
func (s *session) undo() error {
	if !s.noted {
		return nil
	}
	err := errors.Join(s.settle(), s.forget())
	if err == nil && !s.result.Restored {
		err = fmt.Errorf("the node is not what it was (journal %s has the values)", s.place.file())
	}
	return err
}

// Text says what was found, in a sentence.
func (r *Recovered) Text() string {
	begun := fmt.Sprintf("a run of profile %s, begun at %s, was killed", show(r.Profile), r.Began.Format(time.RFC3339))
	if len(r.Values) == 0 {
		return begun + "; TuneD had put its values back"
	}
	first := r.Values[0]
	return begun + fmt.Sprintf("; %s put back first, such as %s from %s to %s",
		words.Count(len(r.Values), "value that it left was", "values that it left were"), show(first.Path),
		quote(first.After), quote(first.Before))
}

func (r *Recovered) finding() v1alpha1.Finding {
	return finding(leftBehind, nil, r.Text(), "nothing is to be done: everything is again what it was before that run")
}

// part is the values that were put back.
func (r *Recovered) part() v1alpha1.Part {
	if r == nil || len(r.Values) == 0 {
		return v1alpha1.Part{}
	}
	t := v1alpha1.Table{ID: "recovered", Title: "Put back of a run that was killed", Columns: cell.Columns("path",
		">before that run", ">left by it", ">now")}
	for _, c := range r.Values {
		t.Rows = append(t.Rows, cell.Texts(show(c.Path), value(c.Before), value(c.After), value(c.RolledBack)))
	}
	return v1alpha1.Part{Title: "Put back", Tables: []v1alpha1.Table{t}}
}

// Answer is what was put back as the commands of "tune" answer it.
func (r *Recovered) Answer() *v1alpha1.Answer {
	where := (&Result{Node: r.Node}).where()
	a := &v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: "Restore", Title: "What a killed run left on " + where,
		Result: r}
	a.Verdict = v1alpha1.AnswerVerdict{OK: true, Summary: "No run was killed on " + where + "; nothing is to be put back."}
	if r.Found {
		a.Verdict.Summary = fmt.Sprintf("%s put back; %s is what it was before profile %s.",
			words.Count(len(r.Values), "value was", "values were"), where, show(r.Profile))
		a.Findings = []v1alpha1.Finding{r.finding()}
	}
	a.Parts = []v1alpha1.Part{r.part()}
	return a
}
