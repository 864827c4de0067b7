package audit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/internal/words"
)

// own says whether pods are those of a controller that keeps several of one kind, and somebody's own.
func (p *Pod) own() bool {
	kind, _, _ := strings.Cut(p.Owner, "/")
	return p.Phase == "Running" && !ofPlatform(p.Namespace) &&
		slices.Contains([]string{"ReplicaSet", "StatefulSet", "ReplicationController"}, kind)
}

// alike says whether all pods are in one place.
func (g group) alike(place func(*Pod) string) bool {
	at := place(g.pods[0])
	return at != "" && !slices.ContainsFunc(g.pods, func(p *Pod) bool { return place(p) != at })
}

// onNode is where a pod is.
func onNode(p *Pod) string { return p.Node }

// together are workloads of two running pods and more that are all in one place, with where that is.
func (l *look) together(place func(*Pod) string, told func(group) bool) (list []where, first group) {
	for _, g := range l.groups((*Pod).own) {
		at := place(g.pods[0])
		if len(g.pods) < 2 || !g.alike(place) || told(g) {
			continue
		}
		if first.pods == nil {
			first = g
		}
		list = append(list, where{g.object, fmt.Sprintf("%s on %s", words.Count(len(g.pods), "pod"), at)})
	}
	return list, first
}

// apart is the constraint that spreads the pods of a workload.
func (g group) apart(key string) string {
	labels := maps.Clone(g.pods[0].Labels)
	for _, made := range []string{"pod-template-hash", "controller-revision-hash", "statefulset.kubernetes.io/pod-name",
		"apps.kubernetes.io/pod-index", "deployment", "deploymentconfig"} {
		delete(labels, made)
	}
	var pairs []string
	for k, v := range inOrder(labels) {
		pairs = append(pairs, fmt.Sprintf("%s: %q", k, v))
	}
	return fmt.Sprintf("in the template of %s: topologySpreadConstraints: [{maxSkew: 1, topologyKey: %s, "+
		"whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {%s}}}]", g.object, key, strings.Join(pairs, ", "))
}

func (l *look) podOneNode() {
	workers := 0
	for i := range l.Nodes {
		if n := &l.Nodes[i]; n.takes() && (!n.control() || n.has("worker")) {
			workers++
		}
	}
	if workers < 2 {
		l.notApplicable("there are no two nodes that take pods of users")
		return
	}
	if list, first := l.together(onNode, func(group) bool { return false }); len(list) > 0 {
		l.find(list, first.apart("kubernetes.io/hostname"), "all pods are on one node")
	}
}

func (l *look) podOneZone() {
	zones, nodes := map[string]bool{}, map[string]*Node{}
	for i := range l.Nodes {
		n := &l.Nodes[i]
		nodes[n.Metadata.Name] = n
		if n.takes() && !n.control() && n.zone() != "" {
			zones[n.zone()] = true
		}
	}
	if len(zones) < 2 {
		l.notApplicable("the nodes that take pods are in no two zones")
		return
	}
	list, first := l.together(func(p *Pod) string {
		if n := nodes[p.Node]; n != nil {
			return n.zone()
		}
		return ""
	}, func(g group) bool { return g.alike(onNode) })
	if len(list) > 0 {
		l.find(list, first.apart("topology.kubernetes.io/zone"), "all pods are in one zone")
	}
}
