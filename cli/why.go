package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"plimsoll.dev/report"
)

func newWhy(a *app) *cobra.Command {
	var in input
	var out output
	c := &cobra.Command{
		Use:   "why [PLAN] [RESULT]",
		Short: "Show where a number of a plan comes from, down to the facts",
		Long: `Why prints the derivation of one result: its formula, the formula with numbers,
its inputs, and theirs, down to the facts of the catalogue and the fields of the
scenario. PLAN is a scenario, or a plan that was saved with -o json; one that
"plimsoll verify" refuses is not explained.

RESULT is the id of a figure or a limit, a part of it, or a word of its title;
without it all that can be asked about are listed.`,
		Example: `  plimsoll why examples/ocp-9.4.yaml workload.cpu
  plimsoll why examples/ocp-9.4.yaml hostPrefix
  plimsoll why plan.json nodes -o json
  plimsoll why --snapshot cluster.json --release 4.14 nodes
  plimsoll why --manifests deploy/ nodes`,
		Args: cobra.RangeArgs(1, 2),
		ValidArgsFunction: func(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return completeYAML(c, args, word)
			}
			return completeFigures(a, &in, args[0]), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			file, result := "", args[len(args)-1]
			if len(args) == 2 {
				file = args[0]
			} else if !in.runs() && len(in.manifests) == 0 {
				if _, err := os.Stat(result); err != nil {
					return badInput(fmt.Errorf("why wants a scenario or a saved plan, and a result: plimsoll why FILE %s", result))
				}
				file, result = result, ""
			}
			opt, err := out.options(a)
			if err != nil {
				return err
			}
			made, err := in.plan(a, file)
			if err != nil {
				return err
			}
			if result == "" { // all that can be asked about
				return out.write(a, func(w io.Writer) error { return report.Write(w, made, report.Name, opt) })
			}
			var text bytes.Buffer
			if err := report.Why(&text, made, result, opt); err != nil {
				return badInput(err)
			}
			return out.write(a, func(w io.Writer) error {
				_, err := text.WriteTo(w)
				return err
			})
		},
	}
	in.flags(c)
	out.flags(c)
	return c
}

// completeFigures lists the ids of a plan's figures for the shell; none when
// the file can't be read.
func completeFigures(a *app, in *input, file string) []string {
	if in.running.asked() {
		return nil // to read a cluster takes longer than anybody waits for the shell
	}
	quiet := *a
	quiet.Err, quiet.quiet = io.Discard, true
	plan, err := in.plan(&quiet, file)
	if err != nil {
		return nil
	}
	var ids []string
	for _, f := range plan.Figures {
		ids = append(ids, fmt.Sprintf("%s\t%s", f.ID, f.Title))
	}
	return ids
}

func newDiff(a *app) *cobra.Command {
	var in input
	var out output
	var exitCode bool
	c := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare the plans of two scenarios",
		Long: `Diff plans two scenarios, or reads two saved plans, and shows what differs:
the verdict, the nodes, the figures, the limits that come nearer, the findings.
A saved plan that "plimsoll verify" refuses is not compared.`,
		Example: `  plimsoll diff today.yaml tomorrow.yaml
  plimsoll diff plan-old.json scenario.yaml -o markdown`,
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: completeYAML,
		RunE: func(_ *cobra.Command, args []string) error {
			opt, err := out.options(a)
			if err != nil {
				return err
			}
			before, err := in.plan(a, args[0])
			if err != nil {
				return err
			}
			after, err := in.plan(a, args[1])
			if err != nil {
				return err
			}
			changed := false
			err = out.write(a, func(w io.Writer) error {
				changed, err = report.Diff(w, before, after, out.format, opt)
				return err
			})
			if err == nil && changed && exitCode {
				return &exitError{code: ExitNegative}
			}
			return err
		},
	}
	in.flags(c)
	out.flags(c)
	c.Flags().BoolVar(&exitCode, "exit-code", false, "exit with 3 when the plans differ")
	return c
}
