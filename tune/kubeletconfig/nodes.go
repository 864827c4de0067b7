package kubeletconfig

import (
	"fmt"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/pool"
	"plimsoll.dev/unit"
)

// Beyond is the rule that tells of reserved CPUs which a node does not have.
var Beyond = reservedBeyond.ID

// nodesOf are the nodes among the objects by the pool whose configuration they get.
func nodesOf(objects []*object.Object, pools []openshift.MachineConfigPool, r release.Release) (
	out map[string][]*openshift.Node) {
	nodes, _ := object.All[openshift.Node](objects, "Node")
	out = map[string][]*openshift.Node{}
	for _, t := range object.Latest(nodes) {
		n := t.Value
		name := pool.Of(n.Metadata.Labels, pools, r).Primary
		out[name] = append(out[name], &n)
	}
	return out
}

// onNodes holds the reserved CPUs of the KubeletConfig that counts for a pool against its nodes, and tells of the first
// that lacks some.
func (in *input) onNodes(p *openshift.MachineConfigPool) {
	list := in.contenders(p)
	if len(list) == 0 || list[len(list)-1].MachineConfig == "" {
		return
	}
	winner := &in.crs[list[len(list)-1].Index]
	text, _ := winner.Value.Spec.KubeletConfig["reservedSystemCPUs"].(string)
	reserved, err := unit.ParseCPUSet(text)
	if err != nil || reserved.IsEmpty() {
		return
	}
	for _, n := range in.nodes[p.Metadata.Name] {
		cpus, _ := unit.ParseCPU(n.Status.Capacity["cpu"])
		count := int(cpus.Cores())
		beyond := reserved
		for c := range min(count, unit.MaxCPUs) {
			beyond.Remove(c)
		}
		if count > 0 && !beyond.IsEmpty() {
			in.find(winner.Object, Problem{Rule: reservedBeyond, Path: inConfig("reservedSystemCPUs"),
				What: fmt.Sprintf("reservedSystemCPUs names CPUs %s, and node %s of pool %s has CPUs 0-%d: the kubelet doesn't "+
					"start there", beyond, n.Metadata.Name, p.Metadata.Name, count-1), Fix: "name CPUs of the nodes alone"})
			return
		}
	}
}
