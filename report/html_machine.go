package report

import (
	"fmt"
	"html/template"
	"strconv"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/report/chart"
	"plimsoll.dev/unit"
)

// machineView is a machine prepared for its template.
type machineView struct {
	M       v1alpha1.MachineMap
	Sockets []socketView
	Owners  *rowsView
}

// socketView is a socket: its NUMA nodes.
type socketView struct {
	ID   int
	NUMA []numaView
}

// numaView is a NUMA node: cores by cache, memory, devices.
type numaView struct {
	ID int
	// CPUs of the first and the last core, and what the drawing says in words.
	CPUs, Says string
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
	for i, n := range m.NUMANodes {
		if i == 0 || n.Socket != m.NUMANodes[i-1].Socket {
			v.Sockets = append(v.Sockets, socketView{ID: n.Socket})
		}
		s := &v.Sockets[len(v.Sockets)-1]
		s.NUMA = append(s.NUMA, newNUMAView(m, n))
	}
	var rows [][]string
	for i, o := range m.Owners {
		rows = append(rows, []string{string(ownerMark(i + 1)), ownerName(o), o.QOSClass, ownerText(o)})
	}
	if v.Owners = newRows("Owners on "+m.Node, []string{"Mark", "Container", "QoS", "Owns"}, rows); v.Owners == nil {
		v.Owners = newRows("Owners on "+m.Node, []string{"Owners"}, [][]string{{"no container has anything of its own"}})
	}
	return v
}

func newNUMAView(m v1alpha1.MachineMap, n v1alpha1.NUMAMap) numaView {
	v := numaView{ID: n.ID}
	uses := map[string]int{}
	for i, c := range n.Cores {
		if i == 0 || c.Cache != n.Cores[i-1].Cache {
			v.Caches = append(v.Caches, nil)
		}
		var core []cpuView
		for _, th := range c.Threads {
			uses[th.Use]++
			core = append(core, threadView(m, th))
		}
		last := len(v.Caches) - 1
		v.Caches[last] = append(v.Caches[last], core)
	}
	if cores := n.Cores; len(cores) > 0 {
		v.CPUs = (&coreLine{first: cpuNumbers(cores[0]), last: cpuNumbers(cores[len(cores)-1])}).numbers()
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

func threadView(m v1alpha1.MachineMap, th v1alpha1.ThreadMap) cpuView {
	v := cpuView{Mark: string(sharedMark), Class: "shared", Name: "CPU " + strconv.Itoa(th.CPU)}
	switch th.Use {
	case "exclusive":
		v.Mark, v.Class = string(ownerMark(th.Owner)), ownerClass(th.Owner)
		if th.Owner > 0 && th.Owner <= len(m.Owners) {
			v.Name += ": " + ownerName(m.Owners[th.Owner-1])
		}
	case "reserved":
		v.Mark, v.Class = string(reservedMark), "reserved"
	}
	return v
}

// ownerClass is the colour of an owner.
func ownerClass(owner int) string { return "own k" + strconv.Itoa(max(0, owner-1)%chart.Kinds) }

func newMemoryView(m v1alpha1.NUMAMemory) memoryView {
	parts := []chart.Part{{Name: "system", Share: ratio(m.Reserved, m.Total), Label: "reserved " + unit.FormatResource(m.Resource, m.Reserved)}}
	for _, u := range m.Used {
		parts = append(parts, chart.Part{Share: ratio(u.Size, m.Total), Label: string(ownerMark(u.Owner)) + " " + unit.FormatResource(m.Resource, u.Size), Kind: max(1, u.Owner)})
	}
	free := m.Total - m.Reserved - usedMemory(m)
	parts = append(parts, chart.Part{Name: "free", Share: ratio(max(0, free), m.Total), Label: "free " + unit.FormatResource(m.Resource, max(0, free))})
	return memoryView{Name: m.Resource, Text: memoryText(m),
		Drawing: template.HTML(chart.Stack(parts))} //nolint:gosec // escaped by chart
}
