package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/plan"
)

func newVerify(a *app) *cobra.Command {
	var in input
	c := &cobra.Command{
		Use:   "verify PLAN",
		Short: "Check every word of a plan against its own derivation",
		Long: `Verify evaluates each formula of a plan again, compares each input with the
figure or the fact that it names, and plans the scenario that the plan carries
again to compare every text, verdict, limit and finding. PLAN is a plan that was
saved with -o json, by whomever, or a scenario.

` + exitCodesHelp,
		Example:           "  plimsoll plan scenario.yaml -o json --output-file plan.json\n  plimsoll verify plan.json",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeYAML,
		RunE: func(_ *cobra.Command, args []string) error {
			made, _, err := in.unconfirmed(a, args[0])
			if err != nil {
				return err
			}
			wrong, err := a.tellWrong(made)
			if err != nil {
				return err
			}
			formulas := 0
			for _, f := range made.Figures {
				if f.Formula != "" {
					formulas++
				}
			}
			if _, err := fmt.Fprintf(a.Out, "%d figures, %d by formula, %d limits: %d wrong\n", len(made.Figures), formulas,
				len(made.Gauges), wrong); err != nil {
				return err
			}
			if wrong > 0 {
				return &exitError{code: ExitNegative}
			}
			return nil
		},
	}
	in.readFlags(c)
	return c
}

// tellWrong prints what a plan says that does not hold, and counts it; no plan says nothing.
func (a *app) tellWrong(made *v1alpha1.Plan) (int, error) {
	if made == nil {
		return 0, nil
	}
	wrong := plan.Confirm(made, facts.Load())
	for _, w := range wrong {
		if _, err := fmt.Fprintln(a.Out, table.Clean(w.Error())); err != nil {
			return 0, err
		}
	}
	return len(wrong), nil
}
