package kubeletconfig

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/selector"
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
	told := false
	for _, n := range in.nodes[p.Metadata.Name] {
		count := pool.CPUs(n)
		beyond := reserved.Minus(unit.FirstCPUs(count))
		q := Problem{Rule: reservedBeyond, Path: inConfig("reservedSystemCPUs"), Fix: "name CPUs of the nodes alone"}
		switch {
		case count == 0 || beyond.IsEmpty():
		case reserved.Len() > count:
			q.What = fmt.Sprintf("reservedSystemCPUs names %d CPUs, and node %s of pool %s has %d: the kubelet doesn't start "+
				"there", reserved.Len(), n.Metadata.Name, p.Metadata.Name, count)
			in.find(winner.Object, q)
			return
		case !told:
			told = true
			if Gaps(in.objects, p) {
				continue
			}
			q.Rule.Severity = v1alpha1.Warning
			q.What = fmt.Sprintf("reservedSystemCPUs names CPUs %s, and node %s of pool %s has %d: if its CPUs are numbered "+
				"from 0 without gaps, the kubelet doesn't start there", beyond, n.Metadata.Name, p.Metadata.Name, count)
			in.find(winner.Object, q)
		}
	}
}

// Gaps says whether something among the objects turns CPUs of a pool's nodes off, so that the others may not be
// numbered without gaps: kernel arguments of a MachineConfig that the pool takes, or a PerformanceProfile whose
// MachineConfig it takes. Of a pool that isn't known, nil, all of them count.
func Gaps(objects []*object.Object, p *openshift.MachineConfigPool) bool {
	off := func(arg string) bool { return strings.Contains(arg, "smt") || strings.Contains(arg, "maxcpus=") }
	takes := func(labels map[string]string) bool {
		return p == nil || selector.Selects(p.Spec.MachineConfigSelector, labels)
	}
	return slices.ContainsFunc(objects, func(o *object.Object) bool {
		switch o.Kind {
		case "MachineConfig":
			c, _ := object.Decode[openshift.MachineConfig](o)
			return slices.ContainsFunc(c.Value.Spec.KernelArguments, off) && takes(c.Value.Metadata.Labels)
		case "PerformanceProfile":
			c, _ := object.Decode[openshift.PerformanceProfile](o)
			return (c.Value.Spec.CPU.Offlined != "" || slices.ContainsFunc(c.Value.Spec.AdditionalKernelArgs, off)) &&
				takes(pool.ConfigLabel(&c.Value))
		}
		return false
	})
}
