package pack

import (
	"errors"
	"fmt"
)

// mostAmount is the largest amount: what floating point numbers count exactly.
const mostAmount = 1 << 53

// faults collects everything that is wrong with a problem.
type faults []error

func (f *faults) add(ok bool, format string, args ...any) {
	if !ok {
		*f = append(*f, fmt.Errorf(format, args...))
	}
}

// check says everything that is wrong with a problem.
func (p *Problem) check() error {
	var f faults
	f.add(len(p.Nodes) > 0, "nodes: there are none (at least one kind is needed)")
	for k := range p.Nodes {
		p.checkNode(k, &f)
	}
	for i := range p.Items {
		p.checkItem(i, &f)
	}
	for j, c := range p.Conflicts {
		for _, i := range c {
			f.add(i >= 0 && i < len(p.Items), "conflicts[%d]: there is no item %d (0 to %d)", j, i, len(p.Items)-1)
		}
		f.add(c[0] != c[1], "conflicts[%d]: item %d excludes itself (maxPerNode 1 says that)", j, c[0])
	}
	f.add(p.Spares >= 0 && p.Spares <= mostAmount, "spares: %d (0 to 2^53)", p.Spares)
	f.add(p.Zones == 0 || p.Zones >= 2 && p.Zones <= mostAmount, "zones: %d (0, or 2 and more)", p.Zones)
	f.add(!p.SurviveZoneLoss || p.Zones >= 2, "surviveZoneLoss: there are no zones to lose (zones: 2 or more)")
	return errors.Join(f...)
}

func (p *Problem) checkNode(k int, f *faults) {
	n := &p.Nodes[k]
	at := fmt.Sprintf("nodes[%d] %q", k, n.Name)
	f.add(len(n.Capacity) == len(p.Resources), "%s: has %d capacities (one for each of %d resources)", at, len(n.Capacity),
		len(p.Resources))
	f.amounts(n.Capacity, at+": capacity")
	f.add(n.Cost >= 1 && n.Cost <= mostAmount, "%s: cost is %d (1 to 2^53)", at, n.Cost)
	f.add(n.Stock >= -1 && n.Stock <= mostAmount, "%s: stock is %d (0 to 2^53, or -1 for no limit)", at, n.Stock)
}

func (p *Problem) checkItem(i int, f *faults) {
	it := &p.Items[i]
	at := fmt.Sprintf("items[%d] %q", i, it.Name)
	f.add(len(it.Need) == len(p.Resources), "%s: has %d needs (one for each of %d resources)", at, len(it.Need),
		len(p.Resources))
	f.amounts(it.Need, at+": need")
	f.add(it.Count >= 0 && it.Count <= mostAmount, "%s: count is %d (0 to 2^53)", at, it.Count)
	f.add(it.MaxPerNode >= 0 && it.MaxPerNode <= mostAmount, "%s: maxPerNode is %d (0 to 2^53, 0 is no limit)", at,
		it.MaxPerNode)
	f.add(it.On == nil || len(it.On) == len(p.Nodes), "%s: on has %d entries (one for each of %d kinds of node, or none)",
		at, len(it.On), len(p.Nodes))
}

func (f *faults) amounts(list []int64, at string) {
	for d, a := range list {
		f.add(a >= 0 && a <= mostAmount, "%s[%d] is %d (0 to 2^53)", at, d, a)
	}
}
