package helion

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/plan/helion/controller"
	"plimsoll.dev/unit"
)

// layers are the hosts of the cloud cut into what they are used for: the disks of a
// controller, the memory and the cores of a compute host, the OSDs.
func (p *planner) layers(compute []v1alpha1.ResourceLayers) []v1alpha1.NodeLayers {
	var out []v1alpha1.NodeLayers
	for _, h := range p.plan.Decisions.Helion.Hosts {
		n := v1alpha1.NodeLayers{Type: h.Type, Role: h.Role, Count: h.Count}
		if n.Type == "" {
			n.Type = h.Role
		}
		switch h.Role {
		case "controller":
			n.Resources = p.diskLayers()
		case "compute":
			n.Resources = compute
			if p.model.Chosen == controller.CPE {
				n.Resources = append(p.diskLayers(), compute...)
			}
		case "storage":
			n.Resources = p.osdLayers()
		}
		if len(n.Resources) > 0 {
			out = append(out, n)
		}
	}
	return out
}

// diskLayers cut a controller's disks.
func (p *planner) diskLayers() []v1alpha1.ResourceLayers {
	fixed, _ := p.b.Get("controller.fixed")
	system := stacked("system disk", max(p.diskOf("system"), p.control.DiskNeed.Number),
		decimalLayer("fixed", fixed.Value.Number), decimalLayer("images", p.control.Images.Number),
		decimalLayer("database", p.control.Database.Number),
		decimalLayer("conversion", p.control.Conversion.Number), decimalLayer("backup", p.control.Backup.Number))
	out := []v1alpha1.ResourceLayers{system}
	if p.control.LVM.Number > 0 {
		out = append(out, stacked("LVM disk", max(p.diskOf("lvm"), p.control.LVMNeed.Number),
			decimalLayer("LVM volumes", p.control.LVM.Number)))
	}
	return out
}

// diskOf is the largest disk of a use that the controllers' type has, in bytes; 0
// without any.
func (p *planner) diskOf(use string) float64 {
	most := unit.Bytes(0)
	if i := p.controllerType(p.model.Chosen); i >= 0 {
		for _, d := range p.s.Hardware.NodeTypes[i].Disks {
			if d.Use == use {
				most = max(most, d.Size)
			}
		}
	}
	return float64(most)
}

// osdLayers cut the OSDs of all storage hosts at the near-full share.
func (p *planner) osdLayers() []v1alpha1.ResourceLayers {
	total := p.ceph.Layout.Size * p.ceph.OSDs.Number
	above := total * (1 - float64(p.s.Storage.Ceph.NearFull))
	return []v1alpha1.ResourceLayers{stacked("all OSDs", total, decimalLayer("data with copies", p.ceph.Raw.Number),
		decimalLayer("above near-full", min(above, max(0, total-p.ceph.Raw.Number))))}
}

// stacked puts layers on one another, and at the end what is free; they fill the
// capacity at least.
func stacked(name string, capacity float64, layers ...v1alpha1.Layer) v1alpha1.ResourceLayers {
	sum := 0.0
	for _, l := range layers {
		sum += l.Value.Number
	}
	capacity = max(capacity, sum)
	return v1alpha1.ResourceLayers{Resource: name, Capacity: decimalLayer("", capacity).Value,
		Layers: append(layers, decimalLayer("free", capacity-sum))}
}

// decimalLayer is a layer of a disk, told as disks are sold.
func decimalLayer(name string, bytes float64) v1alpha1.Layer {
	return v1alpha1.Layer{Name: name,
		Value: derive.Of(bytes, unit.ByteUnit).WithText(unit.FormatDecimal(unit.Bytes(unit.Whole(bytes))))}
}
