package pool

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
	"plimsoll.dev/unit"
)

// phase is what a node is about.
type phase uint8

const (
	idle phase = iota
	draining
	rebooting
)

// machine is a node during a rollout.
type machine struct {
	Node
	phase phase
	until unit.Duration
	// doing is the configuration that is being put on, tried the last one that failed.
	doing, tried string
	// lost says that nothing on the node goes on: it is down, or didn't boot.
	lost   bool
	member Membership
	// zone by its label, of which there may be none.
	zone        string
	zoned       bool
	drain, boot unit.Duration
	// group is the pool of the node, nil for none; turn its place there when nodes are
	// taken, index its place among all nodes.
	group       *group
	turn, index int
	// applications says that the node is there for applications' pods, taking that it
	// is counted as one that takes pods, and counted for what it is counted in its pool.
	applications, taking bool
	counted              standing
	// queued says that the node is in its pool's queue, timed that it waits for an alarm.
	queued, timed bool
	alarm         unit.Duration
	// stirred says that the daemon is to look at the node, changed that the recorder is.
	stirred, changed bool
}

// group is a pool during a rollout.
type group struct {
	openshift.MachineConfigPool
	// target is the configuration that the pool's nodes are to have.
	target string
	// rolled says that the rollout is about this pool.
	rolled bool
	// nodes are those whose configuration comes from the pool, queue those that may be
	// taken.
	nodes []*machine
	queue queue
	tally tally
	// due says that something changed since the controller looked at the pool, and
	// told that the recorder knows all that changed.
	due, told bool
}

// world is a cluster during a rollout.
type world struct {
	release  release.Release
	operator string
	now      unit.Duration
	machines []machine
	groups   []group
	byName   map[string]*machine
	alarms   alarms
	// stirred are the nodes that changed since the daemons looked, changed those since
	// the recorder did.
	stirred, changed []*machine
	// all is what takes pods, workers the part that is there for applications.
	all, workers load
	anyWorker    bool
}

// newWorld sets up a cluster. slow takes the greatest times instead of the least.
func newWorld(o *Options, slow bool) *world {
	w := &world{release: o.Release, operator: o.OperatorNode, byName: map[string]*machine{},
		machines: make([]machine, 0, len(o.Nodes))}
	for _, p := range o.pools() {
		g := group{MachineConfigPool: p, target: p.Spec.Configuration.Name,
			rolled: len(o.Roll) == 0 || slices.Contains(o.Roll, p.Metadata.Name)}
		if !o.Continue && g.rolled {
			g.target = "rendered-" + p.Metadata.Name + "-new"
		}
		w.groups = append(w.groups, g)
	}
	slices.SortFunc(w.groups, func(a, b group) int { return cmp.Compare(rank(a.Metadata.Name), rank(b.Metadata.Name)) })
	for _, n := range o.Nodes {
		m := machine{Node: n, drain: n.Drain.Min, boot: n.Reboot.Min, lost: n.NotReady}
		if slow {
			m.drain, m.boot = n.Drain.Max, n.Reboot.Max
		}
		if m.gaveUp() {
			if m.tried = m.Desired; m.Current == m.Desired {
				m.Fails = FailsConfig // it is not what it ought to be, and validated before every update
			}
		}
		w.machines = append(w.machines, m)
	}
	w.assign()
	slices.SortFunc(w.machines, func(a, b machine) int {
		return cmp.Or(cmp.Compare(rank(a.member.Primary), rank(b.member.Primary)), cmp.Compare(a.Name, b.Name))
	})
	for i := range w.machines {
		w.machines[i].index, w.byName[w.machines[i].Name] = i, &w.machines[i]
	}
	w.regroup()
	w.settleTargets()
	w.countAll()
	return w
}

// rank puts masters first, then workers, then custom pools, then what has none.
func rank(pool string) string {
	switch pool {
	case Master:
		return "1"
	case Worker:
		return "2"
	case "":
		return "4"
	}
	return "3" + pool
}

// settleTargets gives pools that don't roll, and of which no configuration is
// known, the one that most of their nodes have.
func (w *world) settleTargets() {
	for i := range w.groups {
		g := &w.groups[i]
		if g.target != "" {
			continue
		}
		count := map[string]int{}
		for _, m := range g.nodes {
			if m.Current != "" {
				count[m.Current]++
			}
		}
		if len(count) == 0 {
			g.target = "rendered-" + g.Metadata.Name
		}
		for name, n := range count {
			if n > count[g.target] || n == count[g.target] && name < g.target {
				g.target = name
			}
		}
	}
}

