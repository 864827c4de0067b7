package nova

import (
	"fmt"
	"math/bits"
	"slices"

	"plimsoll.dev/internal/words"
)

// Explain returns, for a VM that does not fit, the first failing test of each
// node for each cell, the host's own first; nil for one that fits. Where every
// cell has a node and the VM still has no place, it says what the cells can't have
// together.
func (h *Host) Explain(r *Request, rules Rules) []Reason {
	if h.Fits(r, rules) {
		return nil
	}
	var e explanation
	e.init(h, r, rules)
	e.host()
	if e.m <= MaxNodes {
		e.nodes()
	}
	if !e.hopelessCell && e.n > 0 && e.n <= e.m && e.m <= MaxNodes {
		e.jointly()
	}
	return append(e.own, e.each...)
}

type explanation struct {
	search
	// own are the reasons of the host as a whole, each those of its nodes.
	own, each []Reason
	// hopelessCell says that a cell fits on no node.
	hopelessCell bool
}

// host adds what the host as a whole fails.
func (e *explanation) host() {
	e.beside()
	f, i := e.hostWide()
	if f.test == passed {
		return
	}
	kind := ""
	if f.test == fewDevices {
		kind = e.r.Devices[i].Kind
	}
	name, text := f.tell(kind)
	e.own = append(e.own, Reason{Node: -1, Cell: -1, Test: name, Text: text})
}

// nodes adds the first failing test of each node for each cell, and keeps what fits.
func (e *explanation) nodes() {
	for i := range min(e.n, MaxNodes) {
		d := demandOf(e.r, &e.ask, i)
		for k := range e.h.Cells {
			c := &e.h.Cells[k]
			_, f := e.check(e.h, c, coresOf(c), &d)
			if f.test == passed {
				e.fits[i] |= 1 << k
				continue
			}
			name, text := f.tell("")
			e.each = append(e.each, Reason{Node: c.ID, Cell: e.r.Cells[i].ID, Test: name, Text: text})
		}
		e.hopelessCell = e.hopelessCell || e.fits[i] == 0
	}
}

// jointly adds why cells that each have a node have none together. Positions are
// indices of Host.Cells here.
func (e *explanation) jointly() {
	for k := range e.m {
		e.order[k] = uint8(k)
	}
	e.classes[0] = span(e.m)
	e.relaxed = e.rules != Nova
	e.nets = networks(e.h, e.r, e.rules)
	if _, ok := e.rest(0, 0); !ok {
		e.own = append(e.own, e.crowded())
		return
	}
	if len(e.own) > 0 {
		return
	}
	before := len(e.each)
	e.farNetworks()
	e.farDevices()
	if len(e.own)+len(e.each) == before {
		text := "each alone has a place, but together they leave too few CPUs to the vCPUs that float over the host"
		if wanted := e.wanted(); wanted != "" {
			text = "each alone has a place, but no choice of nodes is near to all of them: " + wanted
		}
		e.own = append(e.own, Reason{Node: -1, Cell: -1, Test: "cells", Text: text})
	}
}

// wanted are the devices and the networks of the VM that bind it to nodes.
func (e *explanation) wanted() string {
	var all []string
	for _, q := range e.merged() {
		all = append(all, words.Count(q.Count, q.Kind+" device")+" ("+e.strictness(&q)+")")
	}
	for _, name := range e.r.Physnets {
		if e.rules == Nova && e.h.nodesOf(name) != 0 {
			all = append(all, "network "+name)
		}
	}
	if e.rules == Nova && e.r.Tunneled && e.h.tunnelNodes() != 0 {
		all = append(all, "the tunnelled network")
	}
	return words.And(all)
}

// crowded names cells that have too few nodes between them: those that a search
// for a node for the last one comes by.
func (e *explanation) crowded() Reason {
	lost := e.lost()
	nodes, cells := uint64(0), uint64(1)<<lost
	for grown := true; grown; {
		grown = false
		for i := range e.n {
			if cells>>i&1 == 1 {
				nodes |= e.fits[i]
			}
		}
		for k := range e.m {
			if owner := e.owner[k]; nodes>>k&1 == 1 && owner >= 0 && cells>>owner&1 == 0 {
				cells |= 1 << owner
				grown = true
			}
		}
	}
	text := fmt.Sprintf("cells %s fit on %s %s only", e.names(cells, e.cellID),
		words.Form(bits.OnesCount64(nodes), "node"), e.names(nodes, e.nodeID))
	return Reason{Node: -1, Cell: -1, Test: "cells", Text: text}
}

// lost is a cell that the last matching left without a node.
func (e *explanation) lost() int {
	matched := uint64(0)
	for k := range e.m {
		if e.owner[k] >= 0 {
			matched |= 1 << e.owner[k]
		}
	}
	return bits.TrailingZeros64(^matched)
}

