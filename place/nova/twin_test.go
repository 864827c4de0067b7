package nova_test

import (
	"cmp"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"plimsoll.dev/place/nova"
)

// twin looks for a place in the plainest way: it tries every choice of nodes in
// order and makes all tests anew each time.
type twin struct {
	h     *nova.Host
	r     *nova.Request
	rules nova.Rules
	// relaxed is the second pass of the document and the fork.
	relaxed bool
}

// fit is the first of the cheapest places.
func (w twin) fit() (*nova.Fit, bool) {
	if !w.whole() {
		return nil, false
	}
	order := w.order()
	for _, relaxed := range []bool{false, true} {
		w.relaxed = relaxed
		var best *nova.Fit
		least := 1 << 30
		w.permute(order, nil, func(nodes []int) {
			if cost := w.cost(nodes); cost < least {
				if f := w.try(nodes); f != nil {
					best, least = f, cost
				}
			}
		})
		if best != nil {
			return best, true
		}
		if w.rules == nova.Nova {
			break
		}
	}
	return nil, false
}

// permute visits all choices of nodes for the cells, in lexicographic order.
func (w twin) permute(order, chosen []int, visit func([]int)) {
	if len(chosen) == len(w.r.Cells) {
		visit(chosen)
		return
	}
	for _, k := range order {
		if !slices.Contains(chosen, k) {
			w.permute(order, append(slices.Clone(chosen), k), visit)
		}
	}
}

// try tests one choice of nodes.
func (w twin) try(nodes []int) *nova.Fit {
	f := &nova.Fit{}
	for i, k := range nodes {
		cell, ok := w.pair(i, k)
		if !ok {
			return nil
		}
		f.Cells = append(f.Cells, cell)
	}
	if !w.networks(nodes) || !w.leaves(nodes) {
		return nil
	}
	var ok bool
	f.Devices, ok = w.devices(nodes)
	if !ok {
		return nil
	}
	return f
}

func (w twin) asksDevices() bool {
	return slices.ContainsFunc(w.r.Devices, func(q nova.DeviceRequest) bool { return q.Count > 0 })
}

// order of nodes: Nova's stable sorts one after the other, or ids.
func (w twin) order() []int {
	order := make([]int, len(w.h.Cells))
	for i := range order {
		order[i] = i
	}
	by := func(descending bool, figure func(c *nova.HostCell) int64) {
		slices.SortStableFunc(order, func(a, b int) int {
			c := cmp.Compare(figure(&w.h.Cells[a]), figure(&w.h.Cells[b]))
			if descending {
				return -c
			}
			return c
		})
	}
	if w.rules != nova.Nova {
		by(false, func(c *nova.HostCell) int64 { return int64(c.ID) })
		return order
	}
	if len(w.h.Cells) == len(w.r.Cells) {
		return order
	}
	by(!w.h.PackNodes, func(c *nova.HostCell) int64 { return c.Memory - c.MemoryUsage })
	if w.r.CPUPolicy == nova.Dedicated || w.r.CPUPolicy == nova.Mixed {
		by(!w.h.PackNodes, func(c *nova.HostCell) int64 { return int64(c.Dedicated.Minus(c.Pinned).Len()) })
	} else {
		by(w.h.PackNodes, func(c *nova.HostCell) int64 { return int64(c.CPUUsage) })
	}
	by(w.asksDevices(), func(c *nova.HostCell) int64 {
		n := 0
		for _, p := range w.h.Pools {
			if p.Node == c.ID {
				n += p.Free
			}
		}
		return int64(n)
	})
	return order
}

// cost of a choice: nodes without a preferred vSwitch count most, then nodes with
// devices for VMs that ask for none, and, when they may be far, nodes without them.
// Nova knows no cost.
func (w twin) cost(nodes []int) int {
	cost := 0
	for _, k := range nodes {
		c := w.h.Cells[k]
		if w.rules == nova.Nova {
			continue
		}
		if w.r.VSwitchAffinity == nova.Preferred && !c.VSwitch {
			cost += 1000
		}
		if !w.asksDevices() && slices.ContainsFunc(w.h.Pools,
			func(p nova.DevicePool) bool { return p.Node == c.ID && p.Total > 0 }) {
			cost++
		}
		if w.relaxed && w.rules == nova.HCG40 && !slices.ContainsFunc(w.h.Pools,
			func(p nova.DevicePool) bool { return p.Node == c.ID && p.Free > 0 && w.prefers(p.Kind) }) {
			cost++
		}
	}
	return cost
}

// prefers reports whether devices of a kind are wanted near but may be far.
func (w twin) prefers(kind string) bool {
	return slices.ContainsFunc(w.r.Devices,
		func(q nova.DeviceRequest) bool { return q.Kind == kind && q.Count > 0 && q.Policy == nova.Preferred })
}

