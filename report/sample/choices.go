package sample

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/unit"
)

func (b *builder) layers() {
	cut := func(resource, unitName string, names []string, parts ...float64) v1alpha1.ResourceLayers {
		r := v1alpha1.ResourceLayers{Resource: resource}
		sum := 0.0
		for i, name := range names {
			r.Layers = append(r.Layers, v1alpha1.Layer{Name: name, Value: derive.Of(parts[i], unitName)})
			sum += parts[i]
		}
		r.Capacity = derive.Of(sum, unitName)
		return r
	}
	gib := float64(unit.GiB)
	b.plan.Nodes = []v1alpha1.NodeLayers{
		{Type: "m5.2xlarge", Role: "worker", Count: 57, Resources: []v1alpha1.ResourceLayers{
			cut("cpu", unit.Millicores, []string{"system", "daemonsets", "workload", "free"}, 500, 350, 6900, 250),
			cut("memory", unit.ByteUnit, []string{"system", "eviction", "daemonsets", "workload", "free"}, gib, gib/10, 1.5*gib, 7.4*gib, 22*gib),
			cut("pods", "pods", []string{"daemonsets", "workload", "free"}, 15, float64(b.podsPerNode-15), float64(250-b.podsPerNode)),
		}},
		{Type: "m5.xlarge", Role: "infra", Count: 3, Resources: []v1alpha1.ResourceLayers{
			cut("cpu", unit.Millicores, []string{"system", "daemonsets", "infrastructure", "free"}, 500, 350, 2600, 550),
			cut("memory", unit.ByteUnit, []string{"system", "eviction", "hugepages", "daemonsets", "infrastructure", "free"}, gib, gib/10, gib, 1.5*gib, 11*gib, 1.4*gib),
		}},
	}
}

func (b *builder) decisions() {
	b.plan.Decisions = v1alpha1.Decisions{
		Network: v1alpha1.NetworkDecision{Type: "OpenShiftSDN", ClusterNetwork: []v1alpha1.ClusterNetwork{{CIDR: "10.128.0.0/15", HostPrefix: 23}},
			MachineNetwork: []string{"10.0.0.0/16"}, ServiceNetwork: []string{"172.30.0.0/16"}, ClusterMTU: 8951},
		ControlPlane: v1alpha1.PoolDecision{Name: "master", Role: "controlPlane", Type: "m5.8xlarge", CPUs: 16, Memory: 96 * unit.GB, Count: 3, PerZone: []int{1, 1, 1}, MaxPods: 250},
		Pools: []v1alpha1.PoolDecision{
			{Name: "worker", Role: "worker", Type: "m5.2xlarge", CPUs: 8, Memory: 32 * unit.GiB, Disk: 120 * unit.GiB, Count: 57, PerZone: []int{19, 19, 19}, MaxPods: 250, MaxUnavailable: "10%"},
			{Name: "infra", Role: "infra", Type: "m5.xlarge", CPUs: 4, Memory: 16 * unit.GiB, Count: 3, PerZone: []int{1, 1, 1}, MaxPods: 250},
		},
		Growth: []v1alpha1.GrowthBatch{
			{Step: 1, Pool: "worker", Add: []int{16, 17, 17}, Total: 50, Replicas: []int{16, 17, 17}},
			{Step: 2, Pool: "worker", Add: []int{3, 2, 2}, Total: 57, Replicas: []int{19, 19, 19}},
		},
		Monitoring: v1alpha1.MonitoringDecision{Retention: 15 * 86400, Replicas: 2, PrometheusSize: 121 * unit.GB, PrometheusMemory: 8 * unit.GB, PrometheusCPU: 1300, AlertmanagerSize: 20 * unit.GiB},
		Routers:    []v1alpha1.RouterDecision{{Name: "default", Replicas: 2, Threads: 4, MaxConnections: 20000, Publishing: "LoadBalancerService", Shard: 1, Shards: 1}},
		InfraNodes: true,
	}
}
