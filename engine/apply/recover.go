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
	// Found is set when a run was killed; Profile and Began are what it applied and when. Ended is set when it, or who
	// put back what it left, ended by itself, and had values that refused to be put back.
	Found   bool       `json:"found"`
	Profile string     `json:"profile,omitempty"`
	Began   *time.Time `json:"began,omitempty"`
	Ended   bool       `json:"ended,omitempty"`
	// Kept is set when it was ended by ErrKeep: with Options.TakeOver it is not Found then. Memo is what it noted, killed
	// or not, where it is asked for with Options.TakeOver.
	Kept bool   `json:"kept,omitempty"`
	Memo string `json:"memo,omitempty"`
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
	switch {
	case s.kept != nil:
		return &Recovered{Node: opt.Root, Kept: true, Memo: s.kept.Memo, Values: []Change{}}, nil
	case s.result.Recovered == nil:
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
	if s.opt.TakeOver && j.Kept && j.Boot == s.target.boot() {
		s.kept = j
		return nil
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
	return s.forget(*j)
}

// recover puts back what a journal says.
func (s *session) recover(j *journal) error {
	now, err := s.target.read(slices.Collect(maps.Keys(j.was)))
	if err != nil {
		return err
	}
	r := &Recovered{Node: s.opt.Root, Found: true, Profile: j.Profile, Began: &j.Began, Ended: j.Ended,
		Kept: j.Kept, Values: []Change{}}
	if s.opt.TakeOver {
		r.Memo = j.Memo
	}
	values, bytes := s.left(j, now)
	back := values
	if s.target.whole() {
		r.Reformatted = len(bytes)
		back = slices.Sorted(slices.Values(append(bytes, values...)))
	}
	last, refused, err := s.putBack(back, j.was)
	if err == nil && s.target.whole() && len(refused) > 0 {
		first := slices.Sorted(maps.Keys(refused))[0]
		err = fmt.Errorf("/%s is still %s: %s", show(first), quote(last.value(first)), refused[first])
	}
	if err != nil {
		return fmt.Errorf("what a killed run of profile %s left can't be put back: %w (journal %s has the values; "+
			"put them back by hand, then remove it)", show(j.Profile), err, s.place.file())
	}
	s.keep(refused, j.was)
	for _, name := range values {
		if _, ok := now[name]; !ok && !s.target.whole() && refused[name] == "" {
			continue // gone
		}
		r.add(name, j.was, now, last, refused[name])
	}
	s.result.Recovered = r
	s.progress.tell(Event{Phase: Recovering, Recovered: r})
	return nil
}

// add a value that was put back, or refused.
func (r *Recovered) add(name string, was, now, last snapshot, refused string) {
	r.Values = append(r.Values, Change{Path: "/" + name, Before: was.value(name), After: now.value(name),
		RolledBack: last.value(name), Refused: refused})
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
func (s *session) noteBefore() error { return s.writeJournal(false) }

// writeJournal names the profile that was proved last: the next one may be refused, or the run killed before it is
// applied.
func (s *session) writeJournal(kept bool) error {
	last := s.proved
	if last.profile == "" {
		last.profile, last.memo = s.result.Profile, s.memo
	}
	was := maps.Clone(s.before)
	if !s.target.whole() {
		maps.DeleteFunc(was, func(name string, _ entry) bool { return !s.known[name] || s.late[name] })
	}
	maps.Copy(was, s.stuck)
	s.noted = true
	return s.place.write(journal{Profile: last.profile, Began: time.Now().UTC().Truncate(time.Second),
		Boot: s.target.boot(), Scratch: s.scratch.dir, Patience: s.opt.timeout(), Kept: kept, Memo: last.memo, was: was})
}

// Text says what was found, in a sentence.
func (r *Recovered) Text() string {
	form, settled := "a run of profile %s, begun at %s, was killed", "; TuneD had put its values back"
	switch {
	case r.Kept:
		form = "a run of profile %s, begun at %s, ended and kept its values"
	case r.Ended:
		form = "a run of profile %s of %s left values that refused to be put back"
		settled = "; by now they are what they were"
	}
	text := fmt.Sprintf(form, show(r.Profile), r.Began.Format(time.RFC3339))
	var back []Change
	for _, c := range r.Values {
		if c.Refused == "" {
			back = append(back, c)
		}
	}
	switch {
	case len(back) > 0:
		first := back[0]
		text += fmt.Sprintf("; %s put back first, such as %s from %s to %s",
			words.Count(len(back), "value that it left was", "values that it left were"), show(first.Path),
			quote(first.After), quote(first.Before))
	case len(r.Values) == 0:
		text += settled
	}
	if why := r.Refused(); why != "" {
		text += "; " + why
	}
	return text
}

// Refused tells of what refuses to be put back; empty where nothing does.
func (r *Recovered) Refused() string {
	if r == nil {
		return ""
	}
	return refusal(r.Values)
}

// Refused tells of what refuses to be put back of this run; empty where nothing does.
func (r *Result) Refused() string { return refusal(r.Leftover) }

// refusal of changes to be put back.
func refusal(changes []Change) string {
	var stuck []Change
	for _, c := range changes {
		if c.Refused != "" {
			stuck = append(stuck, c)
		}
	}
	if len(stuck) == 0 {
		return ""
	}
	first := stuck[0]
	return fmt.Sprintf("%s to be put back, such as %s to %s: %s", words.Count(len(stuck), "value refuses",
		"values refuse"), show(first.Path), quote(first.Before), first.Refused)
}

func (r *Recovered) finding() v1alpha1.Finding {
	fix := "nothing is to be done: everything is again what it was before that run"
	if r.Refused() != "" {
		fix = "put back by hand what refuses, or reboot; each run tries it again"
	}
	return finding(leftBehind, nil, r.Text(), fix)
}

// part is the values that were put back.
func (r *Recovered) part() v1alpha1.Part {
	if r == nil || len(r.Values) == 0 {
		return v1alpha1.Part{}
	}
	t := v1alpha1.Table{ID: "recovered", Title: "Put back of a run that was killed", Columns: cell.Columns("path",
		">before that run", ">left by it", ">now", "*refused because")}
	for _, c := range r.Values {
		t.Rows = append(t.Rows, cell.Texts(show(c.Path), value(c.Before), value(c.After), value(c.RolledBack), c.Refused))
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
		if why := r.Refused(); why != "" {
			a.Verdict.OK, a.Verdict.Summary = false, fmt.Sprintf("%s is not what it was before profile %s: %s.", where,
				show(r.Profile), why)
		}
		a.Findings = []v1alpha1.Finding{r.finding()}
	}
	a.Parts = []v1alpha1.Part{r.part()}
	return a
}
