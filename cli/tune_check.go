package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"plimsoll.dev/tune/check"
)

// checkCommand holds the flags of "tune check".
type checkCommand struct {
	tuning
	disable []string
	list    bool
}

func newTuneCheck(a *app) *cobra.Command {
	x := &checkCommand{tuning: tuning{app: a}}
	c := &cobra.Command{
		Use:   "check FILE...",
		Short: "Find what is wrong in manifests before the operators do",
		Long: `Check reads manifests of Tuned CRs, PerformanceProfiles, KubeletConfigs,
ContainerRuntimeConfigs, MachineConfigs and their pools, the
MachineConfiguration, MachineHealthChecks, IngressControllers and the
monitoring's ConfigMap, and finds what the API server or an operator would
refuse, ignore or do otherwise than meant. It looks at each by itself and at
all together: give all that belong to a cluster.

A comment "# plimsoll:ignore RULE" in the line above silences a rule there.

` + exitCodesHelp,
		Example: `  plimsoll tune check examples/tune/documents --release 4.4
  plimsoll tune check manifests/ --fail-on warning --disable profile.sysctlHost
  plimsoll tune check --list`,
		RunE: func(_ *cobra.Command, args []string) error { return x.run(args) },
	}
	x.tuning.flags(c)
	c.Flags().StringSliceVar(&x.disable, "disable", nil, "rules that are not wanted; profile.* are all of a package")
	c.Flags().BoolVar(&x.list, "list", false, "list the rules, and what differs by release")
	return c
}

func (x *checkCommand) run(paths []string) error {
	of, err := x.readRelease()
	if err != nil {
		return err
	}
	if wrong := check.Unknown(x.disable); len(wrong) > 0 {
		return badInput(errors.Join(wrong...))
	}
	if x.list && len(paths) > 0 {
		return badInput(errors.New("--list lists the rules and reads no FILE (leave out the one or the other)"))
	}
	if x.list {
		made := check.List()
		return x.answer(&made, nil)
	}
	if len(paths) == 0 {
		return badInput(errors.New("no FILE is given: name manifests, directories, or - for standard input"))
	}
	r, err := x.readAll(paths)
	if err != nil {
		return badInput(err)
	}
	made := check.Run(check.Input{Objects: r.Objects, Problems: r.Problems, Release: of, Disable: x.disable})
	x.unreadable = made.Result.(check.Result).Unreadable > 0
	return x.answer(&made, r)
}
