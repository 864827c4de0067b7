package cli

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"plimsoll.dev/engine/load"
)

// maxRun is more than a run's answer is long.
const maxRun = 1 << 30

func newCompare(a *app) *cobra.Command {
	x := &tuning{app: a, failOn: "error"}
	tolerance := 0.1
	c := &cobra.Command{
		Use:   "compare BEFORE AFTER",
		Short: "Say what became slower from one run to another",
		Long: `Compare reads two runs that "load -o json" wrote, and says which times differ
beyond chance. What is slower by more than the tolerance is an error.

` + exitCodesHelp,
		Example: `  plimsoll load pods.yaml -o json --output-file monday.json
  plimsoll load pods.yaml -o json --output-file friday.json
  plimsoll load compare monday.json friday.json`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			if tolerance < 0 {
				return badInput(errors.New("--tolerance is at least 0"))
			}
			before, err := x.readRun(args[0])
			if err != nil {
				return badInput(err)
			}
			after, err := x.readRun(args[1])
			if err != nil {
				return badInput(err)
			}
			x.out.again = ""
			return x.answer(load.Compare(before, after, tolerance).Answer(), nil)
		},
	}
	x.out.flags(c)
	c.Flags().BoolVar(&x.noError, "exit-zero", false, "exit with 0 whatever is found")
	c.Flags().Float64Var(&tolerance, "tolerance", tolerance,
		"how much slower a median or 99th percentile may be: 0.1 is a tenth")
	return c
}

// readRun reads what "load -o json" wrote.
func (t *tuning) readRun(path string) (*load.Result, error) {
	text, name, err := t.slurp(path, maxRun)
	if err != nil {
		return nil, err
	}
	var run struct {
		Kind   string
		Result *load.Result
	}
	if err := json.Unmarshal(text, &run); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if run.Kind != "LoadRun" || run.Result == nil {
		return nil, fmt.Errorf("%s: is no run of load (write one with 'plimsoll load CONFIGURATION -o json')", name)
	}
	return run.Result, nil
}
