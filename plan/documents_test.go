package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/source/scenario"
)

// The tests in documents_*_test.go were written from the documents alone, by
// somebody who had not read the planner: what OCP (the OpenShift 4.4 guide)
// and ROUT (the 3.x guide, chapter 8) say, row by row of the requirements.

// small is a scenario of one worker type: its CPUs, memory and further
// settings, the pods, and what else stands in the scenario.
type small struct {
	Release, Provider string
	Node, Pods, Rest  string
	Objects           string
}

func (s small) text() string {
	or := func(v, otherwise string) string {
		if v == "" {
			return otherwise
		}
		return v
	}
	return fmt.Sprintf("platform: {release: %q, provider: %s}\n"+
		"hardware: {nodeTypes: [{name: w, %s}]}\nworkload: {podTypes: [%s], objects: {%s}}\n%s\n",
		or(s.Release, "4.4"), or(s.Provider, "none"), or(s.Node, "cpus: 8, memory: 32G"),
		or(s.Pods, "{name: a, replicas: 100, cpu: 10m, memory: 10M}"), s.Objects, s.Rest)
}

func (s small) plan(t *testing.T) *v1alpha1.Plan {
	t.Helper()
	return planOf(t, s.text())
}

// refusal is what the reader says of a scenario that it must not take.
func refusal(t *testing.T, s small) string {
	t.Helper()
	_, err := scenario.Read("test.yaml", []byte("apiVersion: plimsoll.dev/v1alpha1\nkind: Scenario\n"+s.text()))
	if err == nil {
		t.Fatalf("the reader took\n%s", s.text())
	}
	return err.Error()
}

// stated compares figures with the document's own words for them.
func stated(t *testing.T, p *v1alpha1.Plan, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	for id := range want {
		got[id] = figure(t, p, id).Value.Text
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("figures (-document +plan):\n%s", d)
	}
}

// number compares one figure with a number, as equal as arithmetic allows.
func number(t *testing.T, p *v1alpha1.Plan, id string, want float64) {
	t.Helper()
	if got := figure(t, p, id).Value.Number; got-want > 1e-6*max(1, want) || want-got > 1e-6*max(1, want) {
		t.Errorf("%s: got %v, the document says %v", id, got, want)
	}
}

// found says whether the plan has a finding of this severity and id.
func found(p *v1alpha1.Plan, severity v1alpha1.Severity, id string) bool {
	return slices.Contains(findings(p, severity), id)
}

// expectFinding wants a finding exactly when the document objects.
func expectFinding(t *testing.T, p *v1alpha1.Plan, severity v1alpha1.Severity, id string, want bool) {
	t.Helper()
	if got := found(p, severity, id); got != want {
		t.Errorf("%s %s: got %v, want %v; %ss are %v", severity, id, got, want, severity, findings(p, severity))
	}
}

// P1, OCP 1.1: 10.128.0.0/14 carries no more than 500 nodes; beyond, /12 or /10.
func TestDocumentClusterNetwork(t *testing.T) {
	for nodes, want := range map[int]string{
		1: "10.128.0.0/14", 499: "10.128.0.0/14", 500: "10.128.0.0/14", 501: "10.128.0.0/12",
		2048: "10.128.0.0/12", 2049: "10.128.0.0/10", 8192: "10.128.0.0/10",
	} {
		p := small{Release: "4.3", Rest: fmt.Sprintf("policy: {expectedNodes: %d, infraNodes: 0, spareNodes: 0}",
			nodes)}.plan(t)
		stated(t, p, map[string]string{"network.cidr": want, "network.hostPrefix": "/23"})
		if got := p.Decisions.Network.ClusterNetwork; len(got) != 1 || got[0].CIDR != want || got[0].HostPrefix != 23 {
			t.Errorf("%d nodes: install-config.yaml would get %v", nodes, got)
		}
	}
}

