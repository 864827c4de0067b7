package kube

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/unit"
)

// Roles of node types in the scenario.
const (
	roleWorker  = "worker"
	roleInfra   = "infra"
	roleControl = "controlPlane"
)

// node is what counts of a node.
type node struct {
	name, role, kind      string
	place                 place
	labels                []label
	taints                []v1alpha1.Taint // that stay
	all                   []v1alpha1.Taint // with those that come and go
	capacity, allocatable amounts
	cordoned, ready       bool
	images                map[string]int64
	kubelet, provider     string // as the node states them
	addresses             []string
	kindName              string // the name of its node type, once it is known
}

// node reads a node.
func (r *reader) node(o *object) {
	r.countNode(o.value)
	n := node{name: o.name(), place: o.place(), labels: r.labels(o.meta.get("labels"), nil)}
	n.capacity = r.amounts(o.status.get("capacity"), nil)
	n.allocatable = r.amounts(o.status.get("allocatable"), nil)
	n.role = nodeRole(n.labels)
	for _, key := range []string{"node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type"} {
		if v, ok := labelOf(n.labels, key); ok && n.kind == "" {
			n.kind = v
		}
	}
	for t := range o.spec.get("taints").elems() {
		taint := v1alpha1.Taint{Key: t.get("key").text(), Value: t.get("value").text(), Effect: t.get("effect").text()}
		n.all = append(n.all, taint)
		if !strings.HasPrefix(taint.Key, transientTaints) {
			n.taints = append(n.taints, taint)
		}
	}
	if n.cordoned = o.spec.get("unschedulable").is("true"); n.cordoned {
		r.plan(o.place(), "cordoned nodes", "they are counted as nodes in service", 1)
	}
	if n.condition(o.status.get("conditions")) {
		r.skip(o.place(), "nodes that are not Ready and have no taint yet",
			"they take no pods, as with the taint that the node controller is about to give them")
	}
	n.kubelet, n.provider = o.status.get("nodeInfo", "kubeletVersion").text(), o.spec.get("providerID").text()
	for a := range o.status.get("addresses").elems() {
		if a.get("type").is("InternalIP") {
			n.addresses = append(n.addresses, a.get("address").text())
		}
	}
	n.images = r.nodeImages(o.status.get("images"))
	for _, a := range n.capacity {
		if strings.HasPrefix(a.name, "attachable-volumes-") {
			r.skip(o.place(), a.name, "the number of volumes that a node can attach is not planned")
		}
	}
	if n.capacity.of(resCPU) < 1000 || n.capacity.of(resMemory) <= 0 {
		r.skip(o.place(), o.title(), "it reports no CPU or no memory")
		return
	}
	r.nodes = append(r.nodes, n)
}

// condition reads whether the node is ready; one that reports no such condition
// is taken as ready. A node that is not gets the taint that the node controller
// gives it, if the snapshot was taken before that, which it reports.
func (n *node) condition(conditions value) (early bool) {
	n.ready = true
	for c := range conditions.elems() {
		if !c.get("type").is("Ready") || c.get("status").is("True") {
			continue
		}
		n.ready = false
		taint := v1alpha1.Taint{Key: transientTaints + "not-ready", Effect: "NoSchedule"}
		if c.get("status").is("Unknown") {
			taint.Key = transientTaints + "unreachable"
		}
		if !slices.ContainsFunc(n.all,
			func(t v1alpha1.Taint) bool { return t.Key == taint.Key && t.Effect == taint.Effect }) {
			n.all, early = append(n.all, taint), true
		}
	}
	return early
}

// nodeRole is the role by the labels that the installer gives; a control plane
// node that also carries workload is one of the control plane still.
func nodeRole(labels []label) string {
	for _, role := range []struct{ label, role string }{
		{"control-plane", roleControl}, {"master", roleControl}, {"arbiter", roleControl}, {roleInfra, roleInfra},
	} {
		if _, ok := labelOf(labels, rolePrefix+role.label); ok {
			return role.role
		}
	}
	return roleWorker
}

// dedicated says whether the node is of the control plane and keeps workload
// off by a taint.
func (n *node) dedicated() bool {
	return n.role == roleControl && slices.ContainsFunc(n.taints, func(t v1alpha1.Taint) bool {
		return strings.HasPrefix(t.Key, rolePrefix) && t.Effect != "PreferNoSchedule"
	})
}

// controlLabel is the label that selects control plane nodes like this one.
func (n *node) controlLabel() label {
	for _, key := range []string{"control-plane", "master", "arbiter"} {
		if v, ok := labelOf(n.labels, rolePrefix+key); ok {
			return label{rolePrefix + key, v}
		}
	}
	return label{}
}

// key is equal for nodes of one type, but for the memory.
func (n *node) key(relevant map[string]bool) string {
	key := appendText(appendText(nil, n.role), n.kind)
	for _, a := range []amounts{
		{{resCPU, n.capacity.of(resCPU)}, {"", n.allocatable.of(resCPU)}, {resPods, n.allocatable.of(resPods)}}, n.pieces(),
	} {
		a.sort()
		for _, x := range a {
			key = appendAmount(key, x.name, x.n, true)
		}
	}
	for _, t := range n.taints {
		key = appendText(appendText(appendText(key, t.Key), t.Value), t.Effect)
	}
	for _, l := range n.kept(relevant) {
		key = appendText(appendText(key, l.key), l.value)
	}
	return string(key)
}

