package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll.dev/bench/network"
	"plimsoll.dev/bench/router"
	"plimsoll.dev/facts"
	"plimsoll.dev/source/netresult"
)

func newBenchImport(a *app) *cobra.Command {
	t := &tuning{app: a, failOn: "error"}
	told := ""
	c := &cobra.Command{
		Use:   "import FILE...",
		Short: "Read results of uperf, netperf, iperf3, k8s-netperf or wrk",
		Long: `Import reads results of uperf -a, netperf, iperf3 -J, k8s-netperf (JSON or CSV)
and wrk, knows each by what stands in it, and says which of their figures are
not what they are called. Results of the same cell are repetitions of each
other. Where latency and rate contradict each other (Little's law), the cell is
an error.

` + exitCodesHelp,
		Example: `  plimsoll bench import rr-1.txt rr-2.txt rr-3.txt --cell rr-200x1000-50
  plimsoll bench import iperf3-*.json -o json --output-file before.json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			run, err := t.importResults(args, told)
			if err != nil {
				return badInput(err)
			}
			t.out.again = ""
			return t.answer(run.Answer(), nil)
		},
	}
	t.out.flags(c)
	c.Flags().BoolVar(&t.noError, "exit-zero", false, "exit with 0 whatever is found")
	c.Flags().StringVar(&told, "cell", "", "the `CELL` that all files are of, where they don't say it: rr-200x1000-50")
	return c
}

// importResults of the files, as one run.
func (t *tuning) importResults(paths []string, told string) (*network.Run, error) {
	var as *network.Cell
	if told != "" {
		cell, err := network.ParseCell(told)
		if err != nil {
			return nil, fmt.Errorf("--cell: %w", err)
		}
		as = &cell
	}
	var runs []*network.Run
	var wrong []error
	for _, path := range paths {
		text, name, err := t.slurp(path, netresult.MaxText)
		if err == nil {
			var run *network.Run
			run, err = netresult.Read(name, text, as)
			runs = append(runs, run)
		}
		if err != nil {
			wrong = append(wrong, err)
		}
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	return netresult.Join(runs)
}

func newBenchCompare(a *app) *cobra.Command {
	t := &tuning{app: a, failOn: "error"}
	tolerance, beside := 0.1, ""
	changes := network.Changes()
	c := &cobra.Command{
		Use:   "compare BASE NEW",
		Short: "Say what became worse from a base to another run, beyond chance",
		Long: `Compare reads two runs that "bench network", "bench import" or "bench router"
wrote with -o json, and gives the ratio to the base of each figure of each cell
with its interval over repetitions. What differs beyond chance and is worse by
more than the tolerance is an error. The words are those of the studies: 41 %
lower latency is 1 - new/base, 1.8x lower throughput is base/new.

` + exitCodesHelp,
		Example: `  plimsoll bench compare before.json after.json
  plimsoll bench compare before.json after.json --tolerance 0.05 -o junit
  plimsoll bench compare before.json routed.json --beside static-route`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			if tolerance < 0 || tolerance >= 1 {
				return badInput(errors.New("--tolerance is at least 0 and below 1 (0.1 is a tenth)"))
			}
			if beside != "" && !slices.Contains(changes, beside) {
				return badInput(fmt.Errorf("--beside %q is not one of %s", beside, strings.Join(changes, ", ")))
			}
			compared, err := t.compared(args[0], args[1], tolerance)
			if err != nil {
				return badInput(err)
			}
			if beside != "" && compared.Subject != "" {
				return badInput(errors.New("--beside is for runs of the network"))
			}
			t.out.again = ""
			made := compared.Answer()
			if beside != "" {
				compared.Beside(made, network.Studies(facts.Load(), beside))
			}
			return t.answer(made, nil)
		},
	}
	t.out.flags(c)
	c.Flags().BoolVar(&t.noError, "exit-zero", false, "exit with 0 whatever is found")
	c.Flags().Float64Var(&tolerance, "tolerance", tolerance, "how much worse a figure may be: 0.1 is a tenth")
	c.Flags().StringVar(&beside, "beside", "", "show what studies measured of a `CHANGE`: "+strings.Join(changes, ", "))
	mustComplete(c, "beside", changes)
	return c
}

// compared reads two runs of the same kind.
func (t *tuning) compared(base, after string, tolerance float64) (*network.Comparison, error) {
	a, err := t.readBench(base)
	if err != nil {
		return nil, err
	}
	b, err := t.readBench(after)
	switch {
	case err != nil:
		return nil, err
	case (a.network == nil) != (b.network == nil):
		return nil, fmt.Errorf("%s and %s are of different things: a network and a router", base, after)
	case a.network == nil:
		return router.Compare(a.router, b.router, tolerance), nil
	}
	return network.Compare(a.network, b.network, tolerance), nil
}

// benchRun is one of the two.
type benchRun struct {
	network *network.Run
	router  *router.Run
}

// readBench reads what "bench network", "bench import" and "bench router" write as JSON.
func (t *tuning) readBench(path string) (r benchRun, err error) {
	text, name, err := t.slurp(path, maxRun)
	if err != nil {
		return r, err
	}
	var made struct {
		Kind   string
		Result json.RawMessage
	}
	if err = json.Unmarshal(text, &made); err == nil && len(made.Result) > 0 {
		switch made.Kind {
		case network.RunKind:
			err = json.Unmarshal(made.Result, &r.network)
		case router.RunKind:
			err = json.Unmarshal(made.Result, &r.router)
		}
	}
	if err == nil && r.network == nil && r.router == nil {
		err = errors.New("is no run of a bench (write one with 'plimsoll bench network -o json' or 'bench router -o json')")
	}
	if err != nil {
		return r, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}
