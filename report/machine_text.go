package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/unit"
)

// ownerLetters mark who owns a CPU, a page or a device; all further owners of a
// machine share a mark, and are told apart by their CPUs in the legend.
const ownerLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// Marks of CPUs that are nobody's own, and of owners beyond the letters.
const (
	sharedMark   = '.'
	reservedMark = '#'
	otherMark    = '*'
)

// ownerMark is the letter of the owner with an index from 1.
func ownerMark(owner int) byte {
	if owner < 1 || owner > len(ownerLetters) {
		return otherMark
	}
	return ownerLetters[owner-1]
}

// machines draws who owns what on each machine.
func (t placed) machines() {
	all := t.p.Machines
	if len(all) == 0 {
		return
	}
	t.heading("Machines: who owns which core, pages and devices")
	t.line("  ", table.Faint, machineKey(all))
	shown := all
	if !t.wide {
		shown = tellingMachines(t.p)
	}
	for _, m := range shown {
		t.b.WriteByte('\n')
		t.machine(m)
	}
	if n := len(all) - len(shown); n > 0 {
		t.b.WriteByte('\n')
		t.line("  ", table.Faint, fmt.Sprintf("and %s more: -o wide draws them", counting(n, "machine")))
	}
}

// machineKey explains the marks that the machines have.
func machineKey(list []v1alpha1.MachineMap) string {
	s := fmt.Sprintf("Each mark is a CPU: a letter its owner, %c shared pool, %c reserved.", sharedMark, reservedMark)
	threads := func(c v1alpha1.CoreMap) bool { return len(c.Threads) > 1 }
	cores := func(n v1alpha1.NUMAMap) bool { return slices.ContainsFunc(n.Cores, threads) }
	caches := func(n v1alpha1.NUMAMap) bool {
		return slices.ContainsFunc(n.Cores, func(c v1alpha1.CoreMap) bool { return c.Cache != n.Cores[0].Cache })
	}
	if slices.ContainsFunc(list, func(m v1alpha1.MachineMap) bool { return slices.ContainsFunc(m.NUMANodes, cores) }) {
		s += " Threads of a core stand together."
	}
	if slices.ContainsFunc(list, func(m v1alpha1.MachineMap) bool { return slices.ContainsFunc(m.NUMANodes, caches) }) {
		s += " Wider gaps part uncore caches."
	}
	return s
}

// tellingMachines are those of the default output: where pods were refused, then
// where the most is owned, in the order of the machines.
func tellingMachines(p *v1alpha1.Placement) []v1alpha1.MachineMap {
	refused := map[string]bool{}
	for _, a := range p.Admissions {
		refused[a.Node] = refused[a.Node] || !a.Admitted
	}
	rank := func(i int) int {
		if refused[p.Machines[i].Node] {
			return 1 << 20
		}
		return min(len(p.Machines[i].Owners), 1<<20-1)
	}
	at := make([]int, len(p.Machines))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(rank(b), rank(a)) })
	at = at[:min(machineMaps, len(at))]
	slices.Sort(at)
	var out []v1alpha1.MachineMap
	for _, i := range at {
		out = append(out, p.Machines[i])
	}
	return out
}

func (t placed) machine(m v1alpha1.MachineMap) {
	t.line("  ", table.Bold, m.Node+": "+m.Layout)
	if m.Policies != "" {
		t.line("  ", table.Faint, m.Policies)
	}
	label := labelWidth(m, t.width)
	socket := -1
	for i, n := range m.NUMANodes {
		title := fmt.Sprintf("NUMA %d", n.ID)
		if i == 0 || n.Socket != socket {
			socket = n.Socket
			title += fmt.Sprintf(", socket %d", socket)
		}
		t.line("    ", table.Plain, title)
		t.cores(n, label)
		t.pages(n)
		t.devices(n)
	}
	t.owners(m)
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
	parts := make([]string, len(c.Threads))
	for i, th := range c.Threads {
		parts[i] = strconv.Itoa(th.CPU)
	}
	return strings.Join(parts, ",")
}

