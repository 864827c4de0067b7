package nova_test

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"plimsoll.dev/place/nova"
)

// novaTwin is Nova's search told as plainly as it is: every permutation, two
// memories of pairs of ids, and guest cells that change on the way.
type novaTwin struct {
	twin
	ids           []int
	pages         []nova.PageSize
	places        []nova.CellFit // as of the last packing
	fitted, unfit map[[2]int]bool
}

func (w *novaTwin) search() (*nova.Fit, bool) {
	if len(w.r.Cells) > len(w.h.Cells) {
		return nil, false
	}
	w.fitted, w.unfit = map[[2]int]bool{}, map[[2]int]bool{}
	for _, c := range w.r.Cells {
		w.ids, w.pages = append(w.ids, c.ID), append(w.pages, c.PageSize)
	}
	w.places = make([]nova.CellFit, len(w.ids))
	var answer *nova.Fit
	w.permute(w.order(), nil, func(nodes []int) {
		if answer == nil {
			answer = w.walk(nodes)
		}
	})
	return answer, answer != nil
}

// walk tries one permutation.
func (w *novaTwin) walk(nodes []int) *nova.Fit {
	for i, k := range nodes {
		pair := [2]int{w.h.Cells[k].ID, w.ids[i]}
		if w.unfit[pair] {
			return nil
		}
		if !w.fitted[pair] {
			if !w.change(i, k) {
				w.unfit[pair] = true
				return nil
			}
			w.fitted[pair] = true
		}
		w.ids[i] = w.h.Cells[k].ID
	}
	devices, ok := w.devices(nodes)
	if !ok || !w.networks(nodes) {
		return nil
	}
	f := &nova.Fit{Devices: devices}
	for i, k := range nodes {
		cell := w.places[i]
		cell.Node, cell.PageSize = w.h.Cells[k].ID, int64(w.pages[i])
		if w.pages[i] == 0 && len(w.h.Cells[k].Pages) > 0 {
			cell.PageSize = w.h.Cells[k].Pages[0].Size
		}
		f.Cells = append(f.Cells, cell)
	}
	return f
}

// change tests a pair, and changes the guest's cell as far as the tests get.
func (w *novaTwin) change(i, k int) bool {
	g, c := w.r.Cells[i], w.h.Cells[k]
	g.PageSize = w.pages[i]
	page, ok := w.page(g, c)
	if !ok {
		return false
	}
	if w.pages[i] != 0 {
		w.pages[i] = nova.PageSize(page)
	}
	pinned, reserved, floating := w.wants(i)
	pins, floats := w.r.CPUPolicy != nova.Shared, w.r.CPUPolicy != nova.Dedicated
	if pins && pinned+reserved > c.Dedicated.Minus(c.Pinned).Len() || floats && floating > c.Shared.Len() {
		return false
	}
	if pins {
		if _, _, ok := w.pack(i, c); !ok {
			return false
		}
		w.ids[i] = c.ID
		w.places[i] = w.packed(i, k)
		if g.PCPUs.IsEmpty() && g.VCPUs.IsEmpty() {
			return false
		}
	}
	return w.memory(g, c) && (!floats || float64(c.CPUUsage+floating) <= float64(c.Shared.Len())*w.h.CPUAllocationRatio)
}

// packed are the CPUs of a packing that the node allows.
func (w *novaTwin) packed(i, k int) nova.CellFit {
	alone := *w.h.Clone()
	alone.Cells[k].Memory, alone.Cells[k].MemoryUsage, alone.Cells[k].Pages, alone.Cells[k].CPUUsage = 1<<40, 0, nil, -1000
	g := w.r.Cells[i]
	g.PageSize = 0
	r := *w.r
	r.Cells = append([]nova.GuestCell{}, w.r.Cells...)
	r.Cells[i] = g
	f, _ := twin{h: &alone, r: &r, rules: nova.Nova}.pair(i, k)
	return nova.CellFit{Pins: f.Pins, Reserved: f.Reserved, Idle: f.Idle}
}

// TestSearchTwin compares Search with Nova's search told plainly, on many requests
// a host: it takes thousands until one goes through all that the search remembers.
func TestSearchTwin(t *testing.T) {
	faults, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		h := drawHost(t, nova.Nova)
		for range 40 {
			r := drawRequest(t, nova.Nova, len(h.Cells))
			if len(r.Cells) == 0 {
				continue
			}
			want, wantOK := (&novaTwin{twin: twin{h: h, r: r, rules: nova.Nova}}).search()
			got, ok := h.Search(r)
			if ok != wantOK {
				t.Fatalf("Search says %v, the twin %v", ok, wantOK)
			}
			if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("the answer differs (-twin +Search):\n%s", diff)
			}
			all++
			if right := h.Fits(r, nova.Nova); right != ok {
				faults++
			}
		}
	})
	t.Logf("Nova's verdict is wrong on %d of %d", faults, all)
}
