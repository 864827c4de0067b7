package audit

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/unit"
)

// controlTests are about the control plane's nodes.
var controlTests = []test{{controlCount, (*look).controlCount}, {controlUneven, (*look).controlUneven},
	{controlReserved, (*look).controlReserved}, {controlUserPods, (*look).controlUserPods}}

func inCores(n int64) string { return unit.Format(float64(n), unit.Millicores) }

func inBytes(n int64) string { return unit.Bytes(n).Rounded() }

// masters are the nodes of the control plane, and workers all others.
func (l *look) masters() (masters, workers []*Node) {
	for i := range l.Nodes {
		n := &l.Nodes[i]
		switch {
		case n.control():
			masters = append(masters, n)
		case !n.has("arbiter"):
			workers = append(workers, n)
		}
	}
	return masters, workers
}

// hostedControl is said where the control plane runs elsewhere.
const hostedControl = "no node is of the control plane: it runs elsewhere"

// members are the nodes of etcd: where a distribution labels those, they and not all of the control plane.
func (l *look) members() (out []*Node) {
	for i := range l.Nodes {
		if l.Nodes[i].has("etcd") {
			out = append(out, &l.Nodes[i])
		}
	}
	if len(out) == 0 {
		out, _ = l.masters()
	}
	return out
}

// mostControl is how many nodes of the control plane later releases take, on bare metal.
const mostControl = 5

func (l *look) controlCount() {
	masters := l.members()
	want := int(facts.Load().Must("ocp.controlPlane.nodes").Number)
	arbiters := 0
	var all []where
	for i := range l.Nodes {
		if l.Nodes[i].has("arbiter") {
			arbiters++
		}
	}
	for _, n := range masters {
		all = append(all, at("Node", n.Metadata.Name, ""))
	}
	fix := fmt.Sprintf("run %d nodes of the control plane", want)
	switch n := len(masters); {
	case n == 0:
		l.notApplicable(hostedControl)
	case n == 1 && len(l.Nodes) == 1:
		l.findAs(v1alpha1.Info, all, fix+", where one node is not meant to be all", "it is the only node")
	case n == 1:
		l.find(all, fix, "one node is the whole control plane")
	case n == want, n == 2 && arbiters > 0, l.OpenShift == "" && n%2 == 1:
	case l.OpenShift != "" && n > want && n <= mostControl:
		l.findAs(v1alpha1.Info, all, fix+", unless the release takes more on the machines that you have",
			"%d nodes are the control plane, which later releases take on bare metal alone", n)
	case l.OpenShift != "" && n > mostControl:
		l.find(all, fix, "%d nodes are the control plane, more than any release takes", n)
	default:
		l.find(all, fix, "%d nodes are the control plane: %s may fail, as of %d", n,
			words.Number((n-1)/2), max(1, n-1+n%2))
	}
}

// sameMemory is how far the memory of equal machines may differ, by this program's own choice: firmware keeps some.
const sameMemory = 0.05

func (l *look) controlUneven() {
	masters, _ := l.masters()
	switch len(masters) {
	case 0:
		l.notApplicable(hostedControl)
		return
	case 1:
		l.notApplicable("one node is the whole control plane")
		return
	}
	var differ, all []string
	var list []where
	least, largest, zones, sizes := masters[0].capacity("memory"), int64(0), map[string]bool{}, map[int64]bool{}
	everywhere := map[string]bool{}
	for i := range l.Nodes {
		everywhere[l.Nodes[i].zone()] = true
	}
	delete(everywhere, "")
	for _, n := range masters {
		memory := n.capacity("memory")
		least, largest = min(least, memory), max(largest, memory)
		sizes[n.capacity("cpu")], zones[n.zone()] = true, true
		list = append(list, at("Node", n.Metadata.Name, "%s", n.hardware()))
		all = append(all, n.Metadata.Name)
	}
	if len(sizes) > 1 {
		differ = append(differ, "cores")
	}
	if float64(largest-least) > sameMemory*float64(largest) {
		differ = append(differ, "memory")
	}
	if len(differ) > 0 {
		l.find(list, "replace the smaller ones, one after another, by machines as the largest", "their %s differ",
			words.And(differ))
	}
	if !zones[""] && len(zones) == 1 && len(everywhere) > 1 {
		l.find(list, fmt.Sprintf("put one of %s into each of the zones %s", words.Some(all, shown),
			words.And(inSet(everywhere))), "all of the control plane is in one zone, and the cluster in %d", len(everywhere))
	}
}

