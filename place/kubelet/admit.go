package kubelet

import (
	"fmt"
	"math"
	"math/bits"

	"plimsoll.dev/place/kubelet/cpu"
	"plimsoll.dev/place/kubelet/device"
	"plimsoll.dev/place/kubelet/hint"
	"plimsoll.dev/place/kubelet/memory"
	"plimsoll.dev/unit"
)

// pod is one that the kubelet has decided about.
type pod struct {
	class *Class
	// own is room for the class of a pod that comes without one.
	own Class
	// seq is its place in the order of admission.
	seq int
	// epoch of the node that admitted it: until the node is cloned nobody shares the pod.
	epoch   int
	cpu     cpu.Pod
	memory  memory.Pod
	devices device.Pod
	// decided are the merged hints of the containers so far.
	decided []hint.Result
	// first is room for one.
	first [1]hint.Result
}

// refusal is why a pod does not run.
type refusal struct{ reason, message string }

// Admit decides about a pod and, when it is admitted, runs it at once: its init
// containers have come to their end, what they leave is free where the kubelet
// frees it. A refused pod keeps what it took until the next admission. The answer
// to a pod that runs already is what it has. The pod must not be changed afterwards.
func (n *Node) Admit(p *Pod) Verdict {
	if v, known := n.known(p.UID); known {
		v.QOS = n.Compile(p).qos
		return v
	}
	fresh := n.newPod()
	fresh.own.compile(n, p)
	return n.admit(fresh, &fresh.own, p.UID, true)
}

// AdmitClass is Admit for a pod of a class that was worked out before, without
// Containers in the answer; Holds has them.
func (n *Node) AdmitClass(c *Class, uid string) Verdict {
	if c.s != n.s {
		c = n.Compile(&c.pod)
	}
	if v, known := n.known(uid); known {
		v.QOS = c.qos
		return v
	}
	return n.admit(n.newPod(), c, uid, false)
}

// known is the answer when there is nothing to decide; else what stale pods held
// is free.
func (n *Node) known(uid string) (Verdict, bool) {
	if n.hung != "" {
		return Verdict{Reason: Hangs, Message: n.hung}, true
	}
	n.sweep()
	if p := n.pods[uid]; p != nil {
		return Verdict{Admitted: true, Containers: n.allocations(p)}, true
	}
	return Verdict{}, false
}

func (n *Node) admit(p *pod, c *Class, uid string, detailed bool) Verdict {
	p.start(c, uid)
	a := admission{Node: n, pod: p}
	v := Verdict{QOS: c.qos}
	refused := a.topology()
	if refused == nil {
		refused = a.predicates(&v)
	}
	v.Slow = a.slow()
	if detailed { // before the init containers' end
		v.Containers = n.allocations(p)
	}
	if refused == nil {
		v.Admitted = true
		n.run(p)
		return v
	}
	v.Reason, v.Message = refused.reason, refused.message
	if refused.reason == Hangs {
		n.hung = refused.message
	}
	n.stale = append(n.stale, p)
	return v
}

// newPod is a pod in the memory of one that has gone if there is any.
func (n *Node) newPod() *pod {
	var p *pod
	if last := len(n.spare) - 1; last >= 0 {
		p, n.spare = n.spare[last], n.spare[:last]
	} else {
		p = new(pod)
	}
	p.epoch = n.epoch
	return p
}

// start makes it a pod that holds nothing yet.
func (p *pod) start(c *Class, uid string) {
	p.class = c
	p.cpu.Reset(uid, c.cpus)
	p.cpu.Level, p.cpu.CPUs = c.level, c.cpuLevel
	p.memory.Reset(c.memory)
	p.devices.Reset(c.devices)
	p.decided = p.first[:0]
}

// run starts an admitted pod.
func (n *Node) run(p *pod) {
	n.arrived++
	p.seq = n.arrived
	n.pods[p.cpu.UID] = p
	n.used.add(p.class, 1)
	if p.class.pinned {
		n.memory.Start(&p.memory)
	}
}

// admission is one pod on its way through the kubelet's handlers.
type admission struct {
	*Node
	pod *pod
	// weighed combinations of hints, as the kubelet merges them.
	weighed uint64
}

// whole stands for the pod in place of a container's index.
const whole = -1

