package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
)

// counted is a cluster of large nodes with so many pods and objects.
func counted(release string, pods int, objects string) small {
	return small{
		Release: release, Node: "cpus: 64, memory: 512G, maxPods: 500}, {name: i, role: infra, cpus: 64, memory: 512G",
		Pods: fmt.Sprintf("{name: a, replicas: %d, cpu: 10m, memory: 10M}", pods), Objects: objects,
		Rest: "policy: {spareNodes: 0}",
	}
}

// maximums are the rows of OCP 9.1 and 9.2 that are the same in every column.
var maximums = map[string]int{
	"namespaces": 10_000, "builds": 10_000, "podsPerNamespace": 25_000, "services": 10_000,
	"servicesPerNamespace": 5000, "backendsPerService": 5000, "deploymentsPerNamespace": 2000,
}

// objectsAt lists every quantity of maximums at its maximum and more.
func objectsAt(more int) string {
	var all []string
	for quantity, most := range maximums {
		all = append(all, fmt.Sprintf("%s: %d", quantity, most+more))
	}
	return strings.Join(all, ", ")
}

// P8, OCP 9.1 and 9.2: every maximum of every release of the tables.
func TestDocumentMaximums(t *testing.T) {
	for release, want := range map[string][3]int{ // nodes, pods, pods on a node
		"3.11": {2000, 150_000, 250}, "4.1": {2000, 150_000, 250}, "4.2": {2000, 150_000, 250},
		"4.3": {2000, 150_000, 500}, "4.4": {250, 62_500, 500},
	} {
		p := counted(release, 100, objectsAt(0)).plan(t)
		limited(t, p, map[string]int{"nodes": want[0], "pods": want[1], "podsPerNode[w]": want[2]})
		limited(t, p, maximums)
	}
}

func limited(t *testing.T, p *v1alpha1.Plan, want map[string]int) {
	t.Helper()
	for id, most := range want {
		if got := gauge(t, p, id).Limit.Number; got != float64(most) {
			t.Errorf("%s %s: the limit is %v, the document says %d", p.Platform.Release, id, got, most)
		}
	}
}

// P8: what reaches a maximum passes, what is one above it does not.
func TestDocumentMaximumsPassed(t *testing.T) {
	for _, release := range []string{"3.11", "4.3", "4.4"} {
		at, above := counted(release, 2000, objectsAt(0)).plan(t), counted(release, 2000, objectsAt(1)).plan(t)
		for quantity, most := range maximums {
			expectFinding(t, at, v1alpha1.Error, "limits."+quantity, false)
			expectFinding(t, above, v1alpha1.Error, "limits."+quantity, true)
			if g := gauge(t, above, quantity); g.Value.Number != float64(most+1) {
				t.Errorf("%s %s: %v are planned, the scenario says %d", release, quantity, g.Value.Number, most+1)
			}
		}
	}
}

// P8: the nodes and pods of 4.4, whose own row is far below that of "4.x".
func TestDocumentMaximumsOf44(t *testing.T) {
	for pods, passed := range map[int]bool{62_500: false, 62_501: true} {
		expectFinding(t, counted("4.4", pods, "").plan(t), v1alpha1.Error, "limits.pods", passed)
		expectFinding(t, counted("4.3", pods, "").plan(t), v1alpha1.Error, "limits.pods", false)
	}
	for nodes, passed := range map[int]bool{250: false, 251: true} {
		p := onePodANode(nodes-6, "").plan(t)
		number(t, p, "nodes.all", float64(nodes))
		expectFinding(t, p, v1alpha1.Error, "limits.nodes", passed)
	}
	for maxPods, passed := range map[int]bool{500: false, 501: true} {
		node := fmt.Sprintf("cpus: 64, memory: 512G, maxPods: %d}, {name: i, role: infra, cpus: 64, memory: 512G", maxPods)
		pods := fmt.Sprintf("{name: a, replicas: %d, cpu: 10m}", maxPods)
		p := small{Node: node, Pods: pods, Rest: "policy: {spareNodes: 0, systemPodsPerNode: 0}"}.plan(t)
		expectFinding(t, p, v1alpha1.Error, "limits.podsPerNode[w]", passed)
	}
}

