package pool

import (
	"cmp"
	"fmt"
	"slices"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
	"plimsoll.dev/unit"
)

// week is how long a rollout is watched unless something else is asked for.
const week = 7 * 24 * 3600 * unit.Duration(1)

// Options say what is rolled out where.
type Options struct {
	Release release.Release
	Nodes   []Node
	// Pools of the cluster, beside those that every cluster has.
	Pools []openshift.MachineConfigPool
	// PoolsUnseen says that nobody showed the pools of the cluster, and DrainsUnseen that
	// nobody showed the pods and budgets by which a drain may never end.
	PoolsUnseen, DrainsUnseen bool
	// Roll are the pools that get a new configuration at the start; empty is all.
	Roll []string
	// Continue goes on with what the pools' own configurations name, and rolls out
	// nothing new.
	Continue bool
	// Events happen meanwhile, in order of time.
	Events []Event
	// Until is the longest time that is watched, 0 a week.
	Until unit.Duration
	// OperatorNode is the node on which the operator runs, whose update today waits
	// for those of the other masters; empty when it isn't known.
	OperatorNode string
	// Needed is the number of nodes that must take pods all the time; 0 for none.
	Needed int
}

// Event is something that people or a cluster do during a rollout.
type Event struct {
	At   unit.Duration
	What Happening
	// Node or pool that it happens to.
	Name string
	// Value of a label ("key=value", "key-" removes it), or maxUnavailable.
	Value any
}

// Happening is what an event does.
type Happening string

// The happenings. Recover ends a node's failure, so that the daemon's next try
// succeeds.
const (
	Cordon         Happening = "cordon"
	Uncordon       Happening = "uncordon"
	Lost           Happening = "lost"
	Back           Happening = "back"
	Recover        Happening = "recover"
	Label          Happening = "label"
	Pause          Happening = "pause"
	Resume         Happening = "resume"
	MaxUnavailable Happening = "maxUnavailable"
)

// ofPools says whether something happens to a pool; everything else to a node.
func (h Happening) ofPools() bool { return h == Pause || h == Resume || h == MaxUnavailable }

// happenings are all that can happen.
var happenings = []Happening{Cordon, Uncordon, Lost, Back, Recover, Label, Pause, Resume, MaxUnavailable}

// Problems are what is wrong with options, all at once.
func (o *Options) Problems() (out []error) {
	if len(o.Nodes) > MostNodes {
		return []error{fmt.Errorf("there are more than %d nodes (play it with fewer)", MostNodes)}
	}
	pools, nodes := map[string]bool{}, map[string]bool{}
	for _, p := range o.Pools {
		name := p.Metadata.Name
		if pools[name] {
			out = append(out, fmt.Errorf("pool %q stands there twice (give each pool once)", name))
		}
		pools[name] = true
	}
	for _, p := range Standard(o.Release) {
		pools[p.Metadata.Name] = true
	}
	for i := range o.Nodes {
		n := &o.Nodes[i]
		if nodes[n.Name] || n.Name == "" {
			out = append(out, fmt.Errorf("node %q has no name of its own (name each node once)", n.Name))
		}
		nodes[n.Name] = true
		out = append(out, n.problems()...)
	}
	for _, name := range o.Roll {
		if !pools[name] {
			out = append(out, fmt.Errorf("pool %q is not there (give its MachineConfigPool, or name another)", name))
		}
	}
	for i, e := range o.Events {
		switch {
		case !slices.Contains(happenings, e.What):
			out = append(out, fmt.Errorf("event %d: %q can't happen (use one of %v)", i+1, e.What, happenings))
		case e.What.ofPools() && !pools[e.Name], !e.What.ofPools() && !nodes[e.Name]:
			out = append(out, fmt.Errorf("event %d: %s %q is not there (name a node or pool of the cluster)", i+1,
				e.What, e.Name))
		case e.At < 0:
			out = append(out, fmt.Errorf("event %d: it is at %d s (write 0 or more)", i+1, e.At))
		}
	}
	if o.Until < 0 || o.Needed < 0 {
		out = append(out, fmt.Errorf("until %d s and needed %d must not be negative (write 0 or more)", o.Until, o.Needed))
	}
	return out
}

func (n *Node) problems() (out []error) {
	for name, r := range map[string]Range{"drain": n.Drain, "reboot": n.Reboot} {
		if r.Min < 0 || r.Max < r.Min || r.Max > week {
			out = append(out, fmt.Errorf("node %s: %s of %d to %d s is not a time (write 0 to 7d, the least first)", n.Name,
				name, r.Min, r.Max))
		}
	}
	if n.Fails != "" && !slices.Contains(Failures(), n.Fails) {
		out = append(out, fmt.Errorf("node %s: it can't fail with %q (use one of %v)", n.Name, n.Fails, Failures()))
	}
	slices.SortFunc(out, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return out
}

// pools are those of the options, and the usual ones beside them.
func (o *Options) pools() []openshift.MachineConfigPool { return Complete(o.Pools, o.Release) }