// topology is the topology manager's handler: hints, merge, policy, allocation;
// for each container in turn, or in pod scope once for all of them.
func (a *admission) topology() *refusal {
	c := a.pod.class
	if c.pinned && len(a.s.machine.Nodes) > hint.MaxNodes {
		return tooManySets(len(a.s.machine.Nodes))
	}
	perContainer := a.s.rules.Policy != hint.None && !a.s.podScope
	shared := hint.Result{Admit: true}
	if a.s.rules.Policy != hint.None && a.s.podScope {
		var refused *refusal
		if shared, refused = a.merge(whole); refused != nil {
			return refused
		}
		if c.level && a.s.levelManagers {
			return a.allocatePod(shared)
		}
	}
	for i := range c.names {
		r := shared
		if perContainer {
			var refused *refusal
			if r, refused = a.merge(i); refused != nil {
				return refused
			}
		}
		a.pod.decided = append(a.pod.decided, r)
		if refused := a.allocate(i, r); refused != nil {
			return refused
		}
	}
	return nil
}

// merge gathers the hints for a container or the whole pod, and merges them.
func (a *admission) merge(container int) (hint.Result, *refusal) {
	if refused := a.gather(container); refused != nil {
		return hint.Result{}, refused
	}
	r := a.merger.Merge(a.s.rules)
	if sum, carry := bits.Add64(a.weighed, a.merger.Combinations(), 0); carry == 0 {
		a.weighed = sum
	} else {
		a.weighed = math.MaxUint64
	}
	a.trace.merged(container, r)
	if r.Admit {
		return r, nil
	}
	message := "Resources cannot be allocated with Topology locality"
	switch {
	case !a.pod.class.level || !a.s.levelManagers:
	case container == whole:
		message = "Pod Scope pod with pod-level resources failed admission under pod-scope topology manager"
	default:
		message = "Pod Scope pod with pod-level resources failed admission with a container-level topology manager"
	}
	return hint.Result{}, &refusal{TopologyAffinityError, message}
}

// gather puts the hints of all providers into the merger.
func (a *admission) gather(container int) *refusal {
	c := a.pod.class
	devices, wanted := c.devicePod, c.memoryPod
	var cpus cpu.Hints
	if container == whole {
		cpus = a.cpu.PodHints(&a.pod.cpu)
	} else {
		cpus = a.cpu.Hints(&a.pod.cpu, container)
		devices = c.devices[container].Requests
		if c.pinned {
			wanted = c.memory[container].Requests
		}
	}
	nodes := a.s.rules.Nodes
	if len(a.s.machine.Nodes) > hint.MaxNodes {
		if nodes = a.named(&cpus, devices); bits.OnesCount64(nodes) > hint.MaxNodes {
			return tooManySets(bits.OnesCount64(nodes))
		}
	}
	a.merger.Reset(nodes)
	for _, r := range devices {
		a.deviceHints(container, r)
	}
	a.cpuHints(container, &cpus)
	if c.pinned {
		a.memoryHints(container, wanted)
	}
	return nil
}

// named are the nodes that hints of CPUs and devices may name.
func (a *admission) named(cpus *cpu.Hints, devices []device.Request) hint.Mask {
	nodes := hint.Mask(0)
	if cpus.Kind == cpu.Listed {
		nodes = cpus.Nodes
	}
	for _, r := range devices {
		nodes |= a.devices.Nodes(r.Resource)
	}
	return nodes
}

func tooManySets(nodes int) *refusal {
	return &refusal{Hangs, fmt.Sprintf("the kubelet would weigh all 2^%d sets of %d NUMA nodes", nodes, nodes)}
}

func (a *admission) deviceHints(container int, r device.Request) {
	var l *hint.List
	if a.devices.Nodes(r.Resource) != 0 {
		l = a.merger.List()
		a.devices.Each(&a.pod.devices, r, l.Add)
	}
	a.trace.devices(a, container, r, l)
}

func (a *admission) cpuHints(container int, h *cpu.Hints) {
	var l *hint.List
	if h.Kind != cpu.NoOpinion {
		l = a.merger.List()
	}
	if h.Kind == cpu.Listed {
		listCPUs(h, l)
	}
	a.trace.cpus(a, container, h, l)
}

