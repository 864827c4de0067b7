package main

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"plimsoll.dev/controller/health"
)

func newHealth() *cobra.Command {
	f, storm, resync := &runFlags{}, 0.0, time.Duration(0)
	c := &cobra.Command{
		Use:   "health",
		Short: "Remediate machines by MachineHealthChecks",
		Long: `Health watches MachineHealthChecks, machines and nodes, and does what the rules of
the release say, which "plimsoll tune health simulate" plays: machines that are
due are deleted, so that their set makes new ones.

Without --act it changes nothing and tells what it would do, as events. With it,
it decides by what the API server says at that moment and not by what it watched,
and leaves due machines alone, for which an event and the check's condition
RemediationAllowed give the reason, while

  another process leads, or the operator's own controller is alive;
  its clock is more than five seconds from the API server's;
  no node has a lease, or half of the kubelets or more have not renewed theirs;
  more than --storm of all nodes became Unknown within a minute, or are gone.

Events are written in either case.`,
		Example: `  plimsoll-controller health --context prod
  plimsoll-controller health --act --release 4.14`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if resync < 0 {
				return errors.New("--resync is 0 or more")
			}
			if storm < 0 || storm > 1 {
				return errors.New("--storm is a share from 0 to 1")
			}
			m, err := f.frame("plimsoll-health", nil)
			if err != nil {
				return err
			}
			if err := health.Add(m, health.Options{Release: m.release, Act: f.act, Storm: storm, Resync: resync,
				Leader: m.leader, Clock: m.clock}); err != nil {
				return err
			}
			return m.Start(c.Context()) // a lease that is lost ends it with an error
		},
	}
	f.flags(c.Flags(), "plimsoll-health", "namespace",
		"delete and annotate machines, and write the checks' status")
	c.Flags().Float64Var(&storm, "storm", 0.5,
		"share of all nodes that may become Unknown within a minute, or be gone, and be remediated")
	c.Flags().DurationVar(&resync, "resync", 5*time.Minute,
		"how often all is read from the API server though nothing seems to be due (0: never)")
	return c
}
