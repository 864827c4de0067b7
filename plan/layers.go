package plan

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/node"
	"plimsoll.dev/plan/fit"
)

// layers cuts a node of each planned type into what uses it.
func (p *planner) layers() {
	if p.choice == nil {
		return
	}
	for i, r := range p.choice.rooms {
		n := p.choice.opt.Nodes[i].Count
		role := "worker"
		if infraToday(r.Type) {
			role = "infra"
		}
		if n > 0 {
			p.plan.Nodes = append(p.plan.Nodes, nodeLayers(r, role, n, "workload", p.workloadOn(i)))
		}
	}
	if n := p.infra.count.Int(); n > 0 {
		p.plan.Nodes = append(p.plan.Nodes,
			nodeLayers(p.infra.room, "infra", int(n), "infrastructure", usedBy(p.infra.items, p.infra.pack, 0)))
	}
}

// workloadOn sums what the workload's pods request on nodes of entry i. The
// pods' own requests count, whatever the overcommit.
func (p *planner) workloadOn(i int) fit.Vec {
	items := p.items(p.choice.rooms, node.NoOvercommit)
	return usedBy(items, p.choice.pack, i)
}

func usedBy(items []fit.Item, packed fit.Packing, bin int) fit.Vec {
	var sum fit.Vec
	for _, g := range packed.Groups {
		if g.Bin != bin {
			continue
		}
		for h := g.Holds; h != nil; h = h.Next {
			need := items[h.Item].Need
			if sum == nil {
				sum = make(fit.Vec, len(need))
			}
			for d := range need {
				sum[d] += need[d] * int64(h.Each) * int64(g.Nodes)
			}
		}
	}
	if sum == nil {
		sum = make(fit.Vec, firstExtra)
	}
	return sum
}

// nodeLayers adds the mean of what is used on top of the node's own layers.
func nodeLayers(r roomOf, role string, count int, top string, used fit.Vec) v1alpha1.NodeLayers {
	out := v1alpha1.NodeLayers{Type: r.Type.Name, Role: role, Count: count}
	for _, l := range []struct {
		name     string
		capacity derive.Value
		below    []v1alpha1.Layer
		used     int64
	}{
		{"cpu", r.CPUCapacity, r.CPULayers, used[dimCPU]},
		{"memory", r.MemoryCapacity, r.MemoryLayers, used[dimMemory]},
		{"pods", r.PodsAllocatable, r.PodLayers, used[dimPods]},
	} {
		out.Resources = append(out.Resources, stack(l.name, l.capacity, l.below, top, float64(l.used)/float64(count)))
	}
	return out
}

// stack completes the layers so that they sum to the capacity. A workload that
// is overcommitted requests more than there is; its layer ends at the top.
func stack(name string, capacity derive.Value, below []v1alpha1.Layer, top string,
	used float64) v1alpha1.ResourceLayers {
	out := v1alpha1.ResourceLayers{Resource: name, Capacity: capacity}
	left := capacity.Number
	add := func(name string, v derive.Value) {
		v = derive.Value{Number: min(v.Number, left), Unit: v.Unit, Text: v.Text, From: v.From}
		if v.Number > 0 {
			out.Layers = append(out.Layers, v1alpha1.Layer{Name: name, Value: v})
		}
		left -= v.Number
	}
	for _, l := range below {
		add(l.Name, l.Value)
	}
	add(top, derive.Of(used, capacity.Unit))
	if left > 0 {
		add("free", derive.Of(left, capacity.Unit))
	}
	return out
}
