package load

import (
	"cmp"
	"context"
	"fmt"

	"plimsoll.dev/engine/apiserver"
	"plimsoll.dev/loadmodel"
)

// Way is how a maximum is climbed.
type Way struct {
	Maximum loadmodel.Maximum
	// Levels in ascending order, at least one; the last is the goal.
	Levels []int
	// Precision is how near the highest level that holds and the lowest that breaks come to each other by
	// bisection, at least 1; 0 leaves them where the climb has found them.
	Precision int
}

// Level is a number that a climb has reached, or not.
type Level struct {
	At int `json:"at"`
	// From is the number that it adds to. Anew says that all was taken away first, and made again up to it.
	From int  `json:"from"`
	Anew bool `json:"anew,omitempty"`
	// Held says that all was ready and every threshold held; Broke is why not, Unknown why that can't be said.
	Held       bool        `json:"held"`
	Broke      string      `json:"broke,omitempty"`
	Unknown    string      `json:"unknown,omitempty"`
	Result     *Result     `json:"result"`
	Judgements []Judgement `json:"judgements"`
}

// Climbed is the way up to a maximum.
type Climbed struct {
	RunID   string `json:"runID"`
	Maximum string `json:"maximum"`
	Unit    string `json:"unit"`
	Goal    int    `json:"goal"`
	// Fact is the id of the figure of the catalogue that is measured anew; empty where there is none.
	Fact    string  `json:"fact,omitempty"`
	Cluster Cluster `json:"cluster"`
	Levels  []Level `json:"levels"`
	// Held is the highest level that held, Broke the lowest that did not; 0 where there is none. Whether
	// what holds at a number holds at all below it is not known.
	Held  int `json:"held"`
	Broke int `json:"broke,omitempty"`
	// Precision that was asked for; Stopped says why the climb ended before a level broke, or bisection before
	// the precision.
	Precision int      `json:"precision,omitempty"`
	Stopped   string   `json:"stopped,omitempty"`
	Cleaned   bool     `json:"cleaned"`
	Left      []string `json:"left,omitempty"`
}

// climber goes up, or down.
type climber struct {
	client     *apiserver.Client
	way        Way
	opt        Options
	thresholds []Threshold
	out        *Climbed
}

// ClimbTo adds objects level by level, each on top of those before, until a level does not hold. The
// thresholds judge what was added in the level. With a precision it then looks for the maximum by
// bisection. In the end all is taken away, unless the options say never.
func ClimbTo(ctx context.Context, client *apiserver.Client, way Way, opt Options, thresholds []Threshold) (*Climbed,
	error) {
	if opt.Cluster == (Cluster{}) {
		opt.Cluster = ClusterOf(ctx, client)
	}
	if err := unclimbed(ctx, client, way); err != nil {
		return nil, err
	}
	out := &Climbed{RunID: opt.RunID, Maximum: way.Maximum.Name, Unit: way.Maximum.Unit,
		Goal: way.Levels[len(way.Levels)-1], Precision: way.Precision, Cluster: opt.Cluster}
	cleanup := opt.Cleanup
	opt.Cleanup = "never"
	c := &climber{client, way, opt, thresholds, out}
	if err := c.up(ctx); err != nil {
		return nil, err
	}
	if out.Broke > 0 && way.Precision > 0 {
		if err := c.bisect(ctx); err != nil {
			out.Stopped = err.Error()
		}
	}
	if cleanup != "never" {
		out.clean(ctx, client, opt)
	}
	return out, nil
}

// unclimbed is an error where something stands in the way that a climb has left: it would look like a limit.
func unclimbed(ctx context.Context, client *apiserver.Client, way Way) error {
	there, err := (&run{client: client}).listNamespaces(ctx, client.Do, "")
	if err != nil {
		return err
	}
	for _, n := range way.Maximum.Work(0, way.Levels[len(way.Levels)-1]).Namespaces {
		old, exists := there[n.Name]
		switch run := old.labels[RunLabel]; {
		case !exists:
		case run == "":
			return fmt.Errorf("there is a namespace %s already, which no run has made; delete it", n.Name)
		default:
			return fmt.Errorf("there is a namespace %s already, of run %s (plimsoll load destroy %s)", n.Name, run, run)
		}
	}
	return nil
}

