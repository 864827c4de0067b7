package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll.dev/bench/disk"
	"plimsoll.dev/engine/diskmeter"
	"plimsoll.dev/facts"
)

func newBenchDisk(a *app) *cobra.Command {
	t := &tuning{app: a, failOn: "error"}
	p := disk.Default()
	var cells []string
	fio := false
	c := &cobra.Command{
		Use:   "disk DIR",
		Short: "Measure whether a disk is quick enough for etcd",
		Long: `Disk appends records to files in a directory as etcd's log does, 2,300 bytes and
an fdatasync each, from one writer and from several, and judges the 99th
percentile by what etcd asks for. Name the directory where etcd's data will be:
another disk has other times. Nothing is written outside it, nothing stays in
it, and without room for twice the logs it is refused.

` + exitCodesHelp,
		Example: `  plimsoll bench disk /var/lib/etcd
  plimsoll bench disk /var/lib/etcd --fio
  plimsoll bench disk . --cell wal-8000-1 -o json --output-file before.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := diskCells(&p, cells); err != nil {
				return badInput(err)
			}
			if _, err := diskmeter.Directory(args[0]); err != nil {
				return badInput(err)
			}
			specimen := &disk.Run{Cells: []disk.Measured{{Cell: p.Cells[0]}}}
			if err := t.out.ready(t.app, false, specimen.Answer(facts.Load())); err != nil {
				return err
			}
			ctx, done := untilSignal(c.Context())
			defer done()
			samples := int64(len(p.Cells) * p.Repetitions)
			if fio {
				samples++
			}
			progress, over := t.progress(samples, "samples")
			run, err := diskmeter.Run(ctx, diskmeter.Options{Directory: args[0], Parameters: p, Fio: fio,
				Progress: progress})
			over()
			if err := ended(ctx, err); err != nil {
				return err
			}
			t.out.again = ""
			return t.answer(run.Answer(facts.Load()), nil)
		},
	}
	t.out.flags(c)
	f := c.Flags()
	f.BoolVar(&t.noError, "exit-zero", false, "exit with 0 whatever is found")
	f.BoolVar(&fio, "fio", false, "show what fio measures of the first cell, too")
	f.StringSliceVar(&cells, "cell", nil, "a `CELL` in place of the usual ones: wal-2300-1, bytes and writers")
	f.IntVar(&p.Repetitions, "repetitions", p.Repetitions, "how often all cells are measured")
	f.DurationVar(&p.Duration, "duration", p.Duration, "of a sample")
	f.DurationVar(&p.Warmup, "warmup", p.Warmup, "before a sample, not counted")
	return c
}

// errInterrupted ends a benchmark that somebody has interrupted.
var errInterrupted = &exitError{ExitFailed, errors.New("interrupted: nothing is kept, and nothing is left behind")}

// diskCells reads the names of cells, and checks all.
func diskCells(p *disk.Parameters, names []string) error {
	var wrong []string
	if len(names) > 0 {
		p.Cells = nil
	}
	for _, name := range names {
		c, err := disk.ParseCell(name)
		if err != nil {
			wrong = append(wrong, err.Error())
		}
		p.Cells = append(p.Cells, c)
	}
	for _, err := range p.Check() {
		wrong = append(wrong, err.Error())
	}
	if len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "\n"))
	}
	return nil
}
