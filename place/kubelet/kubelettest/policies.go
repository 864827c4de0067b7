package kubelettest

import (
	"maps"
	"strings"

	"plimsoll.dev/place/kubelet"
)

// Policy is a combination of the managers' policies and options, without the reservations.
type Policy struct {
	Name   string
	Config kubelet.Config
}

// cpuOptions are the combinations of CPU manager options that the kubelet accepts.
var cpuOptions = []string{
	"", "full-pcpus-only", "distribute-cpus-across-numa", "full-pcpus-only distribute-cpus-across-numa",
	"strict-cpu-reservation", "full-pcpus-only strict-cpu-reservation",
	"distribute-cpus-across-numa strict-cpu-reservation",
	"prefer-align-cpus-by-uncorecache", "full-pcpus-only prefer-align-cpus-by-uncorecache",
	"prefer-align-cpus-by-uncorecache strict-cpu-reservation",
	"align-by-socket", "align-by-socket full-pcpus-only", "align-by-socket distribute-cpus-across-numa",
	"distribute-cpus-across-cores", "distribute-cpus-across-cores strict-cpu-reservation",
}

// Policies are all combinations of CPU manager policy and options, memory manager
// policy, topology manager policy, scope and distance option that can start.
func Policies() []Policy {
	var all []Policy
	for _, cpu := range append([]string{"none"}, cpuOptions...) {
		for _, memory := range []string{"None", "Static"} {
			for _, topology := range topologies() {
				p := combine(cpu, memory, topology)
				if topology.TopologyManagerPolicy == "single-numa-node" && strings.Contains(cpu, "align-by-socket") {
					continue
				}
				all = append(all, p)
			}
		}
	}
	return all
}

func topologies() []kubelet.Config {
	all := []kubelet.Config{{TopologyManagerPolicy: "none"}}
	for _, policy := range []string{"best-effort", "restricted", "single-numa-node"} {
		for _, scope := range []string{"container", "pod"} {
			c := kubelet.Config{TopologyManagerPolicy: policy, TopologyManagerScope: scope}
			all = append(all, c)
			c.TopologyManagerPolicyOptions = map[string]string{"prefer-closest-numa-nodes": "true"}
			all = append(all, c)
		}
	}
	return all
}

func combine(cpu, memory string, c kubelet.Config) Policy {
	c.CPUManagerPolicy, c.MemoryManagerPolicy = "static", memory
	if cpu == "none" {
		c.CPUManagerPolicy, cpu = "none", ""
	}
	for _, option := range strings.Fields(cpu) {
		if c.CPUManagerPolicyOptions == nil {
			c.CPUManagerPolicyOptions = map[string]string{}
		}
		c.CPUManagerPolicyOptions[option] = "true"
	}
	if strings.Contains(cpu, "align-by-socket") || strings.Contains(cpu, "across-cores") {
		c.FeatureGates = map[string]bool{"CPUManagerPolicyAlphaOptions": true}
	}
	closest := ""
	if len(c.TopologyManagerPolicyOptions) > 0 {
		closest = "closest"
	}
	name := strings.Join(strings.Fields(strings.Join([]string{c.CPUManagerPolicy, cpu, memory,
		c.TopologyManagerPolicy, c.TopologyManagerScope, closest}, " ")), " ")
	return Policy{name, c}
}

// own copies what a session may change.
func own(c kubelet.Config) kubelet.Config {
	c.TopologyManagerPolicyOptions = maps.Clone(c.TopologyManagerPolicyOptions)
	return c
}