// P1, OCP 1.1: the default network "cannot be used if the cluster size is more than 500 nodes".
func TestDocumentDefaultNetworkGiven(t *testing.T) {
	const default14, twelve = "10.128.0.0/14", "10.128.0.0/12"
	for _, c := range []struct {
		cidr   string
		nodes  int
		tooFew bool
	}{
		{default14, 500, false}, {default14, 501, true}, {default14, 512, true}, {twelve, 501, false}, {twelve, 2048, false},
		{twelve, 2049, true},
		{"10.128.0.0/20", 8, false}, {"10.128.0.0/20", 9, true}, {"10.128.0.0/19", 16, false}, {"10.128.0.0/19", 17, true},
	} {
		p := small{Release: "4.3", Rest: fmt.Sprintf("network: {clusterNetwork: [{cidr: %s}]}\npolicy: {expectedNodes: %d}",
			c.cidr, c.nodes)}.plan(t)
		expectFinding(t, p, v1alpha1.Error, "network.cidr.tooSmall", c.tooFew)
		if c.nodes <= 2000 && p.Verdict.Fits == c.tooFew {
			t.Errorf("%s for %d nodes: fits is %v", c.cidr, c.nodes, p.Verdict.Fits)
		}
	}
	p := small{Rest: "network: {clusterNetwork: [{cidr: 10.128.0.0/14}]}\npolicy: {expectedNodes: 480}"}.plan(t)
	stated(t, p, map[string]string{"network.capacity": "500 nodes", "network.headroom": "20 nodes",
		"network.subnets": "512 subnets"})
}

// P1, OCP 9.1 footnote 2: 500 user pods need a hostPrefix of 22, because 10 to
// 15 system pods run on the node; 250 pods are at home in the default 23.
func TestDocumentHostPrefix(t *testing.T) {
	for pods, want := range map[int]string{110: "/23", 250: "/23", 490: "/23", 500: "/22", 1000: "/22", 1010: "/21"} {
		p := small{Node: fmt.Sprintf("cpus: 8, memory: 32G, maxPods: %d", pods)}.plan(t)
		stated(t, p, map[string]string{"network.hostPrefix": want})
		stated(t, p, map[string]string{"network.podAddresses.needed": figureText(pods),
			"network.podAddresses.beside": figureText(pods + 15)})
	}
	for prefix, tooLong := range map[int]bool{22: false, 23: true} {
		rest := fmt.Sprintf("network: {clusterNetwork: [{cidr: 10.128.0.0/14, hostPrefix: %d}]}", prefix)
		p := small{Node: "cpus: 8, memory: 32G, maxPods: 500", Rest: rest}.plan(t)
		expectFinding(t, p, v1alpha1.Warning, "network.hostPrefix.userPods", tooLong)
	}
}

// W14: maxPods counts the system pods, so 250 pods fit the 252 addresses of a /24 with
// OVN-Kubernetes, and 253 do not.
func TestMaxPodsOfAddresses(t *testing.T) {
	for pods, fits := range map[int]bool{250: true, 252: true, 253: false} {
		p := small{Release: "4.14", Node: fmt.Sprintf("cpus: 8, memory: 32G, maxPods: %d", pods),
			Rest: "network: {type: OVNKubernetes, clusterNetwork: [{cidr: 10.128.0.0/14, hostPrefix: 24}]}"}.plan(t)
		expectFinding(t, p, v1alpha1.Error, "network.hostPrefix.tooLong", !fits)
		if p.Verdict.Fits != fits {
			t.Errorf("%d pods: fits is %v: %s", pods, p.Verdict.Fits, p.Verdict.Problem)
		}
	}
}

func figureText(addresses int) string {
	if addresses >= 1000 {
		return fmt.Sprintf("%d,%03d addresses", addresses/1000, addresses%1000)
	}
	return fmt.Sprintf("%d addresses", addresses)
}

// P1: the cluster network may not overlap the machines' or the services'.
func TestDocumentNetworksDoNotOverlap(t *testing.T) {
	for network, overlaps := range map[string]bool{
		"clusterNetwork: [{cidr: 10.0.0.0/14}]":                                    true,
		"clusterNetwork: [{cidr: 172.28.0.0/14}]":                                  true,
		"serviceNetwork: [10.0.128.0/17]":                                          true,
		"clusterNetwork: [{cidr: 10.128.0.0/14}], machineNetwork: [10.131.0.0/16]": true,
		"clusterNetwork: [{cidr: 10.128.0.0/14}], machineNetwork: [10.132.0.0/16]": false,
		"clusterNetwork: [{cidr: 10.128.0.0/14}, {cidr: 10.130.0.0/19}]":           true,
		"machineNetwork: [10.128.0.0/16]":                                          false, // derived beside it
	} {
		p := small{Rest: "network: {" + network + "}"}.plan(t)
		if got := found(p, v1alpha1.Error, "network.overlap"); got != overlaps {
			t.Errorf("%s: overlap is %v, want %v", network, got, overlaps)
		}
	}
}