// networks: every network that is near to some node is near to a chosen one.
func (w twin) networks(nodes []int) bool {
	if w.rules != nova.Nova || len(w.r.Cells) == 0 {
		return true
	}
	ok := func(near func(c nova.HostCell) bool) bool {
		return !slices.ContainsFunc(w.h.Cells, near) ||
			slices.ContainsFunc(nodes, func(k int) bool { return near(w.h.Cells[k]) })
	}
	for _, name := range w.r.Physnets {
		if !ok(func(c nova.HostCell) bool { return slices.Contains(c.Physnets, name) }) {
			return false
		}
	}
	return !w.r.Tunneled || ok(func(c nova.HostCell) bool { return c.Tunneled })
}

// devices takes the requests one after the other.
func (w twin) devices(nodes []int) ([]nova.DeviceFit, bool) {
	pools := slices.Clone(w.h.Pools)
	taken := map[int]int{}
	for _, q := range w.r.Devices {
		if q.Count <= 0 {
			continue
		}
		left := q.Count
		for _, i := range w.sources(pools, q, nodes) {
			n := min(left, pools[i].Free)
			pools[i].Free -= n
			left -= n
			taken[i] += n
		}
		if left > 0 {
			return nil, false
		}
	}
	var out []nova.DeviceFit
	for i := range pools {
		if taken[i] > 0 {
			out = append(out, nova.DeviceFit{Pool: i, Count: taken[i]})
		}
	}
	return out, true
}

// sources are the pools that a request may draw on, in order.
func (w twin) sources(pools []nova.DevicePool, q nova.DeviceRequest, nodes []int) []int {
	pick := func(ok func(p nova.DevicePool) bool) (list []int, enough bool) {
		n := 0
		for i, p := range pools {
			if p.Kind == q.Kind && ok(p) {
				list, n = append(list, i), n+p.Free
			}
		}
		return list, n >= q.Count
	}
	everything, _ := pick(func(nova.DevicePool) bool { return true })
	if len(w.r.Cells) == 0 {
		return everything
	}
	on := func(p nova.DevicePool) bool {
		return slices.ContainsFunc(nodes, func(k int) bool { return w.h.Cells[k].ID == p.Node })
	}
	near, enough := pick(on)
	policy := w.policy(q)
	if enough || policy == nova.Required {
		return near
	}
	if policy == nova.Socket {
		list, _ := pick(func(p nova.DevicePool) bool { return on(p) || w.sameSocket(p, nodes) })
		return list
	}
	open, enough := pick(func(p nova.DevicePool) bool { return on(p) || p.Node == -1 })
	if enough || policy == nova.Legacy {
		return open
	}
	far, _ := pick(func(p nova.DevicePool) bool { return !on(p) && p.Node != -1 })
	return append(open, far...)
}

func (w twin) sameSocket(p nova.DevicePool, nodes []int) bool {
	if slices.ContainsFunc(w.h.Cells, func(c nova.HostCell) bool { return c.Socket == -1 }) {
		return false
	}
	return slices.ContainsFunc(w.h.Cells, func(c nova.HostCell) bool {
		return c.ID == p.Node && slices.ContainsFunc(nodes, func(k int) bool { return w.h.Cells[k].Socket == c.Socket })
	})
}

func (w twin) policy(q nova.DeviceRequest) string {
	policy := q.Policy
	if w.rules == nova.Nova {
		return cmp.Or(policy, nova.Legacy)
	}
	policy = cmp.Or(policy, nova.Required)
	if policy == nova.Preferred && !w.relaxed {
		policy = nova.Required
	}
	if policy == nova.Required && w.rules == nova.StarlingX {
		return nova.Legacy
	}
	return policy
}

// TestFitTwin compares Fit with the plain search, for each rule set.
func TestFitTwin(t *testing.T) {
	for _, rules := range []nova.Rules{nova.HCG40, nova.StarlingX, nova.Nova} {
		t.Run(string(rules), func(t *testing.T) {
			fits, all := 0, 0
			var into nova.Fit // written over by every request
			rapid.Check(t, func(t *rapid.T) {
				h := drawHost(t, rules)
				r := drawRequest(t, rules, len(h.Cells))
				want, wantOK := twin{h: h, r: r, rules: rules}.fit()
				if rapid.Bool().Draw(t, "prepared") {
					h.Prepare()
				}
				got, ok := h.Fit(r, rules)
				if ok != wantOK || h.Fits(r, rules) != wantOK {
					t.Fatalf("Fit says %v, Fits %v, the twin %v", ok, h.Fits(r, rules), wantOK)
				}
				if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
					t.Fatalf("the place differs (-twin +Fit):\n%s", diff)
				}
				if again := h.FitInto(r, rules, &into); again != ok || ok && !gocmp.Equal(*got, into, cmpopts.EquateEmpty()) {
					t.Fatalf("FitInto says %v and %+v, Fit %v and %+v", again, into, ok, got)
				}
				if all++; ok {
					fits++
				}
			})
			if all >= 100 && (fits < all/20 || fits > all*19/20) {
				t.Errorf("%d of %d random requests fit: they tell little", fits, all)
			}
		})
	}
}
