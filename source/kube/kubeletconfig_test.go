package kube

import (
	"fmt"
	"strings"
	"testing"
)

// OCP 2.2: a KubeletConfig is for the pools whose labels its selector names. Nodes of a custom pool have
// what pool worker has, unless the pool has its own; of several one counts, whole. Machine config pools
// that every cluster has need not be in the snapshot.
func TestKubeletsOfPools(t *testing.T) {
	config := func(name, pool, sets string) string {
		return fmt.Sprintf(`{"apiVersion": "machineconfiguration.openshift.io/v1", "kind": "KubeletConfig",
"metadata": {"name": %q}, "spec": {"machineConfigPoolSelector": {"matchLabels": {"pools.operator.machineconfiguration.openshift.io/%s": ""}},
"kubeletConfig": {%s}}}`, name, pool, sets)
	}
	pool := func(name string) string {
		return fmt.Sprintf(`{"apiVersion": "machineconfiguration.openshift.io/v1", "kind": "MachineConfigPool",
"metadata": {"name": %[1]q, "labels": {"pools.operator.machineconfiguration.openshift.io/%[1]s": ""}},
"spec": {"nodeSelector": {"matchLabels": {"node-role.kubernetes.io/%[1]s": ""}},
"machineConfigSelector": {"matchExpressions": [{"key": "machineconfiguration.openshift.io/role", "operator": "In",
"values": ["worker", %[1]q]}]}}}`, name)
	}
	node := func(roles ...string) string {
		return fmt.Sprintf(`{"apiVersion": "v1", "kind": "Node", "metadata": {"name": %q, "labels":
{"node-role.kubernetes.io/%s": ""}}, "status": {"capacity": {"cpu": "4", "memory": "8Gi", "pods": "250"},
"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "250"}}}`, roles[0],
			strings.Join(roles, `": "", "node-role.kubernetes.io/`))
	}
	text := `{"apiVersion": "v1", "kind": "List", "items": [` + strings.Join([]string{
		config("all", "worker", `"cpuManagerPolicy": "static", "topologyManagerPolicy": "restricted"`),
		config("own", "ran", `"topologyManagerPolicy": "single-numa-node"`),
		config("plain", "master", `"maxPods": 300`),
		pool("ran"), pool("gpu"), node("master"), node("worker"), node("ran", "worker"), node("gpu", "worker"),
	}, ",") + `]}`
	want := map[string]string{"master": "", "worker": "static restricted", "ran": " single-numa-node",
		"gpu": "static restricted"}
	for _, n := range snapshot(t, text).Nodes {
		got := ""
		if k := n.Kubelet; k != nil {
			got = k.CPUManagerPolicy + " " + k.TopologyManagerPolicy
		}
		if got != want[n.Name] {
			t.Errorf("%s has %q, want %q", n.Name, got, want[n.Name])
		}
		delete(want, n.Name)
	}
	if len(want) > 0 {
		t.Errorf("no nodes %v", want)
	}
}
