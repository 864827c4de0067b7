package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// gpuResource counts GPUs in thousandths: the trace gives shares of a GPU to
// pods, and a device is counted in whole pieces.
const gpuResource = "nvidia.com/gpu-milli"

// modelLabel is the node label of the GPU's model.
const modelLabel = "gpu-model"

const head = `# The OpenB trace as a scenario: %d nodes and %d pods of a production cluster with
# shared GPUs. Made by "go run ./tools/openb"; where the figures come from stands
# in openb/PROVENANCE.md beside the tables.
#
# A GPU is 1000 pieces of ` + gpuResource + `, so that a pod with 460/1000 of one asks for
# 460. The sum over a node's GPUs is what counts here: that a share must lie on a
# single GPU is not said, so the answer can be too good where shares are large.
#
# The trace's nodes offer all they have; so nothing is kept back for the system.
# Its pods are counted whatever became of them, as if all ran at once. Pods of the
# trace's classes LS (latency-sensitive) and BE (best effort) request resources
# without being limited to them, which Kubernetes calls Burstable.
apiVersion: plimsoll.dev/v1alpha1
kind: Scenario
metadata:
  name: openb
  description: The OpenB trace, %d pods with shares of GPUs on %d nodes
platform:
  type: kubernetes
  release: "1.36"
hardware:
  nodeTypes:
`

// scenario is the trace as a scenario file.
func (t *trace) scenario() []byte {
	var b bytes.Buffer
	nodes, pods := 0, 0
	for _, n := range t.nodes {
		nodes += n.count
	}
	for _, p := range t.pods {
		pods += p.count
	}
	fmt.Fprintf(&b, head, nodes, pods, pods, nodes)
	for _, n := range t.nodes {
		b.WriteString("    - {" + n.fields() + "}\n")
	}
	b.WriteString("  options:\n    - name: the trace's cluster\n      nodes:\n")
	for _, n := range t.nodes {
		fmt.Fprintf(&b, "        - {type: %s, count: %d}\n", n.name(), n.count)
	}
	b.WriteString("workload:\n  podTypes:\n")
	for _, p := range t.pods {
		fmt.Fprintf(&b, "    - {%s} # %s\n", p.fields(), p.classes())
	}
	b.WriteString("policy:\n  spareNodes: 0\n  infraNodes: 0\n  systemPodsPerNode: 0\n")
	return b.Bytes()
}

func (n nodeType) fields() string {
	s := fmt.Sprintf("name: %s, cpus: %d, memory: %s, count: %d, systemReserved: {cpu: 0, memory: 0}, evictionHard: 0",
		n.name(), n.cpus, n.memory, n.count)
	if n.gpus > 0 {
		s += fmt.Sprintf(", devices: {%s: %d}, labels: {%s: %s}", gpuResource, 1000*n.gpus, modelLabel, n.model)
	}
	return s
}

func (p podType) fields() string {
	s := fmt.Sprintf("name: %s, replicas: %d, cpu: %s, memory: %s", p.name(), p.count, p.cpu, p.memory)
	if p.count == p.byQOS["Guaranteed"] {
		s += fmt.Sprintf(", cpuLimit: %s, memoryLimit: %s", p.cpu, p.memory)
	}
	if p.gpus > 0 {
		s += fmt.Sprintf(", devices: {%s: %d}", gpuResource, p.gpus*p.share)
	}
	if p.model != "" {
		s += fmt.Sprintf(", nodeSelector: {%s: %s}", modelLabel, p.model)
	}
	return s
}

// classes says of which of the trace's classes the pods are.
func (p podType) classes() string {
	var parts []string
	for _, class := range slices.Sorted(maps.Keys(p.byQOS)) {
		parts = append(parts, fmt.Sprintf("%d %s", p.byQOS[class], class))
	}
	return strings.Join(parts, ", ")
}
