package load

import (
	"context"

	"plimsoll.dev/engine/apiserver"
	"plimsoll.dev/loadmodel"
)

// Level is a number that a climb has reached, or not.
type Level struct {
	At int `json:"at"`
	// Held says that all was ready and every threshold held; Broke is why not.
	Held       bool        `json:"held"`
	Broke      string      `json:"broke,omitempty"`
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
	// Held is the highest level that held.
	Held    int      `json:"held"`
	Cleaned bool     `json:"cleaned"`
	Left    []string `json:"left,omitempty"`
}

// ClimbTo adds objects level by level, each on top of those before, until a level does not hold. The
// thresholds judge what was added in the level. In the end all is taken away, unless the options say never.
func ClimbTo(ctx context.Context, c *apiserver.Client, m loadmodel.Maximum, levels []int, opt Options,
	thresholds []Threshold) (*Climbed, error) {
	if opt.Cluster == (Cluster{}) {
		opt.Cluster = ClusterOf(ctx, c)
	}
	out := &Climbed{RunID: opt.RunID, Maximum: m.Name, Unit: m.Unit, Goal: levels[len(levels)-1], Cluster: opt.Cluster}
	cleanup := opt.Cleanup
	opt.Cleanup = "never"
	from := 0
	for _, to := range levels {
		if opt.Level != nil {
			opt.Level(from)
		}
		result, err := Run(ctx, c, m.Work(from, to), opt)
		if err != nil && len(out.Levels) == 0 {
			return nil, err
		}
		if err != nil {
			result = &Result{RunID: opt.RunID, Failed: err.Error()}
		}
		level := Level{At: to, Result: result, Judgements: result.Judge(thresholds), Held: result.Failed == "",
			Broke: result.Failed}
		for _, j := range level.Judgements {
			if !j.Holds && level.Held {
				level.Held, level.Broke = false, j.Why
			}
		}
		out.Levels = append(out.Levels, level)
		if !level.Held {
			break
		}
		out.Held, from = to, to
	}
	if cleanup != "never" {
		out.clean(ctx, c, opt)
	}
	return out, nil
}

// clean goes on when the climb's context has ended.
func (l *Climbed) clean(ctx context.Context, c *apiserver.Client, opt Options) {
	ctx, stop := outliving(ctx, opt.Abandon)
	defer stop()
	_, err := Destroy(ctx, c, l.RunID)
	l.Cleaned = err == nil
	if err != nil {
		l.Left = append(l.Left, err.Error())
	}
}
