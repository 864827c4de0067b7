package report

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
)

// letters mark who owns a CPU, a page or a device; all further owners of a machine
// share a mark, and are told apart by their CPUs in the legend.
type letters string

// The letters of pods, and those of VMs, which leave out the marks of cpuUses.
const (
	podLetters    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	serverLetters letters = "ABCDEFGHIJKLMNOQRTUWXYZabcdefghijklmnopqrstuvwyz0123456789"
)

// Marks of CPUs, pages and devices that are nobody's own, and of owners beyond the
// letters.
const (
	sharedMark   = '.'
	reservedMark = '#'
	otherMark    = '*'
)

// of is the letter of the owner with an index from 1.
func (l letters) of(owner int) byte {
	if owner < 1 || owner > len(l) {
		return otherMark
	}
	return l[owner-1]
}

// lettersOf are the letters of a machine's owners.
func lettersOf(m v1alpha1.MachineMap) letters {
	if ofServers(m) {
		return serverLetters
	}
	return podLetters
}

// cpuUse is how a CPU is drawn that is nobody's own.
type cpuUse struct {
	// Use of the thread in the placement.
	Use string
	// Mark in text and pages, Class on pages.
	Mark  byte
	Class string
	// Says what it is; empty where the key says it in its own words.
	Says  string
	Style table.Style
}

// cpuUses are the uses in the order in which the key lists them.
var cpuUses = []cpuUse{
	{"reserved", reservedMark, "reserved", "", table.Warn},
	{"platform", 'P', "reserved", "platform", table.Warn},
	{"vswitch", 'V', "vswitch", "vSwitch", table.Warn},
	{"sharedVCPU", 'S', "common", "shared vCPUs", table.Bold},
	{"floating", '~', "shared", "floating vCPUs", table.Plain},
	{"idle", 'x', "idle", "idle beside an isolated vCPU", table.Plain},
	{"free", sharedMark, "shared", "free", table.Plain},
}

// useOf is how a thread is drawn that nobody owns; the shared pool by default.
func useOf(th v1alpha1.ThreadMap) cpuUse {
	if i := slices.IndexFunc(cpuUses, func(u cpuUse) bool { return u.Use == th.Use }); i >= 0 {
		return cpuUses[i]
	}
	return cpuUse{Use: "shared", Mark: sharedMark, Class: "shared"}
}

// ofServers says whether the machine is a compute host with VMs.
func ofServers(m v1alpha1.MachineMap) bool {
	if slices.ContainsFunc(m.Owners, func(o v1alpha1.Owner) bool { return o.Server != "" }) {
		return true
	}
	return anyThread([]v1alpha1.MachineMap{m}, func(th v1alpha1.ThreadMap) bool { return useOf(th).Says != "" })
}

func anyCore(list []v1alpha1.MachineMap, is func(n v1alpha1.NUMAMap, c v1alpha1.CoreMap) bool) bool {
	for _, m := range list {
		for _, n := range m.NUMANodes {
			for _, c := range n.Cores {
				if is(n, c) {
					return true
				}
			}
		}
	}
	return false
}

func anyThread(list []v1alpha1.MachineMap, is func(th v1alpha1.ThreadMap) bool) bool {
	return anyCore(list, func(_ v1alpha1.NUMAMap, c v1alpha1.CoreMap) bool { return slices.ContainsFunc(c.Threads, is) })
}

// The marks of memory that is kept back, in text and on pages.
const (
	keptText = "# is"
	keptPage = "what is hatched is"
)

// machineKey explains the marks that the machines have; kept is how memory is
// marked that is kept back.
func machineKey(list []v1alpha1.MachineMap, kept string) string {
	s := fmt.Sprintf("Each mark is a CPU: a letter its owner, %c shared pool, %c reserved.", sharedMark, reservedMark)
	if slices.ContainsFunc(list, ofServers) {
		s = serverKey(list, kept)
	}
	if anyCore(list, func(_ v1alpha1.NUMAMap, c v1alpha1.CoreMap) bool { return len(c.Threads) > 1 }) {
		s += " Threads of a core stand together."
	}
	if anyCore(list, func(n v1alpha1.NUMAMap, c v1alpha1.CoreMap) bool { return c.Cache != n.Cores[0].Cache }) {
		s += " Wider gaps part uncore caches."
	}
	return s
}

// serverKey explains the marks of compute hosts.
func serverKey(list []v1alpha1.MachineMap, mark string) string {
	s := "Each mark is a CPU: a letter its VM"
	for _, u := range cpuUses {
		if u.Says != "" && anyThread(list,
			func(th v1alpha1.ThreadMap) bool { return th.Use != "exclusive" && useOf(th).Mark == u.Mark }) {
			s += fmt.Sprintf(", %c %s", u.Mark, u.Says)
		}
	}
	s += "."
	kept := func(n v1alpha1.NUMAMap) bool {
		return slices.ContainsFunc(n.Memory, func(m v1alpha1.NUMAMemory) bool { return m.Reserved > 0 })
	}
	if slices.ContainsFunc(list, func(m v1alpha1.MachineMap) bool { return slices.ContainsFunc(m.NUMANodes, kept) }) {
		s += " Of memory, " + mark + " kept for platform and vSwitch."
	}
	return s
}

// coreCell is a mark for each thread of a core.
func coreCell(c v1alpha1.CoreMap, l letters) string {
	b := make([]byte, 0, len(c.Threads))
	for _, th := range c.Threads {
		if th.Use == "exclusive" {
			b = append(b, l.of(th.Owner))
		} else {
			b = append(b, useOf(th).Mark)
		}
	}
	return string(b)
}

// paintCPUs colours what is owned or kept back.
func (t *text) paintCPUs(s string, l letters) string {
	if !t.opt.Color {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		style := table.Plain
		if r == otherMark || strings.ContainsRune(string(l), r) {
			style = table.Good
		} else if i := slices.IndexFunc(cpuUses, func(u cpuUse) bool { return rune(u.Mark) == r }); i >= 0 {
			style = cpuUses[i].Style
		}
		b.WriteString(t.paint(style, string(r)))
	}
	return b.String()
}
