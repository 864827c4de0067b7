package place

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/tune/pool"
	"plimsoll.dev/unit"
)

// mostMoved is how many pods may move in all while other sizes of batches are tried. One to
// which other nodes matter, or that is of a rare kind, counts as several, for the time that it takes.
const (
	mostMoved = 300_000
	asSeveral = 10
)

// drain empties the nodes batch by batch, as a rolling update does, and looks
// whether all pods keep running; and how large batches could be. It is not ok
// when it was stopped before there was an answer.
func (r *run) drain(batch int, opt Options) (d v1alpha1.Drain, ok bool) {
	d = v1alpha1.Drain{What: fmt.Sprintf("rolling update, %s at a time", words.Count(batch, "node")),
		MaxUnavailable: batch, Batches: pool.Waves(len(r.c.Nodes), batch), MostUnavailable: -1,
		Asked: opt.MaxUnavailable == opt.Stated.MaxUnavailable}
	if opt.PerNode != nil {
		d.Duration = *opt.PerNode * unit.Duration(d.Batches)
	}
	o := r.roll(batch, false, opt)
	if o.stopped {
		return d, false
	}
	guarded(o.budgets, &d)
	if o.worst > 0 {
		d.Worst, d.Homeless = r.names(o.at), counts(o.homeless)
	}
	if o.worst == 0 {
		d.MostUnavailable, d.AtLeast = r.mostUnavailable(batch, len(r.c.Nodes), opt)
	} else {
		d.MostUnavailable, d.AtLeast = r.mostUnavailable(0, batch, opt)
	}
	return d, true
}

// mostUnavailable is the largest size of batches with which every pod keeps running, which
// it does at low and not at high; -1 when others were not tried. Where the search ends
// before, more may do.
func (r *run) mostUnavailable(low, high int, opt Options) (most int, atLeast bool) {
	most = -1
	opt.Trying = nil
	all, moved := r.drained(r.placed), 0
	for low+1 < high {
		mid := (low + high) / 2
		if moved+all > mostMoved {
			return most, most > 0
		}
		o := r.roll(mid, true, opt)
		moved += o.moved
		switch {
		case o.stopped:
			return most, most > 0
		case o.worst == 0:
			low, most = mid, mid
		default:
			high = mid
		}
	}
	return low, false
}

// drained counts pods that move.
func (r *run) drained(pods []int) (moved int) {
	for kind, n := range pods {
		if n > 0 && (r.placed[kind] < asSeveral || r.s.Meets(r.class[kind])) {
			n *= asSeveral
		}
		moved += n
	}
	return moved
}

// rolled is what a rolling update comes to: the worst batch, with the pods that
// had no place meanwhile.
type rolled struct {
	worst        int
	at, homeless []int
	stopped      bool
	moved        int
	budgets      []budget
}

// roll drains batch after batch; nodes come back empty when their batch is done. It may
// end with the first batch that leaves a pod without a place.
func (r *run) roll(batch int, first bool, opt Options) (o rolled) {
	c := r.clone()
	n := len(c.c.Nodes)
	o.budgets = r.budgets()
	for from := 0; from < n && !(first && o.worst > 0); from += batch {
		if !opt.Next(from/batch, pool.Waves(n, batch)) {
			o.stopped = true
			return o
		}
		var nodes []int
		for i := from; i < min(from+batch, n); i++ {
			nodes = append(nodes, i)
		}
		out, moved := c.evict(nodes)
		o.moved += r.drained(moved)
		moves(o.budgets, moved)
		if w := r.missed(out); w > o.worst {
			o.worst, o.at, o.homeless = w, nodes, out
		}
		for _, i := range nodes {
			c.s.SetFull(i, false)
			c.s.SetUnschedulable(i, c.c.Nodes[i].Unschedulable)
		}
		c.changes++
		c.again(out) // they come back with the nodes
	}
	return o
}