// cores draws the cores of a NUMA node, a cell for each, beside the CPUs of the
// first and the last core of the line. Uncore caches are set apart, and stay on
// one line where they fit.
func (t placed) cores(n v1alpha1.NUMAMap, label int) {
	room := 0
	if t.width > 0 {
		room = max(8, t.width-len(machineIndent)-len("cpu ")-label-2)
	}
	var line coreLine
	flush := func() {
		if line.cells != "" {
			t.b.WriteString(machineIndent + line.lead(label) + t.paintCPUs(line.cells) + "\n")
		}
		line = coreLine{}
	}
	for i, c := range n.Cores {
		cell := coreCell(c)
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

// coreCell is a mark for each thread of a core.
func coreCell(c v1alpha1.CoreMap) string {
	b := make([]byte, 0, len(c.Threads))
	for _, th := range c.Threads {
		switch th.Use {
		case "exclusive":
			b = append(b, ownerMark(th.Owner))
		case "reserved":
			b = append(b, reservedMark)
		default:
			b = append(b, sharedMark)
		}
	}
	return string(b)
}

// paintCPUs colours what is owned.
func (t placed) paintCPUs(s string) string {
	if !t.opt.Color {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch r {
		case ' ', sharedMark:
			b.WriteRune(r)
		case reservedMark:
			b.WriteString(t.paint(table.Warn, string(r)))
		default:
			b.WriteString(t.paint(table.Good, string(r)))
		}
	}
	return b.String()
}

// pageBar is the width of a bar of pages.
const pageBar = 24

// pages draws memory and huge pages of a NUMA node where somebody owns some, or
// there are huge pages.
func (t placed) pages(n v1alpha1.NUMAMap) {
	tb := table.Table{Bare: true, Indent: machineIndent, Columns: []table.Column{{}, {Keep: true}, {}}}
	for _, m := range n.Memory {
		if m.Total > 0 && (len(m.Used) > 0 || strings.HasPrefix(m.Resource, "hugepages-")) {
			tb.Add(m.Resource, memoryBar(m), memoryText(m))
		}
	}
	if len(tb.Rows) > 0 {
		t.table(tb)
	}
}

// memoryText is "16 GiB of 32 GiB, 2 GiB reserved", for all formats alike.
func memoryText(m v1alpha1.NUMAMemory) string {
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
func memoryBar(m v1alpha1.NUMAMemory) string {
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
		fill(ownerMark(u.Owner), u.Size)
	}
	return "[" + b.String() + strings.Repeat(string(sharedMark), pageBar-b.Len()) + "]"
}

// devices lists the devices of a NUMA node with their owners.
func (t placed) devices(n v1alpha1.NUMAMap) {
	var parts []string
	for _, d := range n.Devices {
		mark := byte(sharedMark)
		if d.Owner > 0 {
			mark = ownerMark(d.Owner)
		}
		parts = append(parts, fmt.Sprintf("%s %c", d.ID, mark))
	}
	if len(parts) > 0 {
		t.line(machineIndent+"devices  ", table.Plain, strings.Join(parts, ", "))
	}
}

// owners is the legend of a machine.
func (t placed) owners(m v1alpha1.MachineMap) {
	tb := table.Table{Indent: "    ", Bare: true, Columns: []table.Column{{Keep: true}, {}, {Keep: true}, {}}}
	for i, o := range m.Owners {
		if i == ownerRows && !t.wide {
			break
		}
		tb.Add(string(ownerMark(i+1)), ownerName(o), oneLine(o.QOSClass), ownerText(o))
	}
	if len(tb.Rows) > 0 {
		t.table(tb)
	}
	if n := len(m.Owners) - len(tb.Rows); n > 0 {
		t.line("    ", table.Faint, fmt.Sprintf("and %s more: -o wide lists them", counting(n, "owner")))
	}
}

// ownerName is the container's name, with its pod's where that says more.
func ownerName(o v1alpha1.Owner) string {
	pod := o.Pod[strings.LastIndexByte(o.Pod, '/')+1:]
	if o.Container == "" || pod == o.Container || strings.HasPrefix(pod, o.Container+"-") {
		return o.Pod
	}
	return o.Pod + "/" + o.Container
}

// ownerText is what a container owns, for all formats alike.
func ownerText(o v1alpha1.Owner) string {
	var parts []string
	if !o.CPUs.IsEmpty() {
		parts = append(parts, "cpu "+o.CPUs.String())
	}
	if len(o.Affinity) > 0 {
		parts = append(parts, "NUMA "+strings.Trim(strings.ReplaceAll(fmt.Sprint(o.Affinity), " ", ","), "[]"))
	}
	parts = append(parts, o.Memory...)
	for _, name := range slices.Sorted(maps.Keys(o.Devices)) {
		ids := strings.Join(o.Devices[name], " ")
		if !strings.HasPrefix(ids, shortKey(name)) {
			ids = shortKey(name) + " " + ids
		}
		parts = append(parts, ids)
	}
	return strings.Join(parts, ", ")
}
