package apply

import (
	"context"
	"errors"
)

// ErrKeep as the cause of the end of Apply's context has the node keep the profile that it had last, also where that
// was of a run before, or another one was being applied: TuneD is ended at once, and the journal stays for a run with
// Options.TakeOver, or for Restore. Where nothing was proved yet it is an end like any, as it is for a profile of whose
// values TuneD alone knows what they were.
var ErrKeep = errors.New("the node keeps the profile")

// Apply applies a profile, verifies it, holds it until the context ends (or not at
// all, with Options.Once), rolls it back, and verifies that, too. However it ends,
// no process and no mount is left behind, and what TuneD doesn't put back, this does.
// Only being killed keeps it from that, and ErrKeep; then a journal is left, and the next
// Apply or Restore puts back what it says.
//
// That TuneD refuses a profile is a result and no error. With an error, a result
// says how far it came; it is nil when TuneD was not started. Errors that are ErrOptions
// are the caller's; nothing was done then.
func Apply(ctx context.Context, opt Options, progress Progress) (*Result, error) {
	if err := opt.check(); err != nil {
		return nil, wrongOptions(err)
	}
	s, err := prepare(ctx, opt, progress)
	if err != nil {
		return nil, err
	}
	err = s.run(ctx)
	if s.daemon == nil {
		if s.kept == nil { // what was kept stays for the next one
			err = errors.Join(err, s.undo())
		}
		return nil, errors.Join(err, s.close())
	}
	if s.keeps(ctx) {
		return &s.result, errors.Join(s.leave(), s.close())
	}
	if errors.Is(err, errRefused) {
		err = nil
	}
	err = errors.Join(err, s.stop(), s.settle(), s.conclude())
	return &s.result, errors.Join(err, s.close())
}

// run does everything until TuneD is to be stopped.
func (s *session) run(ctx context.Context) error {
	if err := s.start(ctx); err != nil {
		return err
	}
	if err := s.verify(); err != nil || s.opt.Once {
		return err
	}
	return s.hold(ctx)
}
