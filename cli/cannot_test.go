package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// cannot are clusters that can't be built, or don't bear what is asked of them: the
// nodes, the pods and the policy of each.
var cannot = map[string][3]string{
	"pod larger than a node": {"{name: w, cpus: 4, memory: 16Gi}", "{name: a, replicas: 1, cpu: 8}", ""},
	"more memory than a node": {
		"{name: w, cpus: 4, memory: 16Gi}",
		"{name: a, replicas: 1, memory: 20Gi}",
		""},
	"pod as large as the machine": {"{name: w, cpus: 4, memory: 16Gi}", "{name: a, replicas: 1, cpu: 4}", ""},
	"selector of no node": {
		"{name: w, cpus: 4, memory: 16Gi}",
		"{name: a, replicas: 1, cpu: 1, nodeSelector: {disk: ssd}}",
		""},
	"taint that nobody tolerates": {
		"{name: w, cpus: 4, memory: 16Gi, taints: [{key: a, effect: NoSchedule}]}",
		"{name: a, replicas: 1, cpu: 1}",
		""},
	"device that no node has": {
		"{name: w, cpus: 4, memory: 16Gi}",
		"{name: a, replicas: 1, cpu: 1, devices: {g.org/gpu: 1}}",
		""},
	"more devices than a node has": {
		"{name: w, cpus: 4, memory: 16Gi, devices: {g.org/gpu: 1}}",
		"{name: a, replicas: 1, cpu: 1, devices: {g.org/gpu: 2}}",
		""},
	"disk smaller than a pod": {
		"{name: w, cpus: 4, memory: 16Gi, disk: 50Gi}",
		"{name: a, replicas: 1, cpu: 1, ephemeralStorage: 80Gi}",
		""},
	"stock too small": {
		"{name: w, cpus: 4, memory: 16Gi, available: 2}",
		"{name: a, replicas: 9, cpu: 2}",
		"spareNodes: 0"},
	"stock without the spare node": {
		"{name: w, cpus: 8, memory: 16Gi, available: 2}",
		"{name: a, replicas: 4, cpu: 3}",
		"spareNodes: 1"},
	"one to a zone, three zones": {"{name: w, cpus: 8, memory: 32Gi}", "{name: a, replicas: 4, cpu: 1, " +
		"labels: {app: a}, affinity: {podAntiAffinity: " +
		"{requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {matchLabels: {app: a}}, topologyKey: " +
		"topology.kubernetes.io/zone}]}}}", "zones: 3"},
	"spread over zones, one of which may fail": {"{name: w, cpus: 8, memory: 32Gi}", "{name: a, replicas: " +
		"6, cpu: 1, labels: {app: a}, " +
		"affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: " +
		"{matchLabels: {app: b}}, " +
		"topologyKey: topology.kubernetes.io/zone}]}}}, {name: b, replicas: 3, cpu: 1, labels: {app: b}, " +
		"topologySpreadConstraints: " +
		"[{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, labelSelector: {matchLabels: {app: b}}, minDomains: 3}]}",
		"zones: 3"},
	"affinity to what is not there": {"{name: w, cpus: 8, memory: 32Gi}", "{name: a, replicas: 1, cpu: 1, " +
		"affinity: {podAffinity: " +
		"{requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {matchLabels: {app: none}}, topologyKey: " +
		"kubernetes.io/hostname}]}}}", ""},
	"spread over a label that no node has": {"{name: w, cpus: 8, memory: 32Gi}", "{name: a, replicas: 2, " +
		"cpu: 1, labels: {app: a}, " +
		"topologySpreadConstraints: [{maxSkew: 1, topologyKey: rack, labelSelector: {matchLabels: {app: a}}}]}", ""},
	"node affinity that no node meets": {"{name: w, cpus: 8, memory: 32Gi}", "{name: a, replicas: 1, cpu: " +
		"1, affinity: {nodeAffinity: " +
		"{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: cpu, " +
		"operator: In, " +
		"values: [arm]}]}]}}}}", ""},
	"huge pages beyond those given": {
		"{name: w, cpus: 8, memory: 32Gi, hugePages: {2Mi: 1Gi}}",
		"{name: a, replicas: 1, cpu: 1, memory: 1Gi, hugePages: {2Mi: 2Gi}}",
		""},
	"more CPUs than a NUMA node, of one only": {
		"{name: w, memory: 32Gi, topology: 2 sockets x 4 cores, kubelet: {cpuManagerPolicy: static, " +
			"reservedSystemCPUs: \"0\", topologyManagerPolicy: single-numa-node}}",
		"{name: a, replicas: 1, cpu: 6, cpuLimit: 6, memory: 1Gi, memoryLimit: 1Gi}",
		""},
	"budget that lets no pod go": {
		"{name: w, cpus: 8, memory: 32Gi}",
		"{name: a, replicas: 2, cpu: 1}], disruptionBudgets: [{name: a, pods: [a], minAvailable: 2}",
		"maxUnavailable: 1"},
	"places for the platform's own pods alone": {
		"{name: w, cpus: 8, memory: 32Gi, maxPods: 15}",
		"{name: a, replicas: 1, cpu: 1}",
		""},
	"machine below the minimum": {
		"{name: w, cpus: 1, memory: 4Gi}",
		"{name: a, replicas: 1, cpu: 100m, memory: 64Mi}",
		""},
	"disk below the minimum": {"{name: w, cpus: 4, memory: 16Gi, disk: 80Gi}", "{name: a, replicas: 1, cpu: 1}", ""},
	"control plane of two nodes": {
		"{name: w, cpus: 4, memory: 16Gi}",
		"{name: a, replicas: 1, cpu: 1}",
		"controlPlaneNodes: 2"},
	"too many addresses asked for": {
		"{name: w, cpus: 64, memory: 256Gi, maxPods: 2500}",
		"{name: a, replicas: 2400, cpu: 10m}",
		""},
}

