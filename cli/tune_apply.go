package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"plimsoll.dev/api/openshift"
	engine "plimsoll.dev/engine/apply"
	"plimsoll.dev/internal/term"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/profile"
	"plimsoll.dev/tune/tuned"
)

// applyCommand holds the flags of "tune apply".
type applyCommand struct {
	tuning
	profileFlags
	profile     string
	root        string
	thisMachine bool
	check       bool
	restore     bool
	timeout     time.Duration
}

func newTuneApply(a *app) *cobra.Command {
	x := &applyCommand{tuning: tuning{app: a}}
	c := &cobra.Command{
		Use:   "apply (--profile NAME | --restore) (--root DIR | --this-machine)",
		Short: "Apply a profile with the real TuneD, verify it, roll it back",
		Long: `Apply starts the installed TuneD without systemd and D-Bus, waits for the log
line that proves the tuning, compares every value with what the profile asks
for, and holds the values until it is interrupted; then TuneD puts them back,
and that is verified, too. SIGHUP reads the Tuned CRs and the directories of
profiles again and applies what they have then (but not what standard input
had).

--root names a simulated node: a directory with plain files proc/sys and sys in
place of the machine's (profiles that tune disks need sys/block, if empty).
TuneD then runs in namespaces of its own and can change nothing else. DIR must
be one that nobody else may write to.
--this-machine applies to the machine itself, as root.

However it is ended, the node is put back first. Only being killed (SIGKILL) can
keep it from that: a journal is left then, in DIR or in /run/plimsoll, and the
next "tune apply" to the node puts back what that says, and tells so. --restore
does that alone.

` + exitCodesHelp,
		Example: `  plimsoll tune apply --profile openshift-node --root node --check
  plimsoll tune apply --profile node-hugepages --tuned examples/tune/tuned --root node
  sudo plimsoll tune apply --profile throughput-performance --this-machine
  sudo plimsoll tune apply --restore --this-machine`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := x.out.ready(x.app, false); err != nil {
				return err
			}
			return x.run(c.Context())
		},
	}
	x.tuning.flags(c)
	x.profileFlags.flags(c)
	c.PreRun = nil // applying again is no way to see the same
	f := c.Flags()
	f.StringVar(&x.profile, "profile", "", "the profile to apply")
	f.StringVar(&x.root, "root", "", "the directory of a simulated node")
	f.BoolVar(&x.thisMachine, "this-machine", false, "apply to this machine itself")
	f.BoolVar(&x.check, "check", false, "apply, verify and roll back at once, instead of holding the values")
	f.BoolVar(&x.restore, "restore", false, "only put back what a killed run left; takes no profile")
	f.DurationVar(&x.timeout, "timeout", time.Minute, "the longest that applying, or rolling back, may take")
	return c
}

func (x *applyCommand) run(ctx context.Context) error {
	if x.restore {
		return x.putBack(ctx)
	}
	r, err := x.readRelease()
	if err != nil {
		return err
	}
	if x.profile == "" {
		return badInput(errors.New("--profile is missing: the name of the profile to apply"))
	}
	_, _, tuneds, err := x.readTuneds(x.tuneds, r)
	if err != nil {
		return err
	}
	if err := x.known(tuneds, r); err != nil {
		return err
	}
	ctx, end, done := x.endings(ctx)
	defer done()
	opt := engine.Options{Profile: x.profile, Root: x.root, ThisMachine: x.thisMachine, Sources: x.profiles,
		Virtual: x.virtual, Profiles: x.custom(tuneds, r), Once: x.check, Timeout: x.timeout}
	if !slices.Contains(x.tuneds, "-") {
		opt.Refresh = func() ([]tuned.Profile, error) {
			_, _, again, err := x.readTuneds(x.tuneds, r)
			if err != nil { // the problems themselves have been told
				return nil, errors.New("the Tuned CRs have problems")
			}
			return x.custom(again, r), nil
		}
	}
	if !x.check {
		var stop func()
		opt.Reload, stop = x.hangups(end)
		defer stop()
	}
	result, err := engine.Apply(ctx, opt, x.event)
	if result == nil && errors.Is(err, engine.ErrOptions) {
		return badInput(err)
	}
	if result == nil {
		return err
	}
	return errors.Join(x.answer(result.Answer(), nil), err)
}

