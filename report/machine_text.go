package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
)

// ownerLetters mark who owns a CPU, a page or a device: A to Z, then a to z, then
// digits for everybody else.
const ownerLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// Marks of CPUs that are nobody's own.
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
	list := t.p.Machines
	if len(list) == 0 {
		return
	}
	t.heading("Machines: who owns which core, pages and devices")
	for i, m := range list {
		if i == machineMaps && !t.wide {
			t.line("  ", table.Faint, fmt.Sprintf("and %s more: -o wide draws them", plural(len(list)-machineMaps, "machine")))
			break
		}
		if i > 0 {
			t.b.WriteByte('\n')
		}
		t.machine(m)
	}
	t.line("  ", table.Faint, fmt.Sprintf("%c shared pool, %c reserved, letters own a CPU; threads of a core stand side by side", sharedMark, reservedMark))
}

func (t placed) machine(m v1alpha1.MachineMap) {
	t.line("  ", table.Bold, m.Node+": "+m.Layout)
	t.line("  ", table.Faint, m.Policies)
	socket := -1
	for _, n := range m.NUMANodes {
		title := fmt.Sprintf("NUMA %d", n.ID)
		if n.Socket != socket {
			socket = n.Socket
			title += fmt.Sprintf("  socket %d", socket)
		}
		t.line("    ", table.Plain, title)
		t.cores(n)
		t.pages(n)
		t.devices(n)
	}
	t.owners(m)
}

// cores draws the cores of a NUMA node, a cell for each, and the number of the
// first CPU of each line. Uncore caches are set apart.
func (t placed) cores(n v1alpha1.NUMAMap) {
	const indent = "      "
	room := 1 << 30
	if t.width > 0 {
		room = max(8, t.width-len(indent)-len("cpu 1234  "))
	}
	var line strings.Builder
	first, cache, used := -1, -1, 0
	flush := func() {
		if used > 0 {
			t.b.WriteString(fmt.Sprintf("%scpu %-4d  %s\n", indent, first, t.paintCPUs(line.String())))
		}
		line.Reset()
		first, used = -1, 0
	}
	for _, c := range n.Cores {
		if len(c.Threads) == 0 {
			continue
		}
		cell := coreCell(c)
		gap := 1
		if cache >= 0 && c.Cache != cache {
			gap = 3
		}
		if used > 0 && used+gap+len(cell) > room {
			flush()
		}
		if used > 0 {
			line.WriteString(strings.Repeat(" ", gap))
			used += gap
		} else {
			first = c.Threads[0].CPU
		}
		line.WriteString(cell)
		used, cache = used+len(cell), c.Cache
	}
	flush()
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
	tb := table.Table{Bare: true, Indent: "      ", Columns: []table.Column{{}, {Keep: true}, {Right: true}}}
	for _, m := range n.Memory {
		if m.Total > 0 && (len(m.Used) > 0 || strings.HasPrefix(m.Resource, "hugepages-")) {
			tb.Add(m.Resource, memoryBar(m), fmt.Sprintf("%s of %s", quantity(m.Resource, usedMemory(m)), quantity(m.Resource, m.Total)))
		}
	}
	if len(tb.Rows) > 0 {
		t.table(tb)
	}
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
	sum := int64(0)
	fill := func(mark byte, size int64) {
		sum += size
		until := min(pageBar, int((float64(sum)/float64(m.Total))*pageBar+0.5))
		if n := until - b.Len(); n > 0 {
			b.WriteString(strings.Repeat(string(mark), n))
		}
	}
	fill(reservedMark, m.Reserved)
	for _, u := range m.Used {
		fill(ownerMark(u.Owner), u.Size)
	}
	return "[" + b.String() + strings.Repeat(string(sharedMark), max(0, pageBar-b.Len())) + "]"
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
		t.line("      devices   ", table.Plain, strings.Join(parts, ", "))
	}
}

// owners is the legend of a machine.
func (t placed) owners(m v1alpha1.MachineMap) {
	tb := table.Table{Indent: "    ", Bare: true, Columns: []table.Column{{Keep: true}, {}, {}, {}}}
	for i, o := range m.Owners {
		tb.Add(string(ownerMark(i+1)), ownerName(o), o.QOSClass, ownerText(o))
	}
	if len(tb.Rows) > 0 {
		t.table(tb)
	}
}

func ownerName(o v1alpha1.Owner) string {
	if o.Container == "" || o.Container == o.Pod {
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
		parts = append(parts, strings.Join(o.Devices[name], " "))
	}
	return strings.Join(parts, ", ")
}

// refusals explain what kubelets did not admit.
func (t placed) refusals() {
	if len(t.p.Admissions) == 0 {
		return
	}
	t.heading("Admission, step by step")
	for i, a := range t.p.Admissions {
		if i > 0 {
			t.b.WriteByte('\n')
		}
		t.admission(a)
	}
}

func (t placed) admission(a v1alpha1.Admission) {
	mark, style := "+", table.Good
	if !a.Admitted {
		mark, style = "!", table.Bad
	}
	t.mark("  ", mark, style, table.Plain, admissionTitle(a))
	if a.Message != "" {
		t.hang("    ", table.Plain, a.Message)
	}
	if a.Slow != "" {
		t.hang("    ", table.Warn, a.Slow)
	}
	for _, s := range a.Steps {
		title := s.Title
		if s.Container != "" {
			title = s.Container + ", " + title
		}
		style, mark := table.Plain, "- "
		if s.Failed {
			style, mark = table.Bad, "! "
		}
		t.line("    "+mark, style, title)
		for _, l := range s.Lines {
			t.hang("        ", table.Plain, l)
		}
	}
	for _, r := range a.Remedies {
		t.hang("    would admit it: ", table.Good, r)
	}
}

// admissionTitle is "pod-1 (Guaranteed) on node-1: TopologyAffinityError".
func admissionTitle(a v1alpha1.Admission) string {
	s := fmt.Sprintf("%s (%s) on %s: ", a.Pod, a.QOSClass, a.Node)
	if a.Admitted {
		return s + "admitted"
	}
	s += a.Reason
	if a.Count > 1 {
		s += fmt.Sprintf(", %d like it", a.Count)
	}
	return s
}
