package plan

import (
	"cmp"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/node"
	"plimsoll.dev/unit"
)

// takesWorkload says whether nodes that run are of the control plane and their taints let workload on them,
// as in clusters of one node and of three (mastersSchedulable).
func takesWorkload(t v1alpha1.NodeType) bool {
	return masterNode(t.Labels) && !slices.ContainsFunc(t.Taints, func(taint v1alpha1.Taint) bool {
		return strings.HasPrefix(taint.Key, "node-role.kubernetes.io/") && taint.Effect != "PreferNoSchedule"
	})
}

// static is what the control plane's static pods request on a node.
type static struct {
	cpu    unit.CPU
	memory unit.Bytes
}

// staticPods are, by the name of the node type, the largest sums of what static pods of the control plane
// request, which no plan counts among the workload.
func staticPods(found *v1alpha1.Inventory) map[string]static {
	on := make([]static, len(found.Nodes))
	for _, b := range found.Bound {
		t := node.Effective(found.PodTypes[b.PodType])
		if t.Held && !t.DaemonSet && (t.Spec == nil || !t.Spec.Terminating) {
			on[b.Node].cpu += t.CPU * unit.CPU(b.Count)
			on[b.Node].memory += t.Memory * unit.Bytes(b.Count)
		}
	}
	most := map[string]static{}
	for i, n := range found.Nodes {
		have := most[n.Type]
		most[n.Type] = static{max(have.cpu, on[i].cpu), max(have.memory, on[i].memory)}
	}
	return most
}

// withStatic keeps back what static pods request.
func withStatic(t v1alpha1.NodeType, s static) v1alpha1.NodeType {
	kept := *cmp.Or(t.SystemReserved, &v1alpha1.Reserved{})
	kept.CPU, kept.Memory = kept.CPU+s.cpu, kept.Memory+s.memory
	t.SystemReserved = &kept
	return t
}

// apart are the control plane nodes that are none of the workers.
func (p *planner) apart() derive.Value {
	shared := 0
	for _, o := range p.s.Hardware.Options {
		if o.Name != TodaysNodes {
			continue
		}
		for _, n := range o.Nodes {
			if masterNode(p.typeNamed(n.Type).Labels) {
				shared += n.Count
			}
		}
	}
	masters := p.masters()
	if shared == 0 {
		return masters
	}
	return p.b.Calc("control.apart", "Control plane nodes that take no workload", "nodes", "max(0, members - shared)",
		derive.In("members", masters), derive.In("shared", derive.Of(float64(shared), "nodes")))
}

func (p *planner) typeNamed(name string) v1alpha1.NodeType {
	i := slices.IndexFunc(p.s.Hardware.NodeTypes, func(t v1alpha1.NodeType) bool { return t.Name == name })
	if i < 0 {
		return v1alpha1.NodeType{}
	}
	return p.s.Hardware.NodeTypes[i]
}
