package cloud

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/place/nova"
)

// placeReasons explains the place of one VM.
type placeReasons struct {
	*run
	q      *nova.Request
	before *nova.Host
	fit    *nova.Fit
	flavor *v1alpha1.Flavor
}

// sentences say why the VM is where it is, one for each thing that it is near to
// or far from.
func (w *placeReasons) sentences() []string {
	if len(w.fit.Cells) == 0 {
		return append([]string{"floats over the host: it has no NUMA node of its own"}, w.devices()...)
	}
	var out []string
	out = append(out, w.pinned()...)
	out = append(out, w.several()...)
	out = append(out, w.vSwitch()...)
	out = append(out, w.networks()...)
	out = append(out, w.devices()...)
	if len(out) == 0 {
		out = append(out, w.room())
	}
	return append(out, w.cpus()...)
}

// nodes are the host's NUMA nodes of the VM, in the order of its own.
func (w *placeReasons) nodes() []int {
	var nodes []int
	for i := range w.fit.Cells {
		nodes = append(nodes, w.fit.Cells[i].Node)
	}
	return nodes
}

// pinned tells of NUMA nodes that the flavor pins to the host's.
func (w *placeReasons) pinned() []string {
	var out []string
	for i := range w.q.Cells {
		if c := &w.q.Cells[i]; c.HostNode >= 0 {
			out = append(out, fmt.Sprintf("NUMA node %d pinned to host node %d by hw:numa_node.%d", c.ID, c.HostNode, c.ID))
		}
	}
	if len(w.q.Cells) == 1 && len(out) == 1 {
		out[0] = strings.TrimPrefix(out[0], "NUMA node 0 ")
	}
	return out
}

// several tells why a VM is on several nodes.
func (w *placeReasons) several() []string {
	n := len(w.q.Cells)
	if n < 2 {
		return nil
	}
	all := fmt.Sprintf("all %d", n)
	if n == 2 {
		all = "both"
	}
	why := fmt.Sprintf("it has %d", n)
	if v, ok := w.flavor.Properties["hw:numa_nodes"]; ok && strings.TrimSpace(v) == strconv.Itoa(n) {
		why = "hw:numa_nodes is " + strconv.Itoa(n)
	}
	return []string{fmt.Sprintf("%s NUMA nodes of the VM on nodes %s because %s", all, inWords(w.nodes()), why)}
}

// inWords are numbers in words.
func inWords(of []int) string {
	var names []string
	for _, n := range of {
		names = append(names, strconv.Itoa(n))
	}
	return words.And(names)
}

// vSwitch tells how near the VM is to the vSwitch.
func (w *placeReasons) vSwitch() []string {
	if w.q.VSwitchAffinity == "" {
		return nil
	}
	var with []int
	for i := range w.before.Cells {
		if w.before.Cells[i].VSwitch {
			with = append(with, w.before.Cells[i].ID)
		}
	}
	nodes := w.nodes()
	word := strictness(w.q.VSwitchAffinity)
	if !slices.ContainsFunc(nodes, func(n int) bool { return !slices.Contains(with, n) }) {
		return []string{fmt.Sprintf("on %s with the vSwitch: %s", nodeWords(nodes), word)}
	}
	strict := copyOf(w.q)
	strict.VSwitchAffinity = nova.Required
	return []string{
		fmt.Sprintf("on %s, the vSwitch on %s: %s%s", nodeWords(nodes), nodeWords(with), word, w.instead(strict, with)),
	}
}

func nodeWords(nodes []int) string {
	switch len(nodes) {
	case 0:
		return "no node"
	case 1:
		return "node " + strconv.Itoa(nodes[0])
	}
	return "nodes " + inWords(nodes)
}

// instead says what the stricter request failed at on the nodes that were
// preferred: " found no room on node 1: 2 free CPUs < 4".
func (w *placeReasons) instead(strict *nova.Request, preferred []int) string {
	for _, r := range w.before.Explain(strict, w.c.rules) {
		if slices.Contains(preferred, r.Node) {
			return fmt.Sprintf(" found no room on node %d: %s", r.Node, r.Text)
		}
	}
	return ""
}