// pieces are the huge pages and devices that pods can have.
func (n *node) pieces() amounts {
	var out amounts
	for _, a := range n.allocatable {
		if a.n > 0 && (isDevice(a.name) || strings.HasPrefix(a.name, resHugePage)) {
			out = append(out, a)
		}
	}
	return out
}

// kept are the labels that a plan needs: roles, and what pods select.
func (n *node) kept(relevant map[string]bool) []label {
	var out []label
	for _, l := range n.labels {
		if relevant[l.key] || strings.HasPrefix(l.key, rolePrefix) {
			out = append(out, l)
		}
	}
	sortLabels(out)
	return out
}

// alike is how much the memory of equal machines may differ: what firmware
// keeps back differs from one to the next.
const alike = 100 // one part in so many

// nodeTypes groups the nodes and tells each the name of its type. Each type has
// the figures of the node that offers the least memory.
func nodeTypes(nodes []node, relevant map[string]bool, eviction unit.Bytes) []v1alpha1.NodeType {
	keys := make(map[string]string, len(nodes))
	for i := range nodes {
		keys[nodes[i].name] = nodes[i].key(relevant)
	}
	slices.SortFunc(nodes, func(a, b node) int {
		return cmp.Or(cmp.Compare(keys[a.name], keys[b.name]),
			cmp.Compare(a.capacity.of(resMemory), b.capacity.of(resMemory)), cmp.Compare(a.name, b.name))
	})
	var groups []nodeGroup
	for start := 0; start < len(nodes); {
		end := start + 1
		most := nodes[start].capacity.of(resMemory)
		most += most / alike
		for end < len(nodes) && keys[nodes[end].name] == keys[nodes[start].name] &&
			nodes[end].capacity.of(resMemory) <= most {
			end++
		}
		groups = append(groups, nodeGroup{nodeType(nodes[start:end], relevant, eviction), nodes[start:end]})
		start = end
	}
	slices.SortStableFunc(groups, func(a, b nodeGroup) int {
		return cmp.Or(cmp.Compare(a.kind.Role, b.kind.Role), cmp.Compare(a.kind.Name, b.kind.Name),
			cmp.Compare(a.kind.Memory, b.kind.Memory))
	})
	types := make([]v1alpha1.NodeType, len(groups))
	for i, g := range groups {
		types[i] = g.kind
	}
	nameNodeTypes(types)
	for i, g := range groups {
		for k := range g.nodes {
			g.nodes[k].kindName = types[i].Name
		}
	}
	return types
}

// nodeGroup is a number of equal nodes.
type nodeGroup struct {
	kind  v1alpha1.NodeType
	nodes []node
}

// nodeType is the type of equal nodes.
func nodeType(nodes []node, relevant map[string]bool, eviction unit.Bytes) v1alpha1.NodeType {
	n := slices.MinFunc(nodes, func(a, b node) int {
		return cmp.Compare(a.allocatable.of(resMemory), b.allocatable.of(resMemory))
	})
	count := len(nodes)
	pieces := n.pieces()
	t := v1alpha1.NodeType{
		Name: n.kind, Role: n.role, CPUs: int(n.capacity.of(resCPU) / 1000), Memory: unit.Bytes(n.capacity.of(resMemory)),
		Disk: unit.Bytes(n.capacity.of(resDisk)), HugePages: pieces.hugePages(), Devices: pieces.devices(),
		Count: &count, MaxPods: int(min(n.allocatable.of(resPods), maxPieces)), Labels: asMap(n.kept(relevant)),
		Taints: n.taints,
	}
	if t.Name == "" {
		t.Name = fmt.Sprintf("%dcpu-%dGi", t.CPUs, (t.Memory+unit.GiB/2)/unit.GiB)
	}
	kept := t.Memory - unit.Bytes(n.allocatable.of(resMemory))
	for _, pages := range t.HugePages {
		kept -= pages
	}
	evict := max(0, min(eviction, kept))
	t.EvictionHard = &evict
	t.SystemReserved = &v1alpha1.Reserved{
		CPU:    unit.CPU(max(0, n.capacity.of(resCPU)-n.allocatable.of(resCPU))),
		Memory: max(0, kept-evict),
	}
	return t
}

// nameNodeTypes makes the names different: by the role, then by numbers.
func nameNodeTypes(types []v1alpha1.NodeType) {
	uses := map[string]int{}
	for _, t := range types {
		uses[t.Name]++
	}
	taken := map[string]bool{}
	for i := range types {
		t := &types[i]
		name := t.Name
		if uses[name] > 1 && t.Role != roleWorker {
			name += "-" + t.Role
		}
		t.Name = unused(taken, name)
	}
}

// unused is name, or name with the first number that makes it new.
func unused(taken map[string]bool, name string) string {
	out := name
	for i := 2; taken[out]; i++ {
		out = fmt.Sprintf("%s-%d", name, i)
	}
	taken[out] = true
	return out
}
