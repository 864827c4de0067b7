package pool

import (
	"slices"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/unit"
)

// recorder writes down what changes.
type recorder struct {
	result Result
	shown  []string // state of each node
	stalls []string // reason of each pool
	// total is the whole of what takes pods.
	nodes int
	cpu   unit.CPU
	pods  int
	// updated is the time of the last update of each pool.
	updated map[string]unit.Duration
}

func newRecorder(w *world) *recorder {
	r := &recorder{shown: make([]string, len(w.machines)), stalls: make([]string, len(w.groups)),
		updated: map[string]unit.Duration{}}
	for i := range w.machines {
		r.result.Nodes = append(r.result.Nodes, NodeResult{Name: w.machines[i].Name, Spans: []Span{}})
		if m := &w.machines[i]; m.worker() {
			r.nodes, r.cpu, r.pods = r.nodes+1, r.cpu+m.CPU, r.pods+m.Pods
		}
	}
	if r.nodes == 0 {
		for i := range w.machines {
			m := &w.machines[i]
			r.nodes, r.cpu, r.pods = r.nodes+1, r.cpu+m.CPU, r.pods+m.Pods
		}
	}
	return r
}

// worker says whether applications' pods go to a node: masters take none unless
// they are workers too.
func (m *machine) worker() bool {
	_, worker := m.Labels[openshift.LabelWorker]
	_, master := m.Labels[openshift.LabelMaster]
	_, control := m.Labels[openshift.LabelControlPlane]
	return worker || !master && !control
}

// record notes what is not as it was.
func (r *recorder) record(w *world) {
	slices.SortFunc(w.changed, byIndex)
	for _, m := range w.changed {
		i := m.index
		m.changed = false
		now := w.shown(m)
		if now == r.shown[i] {
			continue
		}
		if now == "updated" {
			r.updated[m.member.Primary] = w.now
		}
		if r.shown[i] != "" || now != "waiting" && now != "unchanged" {
			r.result.Moments = append(r.result.Moments, Moment{w.now, m.Name, now})
		}
		r.shown[i] = now
		spans := &r.result.Nodes[i].Spans
		if n := len(*spans); n > 0 {
			(*spans)[n-1].To = w.now
		}
		*spans = append(*spans, Span{From: w.now, State: now})
	}
	w.changed = w.changed[:0]
	r.stall(w)
	r.capacity(w)
}

// stall notes pools that stop and go on.
func (r *recorder) stall(w *world) {
	for i := range w.groups {
		g := &w.groups[i]
		if g.told {
			continue
		}
		g.told = true
		stop := w.stall(g)
		now := stop.reason
		if now == r.stalls[i] {
			continue
		}
		name := g.Metadata.Name
		if r.stalls[i] != "" {
			at := w.now
			open := slices.IndexFunc(r.result.Stalls, func(s Stall) bool { return s.Pool == name && s.To == nil })
			r.result.Stalls[open].To = &at
		}
		if now != "" {
			r.result.Stalls = append(r.result.Stalls, Stall{Pool: name, From: w.now, Reason: now, Remedy: stop.fix})
			r.result.Moments = append(r.result.Moments, Moment{w.now, "pool " + name, now})
		} else {
			r.result.Moments = append(r.result.Moments, Moment{w.now, "pool " + name, "goes on"})
		}
		r.stalls[i] = now
	}
}

// capacity notes what takes pods.
func (r *recorder) capacity(w *world) {
	sum := w.all
	if w.anyWorker {
		sum = w.workers
	}
	c := Capacity{w.now, sum.nodes, share(float64(sum.cpu), float64(r.cpu)), share(float64(sum.pods), float64(r.pods))}
	list := &r.result.Capacity
	if n := len(*list); n > 0 {
		if last := (*list)[n-1]; last.Nodes == c.Nodes && last.CPU == c.CPU && last.Pods == c.Pods {
			return
		}
	}
	*list = append(*list, c)
}

func share(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}

// shown is the state of a node in a word.
func (w *world) shown(m *machine) string {
	g := m.group
	switch {
	case m.phase == rebooting && m.lost, m.gaveUp() && m.phase == idle:
		return "failed"
	case m.lost:
		return "down"
	case m.phase == draining:
		return "draining"
	case m.phase == rebooting:
		return "rebooting"
	case m.Cordoned:
		return "cordoned"
	case g == nil:
		return "unmanaged"
	case m.settled() && m.Current == g.target && !g.rolled:
		return "unchanged"
	case m.settled() && m.Current == g.target:
		return "updated"
	case g.Spec.Paused:
		return "paused"
	}
	return "waiting"
}

// close ends the spans, at the last change, or where watching ended while more was
// to come.
func (r *recorder) close(w *world, until unit.Duration, more bool) {
	end := w.now
	if more {
		end = until
	}
	r.result.End, r.result.Taking = end, r.nodes
	for i := range r.result.Nodes {
		n := &r.result.Nodes[i]
		n.Pool, n.Problem = w.machines[i].member.Primary, w.machines[i].member.Problem
		n.Spans[len(n.Spans)-1].To = end
	}
	for i := range w.groups {
		g := &w.groups[i]
		_, changed := r.updated[g.Metadata.Name]
		if p := r.pool(w, g); p.Nodes > 0 && (g.rolled || changed || r.stalls[i] != "") {
			r.result.Pools = append(r.result.Pools, p)
		}
	}
}

// pool sums a pool up.
func (r *recorder) pool(w *world, g *group) PoolResult {
	nodes := g.nodes
	p := PoolResult{Name: g.Metadata.Name, Nodes: len(nodes), Paused: g.Spec.Paused}
	budget, err := Budget(&g.MachineConfigPool, len(nodes), w.release)
	if err != nil {
		p.Wrong = err.Error()
	}
	p.Budget = budget
	for _, m := range nodes {
		if m.settled() && m.Current == g.target {
			p.Updated++
		}
		if m.unavailable() {
			p.Unavailable++
		}
		if m.gaveUp() {
			p.Degraded++
		}
	}
	if p.Updated == p.Nodes && g.tally.behind == 0 {
		t := r.updated[g.Metadata.Name]
		p.Took = &Range{t, t}
	}
	return p
}