// putBack puts back what a killed run left.
func (x *applyCommand) putBack(ctx context.Context) error {
	if x.profile != "" || x.check {
		return badInput(errors.New("--restore applies nothing (leave out --profile and --check)"))
	}
	ctx, _, done := x.endings(ctx)
	defer done()
	found, err := engine.Restore(ctx, engine.Options{Root: x.root, ThisMachine: x.thisMachine}, x.event)
	if errors.Is(err, engine.ErrOptions) {
		return badInput(err)
	}
	if err != nil {
		return err
	}
	return x.answer(found.Answer(), nil)
}

// custom are the profiles of Tuned CRs.
func (x *applyCommand) custom(tuneds []object.Typed[openshift.Tuned], r release.Release) []tuned.Profile {
	return profile.DirectoryOf(&profile.Input{Tuneds: tuneds, Release: r}).Profiles
}

// known says what is near when there is no such profile, on the node or elsewhere.
func (x *applyCommand) known(tuneds []object.Typed[openshift.Tuned], r release.Release) error {
	set, err := x.set(&profile.Input{Tuneds: tuneds, Release: r})
	if err != nil {
		return err
	}
	names := set.Names()
	if x.root != "" || x.thisMachine {
		own, err := engine.NodeProfiles(x.root)
		if err != nil {
			return badInput(err)
		}
		names = append(names, tuned.NewSet(own...).Names()...)
	}
	if !slices.Contains(names, x.profile) {
		return badInput(noProfile(x.profile, names))
	}
	return nil
}

// event tells what is being done; TuneD's own lines stand in the answer.
func (x *applyCommand) event(e engine.Event) {
	switch {
	case e.Line != nil:
	case e.Problem != nil:
		x.say("not applied, the profile before it stays: %v", e.Problem)
	case e.Recovered != nil:
		x.say("%s", e.Recovered.Text())
	case e.Phase == engine.Holding && e.Result != nil:
		x.holding(e.Result)
	case e.Result == nil:
		x.say("%s ...", e.Phase)
	}
}

// holding tells that the values are in effect, and how well.
func (x *applyCommand) holding(r *engine.Result) {
	if r.Verified {
		x.say("applied and verified; interrupt (Ctrl-C) to roll back")
		return
	}
	bad := 0
	for _, v := range r.Values {
		if v.State == engine.Missing || v.State == engine.Differs {
			bad++
		}
	}
	x.say("applied, but %d values are not what the profile asks for; interrupt (Ctrl-C) to roll back and see them", bad)
}

// endings ends a context at every signal that would end the program, so that the
// values are put back and compared first. What can't be told any more, to a pipe that
// is closed or a terminal that is gone, ends nothing by itself: with --check the run
// ends anyway, and its answer may go elsewhere; values that are held would be for ever.
func (x *applyCommand) endings(ctx context.Context) (_ context.Context, end, done func()) {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT}
	closed := make(chan os.Signal, 1) // that somebody asks keeps the signal from ending the program
	if x.check {
		ends = append(ends, syscall.SIGHUP)
		signal.Notify(closed, syscall.SIGPIPE)
	} else {
		ends = append(ends, syscall.SIGPIPE)
	}
	ctx, stop := signal.NotifyContext(ctx, ends...)
	ctx, end = context.WithCancel(ctx)
	return ctx, end, func() {
		end()
		stop()
		signal.Stop(closed)
	}
}

// hangups asks for a reload of the same profile at each SIGHUP, and ends where the
// terminal is gone: nobody could end it from there any more.
func (x *applyCommand) hangups(end func()) (<-chan string, func()) {
	signals, reload := make(chan os.Signal, 1), make(chan string, 1)
	terminal := term.IsTerminal(x.Err)
	signal.Notify(signals, syscall.SIGHUP)
	go func() {
		for range signals {
			if terminal && !term.IsTerminal(x.Err) {
				end()
				continue
			}
			select {
			case reload <- "":
			default: // one is waiting already, and will read what is there then
			}
		}
	}()
	return reload, func() {
		signal.Stop(signals)
		close(signals)
	}
}
