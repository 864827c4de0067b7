package report

import (
	"fmt"
	"html/template"
	"strconv"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/report/chart"
)

// machineView is a machine prepared for its template.
type machineView struct {
	M      v1alpha1.MachineMap
	NUMA   []numaView
	Owners *rowsView
}

// numaView is a NUMA node: cores by cache, memory, devices.
type numaView struct {
	ID, Socket int
	Says       string
	Caches     [][][]cpuView
	Memory     []memoryView
	Devices    []cpuView
}

// cpuView is a thread, or a device, with the mark of its owner.
type cpuView struct{ Mark, Class, Name string }

// memoryView is a bar of pages.
type memoryView struct {
	Name, Text string
	Drawing    template.HTML
}

func newMachineView(m v1alpha1.MachineMap) machineView {
	v := machineView{M: m}
	for _, n := range m.NUMANodes {
		v.NUMA = append(v.NUMA, newNUMAView(n))
	}
	var rows [][]string
	for i, o := range m.Owners {
		rows = append(rows, []string{string(ownerMark(i + 1)), ownerName(o), o.QOSClass, ownerText(o)})
	}
	if v.Owners = newRows("Owners on "+m.Node, []string{"", "Container", "QoS", "Owns"}, rows); v.Owners == nil {
		v.Owners = newRows("Owners on "+m.Node, []string{"Owners"}, [][]string{{"no container has anything of its own"}})
	}
	return v
}

func newNUMAView(n v1alpha1.NUMAMap) numaView {
	v := numaView{ID: n.ID, Socket: n.Socket}
	uses := map[string]int{}
	cache := -1
	for i, c := range n.Cores {
		if i == 0 || c.Cache != cache {
			v.Caches = append(v.Caches, nil)
			cache = c.Cache
		}
		var core []cpuView
		for _, th := range c.Threads {
			uses[th.Use]++
			core = append(core, threadView(th))
		}
		last := len(v.Caches) - 1
		v.Caches[last] = append(v.Caches[last], core)
	}
	v.Says = fmt.Sprintf("%s: %d exclusive, %d shared, %d reserved CPUs; the table below says whose", plural(len(n.Cores), "core"), uses["exclusive"], uses["shared"], uses["reserved"])
	for _, m := range n.Memory {
		if m.Total > 0 {
			v.Memory = append(v.Memory, newMemoryView(m))
		}
	}
	for _, d := range n.Devices {
		x := cpuView{Mark: string(sharedMark), Class: "shared", Name: d.ID}
		if d.Owner > 0 {
			x.Mark, x.Class = string(ownerMark(d.Owner)), ownerClass(d.Owner)
		}
		v.Devices = append(v.Devices, x)
	}
	return v
}

func threadView(th v1alpha1.ThreadMap) cpuView {
	switch th.Use {
	case "exclusive":
		return cpuView{Mark: string(ownerMark(th.Owner)), Class: ownerClass(th.Owner)}
	case "reserved":
		return cpuView{Mark: string(reservedMark), Class: "reserved"}
	}
	return cpuView{Mark: string(sharedMark), Class: "shared"}
}

// ownerClass is the colour of an owner.
func ownerClass(owner int) string { return "own k" + strconv.Itoa((owner-1)%chart.Kinds) }

func newMemoryView(m v1alpha1.NUMAMemory) memoryView {
	parts := []chart.Part{{Name: "system", Share: float64(m.Reserved) / float64(m.Total), Label: "reserved " + quantity(m.Resource, m.Reserved)}}
	for _, u := range m.Used {
		parts = append(parts, chart.Part{Name: "workload", Share: float64(u.Size) / float64(m.Total), Label: string(ownerMark(u.Owner)) + " " + quantity(m.Resource, u.Size)})
	}
	free := m.Total - m.Reserved - usedMemory(m)
	parts = append(parts, chart.Part{Name: "free", Share: float64(max(0, free)) / float64(m.Total), Label: "free " + quantity(m.Resource, max(0, free))})
	return memoryView{Name: m.Resource, Text: quantity(m.Resource, usedMemory(m)) + " of " + quantity(m.Resource, m.Total),
		Drawing: template.HTML(chart.Stack(parts))} //nolint:gosec // escaped by chart
}