// inSet are the keys of a set, in order.
func inSet(set map[string]bool) []string {
	var out []string
	for k := range inOrder(set) {
		out = append(out, k)
	}
	return out
}

func (l *look) controlReserved() {
	least, _, _, ok := facts.Load().ForRelease("ocp.systemReserved.cpu", l.OpenShift)
	if !ok || least.Number == 0 {
		l.notApplicable("nothing is known of what %s keeps", l.OpenShift)
		return
	}
	var bad []where
	for i := range l.Nodes {
		n := &l.Nodes[i]
		has, gives := n.capacity("cpu"), n.allocatable("cpu")
		if !n.windows() && has > 0 && gives > 0 && float64(has-gives) < least.Number {
			bad = append(bad, at("Node", n.Metadata.Name, "%s", inCores(has-gives)))
		}
	}
	if len(bad) > 0 {
		l.find(bad, fmt.Sprintf("set systemReserved: {cpu: %s} in the KubeletConfig of the pool, or leave it as it is "+
			"where autoSizingReserved chose it", inMilli(least.Number)), "less than %s of CPU are kept for the system",
			least.Printed())
	}
}

// inMilli is an amount of CPU as manifests have it.
func inMilli(millicores float64) string { return fmt.Sprintf("%.0fm", millicores) }

// open says whether any pod may run on a node of the control plane.
func (n *Node) open() bool {
	return !slices.ContainsFunc(n.Spec.Taints, func(t v1alpha1.Taint) bool {
		return (strings.HasSuffix(t.Key, "/master") || strings.HasSuffix(t.Key, "/control-plane")) &&
			t.Effect != "PreferNoSchedule"
	})
}

func (l *look) controlUserPods() {
	masters, workers := l.masters()
	enough := int(facts.Load().Must("ocp.minimum.computeNodes").Number)
	switch {
	case len(masters) == 0:
		l.notApplicable(hostedControl)
		return
	case len(workers) < enough:
		l.notApplicable("the control plane's nodes are the workers, too")
		return
	}
	by := map[string]map[string]bool{}
	count := map[string]int{}
	for i := range l.Pods {
		p := &l.Pods[i]
		if p.ended() || p.Node == "" || ofPlatform(p.Namespace) || p.mirrored() || strings.HasPrefix(p.Owner, "DaemonSet/") {
			continue
		}
		if by[p.Node] == nil {
			by[p.Node] = map[string]bool{}
		}
		by[p.Node][p.Namespace] = true
		count[p.Node]++
	}
	var bad []where
	for _, n := range masters {
		if name := n.Metadata.Name; n.open() && count[name] > 0 {
			bad = append(bad, at("Node", name, "%s of %s", words.Count(count[name], "pod"), words.Some(inSet(by[name]), shown)))
		}
	}
	if len(bad) == 0 {
		return
	}
	fix := l.admin("taint node %s node-role.kubernetes.io/control-plane=:NoSchedule", names(l.told(bad)))
	if l.OpenShift != "" {
		fix = l.tell(`patch schedulers.config.openshift.io cluster --type merge -p '{"spec":{"mastersSchedulable":false}}'`)
	}
	l.find(bad, fix+", and delete the pods, so that they go to the "+words.Count(len(workers), "worker"),
		"pods of users are on nodes of the control plane")
}
