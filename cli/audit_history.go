package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/audit"
)

func newAuditHistory(a *app) *cobra.Command {
	x := &auditCommand{tuning: tuning{app: a}}
	c := &cobra.Command{
		Use:   "history FILE...",
		Short: "Say from several audits which limit is passed when",
		Long: `History reads audits of one cluster that were saved with -o json, and says on
which day each limit is passed if the cluster grows as it did, and the first day
on which that may be: three audits over two weeks are needed.`,
		Example: `  plimsoll audit history audits/2026-*.json`,
		Args:    cobra.MinimumNArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return x.history(args) },
	}
	x.out.flags(c)
	x.out.verb = "audit history"
	x.failures(c)
	return c
}

func (x *auditCommand) history(paths []string) error {
	if err := x.checkFailures(); err != nil {
		return err
	}
	var runs []*v1alpha1.Answer
	for _, path := range paths {
		x.baseline = path
		run, err := x.readBaseline()
		if err != nil {
			return err
		}
		runs = append(runs, run)
	}
	made, err := audit.History(runs)
	if err != nil {
		return badInput(fmt.Errorf("history: %w", err))
	}
	return x.answer(&made, nil)
}