// listCPUs lists the sets of nodes whose CPUs suffice. From one set to the next a
// node comes in, and all below it go.
func listCPUs(h *cpu.Hints, l *hint.List) {
	sum, last := h.Sure, hint.Mask(0)
	for nodes := h.Nodes & -h.Nodes; nodes != 0; nodes = (nodes - h.Nodes) & h.Nodes {
		sum += int(h.Free[bits.TrailingZeros64(nodes&^last)&63])
		for gone := last &^ nodes; gone != 0; gone &= gone - 1 {
			sum -= int(h.Free[bits.TrailingZeros64(gone)&63])
		}
		if last = nodes; h.Must&^nodes == 0 && sum >= h.Wants {
			l.Add(nodes, h.Preferred(nodes))
		}
	}
}

// memoryHints offers the same sets for each type of memory. When there is none
// the kubelet hands over no list at all, which is read as no opinion; but empty
// lists when the containers of a pod with resources as a whole do not fit together.
func (a *admission) memoryHints(container int, wanted []memory.Request) {
	c := a.pod.class
	var l *hint.List
	if container == whole && c.level && memory.CheckPool(c.memory, wanted) != nil {
		l = a.merger.List()
	} else {
		a.memory.Each(&a.pod.memory, wanted, func(nodes hint.Mask, preferred bool) {
			if l == nil {
				l = a.merger.List()
			}
			l.Add(nodes, preferred)
		})
	}
	a.trace.memory(a, container, wanted, l)
	if l != nil {
		a.merger.Repeat(len(wanted) - 1)
	}
}

// allocate gives one container its devices, CPUs and memory, in this order.
func (a *admission) allocate(i int, r hint.Result) *refusal {
	if err := a.devices.Allocate(&a.pod.devices, i, r.Affinity); err != nil {
		return a.failed(i, deviceProvider, err)
	}
	if err := a.cpu.Allocate(&a.pod.cpu, i, r.Affinity); err != nil {
		return a.failed(i, cpuProvider, err)
	}
	if !a.pod.class.pinned {
		return nil
	}
	if err := a.memory.Allocate(&a.pod.memory, i, r.Affinity, r.Preferred); err != nil {
		return a.failed(i, memoryProvider, err)
	}
	return nil
}

// allocatePod gives a pod with resources as a whole its CPUs and memory at once.
// The device manager does nothing then.
func (a *admission) allocatePod(r hint.Result) *refusal {
	for range a.pod.class.names {
		a.pod.decided = append(a.pod.decided, r)
	}
	if err := a.cpu.AllocatePod(&a.pod.cpu, r.Affinity); err != nil {
		return a.failed(whole, cpuProvider, err)
	}
	if !a.pod.class.pinned {
		return nil
	}
	if err := a.memory.AllocatePod(&a.pod.memory, a.pod.class.memoryPod, r.Affinity, r.Preferred); err != nil {
		return a.failed(whole, memoryProvider, err)
	}
	return nil
}

// failed is the refusal that an error of a manager becomes.
func (a *admission) failed(container int, by provider, err error) *refusal {
	refused := &refusal{message: err.Error()}
	if own, ok := err.(interface{ Reason() string }); ok {
		refused.reason = own.Reason()
	} else if err == cpu.ErrHangs {
		refused.reason = Hangs
	} else {
		refused.reason = UnexpectedAdmissionError
		refused.message = "Allocate failed due to " + refused.message + ", which is unexpected"
	}
	a.trace.failed(container, by, refused)
	return refused
}

// allocations are what the containers hold, as far as the admission came.
func (n *Node) allocations(p *pod) []Allocation {
	out := make([]Allocation, len(p.decided))
	room := make([]MemoryBlock, 0, p.memory.Count())
	for i := range out {
		room = n.allocation(&out[i], p, i, room)
	}
	return out
}

// allocation writes down what a container holds; its memory blocks go into the
// room behind those of others.
func (n *Node) allocation(to *Allocation, p *pod, i int, room []MemoryBlock) []MemoryBlock {
	r := p.decided[i]
	to.Container, to.Affinity, to.Preferred = p.class.names[i], n.s.affinity(r.Affinity), r.Preferred
	to.CPUs, _ = p.cpu.Container(i)
	from := len(room)
	p.memory.Blocks(i, func(b memory.Block) {
		room = append(room, MemoryBlock{Nodes: n.s.affinity(b.Nodes), Type: b.Type, Size: unit.Bytes(b.Size)})
		to.Memory = room[from:len(room):len(room)]
	})
	n.devices.Held(&p.devices, i, func(resource string, ids []string) {
		if to.Devices == nil {
			to.Devices = map[string][]string{}
		}
		to.Devices[resource] = ids
	})
	return room
}
