package plan

import (
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/node"
	"plimsoll.dev/plan/fit"
	"plimsoll.dev/unit"
)

// roomOf is the room on nodes of hardware.nodeTypes[index].
type roomOf struct {
	index   int
	daemons []v1alpha1.PodType
	node.Room
}

// measure finds the room on a node type, with the DaemonSets that run there.
func (p *planner) measure(index int, t v1alpha1.NodeType, pages map[string]unit.Bytes) roomOf {
	return p.measureAs("", index, t, pages)
}

// measureAs is measure under a name of its own, for a type in a second role.
func (p *planner) measureAs(label string, index int, t v1alpha1.NodeType, pages map[string]unit.Bytes) roomOf {
	in := node.Input{Label: label, Index: index, Type: t, HugePages: pages, SystemPods: p.systemPods()}
	for _, d := range p.load.daemons {
		if node.RunsOn(d, t) {
			in.Daemons = append(in.Daemons, d)
		}
	}
	return roomOf{index, in.Daemons, node.Measure(&p.b, p.o, in)}
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
			if pages := p.pagesOn(room); len(pages) > 0 {
				room = p.measure(i, t, pages)
			}
		}
		p.rooms = append(p.rooms, room)
	}
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
	pages := map[string]unit.Bytes{}
	for _, g := range packed.Groups {
		for i, size := range sizes {
			pages[size] = max(pages[size], unit.Bytes(bin[i]-g.Free[i]))
		}
	}
	for i, size := range sizes {
		for _, t := range room.daemons {
			pages[size] += unit.Bytes(p.dims.need(t, node.NoOvercommit)[i])
		}
	}
	for size, n := range pages {
		if n == 0 {
			delete(pages, size)
		}
	}
	return pages
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
