package pack

import (
	"encoding/binary"
	"slices"
)

// fewItems is the most items of a packing that is looked for in all ways there are.
const fewItems = 64

// exact packs on given numbers of nodes in all ways there are: each step takes the first
// item that is left, and fills the node that it is to be on until nothing that is left
// fits there: to leave room for what could be there gains nothing.
type exact struct {
	m            *model
	fill         *filler
	order        []int32 // of the items
	count, stock []int64 // that are left
	loads        []load
	lost         map[string]bool // what is left and does not go
}

// exactly packs on so many nodes of each kind; nil where that can't be done, or is not
// found for the share of the effort that it is worth.
func (s *search) exactly(stock []int64) (found *mix) {
	items := int64(0)
	for _, n := range s.m.count {
		if items += n; items > fewItems {
			return nil
		}
	}
	e := &exact{m: s.m, fill: newFiller(s.m, s.work), count: slices.Clone(s.m.count), stock: slices.Clone(stock),
		lost: map[string]bool{}}
	for i := range s.m.items {
		e.order = append(e.order, int32(i))
	}
	sortByKey(e.order, s.price)
	s.work.within(0.05, func() {
		if !e.pack() {
			return
		}
		found = &mix{left: e.count}
		count := slices.Clone(s.m.count)
		for _, l := range e.loads {
			found.take(s.m, l, count, stock)
		}
	})
	return found
}

// pack packs what is left.
func (e *exact) pack() bool {
	at := slices.IndexFunc(e.order, func(i int32) bool { return e.count[i] > 0 })
	if at < 0 {
		return true
	}
	left := e.left()
	if e.fill.work.over() || e.lost[left] || !e.m.roomy(e.count, e.stock) {
		return false
	}
	for k := range e.m.kinds {
		if e.stock[k] == 0 || e.m.fits(k)[e.order[at]] == 0 {
			continue
		}
		var list []load
		e.fill.begin(k)
		e.fillings(at, 1, &list)
		for _, l := range list {
			e.put(l, 1)
			if e.pack() {
				return true
			}
			e.put(l, -1)
		}
	}
	e.lost[left] = true
	return false
}

// left is what is left, as a key.
func (e *exact) left() string {
	var key []byte
	for _, list := range [][]int64{e.count, e.stock} {
		for _, n := range list {
			key = binary.AppendVarint(key, n)
		}
	}
	e.fill.work.spend(300 + (e.m.items+e.m.kinds)*(10+2*e.m.dims)) // and the room
	return string(key)
}

// put puts a node into the packing, or takes the last one out again, by the sign.
func (e *exact) put(l load, sign int64) {
	e.stock[l.kind] -= sign
	for j, i := range l.items {
		e.count[i] -= sign * l.counts[j]
	}
	if e.loads = append(e.loads, l); sign < 0 {
		e.loads = e.loads[:len(e.loads)-2]
	}
}

// roomy says that so many nodes have room for so many items, could these be split.
func (m *model) roomy(count, stock []int64) bool {
	for d := range m.dims {
		need, room := 0.0, 0.0
		for i, n := range count {
			need += float64(float64(n) * float64(m.needs(i)[d]))
		}
		for k, n := range stock {
			room += float64(float64(n) * float64(m.room(k)[d]))
		}
		if need > room*(1+1e-9) {
			return false
		}
	}
	return true
}

// fillings lists the ways to fill the node with the items from a place in the order on, at least
// so many of the first: those with most of it come first.
func (e *exact) fillings(at int, least int64, out *[]load) {
	f := e.fill
	f.work.spend(2*f.m.dims + 20)
	if f.work.over() {
		return
	}
	if at == len(e.order) {
		if !e.open() {
			f.work.spend(300)
			l := load{kind: int32(f.kind), items: slices.Clone(f.on), copies: 1}
			for _, i := range f.on {
				l.counts = append(l.counts, f.has[i])
			}
			*out = append(*out, l)
		}
		return
	}
	i := e.order[at]
	for f.add(i, e.count[i]); f.has[i] >= least; f.drop(i) {
		e.fillings(at+1, 0, out)
		if f.has[i] == 0 {
			return
		}
	}
}

// open says that one more of some item fits on the node.
func (e *exact) open() bool {
	f := e.fill
	f.work.spend(len(e.order) * (2*f.m.dims + 5))
	return slices.ContainsFunc(e.order, func(i int32) bool {
		if e.count[i] == f.has[i] || f.add(i, 1) == 0 {
			return false
		}
		f.drop(i)
		return true
	})
}
