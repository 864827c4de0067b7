package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/schema"
	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// machine is what the checks need to know of a node type's machine.
type machine struct {
	cpus    unit.CPUSet
	nodes   []int // ids
	sockets int
}

func machineFrom(m topo.Machine) machine {
	var out machine
	sockets := map[int]bool{}
	for _, c := range m.CPUs {
		out.cpus.Add(c.ID)
		sockets[c.Socket] = true
	}
	for _, n := range m.Nodes {
		out.nodes = append(out.nodes, n.ID)
	}
	out.sockets = len(sockets)
	return out
}

// machineOf is the machine of a node type, when it is known: without a topology
// each NUMA node is a socket. That of a topologyFile is not known yet.
func (v *validator) machineOf(at string, t *v1alpha1.NodeType) (machine, bool) {
	if s, ok := shapeOf(t); ok {
		return machineFrom(s.Machine()), true
	}
	if t.Topology != "" || t.TopologyFile != "" || !v.good(at+".cpus", at+".numaNodes", at+".topologyFile") ||
		t.CPUs > unit.MaxCPUs {
		return machine{}, false
	}
	m := machine{sockets: t.NUMANodes}
	for cpu := range t.CPUs {
		m.cpus.Add(cpu)
	}
	for node := range t.NUMANodes {
		m.nodes = append(m.nodes, node)
	}
	return m, true
}

// topology demands that the machine is described once, and that the numbers that
// are given beside the line agree with it.
func (v *validator) topology(at string, t *v1alpha1.NodeType) {
	if t.TopologyFile != "" || v.given(at+".topologyFile") {
		v.file(at+".topologyFile", t.TopologyFile)
		if t.Topology != "" && v.good(at+".topologyFile") {
			v.bad(at+".topologyFile", "the machine is described twice, here and in topology", "remove one of them")
		}
	}
	if s, ok := shapeOf(t); ok {
		v.agree(at, t, s.CPUs(), s.Sockets*s.Nodes, "topology")
		return
	}
	if n := v.tree.Node(at); t.CPUs == 0 && !v.given(at+".cpus") && v.good(at+".topology") && n != nil &&
		n.Kind == yamlpos.Map {
		fix := "add cpus, a number, or topology"
		if t.TopologyFile != "" {
			fix = "add cpus, a number; it is compared with the topologyFile"
		}
		v.bad(at+".cpus", "is missing", fix)
	}
	if t.Kubelet != nil && t.CPUs > unit.MaxCPUs && v.good(at+".cpus") {
		v.bad(at+".cpus", fmt.Sprintf("%d CPUs are more than the kubelet's placement can be computed for", t.CPUs),
			fmt.Sprintf("at most %d, or remove kubelet", unit.MaxCPUs))
	}
}

// agree compares the numbers that are given with those of the machine.
func (v *validator) agree(at string, t *v1alpha1.NodeType, cpus, nodes int, where string) {
	if v.given(at+".cpus") && v.good(at+".cpus") && t.CPUs != cpus {
		fix := fmt.Sprintf("write %d", cpus)
		if t.TopologyFile == "" { // beside which cpus must be given
			fix += ", or remove it"
		}
		v.bad(at+".cpus", fmt.Sprintf("%d CPUs here, %d in %s", t.CPUs, cpus, where), fix)
	}
	if v.given(at+".numaNodes") && v.good(at+".numaNodes") && t.NUMANodes != nodes {
		v.bad(at+".numaNodes", fmt.Sprintf("%s here, %d in %s", words.Count(t.NUMANodes, "NUMA node"), nodes, where),
			fmt.Sprintf("write %d, or remove it", nodes))
	}
}

// onMachine checks what is said about CPUs and NUMA nodes by their numbers.
func (v *validator) onMachine(at string, t *v1alpha1.NodeType, m machine) {
	for _, name := range slices.Sorted(maps.Keys(t.DeviceNUMANodes)) {
		v.deviceNodes(at, name, t, m)
	}
	for _, size := range slices.Sorted(maps.Keys(t.HugePagesPerNUMANode)) {
		v.nodePages(at, size, t, m)
	}
	if t.Kubelet != nil {
		v.reservedCPUs(at+".kubelet", t, m)
		v.reservedNodes(at+".kubelet.reservedMemory", t, m)
		v.manyNodes(at+".kubelet", t.Kubelet, m)
		v.alignBySocket(at+".kubelet", t.Kubelet, m)
	}
}

// SetMachine completes the i-th node type with the machine that its topologyFile
// describes: the numbers of CPUs and NUMA nodes. It checks first that what the
// scenario says about the machine agrees with the file; the error is a
// yamlpos.Problems.
func (d *Document) SetMachine(i int, m topo.Machine) error {
	v := &validator{reader: &reader{}, tree: d.Tree, s: d.Scenario}
	at, t := fmt.Sprintf("hardware.nodeTypes[%d]", i), &d.Scenario.Hardware.NodeTypes[i]
	v.agree(at, t, len(m.CPUs), len(m.Nodes), "the topologyFile")
	v.onMachine(at, t, machineFrom(m))
	if len(v.problems) > 0 {
		v.problems.Sort()
		return v.problems
	}
	t.CPUs, t.NUMANodes = len(m.CPUs), len(m.Nodes)
	if d.Scenario.Platform.Type != "helion" && t.HugePages == nil && t.HugePagesPerNUMANode == nil {
		setPages(t, m)
	}
	return nil
}

