package pool

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
	"plimsoll.dev/unit"
)

// twin plays a rollout second by second, in the plainest way: each second it asks
// of every node whether its step is over, of every pool which nodes it may take,
// and writes down a word for every node.
type twin struct {
	release release.Release
	nodes   []*twinNode
	pools   []openshift.MachineConfigPool
	roll    map[string]string // target of each pool
	oper    string
}

type twinNode struct {
	Node
	step                string // "", "drain", "reboot"
	left                int    // seconds of the step
	working, gaveUp     string
	dead                bool
	drainTime, bootTime int
}

func (tw *twin) poolOf(n *twinNode) string { return Of(n.Labels, tw.pools, tw.release).Primary }

func (tw *twin) isReady(n *twinNode) bool {
	return !n.NotReady && !n.DiskPressure && !n.NetworkUnavailable && !n.Cordoned
}

func (tw *twin) isFailing(n *twinNode) bool {
	return n.Current != n.Desired && (n.State == "Degraded" || n.State == "Unreconcilable")
}

func (tw *twin) isUnavailable(n *twinNode) bool {
	if !tw.isReady(n) {
		return true
	}
	if n.Current != "" && n.Current == n.Desired && n.State == "Done" {
		return false
	}
	return !tw.isFailing(n)
}

// second does what is due in this second, until nothing more is.
func (tw *twin) second() {
	for again := true; again; {
		again = false
		for _, n := range tw.nodes {
			if n.step != "" && !n.dead && n.left <= 0 {
				tw.stepEnds(n)
				again = true
			}
		}
		for i := range tw.pools {
			again = tw.controller(&tw.pools[i]) || again
		}
		for _, n := range tw.nodes {
			again = tw.daemon(n) || again
		}
	}
}

func (tw *twin) stepEnds(n *twinNode) {
	if n.step == "drain" {
		if n.Fails == FailsDrain || n.Fails == FailsApply && n.working != n.Current {
			n.step, n.State, n.gaveUp = "", "Degraded", n.working
			return
		}
		n.step, n.left, n.NotReady = "reboot", n.left+n.bootTime, true
		return
	}
	if n.Fails == FailsBoot && n.working != n.Current {
		n.dead = true
		return
	}
	n.step, n.NotReady, n.Current = "", false, n.working
	if n.Current == n.Desired {
		n.Cordoned, n.State = false, "Done"
	}
}

func (tw *twin) daemon(n *twinNode) bool {
	if n.step != "" || n.dead || n.Desired == "" || n.Desired == n.gaveUp {
		return false
	}
	if n.Desired == n.Current {
		return tw.takeBack(n)
	}
	n.working = n.Desired
	if n.Fails == FailsConfig {
		n.State, n.gaveUp = "Unreconcilable", n.working
		return true
	}
	if n.State != "Degraded" && n.State != "Unreconcilable" {
		n.State = "Working"
	}
	n.step, n.left, n.Cordoned = "drain", n.drainTime, true
	return true
}

// takeBack gives a node the configuration that it has: up to 4.5 as any other one, today
// it is done.
func (tw *twin) takeBack(n *twinNode) bool {
	if n.State == "Done" || n.State == "" {
		return false
	}
	if tw.release.Minor() > release.V45 {
		n.Cordoned, n.State = false, "Done"
		return true
	}
	n.working, n.step, n.left, n.Cordoned = n.Desired, "drain", n.drainTime, true
	return true
}

// controller is the operator's: how many are unavailable, how many may be taken,
// which.
func (tw *twin) controller(p *openshift.MachineConfigPool) bool {
	name := p.Metadata.Name
	target := tw.roll[name]
	if p.Spec.Paused {
		return false
	}
	var all []*twinNode
	for _, n := range tw.nodes {
		if tw.poolOf(n) == name {
			all = append(all, n)
		}
	}
	maxUnavailable, err := tw.maxUnavailable(p, len(all))
	if err != nil {
		return false
	}
	unavailable, failing := 0, 0
	var list []*twinNode
	for _, n := range all {
		if tw.isUnavailable(n) {
			unavailable++
		}
		if n.Desired == target {
			if tw.isFailing(n) {
				failing++
			}
		} else if tw.release.Minor() <= release.V45 || tw.isReady(n) {
			list = append(list, n)
		}
	}
	capacity := maxUnavailable - unavailable
	if unavailable >= maxUnavailable || failing >= capacity {
		return false
	}
	if tw.release == release.Current && name == "master" && len(list) > 1 {
		var others []*twinNode
		for _, n := range list {
			if n.Name != tw.oper {
				others = append(others, n)
			}
		}
		list = others
	}
	sort.Slice(list, func(i, j int) bool { return tw.key(list[i]) < tw.key(list[j]) })
	for i := 0; i < len(list) && i < capacity-failing; i++ {
		list[i].Desired = target
	}
	return len(list) > 0
}

// key is what nodes are sorted by.
func (tw *twin) key(n *twinNode) string {
	zone, ok := n.Labels["topology.kubernetes.io/zone"]
	if tw.release.Minor() <= release.V45 {
		return n.Name
	}
	if !ok {
		zone = "~"
	}
	return zone + "/" + n.Created + "/" + n.Name
}

