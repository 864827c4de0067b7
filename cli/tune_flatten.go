package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	engine "plimsoll.dev/engine/apply"
	"plimsoll.dev/release"
	"plimsoll.dev/schema"
	"plimsoll.dev/tune/profile"
	"plimsoll.dev/tune/tuned"
)

// flattenCommand holds the flags of "tune flatten".
type flattenCommand struct {
	tuning
	profileFlags
	cpus  int
	lscpu string
	uname string
	// supposed says that nobody tells whether the node is virtual.
	supposed bool
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

What a profile asks of the node is unknown unless it is told: by --cpus, by what
programs print there, or by a copy of the node's files.

` + exitCodesHelp,
		Example: `  plimsoll tune flatten node-hugepages --tuned examples/tune/tuned
  plimsoll tune flatten throughput-performance -o wide
  plimsoll tune flatten cpu-partitioning --cpus 96
  plimsoll tune flatten cpu-partitioning --lscpu lscpu.txt --uname uname.txt
  plimsoll tune flatten openshift-node --virtual kvm -o json`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return x.run(args[0], c.Flags().Changed("virtual")) },
	}
	x.tuning.flags(c)
	x.profileFlags.flags(c)
	c.Flags().StringVar(&x.root, "root", "", "a directory with the node's files proc, sys and those\n"+
		"of variables, as far as it has them")
	c.Flags().StringVar(&x.lscpu, "lscpu", "", "a file with what \"lscpu\" prints on the node")
	c.Flags().StringVar(&x.uname, "uname", "", "a file with what \"uname -a\" prints on the node")
	c.Flags().IntVar(&x.cpus, "cpus", 0, "CPUs of the node, all online, for what depends on them (default: not known)")
	return c
}

// node is what is known of the node; what nobody says stays unknown, but supposed is that
// it isn't virtual.
func (x *flattenCommand) node(r release.Release, virtualGiven bool) (m tuned.Machine, err error) {
	if x.root != "" {
		if m, err = engine.NodeFacts(x.root); err != nil {
			return m, err
		}
	}
	for _, told := range []struct {
		program, file, like string
		with                func(tuned.Machine, string) tuned.Machine
	}{
		{"lscpu", x.lscpu, "On-line CPU(s) list:", tuned.Machine.WithLSCPU},
		{"uname -a", x.uname, "Linux ", tuned.Machine.WithUname},
	} {
		if told.file == "" {
			continue
		}
		text, err := engine.ReadPrinted(told.file)
		if err != nil {
			return m, err
		}
		if !strings.Contains(text, told.like) {
			return m, fmt.Errorf("%s: it is not what %q prints, in English: there is no %q in it", told.file, told.program,
				strings.TrimSpace(told.like))
		}
		m = told.with(m, text)
	}
	if x.cpus > 0 && m.Online != nil {
		return m, fmt.Errorf("--cpus %d: the CPUs are known by what else is told of the node (leave it out)", x.cpus)
	}
	x.supposed = !virtualGiven && m.Virtual == nil
	if virtual := x.virtual != ""; virtualGiven || x.supposed {
		m.Virtual = &virtual
	}
	return x.described(m, r).AssumeCPUs(x.cpus), nil
}

func (x *flattenCommand) run(name string, virtualGiven bool) error {
	of, err := x.readRelease()
	if err != nil {
		return err
	}
	r, _, tuneds, err := x.readTuneds(x.tuneds, of)
	if err != nil {
		return err
	}
	if x.cpus < 0 {
		return badInput(fmt.Errorf("--cpus %d is no number of CPUs (write 1 or more)", x.cpus))
	}
	set, err := x.set(&profile.Input{Tuneds: tuneds, Release: of})
	if err != nil {
		return err
	}
	if !set.Has(name) && !strings.Contains(name, " ") {
		return badInput(noProfile(name, set.Names()))
	}
	node, err := x.node(of, virtualGiven)
	if err != nil {
		return badInput(err)
	}
	flat, found := set.Flatten(name, node)
	made := tuned.Answer(name, flat, found)
	asTheyStand(&made, r.Objects)
	if x.supposed {
		virtual := true
		node.Virtual = &virtual
		other, _ := set.Flatten(name, node)
		tuned.Supposed(&made, flat, other)
	}
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
