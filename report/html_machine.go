package report

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/report/chart"
	"plimsoll.dev/unit"
)

// machineView is a machine prepared for its template.
type machineView struct {
	M       v1alpha1.MachineMap
	Sockets []socketView
	// Owners are those of pods, VMs those of a compute host.
	Owners *rowsView
	VMs    []vmView
	// Large draws the CPUs with their numbers.
	Large bool
}

// vmView is a VM in the legend of a machine.
type vmView struct {
	owned
	Class string
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
	Devices    []devicesView
}

// cpuView is a thread, or a device, with the mark of its owner.
type cpuView struct {
	Mark, Class, Name string
	// Number of the CPU.
	Number int
}

// devicesView is a device, or those of a kind.
type devicesView struct {
	Cells      []cpuView
	Name, Text string
}

// memoryView is a bar of pages.
type memoryView struct {
	Name, Text string
	Drawing    template.HTML
}

func newMachineView(m v1alpha1.MachineMap, by ownedBy) machineView {
	v := machineView{M: m}
	for i, n := range m.NUMANodes {
		if i == 0 || n.Socket != m.NUMANodes[i-1].Socket {
			v.Sockets = append(v.Sockets, socketView{ID: n.Socket})
		}
		s := &v.Sockets[len(v.Sockets)-1]
		s.NUMA = append(s.NUMA, newNUMAView(m, n))
	}
	if !ofServers(m) {
		v.Owners = ownerRowsOf(m, by)
		return v
	}
	for i, o := range ownersOf(m, by) {
		v.VMs = append(v.VMs, vmView{o, ownerClass(i + 1)})
	}
	v.Large = cpuCount(m) <= largeCPUs
	return v
}

// largeCPUs is the number of CPUs up to which those of a compute host are drawn
// large, with their numbers.
const largeCPUs = 64

func cpuCount(m v1alpha1.MachineMap) int {
	sum := 0
	for _, n := range m.NUMANodes {
		for _, c := range n.Cores {
			sum += len(c.Threads)
		}
	}
	return sum
}

// ownerRowsOf is the legend of a machine of pods as a table.
func ownerRowsOf(m v1alpha1.MachineMap, by ownedBy) *rowsView {
	var rows [][]string
	for _, o := range ownersOf(m, by) {
		rows = append(rows, []string{o.Mark, o.Name, o.QOSClass, o.Has})
	}
	if len(rows) == 0 {
		return newRows("Owners on "+m.Node, []string{"Owners"}, [][]string{{"no container has anything of its own"}})
	}
	return newRows("Owners on "+m.Node, []string{"Mark", "Container", "QoS", "Owns"}, rows)
}

func newNUMAView(m v1alpha1.MachineMap, n v1alpha1.NUMAMap) numaView {
	v := numaView{ID: n.ID, Says: saysOf(m, n)}
	for i, c := range n.Cores {
		if i == 0 || c.Cache != n.Cores[i-1].Cache {
			v.Caches = append(v.Caches, nil)
		}
		var core []cpuView
		for _, th := range c.Threads {
			core = append(core, threadView(m, th))
		}
		last := len(v.Caches) - 1
		v.Caches[last] = append(v.Caches[last], core)
	}
	if cores := n.Cores; len(cores) > 0 {
		v.CPUs = (&coreLine{first: cpuNumbers(cores[0]), last: cpuNumbers(cores[len(cores)-1])}).numbers()
	}
	for _, x := range n.Memory {
		if x.Total > 0 {
			v.Memory = append(v.Memory, newMemoryView(x, lettersOf(m)))
		}
	}
	for _, k := range deviceKinds(n) {
		v.Devices = append(v.Devices, devicesOf(m, k)...)
	}
	return v
}

// saysOf is the drawing of a NUMA node in words.
func saysOf(m v1alpha1.MachineMap, n v1alpha1.NUMAMap) string {
	uses := map[string]int{}
	for _, c := range n.Cores {
		for _, th := range c.Threads {
			uses[th.Use]++
		}
	}
	parts := []string{fmt.Sprintf("%d exclusive", uses["exclusive"])}
	if ofServers(m) {
		uses["free"] += uses["shared"]
	} else {
		parts = append(parts, fmt.Sprintf("%d shared, %d reserved", uses["shared"], uses["reserved"]))
	}
	for _, u := range cpuUses {
		if u.Says != "" && uses[u.Use] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", uses[u.Use], u.Says))
		}
	}
	return plural(len(n.Cores), "core") + ": " + strings.Join(parts, ", ") + " CPUs; the table below says whose"
}

// devicesOf is a view for each named device, or one for all of a kind.
func devicesOf(m v1alpha1.MachineMap, k deviceKind) []devicesView {
	all := devicesView{Name: k.Kind, Text: k.taken()}
	var named []devicesView
	for _, d := range k.Devices {
		x := cpuView{Mark: string(deviceMark(d, lettersOf(m))), Class: deviceUse(d).Class, Name: d.ID}
		if d.Owner > 0 {
			x.Class = ownerClass(d.Owner)
		}
		named = append(named, devicesView{Cells: []cpuView{{Mark: x.Mark, Class: x.Class}}, Name: deviceName(d, lettersOf(m))})
		all.Cells = append(all.Cells, x)
	}
	if k.named() {
		return named
	}
	return []devicesView{all}
}

func threadView(m v1alpha1.MachineMap, th v1alpha1.ThreadMap) cpuView {
	u := useOf(th)
	v := cpuView{Mark: string(u.Mark), Class: u.Class, Name: "CPU " + strconv.Itoa(th.CPU), Number: th.CPU}
	if u.Says != "" {
		v.Name += ": " + u.Says
	}
	if th.Use == "exclusive" {
		v.Mark, v.Class = string(lettersOf(m).of(th.Owner)), ownerClass(th.Owner)
		if th.Owner > 0 && th.Owner <= len(m.Owners) {
			v.Name += ": " + ownerName(m.Owners[th.Owner-1])
		}
	}
	return v
}

// ownerClass is the colour of an owner.
func ownerClass(owner int) string { return "own k" + strconv.Itoa(max(0, owner-1)%chart.Kinds) }

func newMemoryView(m v1alpha1.NUMAMemory, marks letters) memoryView {
	parts := []chart.Part{{Name: "system", Share: ratio(m.Reserved, m.Total), Label: "reserved " + unit.FormatResource(m.Resource, m.Reserved)}}
	for _, u := range m.Used {
		parts = append(parts, chart.Part{Share: ratio(u.Size, m.Total), Label: string(marks.of(u.Owner)) + " " + unit.FormatResource(m.Resource, u.Size), Kind: max(1, u.Owner)})
	}
	free := m.Total - m.Reserved - usedMemory(m)
	parts = append(parts, chart.Part{Name: "free", Share: ratio(max(0, free), m.Total), Label: "free " + unit.FormatResource(m.Resource, max(0, free))})
	return memoryView{Name: m.Resource, Text: memoryText(m),
		Drawing: template.HTML(chart.Stack(parts))} //nolint:gosec // escaped by chart
}