// P2, OCP 2.1: the lower of podsPerCore x cores and maxPods; 0 is off; 250 by default.
func TestDocumentPodsOnANode(t *testing.T) {
	for node, want := range map[string]string{
		"cpus: 4, memory: 16G, podsPerCore: 10":                "40 pods",
		"cpus: 4, memory: 16G":                                 "250 pods",
		"cpus: 4, memory: 16G, podsPerCore: 0":                 "250 pods",
		"cpus: 25, memory: 16G, podsPerCore: 10":               "250 pods",
		"cpus: 24, memory: 16G, podsPerCore: 10":               "240 pods",
		"cpus: 26, memory: 16G, podsPerCore: 10":               "250 pods",
		"cpus: 40, memory: 16G, podsPerCore: 10, maxPods: 500": "400 pods",
		"cpus: 4, memory: 16G, podsPerCore: 250":               "250 pods",
		"cpus: 4, memory: 16G, maxPods: 500":                   "500 pods",
	} {
		stated(t, small{Node: node}.plan(t), map[string]string{"node.pods[w]": want})
	}
	infra := small{
		Node: "cpus: 8, memory: 32G}, {name: i, role: infra, cpus: 16, memory: 64G, podsPerCore: 10, maxPods: 500",
	}.plan(t)
	stated(t, infra, map[string]string{"node.pods[i]": "160 pods", "node.pods[w]": "250 pods"})
}

// P2, OCP 2.1: "podsPerCore cannot exceed maxPods".
func TestDocumentPodsPerCoreExceedsMaxPods(t *testing.T) {
	for _, node := range []string{
		"cpus: 4, memory: 16G, podsPerCore: 251",
		"cpus: 4, memory: 16G, podsPerCore: 101, maxPods: 100",
		"cpus: 4, memory: 16G}, {name: c, role: controlPlane, cpus: 4, memory: 16G, podsPerCore: 300",
	} {
		if got := refusal(t, small{Node: node}); !strings.Contains(got, "podsPerCore") ||
			!strings.Contains(got, "test.yaml:4:") {
			t.Errorf("%s: got %q", node, got)
		}
	}
}

// P2, OCP 2.1: "a system running 10 pods will actually have 20 containers running".
func TestDocumentContainers(t *testing.T) {
	for pods, want := range map[string]string{
		"{name: a, replicas: 10, cpu: 10m}":                                                        "20 containers",
		"{name: a, replicas: 10, cpu: 10m, containers: 3}":                                         "40 containers",
		"{name: a, replicas: 10, cpu: 10m}, {name: b, replicas: 1, cpu: 10m, containers: 2}":       "23 containers",
		"{name: a, replicas: 0, cpu: 10m}, {name: b, replicas: 1, cpu: 10m, namespace: elsewhere}": "2 containers",
	} {
		stated(t, small{Pods: pods}.plan(t), map[string]string{"workload.processes": want})
	}
}

// P3, OCP 2.3: 25/100/250 workers -> 4/8/16 cores, 16/32/96 GB, for the nodes
// expected one day, and never silently beyond the table.
func TestDocumentControlPlane(t *testing.T) {
	for workers, want := range map[int][2]string{
		6: {"4 cores", "16 GB"}, 24: {"4 cores", "16 GB"}, 25: {"4 cores", "16 GB"}, 26: {"8 cores", "32 GB"},
		99:  {"8 cores", "32 GB"},
		100: {"8 cores", "32 GB"}, 101: {"16 cores", "96 GB"}, 249: {"16 cores", "96 GB"}, 250: {"16 cores", "96 GB"},
		251: {"16 cores", "96 GB"},
	} {
		p := small{Rest: fmt.Sprintf("policy: {expectedNodes: %d, infraNodes: 0}", workers+3)}.plan(t)
		stated(t, p, map[string]string{"control.cores": want[0], "control.memory": want[1],
			"control.workers": fmt.Sprintf("%d workers", workers)})
		expectFinding(t, p, v1alpha1.Warning, "control.size.beyond", workers > 250)
		number(t, p, "control.cores", float64(p.Decisions.ControlPlane.CPUs)*1000)
	}
}

// P3, OCP 2.3: the total counts, not today's nodes; without an expectation it is the plan's own.
func TestDocumentControlPlaneOfThePlan(t *testing.T) {
	pods := "{name: a, replicas: %d, cpu: 3, maxPerNode: 1}"
	for workers, want := range map[int]string{22: "4 cores", 23: "8 cores", 97: "8 cores", 98: "16 cores"} {
		p := small{Node: "cpus: 4, memory: 16G}, {name: i, role: infra, cpus: 16, memory: 64G",
			Pods: fmt.Sprintf(pods, workers), Rest: "policy: {spareNodes: 0}"}.plan(t)
		stated(t, p, map[string]string{"control.cores": want, "control.workers": fmt.Sprintf("%d workers", workers+3)})
	}
}