// stated are nodes that are all given, and too few in one way or another.
var stated = map[string][3]string{
	"too few for the pods":    {"3", "{name: a, replicas: 30, cpu: 1}", "spareNodes: 0"},
	"none to spare":           {"3", "{name: a, replicas: 21, cpu: 1}", "spareNodes: 1"},
	"two to spare, one there": {"4", "{name: a, replicas: 21, cpu: 1}", "spareNodes: 2"},
	"no update with all full": {
		"3",
		"{name: a, replicas: 21, cpu: 1}",
		"spareNodes: 0, maxUnavailable: 1"},
	"three at a time": {
		"4",
		"{name: a, replicas: 21, cpu: 1}",
		"spareNodes: 0, maxUnavailable: 3"},
	"a quarter at a time": {
		"8",
		"{name: a, replicas: 49, cpu: 1}",
		"spareNodes: 0, maxUnavailable: 25%"},
	"a zone of three full ones": {
		"3",
		"{name: a, replicas: 21, cpu: 1}",
		"spareNodes: 0, zones: 3, surviveZoneLoss: true"},
	"a zone with less than a half": {
		"9",
		"{name: a, replicas: 48, cpu: 1}",
		"spareNodes: 0, zones: 3, surviveZoneLoss: true"},
	"shape of the pods": {"3", "{name: a, replicas: 4, cpu: 4}", "spareNodes: 0"},
	"fragments": {
		"2",
		"{name: a, replicas: 2, cpu: 3}, {name: b, replicas: 2, cpu: 5}",
		"spareNodes: 0"},
	"one on each of two": {"2", "{name: a, replicas: 3, cpu: 1, maxPerNode: 1}", "spareNodes: 0"},
}

func scenarioOf(nodes, pods, policy string) string {
	if policy == "" {
		policy = "zones: 1"
	}
	return fmt.Sprintf("apiVersion: plimsoll.dev/v1alpha1\nkind: Scenario\nplatform: {type: openshift, "+
		"release: \"4.14\"}\n"+
		"hardware: {nodeTypes: [%s]}\nworkload: {podTypes: [%s]}\npolicy: {%s, infraNodes: 0}\n", nodes, pods, policy)
}

// What can't be built, or does not bear what is asked, is never good: exit code 3, and
// a problem that is named.
func TestWhatCannotBeBuilt(t *testing.T) {
	t.Parallel()
	scenarios := map[string]string{}
	for name, c := range cannot {
		scenarios[name] = scenarioOf(c[0], c[1], c[2])
	}
	for name, c := range stated {
		node := "{name: w, cpus: 8, memory: 32Gi}], options: [{name: o, nodes: [{type: w, count: " + c[0] + "}]}"
		scenarios[name+", stated"] = scenarioOf(node, c[1], c[2])
		// The same on Kubernetes, whose nodes are in stock.
		scenarios[name+", in stock"] = scenarioOf("{name: w, cpus: 8, memory: 32Gi, available: "+c[0]+"}", c[1], c[2])
	}
	for name, c := range cannotClouds {
		scenarios[name+", cloud"] = smallCloud(c)
	}
	dir := t.TempDir()
	n := 0
	for name, text := range scenarios {
		n++
		file := filepath.Join(dir, fmt.Sprintf("s%d.yaml", n))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, stderr := run("plan", file)
		if code != 3 {
			t.Errorf("%s: exit code %d, want 3\n%s%s\n%s", name, code, out, stderr, text)
		}
		if code, out, stderr = run("place", file); code != 3 {
			t.Errorf("%s, placed: exit code %d, want 3\n%s%s\n%s", name, code, out, stderr, text)
		}
	}
	if n < 50 {
		t.Errorf("%d scenarios", n)
	}
}
