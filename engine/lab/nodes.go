package lab

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/place/scheduler"
	"plimsoll.dev/unit"
)

// Node is a v1 Node, as far as a simulated one is described.
type Node struct {
	APIVersion string     `json:"apiVersion"`
	Kind       string     `json:"kind"`
	Metadata   Metadata   `json:"metadata"`
	Spec       NodeSpec   `json:"spec"`
	Status     NodeStatus `json:"status"`
}

// Metadata names a node.
type Metadata struct {
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels,omitempty"`
}

// NodeSpec is what keeps pods away.
type NodeSpec struct {
	Taints        []Taint `json:"taints,omitempty"`
	Unschedulable bool    `json:"unschedulable,omitempty"`
}

// Taint of a node.
type Taint struct {
	Key    string `json:"key"`
	Value  string `json:"value,omitempty"`
	Effect string `json:"effect"`
}

// NodeStatus is what a node has, by resource.
type NodeStatus struct {
	Capacity    map[string]string `json:"capacity"`
	Allocatable map[string]string `json:"allocatable"`
	Images      []Image           `json:"images,omitempty"`
}

// Image that a node has.
type Image struct {
	Names     []string `json:"names"`
	SizeBytes int64    `json:"sizeBytes"`
}

// NodeType is a kind of plain node.
type NodeType struct {
	// CPUs of the node, 1 to 4096.
	CPUs int64
	// Memory in bytes.
	Memory unit.Bytes
	// Pods that the kubelet admits.
	Pods int64
}

// ParseNodeType reads "cpus=8,memory=32Gi,pods=250"; what is left out is as here.
func ParseNodeType(text string) (NodeType, error) {
	t := NodeType{CPUs: 8, Memory: 32 * unit.GiB, Pods: 250}
	for part := range strings.SplitSeq(text, ",") {
		key, value, _ := strings.Cut(part, "=")
		var err error
		switch key {
		case "cpus":
			t.CPUs, err = strconv.ParseInt(value, 10, 64)
		case "memory":
			t.Memory, err = unit.ParseBytes(value)
		case "pods":
			t.Pods, err = strconv.ParseInt(value, 10, 64)
		default:
			return t, fmt.Errorf("%q is not cpus=, memory= or pods= (write it like cpus=8,memory=32Gi,pods=250)", part)
		}
		if err != nil {
			return t, fmt.Errorf("%s: %w", part, err)
		}
	}
	if t.CPUs < 1 || t.CPUs > 4096 || t.Memory < unit.MiB || t.Pods < 1 || t.Pods > 100_000 {
		return t, fmt.Errorf("%q: a node has 1 to 4096 CPUs, 1Mi of memory or more, and 1 to 100000 pods", text)
	}
	return t, nil
}

// Plain are n equal nodes.
func Plain(n int, t NodeType) []Node {
	has := map[string]string{"cpu": strconv.FormatInt(t.CPUs, 10), "memory": strconv.FormatInt(int64(t.Memory), 10),
		"pods": strconv.FormatInt(t.Pods, 10), "ephemeral-storage": strconv.FormatInt(int64(100*unit.GiB), 10)}
	out := make([]Node, n)
	for i := range out {
		name := fmt.Sprintf("node-%d", i+1)
		out[i] = newNode(name, map[string]string{v1alpha1.HostnameLabel: name, "kubernetes.io/os": "linux",
			"kubernetes.io/arch": "amd64"})
		out[i].Status = NodeStatus{Capacity: has, Allocatable: has}
	}
	return out
}

func newNode(name string, labels map[string]string) Node {
	return Node{APIVersion: "v1", Kind: "Node", Metadata: Metadata{Name: name, Labels: labels}}
}

// Planned are the nodes of a cluster as its placement sees them: allocatable is what that
// leaves to the workload, capacity what the machine has.
func Planned(c *cluster.Cluster, types []v1alpha1.NodeType) []Node {
	out := make([]Node, len(c.Nodes))
	for i, n := range c.Nodes {
		out[i] = newNode(n.Name, n.Labels)
		out[i].Spec.Unschedulable = n.Unschedulable
		for _, t := range n.Taints {
			out[i].Spec.Taints = append(out[i].Spec.Taints, Taint{Key: t.Key, Value: t.Value, Effect: t.Effect})
		}
		free := amounts(n.Allocatable)
		whole := maps.Clone(free)
		for _, t := range types {
			if t.Name == c.Types[c.Of[i]].Name {
				grow(whole, "cpu", 1000*int64(t.CPUs))
				grow(whole, "memory", int64(t.Memory))
				grow(whole, "pods", int64(t.MaxPods))
			}
		}
		out[i].Status = NodeStatus{Capacity: quantities(whole), Allocatable: quantities(free), Images: images(n.Images)}
	}
	return out
}

// grow takes what the machine has; no overcommit makes the capacity less than what is allocatable.
func grow(by map[string]int64, name string, n int64) { by[name] = max(by[name], n) }

// amounts are the resources of a node that the API knows: what else the placement counts,
// such as pods of a kind or volumes of a driver, is no resource of a node there.
func amounts(r scheduler.Resources) map[string]int64 {
	out := map[string]int64{"cpu": r.CPU, "memory": r.Memory, "pods": r.Pods, "ephemeral-storage": r.EphemeralStorage}
	for name, n := range r.Scalar {
		if strings.HasPrefix(name, "hugepages-") || strings.Contains(name, "/") && !strings.HasPrefix(name, "plimsoll.dev/") {
			out[name] = n
		}
	}
	return out
}

func quantities(by map[string]int64) map[string]string {
	out := map[string]string{}
	for name, n := range by {
		out[name] = strconv.FormatInt(n, 10)
		if name == "cpu" {
			out[name] += "m"
		}
	}
	return out
}

// images are those of a node, by size; an image with several names is one.
func images(by map[string]int64) []Image {
	var out []Image
	for _, name := range slices.Sorted(maps.Keys(by)) {
		out = append(out, Image{Names: []string{name}, SizeBytes: by[name]})
	}
	return out
}
