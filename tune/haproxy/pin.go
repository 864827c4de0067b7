package haproxy

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/unit"
)

// pin puts HAProxy's threads on CPUs of the interface's NUMA node, and leaves the
// others of it for the interrupts.
func (p *advisor) pin() {
	cpus := slices.Collect(p.in.CPUs.All())
	threads := p.setup.Threads
	if len(cpus) == 0 {
		return
	}
	if len(cpus) < threads {
		p.find(v1alpha1.Warning, "pin.few", "", fmt.Sprintf("%d threads do not fit on the %d CPUs of the NUMA node", threads,
			len(cpus)), "take fewer threads: other nodes' memory is further away", rout("8.1.2.2"))
		return
	}
	own := unit.CPUSetOf(cpus[:threads]...)
	p.out.CPUMap = CPUMap(threads, own)
	if rest := cpus[threads:]; len(rest) > 0 {
		p.out.Interrupts = unit.CPUSetOf(rest...).String()
	}
	p.find(v1alpha1.Info, "pin.notSettable", "",
		fmt.Sprintf("%q can't be set by a variable nor a field of any release", p.out.CPUMap),
		"customise the template (3.x), or run the router on a node of its own; "+
			"irqbalance keeps interrupts local on bare metal", rout("8.1.2.2"))
}

// CPUMap is the line of haproxy.cfg that pins threads, each to a CPU of its own, in
// order. The document's "cpu-map 1 0" pins process 1, which is right for one thread.
func CPUMap(threads int, cpus unit.CPUSet) string {
	if threads == 1 {
		return "cpu-map 1 " + cpus.String()
	}
	return fmt.Sprintf("cpu-map auto:1/1-%d %s", threads, strings.ReplaceAll(cpus.String(), ",", " "))
}
