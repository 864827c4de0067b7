package plan

import (
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/node"
	"plimsoll.dev/plan/fit"
	"plimsoll.dev/plan/pages"
	"plimsoll.dev/unit"
)

// roomOf is the room on nodes of hardware.nodeTypes[index].
type roomOf struct {
	index   int
	daemons []v1alpha1.PodType
	// used is the most of each page size that the pods of a node take, where the scenario does not state
	// the pages: the room pre-allocates as much, a whole number of pages on each NUMA node.
	used map[string]unit.Bytes
	node.Room
}

// measure finds the room on a node type, with the DaemonSets that run there.
func (p *planner) measure(index int, t v1alpha1.NodeType, sized map[string]unit.Bytes) roomOf {
	return p.measureAs("", index, t, sized)
}

// measureAs is measure under a name of its own, for a type in a second role.
func (p *planner) measureAs(label string, index int, t v1alpha1.NodeType, sized map[string]unit.Bytes) roomOf {
	in := node.Input{Label: label, Index: index, Type: t, HugePages: sized, SystemPods: p.systemPods()}
	for _, d := range p.load.daemons {
		if node.RunsOn(d, t) {
			in.Daemons = append(in.Daemons, d)
		}
	}
	return roomOf{index: index, daemons: in.Daemons, Room: node.Measure(&p.b, p.o, in)}
}

func (p *planner) systemPods() derive.Value {
	return p.o.Value("policy.systemPodsPerNode", float64(p.s.Policy.SystemPodsPerNode), "pods")
}

// measureWorkers finds the room on every worker type. Where the scenario does
// not say how many huge pages a type pre-allocates, the pods are packed once
// with their pages counted as memory, and the fullest node decides.
func (p *planner) measureWorkers() {
	p.dims = newDims(slices.Concat(p.load.pods, p.load.daemons))
	for i, t := range p.s.Hardware.NodeTypes {
		if t.Role != "worker" {
			continue
		}
		room := p.measure(i, t, nil)
		if t.HugePages == nil {
			if used := p.pagesOn(room); len(used) > 0 {
				room = p.measure(i, t, onEachNUMANode(used, t.NUMANodes))
				room.used = used
			}
		}
		p.rooms = append(p.rooms, room)
	}
}

// onEachNUMANode rounds pages up to a whole number on each NUMA node, as the kernel spreads them.
func onEachNUMANode(used map[string]unit.Bytes, nodes int) map[string]unit.Bytes {
	out := map[string]unit.Bytes{}
	for size, n := range used {
		if page, err := unit.ParseBytes(size); err == nil && page > 0 {
			page *= unit.Bytes(max(1, nodes))
			out[size] = page * unit.Bytes(pages.Count(n, page))
		}
	}
	return out
}

// pagesOn is the most huge pages, by size, that a packing puts on any node.
func (p *planner) pagesOn(room roomOf) map[string]unit.Bytes {
	sizes := p.dims.pageSizes()
	if len(sizes) == 0 {
		return nil
	}
	o := node.OfPolicy(p.s.Policy)
	items := p.items([]roomOf{room}, o)
	bin := p.dims.capacity(room, o)
	for i := range sizes {
		bin[i] = int64(1) << 60
		for k := range items {
			items[k].Need[dimMemory] += node.ScaleUp(items[k].Need[i], o.Memory)
		}
	}
	packed := fit.Best(items, []fit.Bin{{Cap: bin, Count: fit.Unlimited}})
	used := map[string]unit.Bytes{}
	for _, g := range packed.Groups {
		for i, size := range sizes {
			used[size] = max(used[size], unit.Bytes(bin[i]-g.Free[i]))
		}
	}
	for i, size := range sizes {
		for _, t := range room.daemons {
			used[size] += unit.Bytes(p.dims.need(t, node.NoOvercommit)[i])
		}
	}
	maps.DeleteFunc(used, func(_ string, n unit.Bytes) bool { return n == 0 })
	return used
}

// pageSizes are the huge page sizes among the resources, by their index.
func (d dims) pageSizes() map[int]string {
	sizes := map[int]string{}
	for i, name := range d {
		if size, ok := strings.CutPrefix(name, hugePagePrefix); ok {
			sizes[i] = size
		}
	}
	return sizes
}

// items are the workload's pods for a packing on the given rooms.
func (p *planner) items(rooms []roomOf, o node.Overcommit) []fit.Item {
	items := make([]fit.Item, 0, len(p.load.pods)+len(p.homeless))
	for _, t := range p.load.pods {
		if p.infraOnly(t) {
			t.Replicas = 0 // counted with the infrastructure
		}
		items = append(items, p.item(t, rooms, o))
	}
	for _, t := range p.homeless {
		items = append(items, p.item(t, rooms, o))
	}
	return items
}

func (p *planner) item(t v1alpha1.PodType, rooms []roomOf, o node.Overcommit) fit.Item {
	it := fit.Item{Name: t.Name, Count: t.Replicas, Need: p.dims.need(t, o), MaxPerNode: t.MaxPerNode}
	for i, r := range rooms {
		if !node.RunsOn(t, r.Type) {
			if it.On == nil {
				it.On = make([]bool, len(rooms))
				for k := range it.On {
					it.On[k] = true
				}
			}
			it.On[i] = false
		}
	}
	return it
}
