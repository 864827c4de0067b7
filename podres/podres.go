// Package podres is what a pod asks for: its containers with their requests and
// limits, its quality-of-service class, and the sums over init containers,
// sidecars, overhead and pod-level resources that scheduler and kubelet count.
// The rules are those of Kubernetes 1.36.
//
// It places nothing and knows no node.
//
//	pod := podres.Pod{Containers: []podres.Container{{Name: "app",
//		Limits: map[string]int64{"cpu": 2000, "memory": 1 << 30}}}}
//	podres.QOS(pod)             // "Guaranteed": a request that is not given is its limit
//	podres.Requests(pod)["cpu"] // 2000
package podres

// Pod is what is to run.
type Pod struct {
	// UID tells pods apart; Namespace and Name are for people.
	UID, Namespace, Name string
	// Init containers run first, one after the other; those with Restartable stay (sidecars).
	Init []Container
	// Containers of the pod.
	Containers []Container
	// Overhead of the runtime class.
	Overhead map[string]int64 `json:",omitempty"`
	// Requests and Limits of the pod as a whole; nil when it has none.
	Requests, Limits map[string]int64 `json:",omitempty"`
	// Critical says that the pod is static or has a system-critical priority.
	Critical bool `json:",omitempty"`
}

// Container of a pod. Amounts are millicores for cpu, bytes for memory,
// ephemeral-storage and hugepages-*, counts for devices. A request that is not
// given is its limit.
type Container struct {
	Name     string
	Requests map[string]int64 `json:",omitempty"`
	Limits   map[string]int64 `json:",omitempty"`
	// Restartable is an init container with restartPolicy Always.
	Restartable bool `json:",omitempty"`
}

// Names of resources that are not counts of devices.
const (
	CPU              = "cpu"
	Memory           = "memory"
	EphemeralStorage = "ephemeral-storage"
	// HugePages is the prefix of hugepages-2Mi and the like.
	HugePages = "hugepages-"
)

// Request of a resource: what is requested, else the limit; ok is false when
// the container names the resource in neither.
func (c *Container) Request(resource string) (amount int64, ok bool) {
	if v, ok := c.Requests[resource]; ok {
		return v, true
	}
	v, ok := c.Limits[resource]
	return v, ok
}

// PodLevel reports whether the pod has resources as a whole that count: cpu,
// memory or huge pages.
func (p *Pod) PodLevel() bool { return anySupported(p.Requests) || anySupported(p.Limits) }

// Each calls f for every container in the order of admission, init containers first.
func (p *Pod) Each(f func(c *Container)) {
	for i := range p.Init {
		f(&p.Init[i])
	}
	for i := range p.Containers {
		f(&p.Containers[i])
	}
}
