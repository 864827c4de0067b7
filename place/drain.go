package place

import (
	"slices"
	"strconv"

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
func (r *run) drain(of batches, opt Options) (d v1alpha1.Drain, ok bool) {
	d = v1alpha1.Drain{What: "rolling update, " + of.text, MaxUnavailable: of.most, Batches: len(of.nodes),
		MostUnavailable: -1, Asked: opt.MaxUnavailable == opt.Stated.MaxUnavailable}
	if opt.PerNode != nil {
		d.Duration = *opt.PerNode * unit.Duration(d.Batches)
	}
	o := r.roll(of.nodes, false, opt)
	if o.stopped {
		return d, false
	}
	guarded(o.budgets, &d)
	if o.worst > 0 {
		d.Worst, d.Homeless = r.names(o.at), counts(o.homeless)
	}
	switch {
	case !of.even: // no one number says it
	case o.worst == 0:
		d.MostUnavailable, d.AtLeast = r.mostUnavailable(of.most, of.beyond, opt)
	default:
		d.MostUnavailable, d.AtLeast = r.mostUnavailable(0, of.most, opt)
	}
	return d, true
}

// batches are the nodes that an update takes together, never of two pools.
type batches struct {
	nodes [][]int
	// most is the size of the largest batch, and beyond one that is too large for any pool.
	most, beyond int
	// even says that as many of each pool go at a time, as far as it has them.
	even bool
	// text says how many go at a time.
	text string
}

// batches divides each pool by itself, of which so many nodes, or such a share, may be away.
func (r *run) batches(maxUnavailable string) (b batches, err error) {
	pools := r.c.Updates()
	sizes := make([]int, len(pools))
	single := ""
	for i, p := range pools {
		if sizes[i], err = pool.WorkersAtOnce(maxUnavailable, len(p.Nodes)); err != nil {
			return b, err
		}
		if p.OneByOne && sizes[i] > 1 {
			sizes[i], single = 1, single+", "+p.Name+" 1"
		}
		sizes[i] = max(1, sizes[i])
		b.nodes = slices.AppendSeq(b.nodes, slices.Chunk(p.Nodes, sizes[i]))
		b.most, b.beyond = max(b.most, sizes[i]), max(b.beyond, len(p.Nodes))
	}
	b.even = true
	for i, p := range pools {
		b.even = b.even && (p.OneByOne || sizes[i] == min(b.most, len(p.Nodes)))
	}
	b.text = words.Count(b.most, "node") + " at a time"
	if len(pools) > 1 {
		b.beyond++
		if !b.even {
			b.text = maxUnavailable + " at a time"
		}
		b.text += ", pool by pool" + single
	}
	return b, nil
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
		of, err := r.batches(strconv.Itoa(mid))
		if err != nil {
			return most, most > 0
		}
		o := r.roll(of.nodes, true, opt)
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
func (r *run) roll(batches [][]int, first bool, opt Options) (o rolled) {
	c := r.clone()
	o.budgets = r.budgets()
	for i, nodes := range batches {
		if first && o.worst > 0 {
			break
		}
		if !opt.Next(i, len(batches)) {
			o.stopped = true
			return o
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
