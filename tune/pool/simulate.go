package pool

import "errors"

// Simulate plays a rollout twice, with the least and with the greatest times of
// all nodes. The result tells the second, and the range of both where a figure is a
// range. Errors are those of Options.Problems.
func Simulate(o Options) (Result, error) {
	if problems := o.Problems(); len(problems) > 0 {
		return Result{}, errors.Join(problems...)
	}
	fast, slow := play(&o, false), play(&o, true)
	for i := range slow.Pools {
		p := &slow.Pools[i]
		for _, f := range fast.Pools {
			if f.Name == p.Name && f.Took != nil && p.Took != nil {
				p.Took.Min = f.Took.Min
			}
		}
	}
	slow.Took = whole(slow.Pools)
	return slow, nil
}

func play(o *Options, slow bool) Result {
	w := newWorld(o, slow)
	r := newRecorder(w)
	w.run(o, r)
	return r.result
}

// whole is the time that all pools take; nil when one never ends.
func whole(pools []PoolResult) *Range {
	out := &Range{}
	for _, p := range pools {
		if p.Took == nil {
			return nil
		}
		out.Min, out.Max = max(out.Min, p.Took.Min), max(out.Max, p.Took.Max)
	}
	return out
}