// assign finds the pool of each node.
func (w *world) assign() {
	pools := make([]openshift.MachineConfigPool, len(w.groups))
	for i := range w.groups {
		pools[i] = w.groups[i].MachineConfigPool
	}
	wrong := invalid(pools)
	for i := range w.machines {
		m := &w.machines[i]
		m.member = ofValid(m.Labels, pools, w.release, wrong)
		m.zone, m.zoned = m.Labels[zoneLabel]
		m.applications = m.worker()
	}
}

func (w *world) group(name string) *group {
	for i := range w.groups {
		if w.groups[i].Metadata.Name == name {
			return &w.groups[i]
		}
	}
	return nil
}

// happen applies an event.
func (w *world) happen(e Event) {
	if e.What.ofPools() {
		g := w.group(e.Name)
		switch e.What {
		case Pause, Resume:
			g.Spec.Paused = e.What == Pause
		case MaxUnavailable:
			g.Spec.MaxUnavailable = e.Value
		}
		g.due, g.told = true, false
		for _, m := range g.nodes {
			w.touch(m)
		}
		return
	}
	m := w.byName[e.Name]
	switch e.What {
	case Cordon, Uncordon:
		m.Cordoned = e.What == Cordon
	case Lost:
		m.lost, m.NotReady = true, true
	case Back:
		m.back(w.now)
	case Recover:
		m.recover(w.now)
	case Label:
		m.relabel(fmt.Sprint(e.Value))
		w.assign()
		w.regroup()
		w.countAll()
	}
	w.touch(m)
}

// relabel sets "key=value", or takes "key-" away.
func (m *machine) relabel(text string) {
	labels := map[string]string{}
	maps.Copy(labels, m.Labels)
	if key, ok := strings.CutSuffix(text, "-"); ok && !strings.Contains(text, "=") {
		delete(labels, key)
	} else {
		key, value, _ := strings.Cut(text, "=")
		labels[key] = value
	}
	m.Labels = labels
}

// back lets a lost node go on where it stood. One that didn't boot comes up.
func (m *machine) back(now unit.Duration) {
	if !m.lost {
		return
	}
	if m.Fails == FailsBoot {
		m.Fails = ""
	}
	m.lost, m.NotReady, m.until = false, m.phase == rebooting, max(m.until, now)
}

// recover ends a failure.
func (m *machine) recover(now unit.Duration) {
	if m.Fails == FailsBoot && m.phase == rebooting {
		m.back(now)
	}
	m.Fails, m.tried = "", ""
}

// busy says whether something on the node goes on by itself.
func (m *machine) busy() bool { return m.phase != idle && !m.lost }

// finish ends a phase whose time is over.
func (m *machine) finish() {
	switch {
	case m.phase == draining && (m.Fails == FailsDrain || m.Fails == FailsApply && m.doing != m.Current):
		m.phase, m.State, m.tried = idle, Degraded, m.doing
	case m.phase == draining:
		m.phase, m.until, m.NotReady = rebooting, m.until+m.boot, true
	case m.Fails == FailsBoot && m.doing != m.Current:
		m.lost = true
	default:
		m.phase, m.NotReady, m.Current = idle, false, m.doing
		if m.Current == m.Desired { // else it goes on, without taking pods in between
			m.Cordoned, m.State = false, Done
		}
	}
}

// begin is what the daemon on a node does with a new desired configuration, which may be
// the one that the node has: an update is taken back. It says whether it did anything.
func (m *machine) begin(now unit.Duration, r release.Release) bool {
	back := m.Desired == m.Current
	if m.phase != idle || m.lost || m.Desired == "" || m.Desired == m.tried || back && (m.State == Done || m.State == "") {
		return false
	}
	m.doing = m.Desired
	switch {
	case back && backAtOnce.In(r):
		m.Cordoned, m.State = false, Done
		return true
	case m.Fails == FailsConfig && !back:
		m.State, m.tried = Unreconcilable, m.doing
		return true
	}
	if !m.gaveUp() {
		m.State = Working
	}
	m.phase, m.until, m.Cordoned = draining, now+m.drain, true
	return true
}