func (tw *twin) maxUnavailable(p *openshift.MachineConfigPool, n int) (int, error) {
	most := 1
	switch v := p.Spec.MaxUnavailable.(type) {
	case int64:
		most = int(v)
	case string:
		if !strings.HasSuffix(v, "%") && tw.release == release.Current {
			return 0, fmt.Errorf("not a percentage")
		}
		percent := 0
		if _, err := fmt.Sscanf(strings.TrimSuffix(v, "%"), "%d", &percent); err != nil {
			return 0, err
		}
		for most = 0; (most+1)*100 <= percent*n; most++ {
		}
	}
	if most == 0 {
		most = 1
	}
	if p.Metadata.Name == "master" && tw.release.Minor() <= release.V45 {
		most = min(most, n-(n/2+1))
	}
	return most, nil
}

func (tw *twin) event(e Event) {
	for i := range tw.pools {
		if tw.pools[i].Metadata.Name == e.Name {
			switch e.What {
			case Pause:
				tw.pools[i].Spec.Paused = true
			case Resume:
				tw.pools[i].Spec.Paused = false
			case MaxUnavailable:
				tw.pools[i].Spec.MaxUnavailable = e.Value
			}
		}
	}
	for _, n := range tw.nodes {
		if n.Name == e.Name {
			tw.nodeEvent(n, e)
		}
	}
}

func (tw *twin) nodeEvent(n *twinNode, e Event) {
	comesUp := e.What == Back || e.What == Recover && n.Fails == FailsBoot && n.step == "reboot"
	if comesUp && n.dead {
		n.dead, n.NotReady, n.left = false, n.step == "reboot", max(n.left, 0)
		if n.Fails == FailsBoot {
			n.Fails = ""
		}
	}
	switch e.What {
	case Cordon:
		n.Cordoned = true
	case Uncordon:
		n.Cordoned = false
	case Lost:
		n.dead, n.NotReady = true, true
	case Recover:
		n.Fails, n.gaveUp = "", ""
	case Label:
		labels := map[string]string{}
		for k, v := range n.Labels {
			labels[k] = v
		}
		k, _, set := strings.Cut(e.Value.(string), "=")
		if set {
			labels[k] = ""
		} else {
			delete(labels, strings.TrimSuffix(k, "-"))
		}
		n.Labels = labels
	}
}

// word is the state that people are shown.
func (tw *twin) word(n *twinNode) string {
	p := tw.poolOf(n)
	paused := false
	for _, q := range tw.pools {
		paused = paused || q.Metadata.Name == p && q.Spec.Paused
	}
	switch {
	case n.step == "reboot" && n.dead, n.step == "" && (n.State == "Degraded" || n.State == "Unreconcilable"):
		return "failed"
	case n.dead:
		return "down"
	case n.step == "drain":
		return "draining"
	case n.step == "reboot":
		return "rebooting"
	case n.Cordoned:
		return "cordoned"
	case p == "":
		return "unmanaged"
	case n.Current == n.Desired && n.State == "Done" && n.Current == tw.roll[p]:
		return "updated"
	case paused:
		return "paused"
	}
	return "waiting"
}

// play returns the spans of each node over so many seconds.
func (tw *twin) play(events []Event, seconds int) map[string][]Span {
	out := map[string][]Span{}
	for now := 0; now <= seconds; now++ {
		for _, e := range events {
			if int(e.At) == now {
				tw.event(e)
			}
		}
		tw.second()
		for _, n := range tw.nodes {
			list, word := out[n.Name], tw.word(n)
			if len(list) == 0 || list[len(list)-1].State != word {
				list = append(list, Span{From: unit.Duration(now), State: word})
			}
			list[len(list)-1].To = unit.Duration(now)
			out[n.Name] = list
			if n.step != "" {
				n.left--
			}
		}
	}
	return out
}

func newTwin(o *Options) *twin {
	tw := &twin{release: o.Release, oper: o.OperatorNode, roll: map[string]string{}}
	tw.pools = append(tw.pools, o.Pools...)
	for i := range tw.pools {
		tw.roll[tw.pools[i].Metadata.Name] = "rendered-" + tw.pools[i].Metadata.Name + "-new"
	}
	for _, n := range o.Nodes {
		t := &twinNode{Node: n, drainTime: int(n.Drain.Max), bootTime: int(n.Reboot.Max), dead: n.NotReady}
		if n.State == "Degraded" {
			t.gaveUp = t.Desired
		}
		if t.gaveUp != "" && n.Current == n.Desired {
			t.Fails = FailsConfig
		}
		tw.nodes = append(tw.nodes, t)
	}
	return tw
}

// The simulation says for every node, second by second, what the twin says.
func TestAgainstTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for range 5 {
			againstTwin(t, drawOptions(t))
		}
	})
}

func againstTwin(t *rapid.T, o Options) {
	sort.SliceStable(o.Events, func(i, j int) bool { return o.Events[i].At < o.Events[j].At })
	r, err := Simulate(o)
	if err != nil {
		t.Fatal(err)
	}
	want := newTwin(&o).play(o.Events, int(r.End))
	for _, n := range r.Nodes {
		list := want[n.Name]
		for i := range list {
			if i+1 < len(list) {
				list[i].To = list[i+1].From
			}
		}
		if d := cmp.Diff(list, n.Spans); d != "" {
			t.Fatalf("%s: %s", n.Name, d)
		}
	}
}
