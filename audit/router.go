package audit

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/loadmodel"
	"plimsoll.dev/selector"
	"plimsoll.dev/unit"
)

// routerTests are about routers, and what else belongs on nodes of its own on IBM Z.
var routerTests = []test{{routerReplicas, (*look).routerReplicas}, {routerTogether, (*look).routerTogether},
	{routerThreads, (*look).routerThreads}, {bufferMemory, (*look).bufferMemory},
	{zInfra, (*look).zInfra}}

// ingressNamespace has the routers' pods, and routerLabel says of which IngressController one is.
const (
	ingressNamespace = "openshift-ingress"
	routerLabel      = "ingresscontroller.operator.openshift.io/deployment-ingresscontroller"
)

// podsOf are the pods of an IngressController that run.
func (l *look) podsOf(r *Router) []*Pod {
	var out []*Pod
	for i := range l.Pods {
		p := &l.Pods[i]
		if p.Namespace == ingressNamespace && p.Labels[routerLabel] == r.Metadata.Name && p.Node != "" && !p.ended() {
			out = append(out, p)
		}
	}
	return out
}

// wanted is how many routers an IngressController asks for: those that it says, else as many as there are, since the
// default differs between topologies.
func (r *Router) wanted() int {
	if r.Spec.Replicas != nil {
		return int(*r.Spec.Replicas)
	}
	return r.Status.AvailableReplicas
}

func scaleRouter(r *Router, to int) string {
	return fmt.Sprintf(`oc -n %s patch ingresscontroller %s --type merge -p '{"spec":{"replicas":%d}}'`,
		openshift.NamespaceIngress, r.Metadata.Name, to)
}

// nodesFor are the nodes on which a router may run, by its placement; without one the workers.
func (l *look) nodesFor(r *Router) []*Node {
	var placed *v1alpha1.LabelSelector
	if r.Spec.NodePlacement != nil {
		placed = r.Spec.NodePlacement.NodeSelector
	}
	var out []*Node
	for i := range l.Nodes {
		n := &l.Nodes[i]
		fits := n.has("worker")
		if placed != nil {
			fits = selector.Selects(placed, n.Metadata.Labels)
		}
		if fits && !n.windows() {
			out = append(out, n)
		}
	}
	return out
}

func (l *look) routerReplicas() {
	least, masters := int(facts.Load().Must("ocp.router.replicas").Value().Int()), 0
	for i := range l.Nodes {
		if l.Nodes[i].control() {
			masters++
		}
	}
	severity := l.rule.Severity
	if masters == 1 { // a cluster of a single node, where the operator runs one router by itself
		severity = v1alpha1.Warning
	}
	for i := range l.Routers {
		r := &l.Routers[i]
		want, has := r.wanted(), r.Status.AvailableReplicas
		here := []where{at("IngressController", r.path(), "%d available", has)}
		switch {
		case want > 0 && !slices.ContainsFunc(l.nodesFor(r), (*Node).takes): // routerNodes tells of it
		case want > 0 && has == 0 && r.Status.Conditions != nil:
			l.findAs(v1alpha1.Error, here, "oc -n "+ingressNamespace+" describe pods -l "+routerLabel+"="+r.Metadata.Name,
				"no router is available")
		case want == 1 && len(l.nodesFor(r)) > 1:
			l.findAs(severity, here, scaleRouter(r, least), "one router alone")
		}
	}
}

// routerTogether finds routers that all stand or fall with one node or zone.
func (l *look) routerTogether() {
	nodes := map[string]*Node{}
	for i := range l.Nodes {
		nodes[l.Nodes[i].Metadata.Name] = &l.Nodes[i]
	}
	for i := range l.Routers {
		r := &l.Routers[i]
		on, zones := map[string]bool{}, map[string]bool{}
		pods := l.podsOf(r)
		for _, p := range pods {
			if n := nodes[p.Node]; n != nil {
				on[p.Node], zones[n.zone()] = true, true
			}
		}
		could := map[string]bool{}
		for _, n := range l.nodesFor(r) {
			could[n.zone()] = true
		}
		const fix = "delete one of the pods in " + ingressNamespace + ", which then finds another node; nodePlacement must " +
			"select nodes of several zones"
		here := []where{at("IngressController", r.path(), "%s", words.Count(len(pods), "router"))}
		switch {
		case len(pods) < 2 || len(on) == 0:
		case len(on) == 1 && len(l.nodesFor(r)) > 1:
			l.find(here, fix, "all on Node/%s", oneOf(on))
		case len(zones) == 1 && len(could) > 1 && !zones[""]:
			l.find(here, fix, "all in zone %s, of %s that it may use", oneOf(zones), words.Count(len(could), "zone"))
		}
	}
}

func oneOf(set map[string]bool) string { return slices.Min(slices.Collect(maps.Keys(set))) }

