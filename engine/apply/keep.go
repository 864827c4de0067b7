package apply

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	language "plimsoll.dev/tune/tuned"
)

// proved is a profile that a node has, by TuneD's word, with what was noted of it.
type proved struct {
	profile, memo string
	wanted        []wanted
}

// keeps says whether the node keeps what was proved last.
func (s *session) keeps(ctx context.Context) bool {
	if !errors.Is(context.Cause(ctx), ErrKeep) || s.result.Died || s.proved.profile == "" {
		return false
	}
	for _, w := range slices.Concat(s.proved.wanted, s.wanted) {
		if w.lost {
			s.result.NotKept = fmt.Sprintf("of [%s] %s of profile %s TuneD alone knows what it was", show(w.section),
				show(w.option), show(w.profile))
			return false
		}
	}
	return true
}

// leave ends TuneD as it is, and leaves the journal to who comes next.
func (s *session) leave() error {
	limit := time.NewTimer(killing)
	defer limit.Stop()
	for s.daemon.Kill(); !s.ended; {
		select {
		case line, ok := <-s.daemon.Log():
			if s.ended = !ok; ok {
				s.note(Holding, line)
			}
		case <-limit.C:
			s.daemon.Kill()
			limit.Reset(killing)
		}
	}
	end, err := s.daemon.Close()
	s.result.End, s.result.Kept = end, true
	return errors.Join(err, s.noteKept())
}

// noteKept has the journal say that the node keeps what was proved last. Whatever else was begun is in it, too.
func (s *session) noteKept() error {
	s.result.Profile = s.proved.profile
	return s.writeJournal(true)
}

// takeOver has what was before the run that is taken over from count as before, and puts back what the profile doesn't
// ask for.
func (s *session) takeOver() error {
	s.proved = proved{profile: s.kept.Profile, memo: s.kept.Memo}
	if s.target.whole() {
		s.before = s.kept.was
		return s.drop(s.wanted)
	}
	s.noteLate(s.kept.was, true)
	maps.Copy(s.before, s.kept.was)
	for name := range s.kept.was {
		s.known[name] = true
	}
	return s.drop(s.wanted)
}

// nothing is the profile that TuneD has while what it takes for the originals is put right.
const nothing = "nothing"

// clear has the node be what it was before the run that was taken over from, by TuneD's word, too: what it took for the
// originals at its start, and would compare and multiply with the next profile, are values that the node had kept.
func (s *session) clear(ctx context.Context, began time.Time) error {
	empty := newCollection()
	empty.text(language.Profile{Name: nothing, Source: language.Source{Body: "[main]\n"}})
	if err := empty.write(s.etc(), nothing); err != nil {
		return err
	}
	s.daemon.Reload()
	if err := s.await(ctx, nothing, began); err != nil {
		return err
	}
	s.result.Applied = false // nothing that was asked for
	if err := s.drop(nil); err != nil {
		return err
	}
	s.kept = nil
	return s.config.write(s.etc(), s.result.Profile)
}

// drop puts back what is not wanted of what is TuneD's.
func (s *session) drop(wanted []wanted) error {
	asked := map[string]bool{}
	for _, w := range wanted {
		asked[w.name] = true
		asked[partner(w.name)] = true
	}
	now, err := s.target.read(s.names())
	if err != nil {
		return err
	}
	values, _ := compare(s.before, now)
	var back []string
	for _, name := range values {
		if s.ours(name) && !asked[name] {
			back = append(back, name)
		}
	}
	last, refused, err := s.putBack(back, s.before)
	if err != nil || len(refused) == 0 {
		return err
	}
	s.keep(refused, s.before)
	r := &Recovered{Node: s.opt.Root, Found: true, Profile: s.kept.Profile, Began: &s.kept.Began, Kept: true}
	for _, name := range back {
		r.add(name, s.before, now, last, refused[name])
	}
	s.result.Recovered = r
	return nil
}