func (e *explanation) cellID(i int) int { return e.r.Cells[i].ID }
func (e *explanation) nodeID(k int) int { return e.h.Cells[k].ID }

// names lists the members of a mask: "0, 1 and 2".
func (e *explanation) names(mask uint64, id func(int) int) string {
	var all []string
	for ; mask != 0; mask &= mask - 1 {
		all = append(all, fmt.Sprint(id(bits.TrailingZeros64(mask))))
	}
	return words.And(all)
}

// farNetworks adds, for each network that is near to no node that the cells can
// have, which nodes it is near to.
func (e *explanation) farNetworks() {
	for _, name := range e.r.Physnets {
		if e.rules == Nova {
			e.far(name, e.h.nodesOf(name))
		}
	}
	if e.rules == Nova && e.r.Tunneled {
		e.far("the tunnelled network", e.h.tunnelNodes())
	}
}

func (e *explanation) far(what string, near uint64) {
	if near == 0 || e.possible(func(c choice) bool { return near&(c.chosen|c.others) != 0 }) {
		return
	}
	e.blame("network", fmt.Sprintf("%s is on %s %s only", what, words.Form(bits.OnesCount64(near), "node"),
		e.names(near, e.nodeID)))
}

// merged are the requests for devices, those of one kind and policy as one.
func (e *explanation) merged() []DeviceRequest {
	var all []DeviceRequest
	for _, q := range e.r.Devices {
		same := func(o DeviceRequest) bool { return o.Kind == q.Kind && o.Policy == q.Policy }
		if i := slices.IndexFunc(all, same); i >= 0 {
			all[i].Count += max(q.Count, 0)
		} else if q.Count > 0 {
			all = append(all, q)
		}
	}
	return all
}

// farDevices adds the requests that, each alone, no possible place has devices for.
func (e *explanation) farDevices() {
	if !e.devices {
		return
	}
	d := e.devicesOf(e.h.freeDevices(nil))
	for _, q := range e.merged() {
		if e.possible(func(c choice) bool { return !d.scarce([]DeviceRequest{q}, c) }) {
			continue
		}
		if e.n > 1 {
			e.blame("devices", fmt.Sprintf("no choice of nodes is near enough to %s for %s",
				words.Count(q.Count, "free "+q.Kind+" device"), e.strictness(&q)))
			continue
		}
		e.fewNear(&d, &q)
	}
}

// fewNear adds, to each node that the only cell can have, how many devices are near
// enough.
func (e *explanation) fewNear(d *devices, q *DeviceRequest) {
	for nodes := e.fits[0]; nodes != 0; nodes &= nodes - 1 {
		k := bits.TrailingZeros64(nodes)
		allowed, _ := d.reach(q, 1<<k)
		have := words.Count(d.count(q.Kind, 1<<k, allowed), "free "+q.Kind+" device")
		text := fmt.Sprintf("%s near enough for %s < %d", have, e.strictness(q), q.Count)
		if n := d.count(q.Kind, 1<<k, unknown&^allowed); n > 0 {
			text += fmt.Sprintf("; of %d nobody says on which node", n)
		}
		e.each = append(e.each, Reason{Node: e.nodeID(k), Cell: e.cellID(0), Test: "devices", Text: text})
	}
}

// strictness is the policy of a request in the words of the rules.
func (e *explanation) strictness(q *DeviceRequest) string {
	p := (&devices{rules: Nova}).policy(q)
	switch {
	case e.rules == Nova:
		return p
	case p == Preferred:
		return "prefer"
	}
	return "strict"
}

// possible reports whether some place of all cells passes a test that a further node
// never fails, or whether that is too hard to tell.
func (e *explanation) possible(test func(choice) bool) bool {
	e.steps = 0
	return e.some(0, 0, test, map[uint64]bool{})
}

func (e *explanation) some(i int, used uint64, test func(choice) bool, dead map[uint64]bool) bool {
	if i == e.n {
		return test(choice{chosen: used})
	}
	for left := e.fits[i] &^ used; left != 0; left &= left - 1 {
		now := used | left&-left
		if dead[now] || !test(choice{now, e.reachable(i+1, now), e.n - i - 1}) {
			continue
		}
		if e.steps++; e.steps > mostSteps {
			return true
		}
		if _, ok := e.rest(i+1, now); ok && e.some(i+1, now, test, dead) {
			return true
		}
		dead[now] = true
	}
	return false
}

// blame adds a reason: to each node of a VM of one cell, to the host otherwise.
func (e *explanation) blame(test, text string) {
	if e.n > 1 {
		e.own = append(e.own, Reason{Node: -1, Cell: -1, Test: test, Text: text})
		return
	}
	for nodes := e.fits[0]; nodes != 0; nodes &= nodes - 1 {
		e.each = append(e.each, Reason{Node: e.nodeID(bits.TrailingZeros64(nodes)), Cell: e.cellID(0), Test: test,
			Text: text})
	}
}
