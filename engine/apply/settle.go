package apply

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// settle compares the node with what it was, and puts back what TuneD left.
func (s *session) settle() error {
	s.progress.tell(Event{Phase: Comparing})
	now, err := s.target.read(s.names())
	if err != nil {
		return err
	}
	left, bytes := compare(s.before, now)
	left = slices.DeleteFunc(left, func(name string) bool { return !s.ours(name) })
	s.noteRollback(now)
	s.result.RolledBack, s.result.Reformatted = true, 0
	for _, name := range left {
		if _, ok := now[name]; !ok && !s.target.whole() {
			continue // gone
		}
		s.result.RolledBack = false
		s.result.Leftover = append(s.result.Leftover,
			Change{Path: "/" + name, Before: s.before.value(name), RolledBack: now.value(name)})
	}
	if s.target.whole() {
		s.result.Reformatted = len(bytes)
		left = append(left, bytes...)
	}
	return s.restore(left)
}

// restore writes what is left, and looks whether it took.
func (s *session) restore(names []string) error {
	last, refused, err := s.putBack(names, s.before)
	if err != nil {
		return err
	}
	s.keep(refused, s.before)
	for i := range s.result.Leftover {
		c := &s.result.Leftover[i]
		c.Refused = refused[c.Path[1:]]
	}
	s.settled, s.result.Restored = true, len(refused) == 0
	if s.target.whole() {
		s.result.HashAfter = last.hash()
		s.result.Restored = s.result.HashAfter == s.result.HashBefore
	}
	return nil
}

// ours says whether a change of a file is TuneD's doing, and is to be taken back: what came later has no value that it
// had.
func (s *session) ours(name string) bool {
	if s.target.whole() {
		return true
	}
	_, was := s.before[name]
	return was && s.known[name] && !s.late[name]
}

// putBack makes entries what they were, as far as they let it be done. It tells of those that refuse why.
func (s *session) putBack(names []string, was snapshot) (last snapshot, refused map[string]string, err error) {
	faults := s.target.putBack(names, was)
	if last, err = s.target.read(names); err != nil {
		return nil, nil, err
	}
	refused = map[string]string{}
	for _, name := range names {
		before, wasThere := was[name]
		now, isThere := last[name]
		done := before == now && wasThere == isThere
		if !s.target.whole() {
			done = same(name, was.value(name), last.value(name)) || !isThere && faults[name] == nil
		}
		switch {
		case done:
		case faults[name] != nil:
			refused[name] = plain(faults[name]).Error()
		default:
			refused[name] = "it takes the value, and has another"
		}
	}
	return last, refused, nil
}

// keep notes what of this machine refuses to be put back. What an earlier run noted is what it was first. Of a
// simulated node all must be what it was: nothing but its owner's rights keeps it from that.
func (s *session) keep(refused map[string]string, was snapshot) {
	for name := range refused {
		if s.target.whole() {
			return
		}
		if s.stuck == nil {
			s.stuck = snapshot{}
		}
		if _, ok := s.stuck[name]; !ok {
			s.stuck[name] = was[name]
		}
	}
}

// conclude removes the journal, once all is what it was, but for what refuses to be.
func (s *session) conclude() error {
	if !s.noted || !s.settled || !s.result.Restored && len(s.stuck) == 0 {
		return nil
	}
	return s.forget(journal{Profile: s.result.Profile, Began: time.Now().UTC().Truncate(time.Second)})
}

// forget removes a journal, but for what refuses to be put back: the next run tries that again, and goes on.
func (s *session) forget(j journal) error {
	if len(s.stuck) == 0 {
		return s.place.remove()
	}
	return s.place.write(journal{Profile: j.Profile, Began: j.Began, Boot: s.target.boot(), Ended: true, was: s.stuck})
}

// undo puts back what a TuneD did that was never in sight.
func (s *session) undo() error {
	if !s.noted {
		return nil
	}
	err := errors.Join(s.settle(), s.conclude())
	if err == nil && !s.result.Restored {
		err = fmt.Errorf("the node is not what it was%s (journal %s has the values)", because(s.result.Refused()),
			s.place.file())
	}
	return err
}
