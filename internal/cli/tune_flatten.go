package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll.dev/schema"
	"plimsoll.dev/tune/profile"
	"plimsoll.dev/tune/tuned"
)

// flattenCommand holds the flags of "tune flatten".
type flattenCommand struct {
	tuning
	profileFlags
	cpus int
}

func newTuneFlatten(a *app) *cobra.Command {
	x := &flattenCommand{tuning: tuning{app: a}}
	c := &cobra.Command{
		Use:   "flatten PROFILE",
		Short: "Show what a TuneD profile comes to with all that it includes",
		Long: `Flatten joins a profile with everything that it includes, as TuneD does, and
shows each value with the file and line that it comes from and the values that
it overrides. Profiles are those of the installed TuneD, of --profiles and,
before all others, of the Tuned CRs.

` + exitCodesHelp,
		Example: `  plimsoll tune flatten node-hugepages --tuned examples/tune/tuned
  plimsoll tune flatten throughput-performance -o wide
  plimsoll tune flatten cpu-partitioning --cpus 96
  plimsoll tune flatten openshift-node --virtual kvm -o json`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return x.run(args[0]) },
	}
	x.tuning.flags(c)
	x.profileFlags.flags(c)
	c.Flags().IntVar(&x.cpus, "cpus", 0, "CPUs of the node, all online, for what depends on them (default: not known)")
	return c
}

func (x *flattenCommand) run(name string) error {
	e, err := x.readEra()
	if err != nil {
		return err
	}
	r, tuneds, err := x.readTuneds(x.tuneds)
	if err != nil {
		return err
	}
	if x.cpus < 0 {
		return badInput(fmt.Errorf("--cpus %d is no number of CPUs (write 1 or more)", x.cpus))
	}
	set, err := x.set(&profile.Input{Tuneds: tuneds, Era: e, Release: x.release()})
	if err != nil {
		return err
	}
	if !set.Has(name) && !strings.Contains(name, " ") {
		return badInput(noProfile(name, set.Names()))
	}
	flat, found := set.Flatten(name, x.machine(e).AssumeCPUs(x.cpus))
	made := tuned.Answer(name, flat, found)
	return x.answer(&made, r)
}

// noProfile names the nearest profile.
func noProfile(name string, known []string) error {
	if len(known) == 0 {
		return errors.New("there are no profiles: TuneD is not installed here (name a directory of profiles with --profiles)")
	}
	if near := schema.Nearest(name, known); near != "" {
		return fmt.Errorf("profile %q doesn't exist (did you mean %s?)", name, near)
	}
	return fmt.Errorf("profile %q doesn't exist (there are %s)", name, strings.Join(known, ", "))
}
