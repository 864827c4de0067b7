package apply

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"time"
)

// reload applies a profile in place of the one that is applied: TuneD takes the old
// values back first. A profile that can't be read leaves the old one as it is, as does what
// stands in its way for now; after one that TuneD refuses the old one is applied again.
func (s *session) reload(ctx context.Context, profile string) error {
	profile = cmp.Or(profile, s.result.Profile)
	s.progress.tell(Event{Phase: Applying})
	s.noteLate(s.before, false)
	kept := *s
	kept.known = maps.Clone(s.known)
	err := s.exchange(profile)
	if err == nil {
		err = s.ready()
	}
	if err != nil {
		*s = kept
		s.stays(profile, err)
		return nil
	}
	err = s.switchOver(ctx)
	if errors.Is(err, errRefused) && !s.ended {
		return s.takeBack(ctx, &kept)
	}
	return err
}

// stays tells that a profile was refused, and which one is there.
func (s *session) stays(profile string, why error) {
	s.progress.tell(Event{Phase: Holding,
		Problem: fmt.Errorf("profile %s is not applied, %s stays: %w", profile, s.result.Profile, why)})
}

// switchOver has TuneD apply what is configured now.
func (s *session) switchOver(ctx context.Context) error {
	began := time.Now()
	s.turnLog()
	if s.kept != nil {
		if err := s.clear(ctx, began); err != nil {
			return err
		}
	}
	s.daemon.Reload()
	if err := s.await(ctx, s.result.Profile, began); err != nil {
		return err
	}
	return s.verify()
}

// takeBack has TuneD apply the profile that was there before one that it refused. What
// that may have changed stays known.
func (s *session) takeBack(ctx context.Context, kept *session) error {
	profile, reason := s.result.Profile, s.result.Refusal
	s.config, s.sections, s.wanted, s.opt.Profiles, s.memo = kept.config, kept.sections, kept.wanted, kept.opt.Profiles,
		kept.memo
	s.result.Profile, s.result.Chain, s.result.language = kept.result.Profile, kept.result.Chain, kept.result.language
	err := s.config.write(s.etc(), s.result.Profile)
	if err == nil {
		err = s.switchOver(ctx)
	}
	if err == nil {
		s.stays(profile, errors.New(reason))
		return nil
	}
	if errors.Is(err, errRefused) {
		s.result.Refusal = fmt.Sprintf("%s; %s, which was there before it, is not applied again: %s", reason,
			s.result.Profile, s.result.Refusal)
	}
	s.result.Profile = profile
	return err
}

// exchange has the next profile be the one that is asked for.
func (s *session) exchange(profile string) error {
	if err := errors.Join(checkName(profile), s.opt.refresh()); err != nil {
		return err
	}
	s.memo = s.opt.memo()
	if err := s.configure(profile); err != nil {
		return err
	}
	if s.wanted == nil && len(s.result.language) > 0 {
		return errors.New(s.result.language[0].Message)
	}
	return nil
}

// ready puts the next profile in place.
func (s *session) ready() error {
	err := s.lookAhead()
	if err == nil && !s.target.whole() { // nobody else tunes a simulated node
		err = s.target.check()
	}
	if err == nil {
		err = s.noteBefore()
	}
	if err == nil {
		err = s.config.write(s.etc(), s.result.Profile)
	}
	if err != nil {
		return marked{err, ErrForNow}
	}
	// These say nothing until the log does.
	s.result.Applied, s.result.Verified, s.result.Values, s.result.Others = false, false, []Value{}, nil
	return nil
}

// lookAhead reads what only the next profile asks for, before it is changed.
func (s *session) lookAhead() error {
	now, err := s.target.read(s.names())
	for name, e := range now {
		if _, ok := s.before[name]; !ok && !s.target.whole() {
			s.before[name] = e
		}
	}
	return err
}
