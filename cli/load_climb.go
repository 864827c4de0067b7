package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plimsoll.dev/engine/apiserver"
	"plimsoll.dev/engine/load"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/term"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/loadmodel"
)

func maximumNames() []string {
	var out []string
	for _, m := range loadmodel.Maximums() {
		out = append(out, m.Name)
	}
	return out
}

func (l *loadCommand) climbFlags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&l.maximum, "maximum", "", "climb to this limit: "+strings.Join(maximumNames(), ", "))
	f.IntVar(&l.goal, "goal", 0, "with --maximum: the number to reach (default: what is tested, of the newest release)")
	f.IntVar(&l.start, "start", 100, "with --maximum: the first level; each has twice as many as the one before")
	f.IntVar(&l.step, "step", 0, "with --maximum: so many more at each level, instead of twice as many")
	f.IntVar(&l.precision, "precision", 0,
		"with --maximum: bisect until what holds and what breaks are at most so many apart")
	mustComplete(c, "maximum", maximumNames())
}

// climb goes up to a maximum.
func (l *loadCommand) climb(ctx context.Context) error {
	thresholds, err := l.judges()
	if err != nil {
		return badInput(err)
	}
	m, known := loadmodel.FindMaximum(l.maximum)
	if !known || l.start < 1 || l.step < 0 || l.goal < 0 || l.precision < 0 {
		return badInput(errors.New("--maximum is one of " + strings.Join(maximumNames(), ", ") +
			"; --start is at least 1, --step, --goal and --precision at least 0"))
	}
	if err := l.out.ready(l.app, l.dryRun, load.ClimbSpecimens(l.opt)...); err != nil {
		return err
	}
	if l.dryRun && l.goal > 0 {
		return l.print(m.Work(0, l.goal))
	}
	client, err := l.connect(l.server)
	if err != nil {
		return err
	}
	goal, source, fact, err := l.aim(ctx, client, m)
	if err != nil {
		return err
	}
	if l.dryRun {
		return l.print(m.Work(0, goal))
	}
	ctx, abandon, done := l.interruptible(ctx)
	defer done()
	l.opt.Abandon, l.opt.Seed, l.opt.RunID = abandon, uint64(l.seed), newRunID(time.Now())
	options := term.ProgressOptions{Unit: m.Unit, Quiet: l.quiet, Now: time.Now}
	progress := term.NewProgress(l.terminal, options)
	l.opt.Level = func(from, to int) {
		progress.Done()
		options.Title, options.Total = "climbing to "+words.Number(to), int64(to-from)
		progress = term.NewProgress(l.terminal, options)
	}
	l.opt.Progress = func(p load.Progress) { show(progress, p, l.opt.Rate) }
	way := load.Way{Maximum: m, Levels: loadmodel.Climb(l.start, l.step, goal), Precision: l.precision}
	climbed, err := load.ClimbTo(ctx, client, way, l.opt, thresholds)
	progress.Done()
	if err != nil {
		return err
	}
	climbed.Fact = fact
	l.out.again = ""
	return l.answer(climbed.Answer(source), nil)
}

// aim is the number to reach, where it comes from, and the figure of the catalogue that is measured anew.
func (l *loadCommand) aim(ctx context.Context, client *apiserver.Client, m loadmodel.Maximum) (goal int, source,
	fact string, err error) {
	_, openshift, err := client.Discover().Find(ctx, "config.openshift.io/v1", "ClusterVersion")
	if err != nil {
		return 0, "", "", err
	}
	l.opt.Cluster = load.ClusterOf(ctx, client)
	f, known := load.Limit(facts.Load(), m, openshift, l.opt.Cluster)
	switch {
	case l.goal > 0:
		return l.goal, "--goal", f.ID, nil
	case !known:
		return 0, "", "", badInput(fmt.Errorf("nobody has published how many %s such a cluster was tested with; give --goal",
			m.Unit))
	}
	return int(f.Number), f.Source.String(), f.ID, nil
}
