package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll.dev/bench/disk"
	"plimsoll.dev/bench/measure"
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
		Long: `Compare reads two runs that "bench network", "bench router", "bench disk" or
"bench import" wrote with -o json, both of the same kind, and gives the ratio to
the base of each figure of each cell with its interval over repetitions. What
differs beyond chance and is worse by more than the tolerance is an error. The
words are those of the studies: 41 % lower latency is 1 - new/base, 1.8x lower
throughput is base/new.

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
			base, err := t.readBenchRun(args[0])
			if err != nil {
				return badInput(err)
			}
			after, err := t.readBenchRun(args[1])
			if err != nil {
				return badInput(err)
			}
			if base.Subject != after.Subject {
				return badInput(fmt.Errorf("%s is of the %s and %s of the %s: only runs of the same can be compared", args[0],
					base.Subject, args[1], after.Subject))
			}
			if beside != "" && base.Subject != network.Subject {
				return badInput(errors.New("--beside is of runs of the network"))
			}
			t.out.again = ""
			compared := measure.Compare(base, after, tolerance)
			made := compared.Answer()
			if beside != "" {
				network.Beside(compared, made, network.Studies(facts.Load(), beside))
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

// sampled is a run of a benchmark.
type sampled interface{ Sampled() measure.Cells }

// benchRuns are the kinds of runs by the kind of their answer.
var benchRuns = map[string]func() sampled{
	network.RunKind: func() sampled { return new(network.Run) },
	disk.RunKind:    func() sampled { return new(disk.Run) },
	router.RunKind:  func() sampled { return new(router.Run) },
}

// readBenchRun reads what a benchmark, or "bench import", writes as JSON.
func (t *tuning) readBenchRun(path string) (measure.Cells, error) {
	text, name, err := t.slurp(path, maxRun)
	if err != nil {
		return measure.Cells{}, err
	}
	var answer struct {
		Kind   string
		Result json.RawMessage
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return measure.Cells{}, fmt.Errorf("%s: %w", name, err)
	}
	kind := benchRuns[answer.Kind]
	if kind == nil || len(answer.Result) == 0 || string(answer.Result) == "null" {
		return measure.Cells{}, fmt.Errorf("%s: is no run of a benchmark (plimsoll bench network, router and disk "+
			"write them with -o json)", name)
	}
	run := kind()
	if err := json.Unmarshal(answer.Result, run); err != nil {
		return measure.Cells{}, fmt.Errorf("%s: %w", name, err)
	}
	return run.Sampled(), nil
}
