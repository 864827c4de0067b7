package plan

import (
	"cmp"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
)

// stockMix is the name of the option that mixFromStock adds.
const stockMix = "mix"

// mixFromStock adds a mix to the options, where the scenario has no options of its own and of no
// type alone there are enough machines: all of the type whose CPUs cost least, then of the next,
// as many of the last as placement needs. It returns the mix that holds; none where none does.
func (p *planner) mixFromStock() []v1alpha1.HardwareOption {
	if len(p.s.Hardware.Options) > 0 || p.s.Policy.Node != "" || p.load.count.Number == 0 ||
		slices.ContainsFunc(p.options, func(c choice) bool { return c.opt.Fits || c.opt.Name == stockMix }) {
		return nil
	}
	rooms := slices.DeleteFunc(slices.Clone(p.rooms), func(r roomOf) bool {
		return r.Type.Available == nil || *r.Type.Available == 0
	})
	slices.SortStableFunc(rooms, func(a, b roomOf) int {
		return cmp.Compare(a.Type.Price/float64(a.Type.CPUs), b.Type.Price/float64(b.Type.CPUs))
	})
	for k := 2; k <= len(rooms); k++ {
		mix := v1alpha1.HardwareOption{Name: stockMix}
		for i, r := range rooms[:k] {
			n := v1alpha1.OptionNodes{Type: r.Type.Name, Count: *r.Type.Available}
			if i == k-1 {
				n.Count = 0
			}
			mix.Nodes = append(mix.Nodes, n)
		}
		c := p.measureOption(mix, !p.manyTypes())
		if c.placeable() {
			p.hold(&c, nil)
		}
		if c.opt.Fits {
			p.options = append(p.options, c)
			return []v1alpha1.HardwareOption{mix}
		}
	}
	return nil
}

// machines are so many of a type.
type machines struct {
	v1alpha1.NodeType
	index int
	count derive.Value
}

// otherMachines are those of infrastructure and control plane of which no worker is.
func (p *planner) otherMachines() []machines {
	var out []machines
	add := func(t v1alpha1.NodeType, index int, count derive.Value) {
		if index >= 0 && count.Number > 0 &&
			!slices.ContainsFunc(p.choice.rooms, func(r roomOf) bool { return r.index == index }) {
			out = append(out, machines{t, index, count})
		}
	}
	add(p.infra.room.Type, p.infra.room.index, p.infra.count)
	t, index := p.typeOf("controlPlane")
	add(t, index, p.apart())
	return out
}
