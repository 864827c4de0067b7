package apply

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// session is a node with a TuneD on it, from the first look to the last.
type session struct {
	opt      Options
	progress Progress
	target   target
	scratch  scratch // of files of this run alone
	place    place   // of the journal
	noted    bool    // in the journal
	config   *collection
	wanted   []wanted
	sections []section       // of the profile
	known    map[string]bool // every file that was wanted since the start
	late     map[string]bool // of these, what a device has that came when a profile was there
	before   snapshot
	stuck    snapshot // what runs left that refuses to be put back, as it was
	kept     *journal // of a run that this one takes over from
	memo     string   // of what is applied, or being applied
	proved   proved   // what the node had last
	settled  bool     // the node was compared with what it was, to the end
	daemon   Daemon
	ended    bool // its log is over
	since    int  // the line of the log from which on it is about the profile
	result   Result
}

// prepare opens the node and writes what TuneD reads.
func prepare(ctx context.Context, opt Options, progress Progress) (*session, error) {
	s := &session{opt: opt, progress: progress, known: map[string]bool{}, late: map[string]bool{}, memo: opt.memo()}
	progress.tell(Event{Phase: Reading})
	err := s.open(ctx)
	if err == nil {
		err = s.configure(opt.Profile)
	}
	if err == nil {
		s.before, err = s.target.read(s.names())
	}
	if err == nil && s.kept != nil {
		err = s.takeOver()
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.result.Node, s.result.Entries, s.result.Values = opt.Root, len(s.before), []Value{}
	if s.target.whole() {
		s.result.HashBefore = s.before.hash()
	}
	return s, nil
}

func (s *session) open(ctx context.Context) (err error) {
	if err := s.reach(ctx); err != nil {
		return err
	}
	if err := s.target.check(); err != nil {
		return err
	}
	if s.scratch, err = newScratch(); err != nil {
		return err
	}
	for _, name := range []string{"etc", "stage", "tools"} {
		if err := os.Mkdir(s.file(name), 0o755); err != nil {
			return err
		}
	}
	return writeTools(s.file("tools"), s.opt.Virtual)
}

func (s *session) file(name string) string { return filepath.Join(s.scratch.dir, name) }
func (s *session) etc() string             { return s.file("etc") }

// configure reads the profiles and finds out what the named one asks for.
func (s *session) configure(profile string) error {
	s.config = newCollection()
	s.config.sysctlsWin = s.opt.SysctlsWin
	faults := []error{s.config.variables(), s.config.own(s.target.files(), s.opt.Root)}
	for _, dir := range s.opt.Sources {
		faults = append(faults, s.config.directory(dir))
	}
	for _, p := range s.opt.Profiles {
		s.config.text(p)
	}
	if err := errors.Join(faults...); err != nil {
		return wrongOptions(err)
	}
	s.result.Profile = profile
	return s.flatten()
}

// start starts TuneD and waits for the proof that the profile is applied.
func (s *session) start(ctx context.Context) error {
	s.progress.tell(Event{Phase: Applying})
	runner := s.opt.Runner
	if runner == nil {
		runner = installed
	}
	if err := s.config.write(s.etc(), s.result.Profile); err != nil {
		return fmt.Errorf("profiles can't be written: %w", err)
	}
	began := time.Now()
	order := Start{Profile: s.result.Profile, Patience: s.opt.timeout(), Config: s.etc(),
		Tools: s.file("tools"), Stage: s.file("stage"), Alive: s.scratch.held}
	if n, ok := s.target.(*node); ok {
		order.Node, order.NodeID = n.dir, n.id
	}
	err := s.noteBefore()
	if err != nil {
		return err
	}
	if s.daemon, err = runner.Start(ctx, order); err != nil {
		s.ended = true
		if s.kept != nil {
			err = errors.Join(err, s.noteKept())
		}
		return err
	}
	return s.await(ctx, s.result.Profile, began)
}

// errRefused is TuneD's refusal: no failure of this package, but a verdict.
var errRefused = errors.New("TuneD applied nothing")

// await reads the log until it proves that a profile is applied, or that it
// won't be. It returns errRefused for the latter.
func (s *session) await(ctx context.Context, profile string, began time.Time) error {
	limit := time.NewTimer(s.opt.timeout())
	defer limit.Stop()
	w := watcher{profile: profile}
	for {
		select {
		case line, ok := <-s.daemon.Log():
			if !ok {
				s.ended = true
				return s.refuse("TuneD ended before it had applied anything")
			}
			s.note(Applying, line)
			switch w.hear(line) {
			case applied:
				s.result.Applied, s.result.Refusal, s.result.ApplySeconds = true, "", seconds(began)
				return nil
			case refused:
				return s.refuse(w.reason)
			}
		case <-limit.C:
			return s.refuse(fmt.Sprintf("its log did not say within %v that the profile is applied%s", s.opt.timeout(),
				s.lastWords()))
		case <-ctx.Done():
			s.result.Interrupted = true
			s.refuse("interrupted before TuneD had applied it" + s.lastWords())
			return fmt.Errorf("profile %s was interrupted before it was applied: %w", s.result.Profile, context.Cause(ctx))
		}
	}
}

func (s *session) refuse(reason string) error {
	s.result.Applied, s.result.Refusal = false, reason
	return errRefused
}

// lastWords is the last line of the log that is no part of a traceback: where TuneD
// waits for something, what it does.
func (s *session) lastWords() string {
	for _, l := range slices.Backward(s.result.Log[s.since:]) {
		if l.Level != "" {
			return ", the last that it said is: " + show(l.Text)
		}
	}
	return ""
}

// note keeps a line of the log.
func (s *session) note(p Phase, line Line) {
	if version, ok := versionOf(line); ok {
		s.result.Version = version
	}
	if len(s.result.Log) < maxLines {
		s.result.Log = append(s.result.Log, line)
	} else {
		s.result.LogCut = true
	}
	s.progress.tell(Event{Phase: p, Line: &line})
}

// verify compares the node with what the profile asks for.
func (s *session) verify() error {
	s.progress.tell(Event{Phase: Verifying})
	now, err := s.target.read(s.names())
	if err != nil {
		return err
	}
	s.judge(now)
	return nil
}

// hold waits until the context ends, TuneD ends, or another profile is asked for.
func (s *session) hold(ctx context.Context) error {
	s.tellHeld()
	for {
		select {
		case <-ctx.Done():
			return nil
		case line, ok := <-s.daemon.Log():
			if !ok {
				s.ended, s.result.Died = true, true
				return nil
			}
			s.note(Holding, line)
		case profile, ok := <-s.opt.Reload:
			if !ok {
				s.opt.Reload = nil
			} else if err := s.reload(ctx, profile); err != nil {
				return err
			} else {
				s.tellHeld()
			}
		}
	}
}

// tellHeld tells what is held now. Where the journal can't be told it names the profile before, and has all values.
func (s *session) tellHeld() {
	was := s.proved
	s.proved = proved{s.result.Profile, s.memo, s.wanted}
	if was.profile != "" && (was.profile != s.result.Profile || was.memo != s.memo) {
		s.noteBefore()
	}
	result := s.result
	s.progress.tell(Event{Phase: Holding, Result: &result})
}

const (
	// again is how often TuneD is told to stop: it forgets an order that comes while
	// it starts.
	again = time.Second
	// killing is how long ending it at once may take.
	killing = 5 * time.Second
)

// stop makes TuneD roll back, and ends it where it doesn't.
func (s *session) stop() error {
	if s.daemon == nil {
		return nil
	}
	s.progress.tell(Event{Phase: RollingBack})
	began := time.Now()
	repeat, limit := time.NewTicker(cmp.Or(s.opt.again, again)), time.NewTimer(s.opt.timeout())
	defer repeat.Stop()
	defer limit.Stop()
	for s.daemon.Stop(); !s.ended; {
		select {
		case line, ok := <-s.daemon.Log():
			if s.ended = !ok; ok {
				s.note(RollingBack, line)
			}
		case <-repeat.C:
			s.daemon.Stop()
		case <-limit.C:
			s.result.Killed = true
			s.daemon.Kill()
			limit.Reset(killing)
		}
	}
	var err error
	s.result.End, err = s.daemon.Close()
	s.result.RollbackSeconds = seconds(began)
	return err
}

// names are the files that a profile asked for since the start.
func (s *session) names() []string { return slices.Sorted(maps.Keys(s.known)) }

// close lets go of the node and of the files of this run.
func (s *session) close() error {
	if s.place.root != nil {
		s.place.root.Close()
	}
	if s.target != nil {
		s.target.close()
	}
	return s.scratch.close()
}
