package compute

import (
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/unit"
)

// layers cut the memory and the cores of a host's NUMA nodes into what is kept back and
// what VMs get. Neighbouring nodes that are alike are told as one.
func (p *planner) layers(f *Fleet) []v1alpha1.ResourceLayers {
	nodes := p.in.Nodes(f.Type)
	return slices.Concat(
		perNode("RAM", len(nodes), func(i int) []v1alpha1.Layer { return f.memoryLayers(i, nodes[i]) }),
		perNode("cores", len(nodes), func(i int) []v1alpha1.Layer { return coreLayers(nodes[i]) }))
}

// perNode is a resource of each NUMA node, its layers by the node's index.
func perNode(name string, nodes int, layers func(i int) []v1alpha1.Layer) []v1alpha1.ResourceLayers {
	var out []v1alpha1.ResourceLayers
	for i := 0; i < nodes; {
		list, j := layers(i), i+1
		for j < nodes && slices.Equal(list, layers(j)) {
			j++
		}
		r := v1alpha1.ResourceLayers{Resource: fmt.Sprintf("%s node %d", name, i), Layers: list}
		if j-i > 1 {
			r.Resource = fmt.Sprintf("%s nodes %d-%d each", name, i, j-1)
		}
		sum := 0.0
		for _, l := range list {
			sum += l.Value.Number
		}
		r.Capacity = derive.Of(sum, list[0].Value.Unit)
		r.Layers = slices.DeleteFunc(list, func(l v1alpha1.Layer) bool { return l.Value.Number == 0 })
		out = append(out, r)
		i = j
	}
	return out
}

// memoryLayers cut the memory of NUMA node i.
func (f *Fleet) memoryLayers(i int, n Node) []v1alpha1.Layer {
	layer := func(name string, b unit.Bytes) v1alpha1.Layer {
		return v1alpha1.Layer{Name: name, Value: derive.Of(float64(max(0, b)), unit.ByteUnit)}
	}
	platform := min(n.Platform, n.Memory)
	out := []v1alpha1.Layer{layer("platform", platform), layer("vSwitch", min(n.VSwitch, n.Memory-platform))}
	left := n.VMMemory()
	for _, x := range []struct {
		name string
		size unit.Bytes
	}{{"1Gi pages", Large}, {"2Mi pages", Medium}} {
		b := min(left, f.pool(i, x.size))
		out = append(out, layer(x.name, b))
		left -= b
	}
	return append(out, layer("4Ki pages", left))
}

// pool is the memory in pages of a size on NUMA node i of an empty host.
func (f *Fleet) pool(i int, size unit.Bytes) unit.Bytes {
	if f.Host == nil || i >= len(f.Host.Cells) {
		return 0
	}
	sum := unit.Bytes(0)
	for _, pool := range f.Host.Cells[i].Pages {
		if unit.Bytes(pool.Size)*unit.KiB == size {
			sum += unit.Bytes(pool.Total) * size
		}
	}
	return sum
}

// coreLayers cut the physical cores of a NUMA node.
func coreLayers(n Node) []v1alpha1.Layer {
	var out []v1alpha1.Layer
	left := n.Cores
	add := func(name string, cores int) {
		cores = max(0, min(cores, left))
		out = append(out, v1alpha1.Layer{Name: name, Value: derive.Of(float64(cores), "cores")})
		left -= cores
	}
	add("platform", n.PlatformCores)
	add("vSwitch", n.VSwitchCores)
	add("shared vCPUs", n.SharedCores)
	add("floating vCPUs", n.Floating)
	add("guest VMs", left)
	return out
}
