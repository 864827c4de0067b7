package place

import "plimsoll.dev/api/v1alpha1"

// machines draws the machine of each node whose kubelet gives out CPUs, memory
// or devices of their own, at most so many; the first of equal ones.
func (r *run) machines(p *v1alpha1.Placement) {
	for i := range p.Nodes {
		n := r.index(p.Nodes[i].Name)
		k := r.kubelets[n]
		if k == nil || len(p.Machines) >= mostMachines {
			continue
		}
		m := k.Map()
		m.Node, m.Type = p.Nodes[i].Name, p.Nodes[i].Type
		p.Machines = append(p.Machines, m)
		p.Nodes[i].Machine = len(p.Machines)
	}
}

// mostMachines bounds the machines that are drawn; the rest are in the nodes'
// table.
const mostMachines = 200

func (r *run) index(name string) int {
	if r.byName == nil {
		r.byName = map[string]int{}
		for i, n := range r.c.Nodes {
			r.byName[n.Name] = i
		}
	}
	return r.byName[name]
}
