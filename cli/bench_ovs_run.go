package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plimsoll.dev/bench/network"
	rules "plimsoll.dev/bench/ovs"
	"plimsoll.dev/engine/ends"
	"plimsoll.dev/engine/netmeter"
	"plimsoll.dev/engine/ovs"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
)

// mostIdle rules of other pods.
const mostIdle = 60_000

// benchOVSRun is "bench ovs run".
type benchOVSRun struct {
	*tuning
	cell string
	pin  string
	set  ovs.Options
}

func newBenchOVSRun(a *app) *cobra.Command {
	b := &benchOVSRun{tuning: &tuning{app: a, failOn: "error"}}
	b.set.Parameters = network.Parameters{Repetitions: 5, Duration: 2 * time.Second, Warmup: time.Second / 2}
	c := &cobra.Command{
		Use:   "run",
		Short: "Measure what rules cost: with and without ct(), with idle rules",
		Long: `Run starts an Open vSwitch of its own (Debian: openvswitch-switch), whose
userspace datapath joins two network namespaces, and measures the same traffic
by five sets of rules: from port to port, NORMAL, the pipeline of document 004
without ct(), as it is, and with rules of other pods. It says how much CPU
ovs-vswitchd took for a transaction, and which differences are beyond chance.

All that it makes is gone when it ends; an Open vSwitch of the machine is left
alone. Userspace is slower than the kernel: compare the cases, not with others.

` + exitCodesHelp,
		Example: `  plimsoll bench ovs run
  plimsoll bench ovs run --idle 50000 --repetitions 9 -o json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return b.run(c) },
	}
	b.out.flags(c)
	f := c.Flags()
	f.BoolVar(&b.noError, "exit-zero", false, "exit with 0 whatever is found")
	f.StringVar(&b.cell, "cell", "rr-200x1000-50", "the traffic, as `bench cells` names it")
	f.IntVar(&b.set.Idle, "idle", 20_000, "rules of other pods in the last case")
	f.IntVar(&b.set.Parameters.Repetitions, "repetitions", b.set.Parameters.Repetitions, "how often each case is measured")
	f.DurationVar(&b.set.Parameters.Duration, "duration", b.set.Parameters.Duration, "of a sample")
	f.DurationVar(&b.set.Parameters.Warmup, "warmup", b.set.Parameters.Warmup, "before a sample, not counted")
	f.StringVar(&b.pin, "pin", "apart", "CPUs of both ends and of the switch: apart, same, none,\nor `ENDS:SWITCH`")
	return c
}

// options of the flags. The user is told all that is wrong.
func (b *benchOVSRun) options() (ovs.Options, error) {
	o := b.set
	var wrong []string
	cell, err := network.ParseCell(b.cell)
	if err == nil && !cell.Waits() {
		err = errors.New("a stream has no transactions (a cell such as rr-200x1000-50)")
	}
	if err != nil {
		wrong = append(wrong, "--cell: "+err.Error())
		cell = network.Quick().Cells[0]
	}
	o.Parameters.Cells = []network.Cell{cell}
	for _, err := range o.Parameters.Check() {
		wrong = append(wrong, err.Error())
	}
	if o.Idle < 0 || o.Idle > mostIdle {
		wrong = append(wrong, fmt.Sprintf("--idle %d (0 to %d)", o.Idle, mostIdle))
	}
	if o.Ends, o.Switch, err = bothEnds(b.pin, ends.Allowed()); err != nil {
		wrong = append(wrong, err.Error())
	}
	if len(wrong) > 0 {
		return o, badInput(errors.New(strings.Join(wrong, "\n")))
	}
	return o, nil
}

func (b *benchOVSRun) run(c *cobra.Command) error {
	o, err := b.options()
	if err != nil {
		return err
	}
	specimen := &rules.Experiment{Parameters: o.Parameters}
	for _, c := range rules.Cases(0) {
		specimen.Cases = append(specimen.Cases, rules.Ran{Case: c})
	}
	if err := b.out.ready(b.app, false, specimen.Answer(facts.Load())); err != nil {
		return err
	}
	if _, err := ovs.Program("ovs-vswitchd"); err != nil {
		return err
	}
	ctx, done := untilSignal(c.Context())
	defer done()
	if fault := netmeter.Spaces(); fault != nil {
		return (&benchNetwork{tuning: b.tuning}).rootless(ctx, fault)
	}
	p := o.Parameters
	samples := int64(len(rules.Cases(0)) * p.Repetitions)
	each := p.Duration + p.Warmup + time.Second/2
	b.say("%s in about %v", words.Count(samples, "sample"), (time.Duration(samples) * each).Round(time.Second))
	var over func()
	o.Progress, over = b.progress(samples, "samples")
	run, err := ovs.Run(ctx, o)
	over()
	if err := ended(ctx, err); err != nil {
		return err
	}
	b.out.again = ""
	return b.answer(run.Answer(facts.Load()), nil)
}
