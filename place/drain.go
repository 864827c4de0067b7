package place

import (
	"fmt"
	"math/bits"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/tune/pool"
	"plimsoll.dev/unit"
)

// mostMoved is how many pods may have to move in all, before other sizes of
// batches are not tried.
const mostMoved = 2_000_000

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
	o := r.roll(batch, opt)
	if o.stopped {
		return d, false
	}
	if o.worst > 0 {
		d.Worst, d.Homeless = r.names(o.at), counts(o.homeless)
	}
	if sum(r.placed)*bits.Len(uint(len(r.c.Nodes))) > mostMoved {
		return d, true
	}
	low, high := 0, len(r.c.Nodes) // every pod runs at low, not at high
	if o.worst == 0 {
		low = batch
	} else {
		high = batch
	}
	opt.Trying = nil
	for low+1 < high {
		mid := (low + high) / 2
		switch o := r.roll(mid, opt); {
		case o.stopped:
			return d, true
		case o.worst == 0:
			low = mid
		default:
			high = mid
		}
	}
	d.MostUnavailable = low
	return d, true
}

// rolled is what a rolling update comes to: the worst batch, with the pods that
// had no place meanwhile.
type rolled struct {
	worst        int
	at, homeless []int
	stopped      bool
}

// roll drains batch after batch; nodes come back empty when their batch is done.
func (r *run) roll(batch int, opt Options) (o rolled) {
	c := r.clone()
	n := len(c.c.Nodes)
	for first := 0; first < n; first += batch {
		if !opt.Next(first/batch, pool.Waves(n, batch)) {
			o.stopped = true
			return o
		}
		var nodes []int
		for i := first; i < min(first+batch, n); i++ {
			nodes = append(nodes, i)
		}
		out := c.evict(nodes)
		if w := sum(out); w > o.worst {
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
