package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"plimsoll.dev/engine/load"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/term"
	"plimsoll.dev/loadmodel"
)

func maximumNames() []string {
	var out []string
	for _, m := range loadmodel.Maximums() {
		out = append(out, m.Name)
	}
	return out
}

// climb goes up to a maximum.
func (l *loadCommand) climb(ctx context.Context) error {
	thresholds, err := l.check()
	if err != nil {
		return badInput(err)
	}
	m, known := loadmodel.FindMaximum(l.maximum)
	if !known || l.start < 1 || l.step < 0 || l.goal < 0 {
		return badInput(errors.New("--maximum is one of " + strings.Join(maximumNames(), ", ") +
			"; --start is at least 1, --step and --goal at least 0"))
	}
	client, err := l.connect(l.server)
	if err != nil {
		return err
	}
	_, openshift, err := client.Discover().Find(ctx, "config.openshift.io/v1", "ClusterVersion")
	if err != nil {
		return err
	}
	l.opt.Cluster = load.ClusterOf(ctx, client)
	fact, known := load.Limit(facts.Load(), m, openshift, l.opt.Cluster)
	goal, source := l.goal, "--goal"
	switch {
	case goal == 0 && !known:
		return badInput(fmt.Errorf("nobody has published how many %s such a cluster was tested with; give --goal", m.Unit))
	case goal == 0:
		goal, source = int(fact.Number), fact.Source.String()
	}
	ctx, abandon, done := l.interruptible(ctx)
	defer done()
	l.opt.Abandon, l.opt.Seed, l.opt.RunID = abandon, uint64(l.seed), newRunID(time.Now())
	progress := term.NewProgress(l.terminal, term.ProgressOptions{Title: "climbing", Unit: m.Unit, Total: int64(goal),
		Quiet: l.quiet, Now: time.Now})
	reached := 0
	l.opt.Progress = func(p load.Progress) {
		if p.Done == p.Total {
			return
		}
		progress.Set(int64(reached + p.Done))
	}
	l.opt.Level = func(at int) { reached = at }
	climbed, err := load.ClimbTo(ctx, client, m, loadmodel.Climb(l.start, l.step, goal), l.opt, thresholds)
	progress.Done()
	if err != nil {
		return err
	}
	climbed.Fact = fact.ID
	l.out.again = ""
	return l.answer(climbed.Answer(source), nil)
}
