package cli

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plimsoll.dev/bench/network"
	"plimsoll.dev/internal/term"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/source/uperf"
)

func newBench(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "bench",
		Short: "Measure network, router, Open vSwitch and disk, and judge them",
		Long: `Bench measures the network between two ends, what a router takes and what its
reloads leave, what OpenFlow rules of Open vSwitch cost, and whether a disk is
good enough for etcd. It traces packets through such rules; reads what uperf,
netperf, iperf3, k8s-netperf and wrk have measured, and says which of their
figures are not what they are called; and compares two runs cell by cell, each
ratio with its interval. The JSON of a router's and a disk's run is also for
"plan --measured".`,
		Example: `  plimsoll bench network --quick
  plimsoll bench router --quick
  plimsoll bench disk /var/lib/etcd
  plimsoll bench import before-*.txt -o json --output-file before.json
  plimsoll bench compare before.json after.json`,
	}
	c.AddCommand(newBenchNetwork(a), newBenchDisk(a), newBenchCells(a), newBenchImport(a), newBenchCompare(a),
		newBenchOVS(a), newBenchRouter(a))
	return c
}

// progress on the terminal, and what ends it.
func (t *tuning) progress(total int64, what string) (func(int, string), func()) {
	p := term.NewProgress(t.terminal,
		term.ProgressOptions{Title: "measuring", Unit: what, Total: total, Quiet: t.quiet, Now: time.Now})
	return func(done int, next string) {
		p.Note(next)
		p.Set(int64(done))
	}, p.Done
}

// ended is the error of a measurement.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errInterrupted
	}
	return err
}

// matrixFlags say what of the matrix is measured, and how often.
type matrixFlags struct {
	quick bool
	cells []string
	set   network.Parameters
}

func (m *matrixFlags) flags(c *cobra.Command) {
	usual := network.Default()
	f := c.Flags()
	f.BoolVar(&m.quick, "quick", false, "six cells in short samples, in under 40 seconds")
	f.StringSliceVar(&m.cells, "cell", nil, "a `CELL` in place of the matrix, such as rr-200x1000-50")
	f.IntVar(&m.set.Repetitions, "repetitions", usual.Repetitions, "how often the whole matrix is measured")
	f.DurationVar(&m.set.Duration, "duration", usual.Duration, "of a sample (--quick: 1.5s)")
	f.DurationVar(&m.set.Warmup, "warmup", usual.Warmup, "before a sample, not counted (--quick: 500ms)")
}

// parameters of the flags and of profiles of uperf. The user is told all that is wrong.
func (m *matrixFlags) parameters(t *tuning, c *cobra.Command, profiles []string) (network.Parameters, error) {
	p := network.Default()
	if m.quick {
		p = network.Quick()
	}
	for name, set := range map[string]func(){"repetitions": func() { p.Repetitions = m.set.Repetitions },
		"duration": func() { p.Duration = m.set.Duration }, "warmup": func() { p.Warmup = m.set.Warmup }} {
		if c.Flags().Changed(name) {
			set()
		}
	}
	var wrong []string
	if len(m.cells)+len(profiles) > 0 {
		p.Cells = nil
	}
	for _, name := range m.cells {
		one, err := network.ParseCell(name)
		if err != nil {
			wrong = append(wrong, err.Error())
			continue
		}
		p.Cells = append(p.Cells, one)
	}
	named, err := t.readProfiles(profiles)
	if err != nil {
		return p, err
	}
	p.Cells = append(p.Cells, named...)
	if len(p.Cells) == 0 && len(wrong) > 0 {
		p.Cells = network.Quick().Cells // the others are told, not that there is none
	}
	for _, err := range p.Check() {
		wrong = append(wrong, err.Error())
	}
	if len(wrong) > 0 {
		return p, badInput(errors.New(strings.Join(wrong, "\n")))
	}
	return p, nil
}

// readProfiles of uperf, with the variables of the environment.
func (t *tuning) readProfiles(paths []string) (cells []network.Cell, err error) {
	var wrong yamlpos.Problems
	for _, path := range paths {
		text, name, err := t.slurp(path, uperf.MaxText)
		if err != nil {
			return nil, badInput(err)
		}
		profile, problems := uperf.Read(name, text, func(name string) (string, bool) { v := t.env(name); return v, v != "" })
		if len(problems) == 0 {
			var more []network.Cell
			more, problems = profile.Cells()
			problems.TakeExcerpts(text, 1, 1)
			cells = append(cells, more...)
		}
		wrong = append(wrong, problems...)
	}
	if len(wrong) > 0 {
		return nil, t.tell(wrong)
	}
	return cells, nil
}

func newBenchCells(a *app) *cobra.Command {
	t, m := &tuning{app: a, failOn: "error"}, &matrixFlags{}
	c := &cobra.Command{
		Use:   "cells [PROFILE]...",
		Short: "Show what would be measured: the matrix, or profiles of uperf",
		Long: `Cells shows the matrix of the studies of OpenShift on IBM Z: request/response,
stream, and connect/request/close, on 1, 50 and 250 connections, with 1x1,
200x1000 and 200x30000 bytes; or the cells that profiles of uperf are. Profiles
are read as they are published: two tags in a line, values without quotes, and
$variables of the environment.`,
		Example: `  plimsoll bench cells
  plimsoll bench cells --cell rr-200x1000-50 --repetitions 5
  nthr=50 plimsoll bench cells rr.xml`,
		RunE: func(c *cobra.Command, args []string) error {
			p, err := m.parameters(t, c, args)
			if err != nil {
				return err
			}
			t.out.again = ""
			return t.answer(p.Answer(), nil)
		},
	}
	t.out.flags(c)
	m.flags(c)
	return c
}
