package schedulertest

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/scheduler"
)

// What a container counts as that does not say what it requests.
const (
	silentCPU    = 100
	silentMemory = 200 * mebi
)

// classes of pods whose requests add up to about the load, when all come equally often.
func (g *generator) classes(nodes []scheduler.Node) []scheduler.PodClass {
	var cpu, memory int64
	for _, n := range nodes {
		cpu += n.Allocatable.CPU
		memory += n.Allocatable.Memory
	}
	pods := int64(max(g.Pods, 1)) * 100
	cpu, memory = cpu*int64(g.Load)/pods, memory/mebi*int64(g.Load)/pods
	out := make([]scheduler.PodClass, g.Classes)
	for i := range out {
		out[i] = scheduler.PodClass{
			Name:      fmt.Sprintf("class-%d", i),
			Namespace: pick(g, "", "default", "shop", "bank", "bare", "unlisted"),
			Labels:    g.podLabels(i),
			Request: scheduler.Resources{
				CPU:    max(cpu*pick[int64](g, 1, 4, 7, 10, 13, 25)/10/10*10, 1),
				Memory: max(memory*pick[int64](g, 1, 5, 8, 10, 12, 24)/10, 1) * mebi,
			},
		}
		out[i].Priority = pick[int32](g, 0, 0, 10, 1000)
		if out[i].Priority > 0 && g.one(6) {
			out[i].PreemptionPolicy = "Never"
		}
		g.nonZero(&out[i])
		g.constrain(&out[i], nodes)
	}
	return out
}

func (g *generator) podLabels(class int) map[string]string {
	l := map[string]string{"class": fmt.Sprint(class), "app": pick(g, "a", "b", "c", "d"),
		"tier": pick(g, "front", "back")}
	if !g.one(4) {
		l["version"] = pick(g, "1", "2")
	}
	return l
}

// nonZero sets what the scoring counts; with Silent one class in three leaves
// out requests, in one container or in two, or asks for zero.
func (g *generator) nonZero(c *scheduler.PodClass) {
	var cpus, memories int64
	if g.Silent && g.one(3) {
		cpus, memories = pick[int64](g, 0, 1, 2), pick[int64](g, 0, 1, 2)
		if g.one(2) {
			c.Request.CPU = 0
		}
		if g.one(2) {
			c.Request.Memory = 0
		}
	}
	c.NonZeroCPU = c.Request.CPU + cpus*silentCPU
	c.NonZeroMemory = c.Request.Memory + memories*silentMemory
}

// constrain gives the class some of what the mix has.
func (g *generator) constrain(c *scheduler.PodClass, nodes []scheduler.Node) {
	has := func(feature bool) bool { return feature && g.one(max(g.Odds, 2)) }
	if has(g.Devices) {
		g.devices(c)
	}
	if has(g.Selectors) {
		c.NodeSelector = map[string]string{pool: pick(g, "blue", "green", "red")}
		if g.one(4) {
			c.NodeSelector[disk] = "ssd"
		}
	}
	if has(g.Selectors) {
		c.Affinity = &v1alpha1.Affinity{NodeAffinity: g.nodeAffinity(nodes)}
	}
	if g.Tolerations && !g.one(3) {
		c.Tolerations = g.tolerations()
	}
	if has(g.Spread) {
		c.TopologySpreadConstraints = g.spread(c)
	} else if g.Spread && g.one(4) {
		c.DefaultSpread = &v1alpha1.LabelSelector{MatchLabels: map[string]string{"app": c.Labels["app"]}}
	}
	if has(g.Affinity) {
		if c.Affinity == nil {
			c.Affinity = &v1alpha1.Affinity{}
		}
		g.podAffinity(c)
	}
	if has(g.Ports) {
		c.HostPorts = g.ports()
	}
}

func (g *generator) devices(c *scheduler.PodClass) {
	c.Request.EphemeralStorage = pick[int64](g, 0, 1, 3) * gibi
	c.Request.Scalar = map[string]int64{}
	if g.one(2) {
		c.Request.Scalar[gpu] = pick[int64](g, 0, 1, 2)
	}
	if g.one(4) {
		c.Request.Scalar[nic] = 1
	}
	if g.one(3) {
		c.Request.Scalar[hugeTwo] = pick[int64](g, 2, 64, 512) * mebi
	}
	if g.one(6) {
		c.Request.Scalar[hugeOne] = gibi
	}
}

// tolerations in all their forms.
func (g *generator) tolerations() []v1alpha1.Toleration {
	if g.one(12) {
		return []v1alpha1.Toleration{{Operator: "Exists", Effect: pick(g, "", "NoSchedule", "NoExecute", "PreferNoSchedule")}}
	}
	return some(g, 4,
		v1alpha1.Toleration{Key: "dedicated", Value: pick(g, "db", "web", "none"), Operator: pick(g, "", "Equal"),
			Effect: pick(g, "", "NoSchedule")},
		v1alpha1.Toleration{Key: "dedicated", Operator: "Exists", Effect: pick(g, "NoSchedule", "NoExecute")},
		v1alpha1.Toleration{Key: "maintenance", Operator: "Exists"},
		v1alpha1.Toleration{Key: "maintenance", Effect: "NoExecute"},
		v1alpha1.Toleration{Key: "spot", Value: "true", Effect: pick(g, "", "PreferNoSchedule", "NoSchedule")},
		v1alpha1.Toleration{Key: "old", Operator: "Equal", Value: pick(g, "", "very")},
		v1alpha1.Toleration{Key: "node.kubernetes.io/unschedulable", Operator: "Exists",
			Effect: pick(g, "", "NoSchedule", "NoExecute")},
	)
}

// ports that clash by number, protocol and address; no two of a pod are the same.
func (g *generator) ports() []v1alpha1.HostPort {
	return some(g, 3,
		v1alpha1.HostPort{Port: 80, HostIP: pick(g, "", "0.0.0.0", "10.0.0.1")},
		v1alpha1.HostPort{Port: 443, Protocol: "TCP", HostIP: pick(g, "10.0.0.1", "10.0.0.2", "::")},
		v1alpha1.HostPort{Port: 53, Protocol: "UDP"},
		v1alpha1.HostPort{Port: 53, Protocol: "TCP", HostIP: pick(g, "", "127.0.0.1")},
		v1alpha1.HostPort{Port: 80, Protocol: "UDP"},
		v1alpha1.HostPort{Port: 9000, Protocol: "SCTP", HostIP: pick(g, "", "10.0.0.2")},
	)
}