// setPages gives the node type the huge pages that its machine has.
func setPages(t *v1alpha1.NodeType, m topo.Machine) {
	for i, n := range m.Nodes {
		for size, amount := range n.HugePages {
			if m.HugePages(size) == 0 {
				continue
			}
			if t.HugePages == nil {
				t.HugePages, t.HugePagesPerNUMANode = map[string]unit.Bytes{}, map[string][]unit.Bytes{}
			}
			if t.HugePagesPerNUMANode[size] == nil {
				t.HugePagesPerNUMANode[size] = make([]unit.Bytes, len(m.Nodes))
			}
			t.HugePages[size] += amount
			t.HugePagesPerNUMANode[size][i] = amount
		}
	}
}

// on is the problem of a NUMA node that isn't there.
func (v *validator) on(path string, node int, m machine) {
	if v.good(path) && !slices.Contains(m.nodes, node) {
		v.bad(path, fmt.Sprintf("there is no NUMA node %d", node), "the machine has "+listNodes(m.nodes))
	}
}

func listNodes(ids []int) string {
	switch last := len(ids) - 1; {
	case last < 0:
		return "none"
	case last == 0:
		return fmt.Sprintf("node %d only", ids[0])
	case ids[last]-ids[0] == last:
		return fmt.Sprintf("nodes %d to %d", ids[0], ids[last])
	}
	return "nodes " + strings.Trim(fmt.Sprint(ids), "[]")
}

// deviceNodes checks the NUMA nodes of the devices of one resource.
func (v *validator) deviceNodes(at, name string, t *v1alpha1.NodeType, m machine) {
	path, nodes := at+".deviceNUMANodes."+name, t.DeviceNUMANodes[name]
	count, known := t.Devices[name]
	switch {
	case !v.good(path, at+".devices"):
		return
	case !known:
		fix := fmt.Sprintf("add %s: %d to devices", name, len(nodes))
		if near := nearDevice(name, t.Devices); near != "" {
			fix = "did you mean " + near + "?"
		}
		v.bad(path, "the machine has no devices "+yamlpos.Quote(name), fix)
		return
	case int64(len(nodes)) > count:
		v.bad(path, fmt.Sprintf("NUMA nodes of %d devices, but the machine has %d", len(nodes), count),
			"one entry per device")
		return
	}
	for i, node := range nodes {
		v.on(fmt.Sprintf("%s[%d]", path, i), node, m)
	}
}

// nearDevice is the resource that was most likely meant, by what stands behind
// the slash: the vendors' domains are alike.
func nearDevice(name string, devices map[string]int64) string {
	var names, short []string
	for known := range devices {
		names = append(names, known)
	}
	slices.Sort(names)
	for _, known := range names {
		short = append(short, known[strings.LastIndexByte(known, '/')+1:])
	}
	if i := slices.Index(short, schema.Nearest(name[strings.LastIndexByte(name, '/')+1:], short)); i >= 0 {
		return names[i]
	}
	return ""
}

// nodePages checks the huge pages of one size: one amount per node, whole pages,
// together what hugePages says, and no more than a node has.
func (v *validator) nodePages(at, size string, t *v1alpha1.NodeType, m machine) {
	path, amounts := at+".hugePagesPerNUMANode."+size, t.HugePagesPerNUMANode[size]
	if !v.good(path) {
		return
	}
	if len(amounts) != len(m.nodes) {
		v.bad(path, fmt.Sprintf("%s, but the machine has %s", words.Count(len(amounts), "amount"),
			words.Count(len(m.nodes), "NUMA node")), "one amount per node")
		return
	}
	var sum unit.Bytes
	each := t.Memory / unit.Bytes(len(m.nodes))
	for i, amount := range amounts {
		sum = add(sum, amount)
		v.wholePages(fmt.Sprintf("%s[%d]", path, i), size, amount)
		if amount > each && t.Memory > 0 && v.good(at+".memory", fmt.Sprintf("%s[%d]", path, i)) {
			v.bad(fmt.Sprintf("%s[%d]", path, i), fmt.Sprintf("%s of huge pages on a NUMA node of %s", amount, each),
				"lower it, or raise memory")
		}
	}
	if all, given := t.HugePages[size]; v.given(at+".hugePages") && v.good(path, at+".hugePages") && all != sum {
		if !given {
			v.bad(path, "hugePages does not have this size", fmt.Sprintf("add %s: %s there, or remove hugePages", size, sum))
			return
		}
		v.bad(path, fmt.Sprintf("the nodes have %s together, hugePages says %s", sum, all),
			"make them equal, or remove hugePages")
	}
}

// domains checks labels that the machines of a type take in turn.
func (v *validator) domains(at string, t *v1alpha1.NodeType) {
	const zone = "topology.kubernetes.io/zone"
	for _, key := range slices.Sorted(maps.Keys(t.Domains)) {
		path := at + ".domains." + key
		v.labelKey(path, key)
		_, fixed := t.Labels[key]
		helion := v.s.Platform.Type == "helion"
		switch {
		case !v.good(path):
		case helion && key != zone && key != "zone":
			v.bad(path, "no rule of this platform looks at it", "write policy.zones, or zone here")
		case fixed:
			v.bad(path, "labels gives the same label one value", "remove one of them")
		case (key == zone || helion) && v.given("policy.zones") && v.good("policy.zones") &&
			t.Domains[key] != v.s.Policy.Zones:
			v.bad(path, fmt.Sprintf("%d zones here, %d in policy.zones", t.Domains[key], v.s.Policy.Zones),
				"remove it; policy.zones is enough")
		}
	}
}
