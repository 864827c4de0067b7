package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/plan"
)

func newVerify(a *app) *cobra.Command {
	var in input
	c := &cobra.Command{
		Use:   "verify PLAN [SCENARIO]",
		Short: "Check every word of a plan against its own derivation",
		Long: `Verify evaluates each formula of a plan again, compares each input with the
figure or the fact that it names, reads the scenario that the plan carries as a
file is read, and plans it again to compare every text, verdict, limit, finding
and assumption. PLAN is a plan that was saved with -o json, by whomever, or a
scenario.

What only files can tell (what was not counted, values of a snapshot, which
fields were written) is the plan's word, and said to be so. With SCENARIO, or
the flags that the plan was made with, the whole plan is compared with the one
that its input gives now.

` + exitCodesHelp,
		Example: "  plimsoll plan scenario.yaml -o json --output-file plan.json\n  plimsoll verify plan.json\n" +
			"  plimsoll verify plan.json scenario.yaml",
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: completeYAML,
		RunE: func(_ *cobra.Command, args []string) error {
			made, input, err := in.compared(a, args)
			if err != nil {
				return err
			}
			wrong, remarks, err := a.tellWrong(made, input)
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
			for _, r := range remarks {
				if _, err := fmt.Fprintln(a.Out, table.Clean(r)); err != nil {
					return err
				}
			}
			if wrong > 0 {
				return &exitError{code: ExitNegative}
			}
			return nil
		},
	}
	in.flags(c)
	return c
}

// compared is the plan to verify, and the one that its input gives: the same where no plan
// was saved, nil where no input is named.
func (in *input) compared(a *app, args []string) (made, input *v1alpha1.Plan, err error) {
	made, err = savedPlan(args[0])
	switch {
	case err != nil:
		return nil, nil, err
	case made == nil && len(args) == 2:
		return nil, nil, badInput(fmt.Errorf("%s: is no saved plan, which would be compared with %s", args[0], args[1]))
	case made == nil:
		made, _, err = in.unconfirmed(a, args[0])
		return made, made, err
	case len(args) == 1 && !in.changed():
		return made, nil, nil
	}
	input, saved, err := in.unconfirmed(a, append(args, "")[1])
	if err == nil && saved {
		err = badInput(fmt.Errorf("%s: is a saved plan (give the scenario that the other was made from)", args[1]))
	}
	return made, input, err
}

// tellWrong prints what a plan says that does not hold, and counts it; no plan says nothing.
// The remarks are what only its input could confirm.
func (a *app) tellWrong(made, input *v1alpha1.Plan) (n int, remarks []string, err error) {
	if made == nil {
		return 0, nil, nil
	}
	wrong, saved := checked(made)
	if input == nil {
		remarks = remarked(made, saved)
	}
	if input != nil && input != made {
		wrong = append(wrong, plan.Against(made, input)...)
	}
	for _, w := range wrong {
		if _, err := fmt.Fprintln(a.Out, table.Clean(w.Error())); err != nil {
			return 0, nil, err
		}
	}
	return len(wrong), remarks, nil
}