// networks tell of physical networks that bind the VM to a node.
func (w *placeReasons) networks() []string {
	var out []string
	for _, name := range w.q.Physnets {
		for i := range w.before.Cells {
			if c := &w.before.Cells[i]; slices.Contains(c.Physnets, name) && slices.Contains(w.nodes(), c.ID) {
				out = append(out, fmt.Sprintf("on node %d, where the network %s has its NIC", c.ID, name))
			}
		}
	}
	if w.q.Tunneled {
		for i := range w.before.Cells {
			if c := &w.before.Cells[i]; c.Tunneled && slices.Contains(w.nodes(), c.ID) {
				out = append(out, fmt.Sprintf("on node %d, where tunnels end", c.ID))
			}
		}
	}
	return out
}

// devices tell how near the VM is to its devices.
func (w *placeReasons) devices() []string {
	var out []string
	nodes := w.nodes()
	for _, d := range w.fit.Devices {
		pool := &w.before.Pools[d.Pool]
		word := strictness(w.policyOf(pool.Kind))
		switch {
		case pool.Node == unknownNode:
			out = append(out, fmt.Sprintf("device %s does not say on which node it is: %s", pool.Kind, word))
		case len(nodes) == 0:
			out = append(out, fmt.Sprintf("device %s is on node %d, the VM floats", pool.Kind, pool.Node))
		case slices.Contains(nodes, pool.Node):
			out = append(out, fmt.Sprintf("device %s is on node %d, like the VM: %s", pool.Kind, pool.Node, word))
		default:
			strict := copyOf(w.q)
			for i := range strict.Devices {
				strict.Devices[i].Policy = nova.Required
			}
			out = append(out, fmt.Sprintf("device %s is on node %d, the VM on %s: %s%s", pool.Kind, pool.Node, nodeWords(nodes),
				word, w.instead(strict, []int{pool.Node})))
		}
	}
	return out
}

func (w *placeReasons) policyOf(kind string) string {
	for _, d := range w.q.Devices {
		if d.Kind == kind {
			return d.Policy
		}
	}
	return ""
}

// room tells what the VM found where nothing draws it to a node: the free CPUs
// there, and on each other node those, or what it lacked.
func (w *placeReasons) room() string {
	const most = 3
	at := w.fit.Cells[0].Node
	var here string
	var others []string
	for i := range w.before.Cells {
		c := &w.before.Cells[i]
		free := w.free(c)
		switch {
		case c.ID == at:
			here = fmt.Sprintf("on node %d with %s", c.ID, free)
		case w.lacks(i) != "":
			others = append(others, fmt.Sprintf("node %d had no room: %s", c.ID, w.lacks(i)))
		default:
			others = append(others, fmt.Sprintf("node %d had %s", c.ID, free))
		}
	}
	if len(others) == 0 || len(others) > most {
		return here + w.drawn()
	}
	return here + "; " + strings.Join(others, "; ") + w.drawn()
}

// drawn says by which rule the VM is on its node where it had a choice; empty is
// that it had none.
func (w *placeReasons) drawn() string {
	at := slices.IndexFunc(w.before.Cells, func(c nova.HostCell) bool { return c.ID == w.fit.Cells[0].Node })
	rule := ""
	for i := range w.before.Cells {
		if i != at && w.lacks(i) == "" {
			rule = w.against(&w.before.Cells[at], &w.before.Cells[i])
			break
		}
	}
	if rule == "" {
		return ""
	}
	return " (" + rule + ")"
}

