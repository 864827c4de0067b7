// Package kubetest writes made-up cluster snapshots of any size, in the form in
// which "kubectl get ... -A -o json" prints them, for tests and benchmarks.
//
// It is not a simulator: the pods are spread over the nodes by counting, and
// nothing checks that they would fit. The same size always gives the same bytes.
//
//	err := kubetest.Snapshot(w, 1000, 50000) // 1,000 nodes, 50,000 pods: 513 MB, about 9 kB a pod
package kubetest

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// The shape of the made-up cluster.
const (
	ControlPlane   = 3  // nodes with role master
	Infra          = 3  // nodes with role infra
	StaticPods     = 4  // mirror pods on each control plane node
	DaemonSets     = 5  // daemon sets with a pod on every node
	PodsPerOwner   = 8  // pods of a deployment or stateful set
	OwnersPerSpace = 5  // deployments or stateful sets in a namespace
	FinishedEvery  = 50 // a deployment's pod whose number this divides was evicted
)

// Snapshot writes a List of nodes, pods, and the namespaces, services, claims,
// deployments and replica sets that belong to them. There are at least 6 nodes;
// pods counts the static, the daemon sets' and the finished pods too.
func Snapshot(w io.Writer, nodes, pods int) error {
	s := &snapshot{out: bufio.NewWriterSize(w, 1<<16)}
	s.write("{\n    \"apiVersion\": \"v1\",\n    \"items\": [")
	nodes = max(nodes, ControlPlane+Infra)
	for i := range nodes {
		s.node(i)
	}
	s.pods(nodes, pods)
	s.write("\n    ],\n    \"kind\": \"List\",\n    \"metadata\": {\n        \"resourceVersion\": \"\"\n    }\n}\n")
	if s.err != nil {
		return s.err
	}
	return s.out.Flush()
}

type snapshot struct {
	out   *bufio.Writer
	err   error
	items int
}

func (s *snapshot) write(text string) {
	if s.err == nil {
		_, s.err = s.out.WriteString(text)
	}
}

// item fills a template in: pairs are names in angle brackets and their values.
func (s *snapshot) item(template string, pairs ...string) {
	if s.items++; s.items > 1 {
		s.write(",")
	}
	text := strings.NewReplacer(pairs...).Replace(template)
	s.write("\n" + strings.TrimSuffix(text, "\n"))
}

// node writes node i: first the control plane, then infra, then workers.
func (s *snapshot) node(i int) {
	role, kind, cpu, memory, free := "worker", "m5.2xlarge", "8", 32514656, 31363680
	switch {
	case i < ControlPlane:
		role, kind, cpu, memory, free = "master", "m5.4xlarge", "16", 65286268, 64135292
	case i < ControlPlane+Infra:
		role = "infra"
	}
	taint := ""
	if role != "worker" {
		taint = fmt.Sprintf(",\n                \"taints\": [\n                    {\n                        \"effect\": "+
			"\"NoSchedule\",\n                        \"key\": \"node-role.kubernetes.io/%s\"\n"+
			"                    }\n                ]", role)
	}
	// Equal machines differ by a few KiB of memory, as real ones do.
	jitter := i % 7 * 4
	s.item(nodeText, "<name>", nodeName(i), "<role>", role, "<type>", kind, "<zone>", "eu-west-1"+string(rune('a'+i%3)),
		"<cpu>", cpu, "<cpuFree>", cpu[:len(cpu)-1]+string(cpu[len(cpu)-1]-1)+"500m",
		"<memory>", fmt.Sprint(memory+jitter), "<memoryFree>", fmt.Sprint(free+jitter), "<taint>", taint,
		"<ip>", address(i), "<uid>", uid("node", i))
}

// pods writes the control plane's static pods, the daemon sets' pods, then
// owners with their pods until there are enough.
func (s *snapshot) pods(nodes, pods int) {
	n := 0
	for i := 0; i < ControlPlane*StaticPods && n < pods; i++ {
		s.static(n, nodeName(i/StaticPods), i%StaticPods)
		n++
	}
	for i := 0; i < nodes*DaemonSets && n < pods; i++ {
		s.daemon(n, nodeName(i/DaemonSets), i%DaemonSets)
		n++
	}
	for owner := 0; n < pods; owner++ {
		n = s.owner(owner, n, pods, nodes)
	}
}

// owner writes a namespace where a new one begins, then one owner with its
// pods: every fifth is a stateful set with claims, the others are deployments.
func (s *snapshot) owner(owner, n, pods, nodes int) int {
	space := fmt.Sprintf("team-%04d", owner/OwnersPerSpace)
	if owner%OwnersPerSpace == 0 {
		s.item(namespaceText, "<space>", space)
	}
	o := newOwner(owner, space)
	count := min(PodsPerOwner, pods-n)
	s.item(o.text, append(o.pairs, "<count>", fmt.Sprint(count))...)
	if o.kind == "ReplicaSet" {
		s.item(replicaSetText, append(o.pairs, "<count>", fmt.Sprint(count))...)
	}
	s.item(serviceText, o.pairs...)
	for i := range count {
		node := nodeName(ControlPlane + Infra + (n+i)%max(1, nodes-ControlPlane-Infra))
		s.pod(o, n+i, i, node)
	}
	return n + count
}

func nodeName(i int) string {
	return fmt.Sprintf("ip-%s.eu-west-1.compute.internal", strings.ReplaceAll(address(i), ".", "-"))
}

func address(i int) string { return fmt.Sprintf("10.0.%d.%d", i/250, i%250+1) }

func uid(kind string, i int) string {
	return fmt.Sprintf("%08x-%04x-4%03x-9%03x-%012x", i*2654435761&0xffffffff, len(kind), i%4096, i*7%4096,
		i*6364136223846793)
}