// up goes from level to level. The error is one that came before the first.
func (c *climber) up(ctx context.Context) error {
	for _, to := range c.way.Levels {
		result, err := c.add(ctx, c.out.Held, to)
		switch {
		case err != nil && len(c.out.Levels) == 0:
			return err
		case ctx.Err() != nil && (err != nil || result.Failed != ""): // which says nothing about the level
			c.out.Stopped = errInterrupted.Error()
			return nil
		case err != nil:
			result = &Result{RunID: c.opt.RunID, Failed: err.Error()}
		}
		if !c.judge(Level{At: to, From: c.out.Held, Result: result}) {
			break
		}
	}
	return nil
}

// add what leads from one number to another.
func (c *climber) add(ctx context.Context, from, to int) (*Result, error) {
	if c.opt.Level != nil {
		c.opt.Level(from, to)
	}
	return Run(ctx, c.client, c.way.Maximum.Work(from, to), c.opt)
}

// judge whether a level has held. One of which that is not known ends the climb.
func (c *climber) judge(l Level) bool {
	l.Judgements = l.Result.Judge(c.thresholds)
	l.Held, l.Broke = l.Result.Failed == "", l.Result.Failed
	for _, j := range l.Judgements {
		switch {
		case j.Holds || l.Broke != "":
		case j.Known:
			l.Held, l.Broke, l.Unknown = false, j.Why, ""
		default:
			l.Held, l.Unknown = false, cmp.Or(l.Unknown, j.Why)
		}
	}
	c.out.Levels = append(c.out.Levels, l)
	switch {
	case l.Held:
		c.out.Held = max(c.out.Held, l.At)
	case l.Unknown != "":
		c.out.Stopped = l.Unknown
	default:
		c.out.Broke = min(cmp.Or(c.out.Broke, l.At), l.At)
	}
	return l.Held
}

// bisect tries the middle between the highest level that held and the lowest that broke until they are
// near enough. Each is made anew, because what has broken does not come back by itself, on top of what
// held in the climb: so it is judged by what it adds, as the levels of the climb are. The error is why it
// could not be done to the end.
func (c *climber) bisect(ctx context.Context) error {
	base := c.out.Held
	for c.out.Broke-c.out.Held > c.way.Precision {
		at := c.out.Held + (c.out.Broke-c.out.Held)/2
		if err := c.refill(ctx, base); err != nil {
			return err
		}
		result, err := c.add(ctx, base, at)
		switch {
		case ctx.Err() != nil:
			return errInterrupted
		case err != nil:
			return err
		}
		if c.judge(Level{At: at, From: base, Anew: true, Result: result}); c.out.Stopped != "" {
			return nil
		}
	}
	return nil
}

// refill takes all away and makes what held in the climb.
func (c *climber) refill(ctx context.Context, base int) error {
	if ctx.Err() != nil {
		return errInterrupted
	}
	if _, err := Destroy(ctx, c.client, c.opt.RunID); err != nil {
		return fmt.Errorf("not all could be taken away: %w", err)
	}
	if base == 0 {
		return nil
	}
	result, err := c.add(ctx, 0, base)
	switch {
	case ctx.Err() != nil:
		return errInterrupted
	case err != nil:
		return err
	case result.Failed != "":
		return fmt.Errorf("%d held in the climb and did not when it was made anew: %s", base, result.Failed)
	}
	return nil
}

// broken is the lowest level that did not hold, or nil.
func (l *Climbed) broken() *Level {
	for i := range l.Levels {
		if at := &l.Levels[i]; !at.Held && at.At == l.Broke {
			return at
		}
	}
	return nil
}

// clean goes on when the climb's context has ended.
func (l *Climbed) clean(ctx context.Context, c *apiserver.Client, opt Options) {
	ctx, stop := Outliving(ctx, opt.Abandon)
	defer stop()
	_, err := Destroy(ctx, c, l.RunID)
	l.Cleaned = err == nil
	if err != nil {
		l.Left = append(l.Left, Interrupted(err).Error())
	}
}
