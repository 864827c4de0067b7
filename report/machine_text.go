package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/unit"
)

// owned is what one owner of a machine has, as the legend says it.
type owned struct {
	Mark, Name, QOSClass, Has string
	// Why says in sentences why it is there.
	Why []string
}

// ownedBy says what the owners of a machine have.
type ownedBy func(m v1alpha1.MachineMap) []owned

// tellingMachines are those of the default output: those of first, then where the
// most is owned, in the order of the machines. Compute hosts need more lines, so
// fewer are shown.
func tellingMachines(all []v1alpha1.MachineMap, first map[string]bool) []v1alpha1.MachineMap {
	most := machineMaps
	if slices.ContainsFunc(all, ofServers) {
		most = hostMaps
	}
	rank := func(i int) int {
		if first[all[i].Node] {
			return 1 << 20
		}
		return min(len(all[i].Owners), 1<<20-1)
	}
	at := make([]int, len(all))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(rank(b), rank(a)) })
	at = at[:min(most, len(at))]
	slices.Sort(at)
	return each(at, func(i int) v1alpha1.MachineMap { return all[i] })
}

// machine draws a machine, and the legend of its owners: all where it is full, else the first.
func (t *text) machine(m v1alpha1.MachineMap, x Machines) {
	t.line("  ", table.Bold, m.Node+": "+m.Layout)
	if m.Policies != "" {
		t.line("  ", table.Faint, m.Policies)
	}
	label, marks := labelWidth(m, t.width), lettersOf(m)
	socket := -1
	for i, n := range m.NUMANodes {
		title := fmt.Sprintf("NUMA %d", n.ID)
		if i == 0 || n.Socket != socket {
			socket = n.Socket
			title += fmt.Sprintf(", socket %d", socket)
		}
		t.line("    ", table.Plain, title)
		t.cores(n, label, marks)
		t.pages(n, marks)
		t.drawDevices(n, marks)
		for _, l := range x.beside(m, n) {
			t.line(machineIndent+l.lead(), table.Plain, l.says(marks))
		}
	}
	t.owners(m, x.By, x.Full)
}

// machineIndent is put before what a NUMA node has.
const machineIndent = "      "

// labelWidth is the width of the CPU numbers beside the cells, the same for a
// whole machine; 0 where the lines are too short for them.
func labelWidth(m v1alpha1.MachineMap, limit int) int {
	most := 0
	for _, n := range m.NUMANodes {
		for _, c := range n.Cores {
			most = max(most, len(cpuNumbers(c)))
		}
	}
	most = 2*most + len(" .. ")
	if limit > 0 && most > limit/2 {
		return 0
	}
	return most
}

// cpuNumbers are the CPUs of a core: "0,56".
func cpuNumbers(c v1alpha1.CoreMap) string {
	return joined(c.Threads, ",", func(th v1alpha1.ThreadMap) string { return strconv.Itoa(th.CPU) })
}

// cores draws the cores of a NUMA node, a cell for each, beside the CPUs of the
// first and the last core of the line. Uncore caches are set apart, and stay on
// one line where they fit.
func (t *text) cores(n v1alpha1.NUMAMap, label int, marks letters) {
	room := 0
	if t.width > 0 {
		room = max(8, t.width-len(machineIndent)-len("cpu ")-label-2)
	}
	var line coreLine
	flush := func() {
		if line.cells != "" {
			t.b.WriteString(machineIndent + line.lead(label) + t.paintCPUs(line.cells, marks) + "\n")
		}
		line = coreLine{}
	}
	for i, c := range n.Cores {
		cell := coreCell(c, marks)
		if cell == "" {
			continue
		}
		gap, need := 1, len(cell)
		if i > 0 && n.Cores[i-1].Cache != c.Cache {
			gap = 3
			if whole := cacheWidth(n.Cores[i:]); whole <= room {
				need = whole
			}
		}
		if room > 0 && line.cells != "" && len(line.cells)+gap+need > room {
			flush()
		}
		for room > 0 && len(cell) > room {
			line.add(cell[:room], 0, c)
			flush()
			cell = cell[room:]
		}
		line.add(cell, gap, c)
	}
	flush()
}

// coreLine is a line of cells, with the CPUs of its first and last core.
type coreLine struct{ cells, first, last string }

func (l *coreLine) add(cell string, gap int, c v1alpha1.CoreMap) {
	if l.cells == "" {
		l.first = cpuNumbers(c)
	} else {
		l.cells += strings.Repeat(" ", gap)
	}
	l.cells, l.last = l.cells+cell, cpuNumbers(c)
}

// lead is "cpu 0,56 .. 13,69  ".
func (l *coreLine) lead(label int) string {
	if label == 0 {
		return ""
	}
	return fmt.Sprintf("cpu %-*s  ", label, l.numbers())
}

// numbers is "0,56 .. 13,69".
func (l *coreLine) numbers() string {
	if l.last == l.first {
		return l.first
	}
	return l.first + " .. " + l.last
}

// cacheWidth is the width of the first cores that share a cache.
func cacheWidth(cores []v1alpha1.CoreMap) int {
	width := -1
	for _, c := range cores {
		if c.Cache != cores[0].Cache {
			break
		}
		width += 1 + len(c.Threads)
	}
	return width
}

// pageBar is the width of a bar of pages.
const pageBar = 24

// pages draws memory and huge pages of a NUMA node where somebody owns some, or
// there are huge pages; of a compute host all.
func (t *text) pages(n v1alpha1.NUMAMap, marks letters) {
	tb := table.Table{Bare: true, Indent: machineIndent, Columns: []table.Column{{}, {Keep: true}, {}}}
	for _, m := range n.Memory {
		if m.Total > 0 && (len(m.Used) > 0 || marks == serverLetters || strings.HasPrefix(m.Resource, "hugepages-")) {
			bar := memoryBar(m, marks)
			if m.Unassigned {
				bar = ""
			}
			tb.Add(m.Resource, bar, memoryText(m))
		}
	}
	if len(tb.Rows) > 0 {
		t.table(tb)
	}
}

// memoryText is "16 GiB of 32 GiB, 2 GiB reserved", for all formats alike.
func memoryText(m v1alpha1.NUMAMemory) string {
	if m.Unassigned {
		return unit.FormatResource(m.Resource, m.Total) + ", not assigned by NUMA node (memory manager None)"
	}
	s := unit.FormatResource(m.Resource, usedMemory(m)) + " of " + unit.FormatResource(m.Resource, m.Total)
	if m.Reserved > 0 {
		s += ", " + unit.FormatResource(m.Resource, m.Reserved) + " reserved"
	}
	return s
}

func usedMemory(m v1alpha1.NUMAMemory) int64 {
	n := int64(0)
	for _, u := range m.Used {
		n += u.Size
	}
	return n
}

// memoryBar draws reserved and owned memory with the marks of the CPUs.
func memoryBar(m v1alpha1.NUMAMemory, marks letters) string {
	var b strings.Builder
	sum := 0.0
	fill := func(mark byte, size int64) {
		sum += max(0, float64(size))
		until := int(min(1, sum/float64(m.Total))*pageBar + 0.5)
		if n := until - b.Len(); n > 0 {
			b.WriteString(strings.Repeat(string(mark), n))
		}
	}
	fill(reservedMark, m.Reserved)
	for _, u := range m.Used {
		fill(marks.of(u.Owner), u.Size)
	}
	return "[" + b.String() + strings.Repeat(string(sharedMark), pageBar-b.Len()) + "]"
}
