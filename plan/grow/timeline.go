package grow

import (
	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/pool"
	"plimsoll.dev/unit"
)

// mostDrawn is the largest pool whose nodes are rows of the timeline; of larger ones
// it shows the capacity alone, so that a plan stays a file that people can open.
const mostDrawn = 500

// timeline plays the roll-out to a pool as the operator does it. Without what the
// scenario says a node takes, it shows the document's greatest time.
func (g *planner) timeline(p Pool, maxUnavailable string) *v1alpha1.Timeline {
	most, err := pool.ReadMaxUnavailable(maxUnavailable)
	if err != nil {
		return nil
	}
	each := pool.Usual()
	if g.in.RolloutPerNode != nil {
		each = pool.Range{Min: *g.in.RolloutPerNode, Max: *g.in.RolloutPerNode}
	}
	var config openshift.MachineConfigPool
	config.Metadata.Name, config.Spec.MaxUnavailable = p.Name, most
	nodes := int(p.Count.Int())
	o := pool.Options{Release: release.Current, Nodes: pool.Nodes(p.Name, nodes, pool.Range{}, each),
		Pools: []openshift.MachineConfigPool{config}, Roll: []string{p.Name},
		Until: unit.Duration(nodes+1) * each.Max} // one at a time may take weeks
	if p.MostAtOnce != nil {
		o.Needed = nodes - *p.MostAtOnce
	}
	r, err := pool.Simulate(o)
	if err != nil {
		return nil
	}
	t := r.Timeline(&o)
	t.Title = "A change that reboots the nodes of pool " + p.Name
	if nodes > mostDrawn {
		t.Rows = nil
	}
	return t
}