// routerThreads compares threads that were set with the cores of the routers' nodes.
func (l *look) routerThreads() {
	cores := map[string]int64{}
	for i := range l.Nodes {
		cores[l.Nodes[i].Metadata.Name] = l.Nodes[i].capacity("cpu") / 1000
	}
	usual := int64(facts.Load().Must("ocp.router.threadsDefault").Value().Int())
	sets := func(r Router) bool { n, ok := wholeNumber(r.Spec.TuningOptions["threadCount"]); return ok && n > 0 }
	if !slices.ContainsFunc(l.Routers, sets) {
		l.notApplicable("no IngressController sets threadCount")
		return
	}
	for i := range l.Routers {
		r := &l.Routers[i]
		set, ok := wholeNumber(r.Spec.TuningOptions["threadCount"])
		if !ok || set <= 0 {
			continue
		}
		var many, few []where
		for _, p := range l.podsOf(r) {
			switch has := cores[p.Node]; {
			case has > 0 && set > has:
				many = append(many, at("Pod", p.path(), "%s of Node/%s", words.Count(has, "core"), p.Node))
			case set == 1 && has >= usual:
				few = append(few, at("Pod", p.path(), "%s of Node/%s", words.Count(has, "core"), p.Node))
			}
		}
		fix := fmt.Sprintf(`oc -n %s patch ingresscontroller %s --type merge -p '{"spec":{"tuningOptions":`+
			`{"threadCount":%d}}}'`, openshift.NamespaceIngress, r.Metadata.Name, usual)
		if len(many) > 0 {
			l.find(many, fix+", or put the routers on nodes with more cores", "IngressController/%s sets %d threads, more than "+
				"there are cores", r.Metadata.Name, set)
		}
		if len(few) > 0 {
			l.find(few, fix, "IngressController/%s sets one thread, which ends TLS for all clients on one core",
				r.Metadata.Name)
		}
	}
}

// buffers are the size of an IngressController's buffers and how many connections may fill one; ok is false where it
// sets neither, or leaves the connections to HAProxy.
func (l *look) buffers(r *Router) (size, connections int64, ok bool) {
	catalogue := facts.Load()
	size, sized := wholeNumber(r.Spec.TuningOptions["headerBufferBytes"])
	connections, counted := wholeNumber(r.Spec.TuningOptions["maxConnections"])
	if size <= 0 {
		size = catalogue.Must("ocp.router.bufferSize").Value().Int()
	}
	if connections == 0 {
		connections = catalogue.Must("ocp.router.maxConnections").Value().Int()
		if f, _, _, known := catalogue.ForRelease("ocp.router.maxConnectionsDefault", l.OpenShift); known {
			connections = f.Value().Int()
		}
	}
	return size, connections, (sized || counted) && connections > 0
}

// bufferMemory compares what all connections take when each fills its buffer with the memory of the routers' nodes.
func (l *look) bufferMemory() {
	memory := map[string]int64{}
	for i := range l.Nodes {
		memory[l.Nodes[i].Metadata.Name] = l.Nodes[i].allocatable("memory")
	}
	if !slices.ContainsFunc(l.Routers, func(r Router) bool { _, _, ok := l.buffers(&r); return ok }) {
		l.notApplicable("no IngressController sets headerBufferBytes or maxConnections")
		return
	}
	for i := range l.Routers {
		r := &l.Routers[i]
		size, connections, ok := l.buffers(r)
		if !ok {
			continue
		}
		var over []where
		least := int64(math.MaxInt64)
		for _, p := range l.podsOf(r) {
			if has := memory[p.Node]; has > 0 && float64(size)*float64(connections) > float64(has) {
				over, least = append(over, at("Pod", p.path(), "%s of Node/%s", unit.FormatBytes(unit.Bytes(has)), p.Node)),
					min(least, has)
			}
		}
		if len(over) > 0 {
			l.find(over, fmt.Sprintf("oc -n %s patch ingresscontroller %s --type merge -p "+
				`'{"spec":{"tuningOptions":{"maxConnections":%d}}}'`+" and more routers, or smaller headerBufferBytes",
				openshift.NamespaceIngress, r.Metadata.Name, least/size),
				"IngressController/%s lets %s connections fill buffers of %s, which are more than the memory of the node",
				r.Metadata.Name, words.Number(connections),
				unit.FormatBytes(unit.Bytes(size)))
		}
	}
}

// wholeNumber of a JSON value.
func wholeNumber(v any) (int64, bool) {
	switch n := v.(type) {
	case float64:
		return int64(n), n == float64(int64(n))
	case int64:
		return n, true
	}
	return 0, false
}

// zInfra finds routers and monitoring of IBM Z on workers that run users' pods.
func (l *look) zInfra() {
	z, users := map[string]bool{}, map[string]bool{}
	workers := 0
	for i := range l.Nodes {
		n := &l.Nodes[i]
		if n.Status.NodeInfo.Architecture == "s390x" && !n.control() {
			z[n.Metadata.Name] = true
			workers++
		}
	}
	if workers == 0 {
		l.notApplicable("no worker is of s390x")
		return
	}
	for i := range l.Pods {
		if p := &l.Pods[i]; !loadmodel.IsSystem(p.Namespace) && !p.ended() {
			users[p.Node] = true
		}
	}
	var core []*Pod
	if len(l.nodesOfInfra()) == 0 { // else monitoringPlace tells of those that are elsewhere
		core = slices.Concat(l.podsOfMonitoring(prometheusName), l.podsOfMonitoring(alertmanagerName))
	}
	for i := range l.Routers {
		core = append(core, l.podsOf(&l.Routers[i])...)
	}
	var beside []where
	for _, p := range core {
		if z[p.Node] && users[p.Node] {
			beside = append(beside, at("Pod", p.path(), "on Node/%s", p.Node))
		}
	}
	if len(beside) > 0 {
		l.find(beside, "plimsoll tune make infra writes the manifests that move them to infrastructure nodes",
			"routers or monitoring share a worker with users' pods")
	}
}