// P8: the maximums that later releases publish.
func TestDocumentMaximumsOfLaterReleases(t *testing.T) {
	for release, want := range map[string]map[string]int{
		"4.5": {"nodes": 500, "pods": 62_500, "podsPerNode[w]": 500, "namespaces": 10_000, "builds": 10_000},
		"4.10": {"nodes": 2000, "pods": 150_000, "podsPerNode[w]": 500, "secrets": 80_000, "configMaps": 90_000,
			"buildConfigs": 12_000, "crds": 512},
		"4.17": {"nodes": 2000, "pods": 150_000, "podsPerNode[w]": 2500, "secrets": 80_000, "configMaps": 90_000,
			"buildConfigs": 12_000, "crds": 1024},
	} {
		p := counted(release, 100, objectsAt(0)+", secrets: 1, configMaps: 1, buildConfigs: 1, customResourceDefinitions: 1").
			plan(t)
		limited(t, p, want)
	}
}

// P8: ROSA, 249 nodes since 4.14.14 and 180 before; 25,000 pods, 250 a node, 5,000 namespaces.
func TestDocumentMaximumsOfTheManagedService(t *testing.T) {
	for release, nodes := range map[string]int{"4.14.13": 180, "4.14.14": 249, "4.15": 249, "4.22": 249} {
		s := counted(release, 100, "namespaces: 5001, podsPerNamespace: 50, servicesPerNamespace: 50, services: 60")
		s.Provider = "aws, service: rosa"
		p := s.plan(t)
		limited(t, p, map[string]int{"nodes": nodes, "pods": 25_000, "podsPerNode[w]": 250, "namespaces": 5000,
			"services": 10_000, "servicesPerNamespace": 5000})
		expectFinding(t, p, v1alpha1.Error, "limits.namespaces", true)
	}
}

// P8: upstream Kubernetes 1.36.
func TestDocumentMaximumsOfKubernetes(t *testing.T) {
	s := counted("1.36", 100, objectsAt(0))
	s.Provider, s.Node = "none, type: kubernetes", "cpus: 64, memory: 512G, maxPods: 110"
	p := s.plan(t)
	limited(t, p, map[string]int{
		"nodes": 5000, "pods": 150_000, "containers": 300_000, "podsPerNode[w]": 110, "namespaces": 10_000,
		"podsPerNamespace": 3000,
		"services":         10_000, "servicesPerNamespace": 5000, "backendsPerService": 250, "deploymentsPerNamespace": 2000,
	})
	for _, id := range []string{"podsPerNamespace", "backendsPerService"} {
		expectFinding(t, p, v1alpha1.Warning, "limits."+id, true)
	}
}

// P9, OCP 9.3: 2200 / 500 = 4.4 make five nodes; 2200 / 20 = 110 pods a node.
func TestDocumentPlanningByMaximums(t *testing.T) {
	for _, c := range []struct {
		pods, maxPods, spare int
		byPods, perNode      float64
	}{
		{2200, 500, 0, 5, 440}, {2200, 500, 15, 5, 110}, {2200, 250, 0, 9, 220}, {2500, 500, 0, 5, 2500.0 / 6},
		{2501, 500, 0, 6, 2501.0 / 6}, {1, 250, 0, 1, 1},
	} {
		p := small{
			Node: fmt.Sprintf("cpus: 64, memory: 512G, maxPods: %d}, {name: i, role: infra, cpus: 64, memory: 512G", c.maxPods),
			Pods: fmt.Sprintf("{name: a, replicas: %d}", c.pods), Rest: fmt.Sprintf("policy: {spareNodes: %d}", c.spare),
		}.plan(t)
		number(t, p, "nodes.byPods[w]", c.byPods)
		number(t, p, "nodes.podsPerNode[w]", c.perNode)
	}
}
