package kubelet

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"plimsoll.dev/internal/words"
	"plimsoll.dev/place/kubelet/cpu"
	"plimsoll.dev/place/kubelet/device"
	"plimsoll.dev/place/kubelet/hint"
	"plimsoll.dev/place/kubelet/memory"
	"plimsoll.dev/unit"
)

// provider of hints and of what they promise.
type provider uint8

const (
	deviceProvider provider = iota
	cpuProvider
	memoryProvider
)

func (p provider) String() string { return [...]string{"devices", "CPUs", "memory"}[p] }

// trace records an admission for its explanation; nil records nothing.
type trace struct{ steps []step }

// step is a thing that happened. Only what its kind needs is set.
type step struct {
	kind      stepKind
	container int // or whole
	title     string
	// wants is what is asked for, or why there is no opinion.
	wants string
	// least is the size of preferred sets.
	least int
	// free is what each NUMA node has, closed why it may not be used alone; by node index.
	free, closed []string
	hints        []offer
	merged       hint.Result
	refused      *refusal
	short        []shortage
}

type stepKind uint8

const (
	stepNoOpinion stepKind = iota
	stepHints
	stepMerge
	stepFailed
	stepShort
)

// offer is one hint.
type offer struct {
	nodes     hint.Mask
	preferred bool
}

func (t *trace) add(s step) {
	if t != nil {
		t.steps = append(t.steps, s)
	}
}

func (t *trace) merged(container int, r hint.Result) {
	t.add(step{kind: stepMerge, container: container, merged: r})
}

func (t *trace) failed(container int, by provider, r *refusal) {
	t.add(step{kind: stepFailed, container: container, title: "allocation of " + by.String(), refused: r})
}

func (t *trace) short(s []shortage) { t.add(step{kind: stepShort, container: whole, short: s}) }

// offered adds the hints of a list; nil stands for no opinion.
func (s *step) offered(l *hint.List) {
	s.kind = stepNoOpinion
	if l == nil {
		return
	}
	s.kind = stepHints
	l.Each(func(nodes hint.Mask, preferred bool) { s.hints = append(s.hints, offer{nodes, preferred}) })
}

// devices notes the hints for devices of one resource.
func (t *trace) devices(a *admission, container int, r device.Request, l *hint.List) {
	if t == nil {
		return
	}
	name := a.Node.devices.Resources()[r.Resource]
	s := step{container: container, title: "hints of " + name, wants: fmt.Sprintf("%d of %s", r.Count, name)}
	s.offered(l)
	if l == nil {
		s.wants = "no opinion: the devices name no NUMA node"
		t.add(s)
		return
	}
	s.least = a.Node.devices.Least(r)
	for i := range a.s.machine.Nodes {
		s.free = append(s.free, fmt.Sprintf("%d free", a.Node.devices.Free(r.Resource, 1<<i)))
	}
	t.add(s)
}

// cpus notes the hints for CPUs.
func (t *trace) cpus(a *admission, container int, h *cpu.Hints, l *hint.List) {
	if t == nil {
		return
	}
	s := step{container: container, title: "hints of cpu", wants: words.Count(h.Wants, "CPU") + " of its own",
		least: h.Least}
	s.offered(l)
	if l == nil {
		s.wants = "no opinion: no CPUs of its own, it runs in the shared pool"
		t.add(s)
		return
	}
	for i := range a.s.machine.Nodes {
		text := fmt.Sprintf("%d free", h.Free[i])
		if h.Sure > 0 {
			text += fmt.Sprintf(", and %d of an init container on %s", h.Sure, a.s.nodesText(h.Must))
		}
		s.free = append(s.free, text)
	}
	t.add(s)
}

// memory notes the hints for memory and huge pages, which are the same for all types.
func (t *trace) memory(a *admission, container int, wanted []memory.Request, l *hint.List) {
	if t == nil {
		return
	}
	s := step{container: container, title: "hints of memory", least: a.Node.memory.Least(wanted)}
	s.offered(l)
	var asks []string
	for _, r := range wanted {
		asks = append(asks, amountText(r.Type, r.Size))
	}
	s.wants = strings.Join(asks, ", ")
	for i := range a.s.machine.Nodes {
		var has []string
		for _, r := range wanted {
			has = append(has, amountText(r.Type, a.Node.memory.Free(r.Type, i)))
		}
		s.free = append(s.free, strings.Join(has, ", ")+" free")
		closed := ""
		if group, used := a.Node.memory.Group(i); used && group&(group-1) != 0 {
			closed = "it gives out memory together with " + a.s.nodesText(group&^(1<<i)) + " only"
		}
		s.closed = append(s.closed, closed)
	}
	t.add(s)
}

// amountText is an amount of memory for people: "4 GiB of memory".
func amountText(kind string, size int64) string {
	return unit.FormatBytes(unit.Bytes(size)) + " of " + kind
}

// nodesText names a set of nodes: "NUMA nodes 0, 1 and 3".
func (s *setup) nodesText(nodes hint.Mask) string {
	if bits.OnesCount64(nodes) == 1 {
		return fmt.Sprintf("NUMA node %d", s.affinity(nodes)[0])
	}
	return "NUMA nodes " + words.And(s.nodeNumbers(nodes))
}

// nodeNumbers are the ids of a set of nodes.
func (s *setup) nodeNumbers(nodes hint.Mask) []string {
	var ids []string
	for _, id := range s.affinity(nodes) {
		ids = append(ids, fmt.Sprint(id))
	}
	return ids
}

// offerOf is the hint for exactly these nodes.
func (s *step) offerOf(nodes hint.Mask) (offer, bool) {
	i := slices.IndexFunc(s.hints, func(o offer) bool { return o.nodes == nodes })
	if i < 0 {
		return offer{}, false
	}
	return s.hints[i], true
}