// against is the first rule by which a node comes before another that would do.
func (w *placeReasons) against(here, other *nova.HostCell) string {
	hereTotal, hereFree := devicesOn(w.before, here.ID)
	otherTotal, otherFree := devicesOn(w.before, other.ID)
	if w.c.rules != nova.Nova {
		if hereTotal == 0 && otherTotal > 0 {
			return "nodes with devices are kept for VMs that ask for some"
		}
		return "the lowest number that does"
	}
	room := "most"
	if w.before.PackNodes {
		room = "least"
	}
	cpus := func(c *nova.HostCell) int {
		if cpuPolicy(w.q) == nova.Shared {
			return c.CPUUsage
		}
		return c.Dedicated.Minus(c.Pinned).Len()
	}
	switch {
	case len(w.before.Cells) == len(w.q.Cells):
		return "the host's order: the VM has as many NUMA nodes as the host"
	case hereFree != otherFree:
		return "the node with fewer free devices first"
	case cpus(here) != cpus(other) && cpuPolicy(w.q) == nova.Shared:
		return "the node with " + room + " room first, by floating vCPUs"
	case cpus(here) != cpus(other):
		return "the node with " + room + " room first, by free CPUs"
	case here.Memory-here.MemoryUsage != other.Memory-other.MemoryUsage:
		return "the node with " + room + " room first, by free memory"
	}
	return "the lower number of equal nodes"
}

// devicesOn are the devices of a node: how many there are, and how many are free.
func devicesOn(h *nova.Host, node int) (total, free int) {
	for _, p := range h.Pools {
		if p.Node == node {
			total, free = total+p.Total, free+p.Free
		}
	}
	return total, free
}

// free CPUs of a node that count for the VM.
func (w *placeReasons) free(c *nova.HostCell) string {
	if cpuPolicy(w.q) == nova.Shared && w.c.rules == nova.Nova {
		return words.Count(c.CPUUsage, "floating vCPU")
	}
	return words.Count(c.Dedicated.Minus(c.Pinned).Len(), "free CPU")
}

// lacks is what the VM would lack on the i-th node if there were no other.
func (w *placeReasons) lacks(i int) string {
	only := *w.before
	only.Cells = w.before.Cells[i : i+1]
	for _, r := range only.Explain(w.q, w.c.rules) {
		return r.Text
	}
	return ""
}

// cpus tell what the policies of CPUs make of the cores.
func (w *placeReasons) cpus() []string {
	var out []string
	idle, reserved := 0, 0
	for i := range w.fit.Cells {
		idle += w.fit.Cells[i].Idle.Len()
		reserved += w.fit.Cells[i].Reserved.Len()
		for _, p := range w.fit.Cells[i].Pins {
			if p.VCPU == w.q.SharedVCPU {
				out = append(out, fmt.Sprintf("vCPU %d on the shared core of node %d by hw:wrs:shared_vcpu", p.VCPU,
					w.fit.Cells[i].Node))
			}
		}
	}
	out = append(out, w.onSharedCores()...)
	if idle > 0 {
		out = append(out, words.Count(idle, "thread")+" beside it kept idle: "+w.q.ThreadPolicy)
	}
	if w.q.ThreadPolicy == nova.Require {
		out = append(out, "on siblings of the same cores: require")
	}
	if reserved > 0 {
		out = append(out, words.Count(reserved, "CPU")+" for its emulator threads: isolate")
	}
	return out
}

// onSharedCores tells of vCPUs that float on a shared core, too, by the rules of the document.
func (w *placeReasons) onSharedCores() []string {
	if w.c.rules != nova.HCG40 || cpuPolicy(w.q) != nova.Shared {
		return nil
	}
	var out []string
	for i := range w.fit.Cells {
		at := slices.IndexFunc(w.before.Cells, func(c nova.HostCell) bool { return c.ID == w.fit.Cells[i].Node })
		if shared := w.before.Cells[at].SharedVCPU; !shared.IsEmpty() {
			out = append(out, fmt.Sprintf("floats on the shared CPU %s of node %d as well: it is neither reserved nor "+
				"dedicated (HCG 7)", shared, w.fit.Cells[i].Node))
		}
	}
	return out
}
