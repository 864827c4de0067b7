// Package manifesttest holds plans for tests of the manifests, by platform and
// provider, and fills in what is written of them. It is not for use outside of tests.
//
//	for name, p := range manifesttest.Plans() { ... manifest.FromPlan(&p, "") ... }
package manifesttest

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/unit"
)

// Plans are the plans of the golden files, by the name of their directory.
func Plans() map[string]v1alpha1.Plan {
	return map[string]v1alpha1.Plan{
		"aws-4.4-three-zones-infra": awsInfra(),
		"azure-4.12":                azure(),
		"baremetal-4.17-ipsec":      baremetal(),
		"none-4.4-small":            small(),
		"gcp-4.18-shards":           gcp(),
		"openstack-4.10":            openstack(),
		"vsphere-4.16":              vsphere(),
		"aws-4.14-two-types":        mixed(),
	}
}

func named(ids ...string) []derive.Figure {
	out := make([]derive.Figure, len(ids))
	for i, id := range ids {
		out[i].ID = id
	}
	return out
}

func netOf(kind, cidr string, hostPrefix, mtu int) v1alpha1.NetworkDecision {
	return v1alpha1.NetworkDecision{
		Type:           kind,
		ClusterNetwork: []v1alpha1.ClusterNetwork{{CIDR: cidr, HostPrefix: hostPrefix}},
		MachineNetwork: []string{"10.0.0.0/16"},
		ServiceNetwork: []string{"172.30.0.0/16"},
		ClusterMTU:     mtu,
	}
}

func controlPlane(kind string, cpus int, memory unit.Bytes, perZone ...int) v1alpha1.PoolDecision {
	return v1alpha1.PoolDecision{Name: "master", Role: "controlPlane", Type: kind, CPUs: cpus, Memory: memory, Count: 3,
		PerZone: perZone, MaxPods: 250}
}

// awsInfra is a large cluster in three zones with infrastructure nodes, 500
// pods a node and growth in batches of 25 (OCP 1.1, 2.2, 3.1, 8.2).
func awsInfra() v1alpha1.Plan {
	return v1alpha1.Plan{
		Metadata: v1alpha1.Metadata{Name: "shop", Description: "The web shop, for 600 nodes one day."},
		Platform: v1alpha1.Platform{Type: "openshift", Release: "4.4", Provider: "aws", Service: "self-managed"},
		Figures: named("network.cidr", "network.hostPrefix", "network.hostPrefix.needed", "network.mtu.cluster",
			"network.mtu.cluster[1500/VXLAN]",
			"control.cores", "control.memory", "nodes.workers[m5.2xlarge]", "nodes.workers[c5.4xlarge]",
			"nodes.mostPods[m5.2xlarge]", "nodes.mostPods[c5.4xlarge]",
			"monitoring.volume", "monitoring.memoryRequest", "grow.steps[worker]", "grow.steps[infra]",
			"grow.rollout.atOnce[worker]", "infra.nodes", "router.replicas"),
		Decisions: v1alpha1.Decisions{
			Network:      netOf("OpenShiftSDN", "10.128.0.0/12", 22, 8950),
			ControlPlane: controlPlane("m5.4xlarge", 16, 64*unit.GiB, 1, 1, 1),
			Pools: []v1alpha1.PoolDecision{
				{Name: "worker", Role: "worker", Type: "m5.2xlarge", CPUs: 8, Memory: 32 * unit.GiB, Disk: 150 * unit.GB, Count: 64,
					PerZone: []int{22, 21, 21},
					MaxPods: 500, KubeAPIQPS: 100, KubeAPIBurst: 200, MaxUnavailable: "10%",
					Labels: map[string]string{"tier": "shop"}},
				{Name: "infra", Role: "infra", Type: "r5.xlarge", CPUs: 4, Memory: 32 * unit.GiB, Count: 3, PerZone: []int{1, 1, 1},
					MaxPods: 250,
					Taints:  []v1alpha1.Taint{{Key: "node-role.kubernetes.io/infra", Effect: "NoSchedule"}}},
			},
			Growth: []v1alpha1.GrowthBatch{
				{Step: 1, Pool: "infra", Add: []int{1, 1, 1}, Total: 3, Replicas: []int{1, 1, 1}},
				{Step: 2, Pool: "worker", Add: []int{9, 8, 8}, Total: 25, Replicas: []int{9, 8, 8}},
				{Step: 3, Pool: "worker", Add: []int{8, 9, 8}, Total: 50, Replicas: []int{17, 17, 16}},
				{Step: 4, Pool: "worker", Add: []int{5, 4, 5}, Total: 64, Replicas: []int{22, 21, 21}},
			},
			Monitoring: v1alpha1.MonitoringDecision{Retention: 15 * 86400, Replicas: 2, PrometheusSize: 195 * unit.GB,
				PrometheusMemory: 10 * unit.GB, PrometheusCPU: 1340, AlertmanagerSize: 20 * unit.GiB, StorageClass: "gp2"},
			Routers: []v1alpha1.RouterDecision{{Name: "default", Replicas: 3, Threads: 8, MaxConnections: 50000,
				Publishing: "LoadBalancerService", Shard: 1, Shards: 1}},
			InfraNodes: true,
		},
	}
}

// azure has one pool with pods per core and no infrastructure nodes.
func azure() v1alpha1.Plan {
	return v1alpha1.Plan{
		Metadata: v1alpha1.Metadata{Name: "lab"},
		Platform: v1alpha1.Platform{Type: "openshift", Release: "4.12", Provider: "azure"},
		Decisions: v1alpha1.Decisions{
			Network:      netOf("OVNKubernetes", "10.128.0.0/14", 23, 1400),
			ControlPlane: controlPlane("Standard_D8s_v3", 8, 32*unit.GiB, 1, 1, 1),
			Pools: []v1alpha1.PoolDecision{{Name: "worker", Role: "worker", Type: "Standard_D4s_v3", CPUs: 4,
				Memory: 16 * unit.GiB, Disk: 128 * unit.GiB,
				Count: 6, PerZone: []int{2, 2, 2}, MaxPods: 250, PodsPerCore: 10, MaxUnavailable: "1",
				SystemReserved: &v1alpha1.Reserved{CPU: 1000, Memory: 2 * unit.GiB}}},
			Growth: []v1alpha1.GrowthBatch{{Step: 1, Pool: "worker", Add: []int{2, 2, 2}, Total: 6, Replicas: []int{2, 2, 2}}},
			Monitoring: v1alpha1.MonitoringDecision{Retention: 36 * 3600, PrometheusSize: 12345678901,
				AlertmanagerSize: 20 * unit.GiB},
			Routers: []v1alpha1.RouterDecision{{Name: "default", Replicas: 2, Threads: 4, MaxConnections: 100000,
				Publishing: "LoadBalancerService", Shard: 1, Shards: 1}},
		},
	}
}

// baremetal encrypts a jumbo network and pre-allocates huge pages in a pool of
// its own.
func baremetal() v1alpha1.Plan {
	net := netOf("OVNKubernetes", "10.128.0.0/14", 23, 8854)
	net.IPsec = true
	return v1alpha1.Plan{
		Metadata: v1alpha1.Metadata{Name: "telco"},
		Platform: v1alpha1.Platform{Type: "openshift", Release: "4.17", Provider: "baremetal"},
		Decisions: v1alpha1.Decisions{
			Network:      net,
			ControlPlane: controlPlane("r640", 32, 192*unit.GiB, 3),
			Pools: []v1alpha1.PoolDecision{
				{Name: "worker", Role: "worker", Type: "r650 (56 cores)", CPUs: 112, Memory: 512 * unit.GiB, Count: 5,
					PerZone: []int{5}, MaxPods: 250},
				{Name: "worker-cnf", Role: "worker", Type: "r650 (56 cores)", CPUs: 112, Memory: 512 * unit.GiB, Count: 4,
					PerZone: []int{4}, MaxPods: 100, MaxUnavailable: "2", HugePages: map[string]int64{"1Gi": 64}},
				{Name: "infra", Role: "infra", Type: "r640", CPUs: 32, Memory: 192 * unit.GiB, Count: 3, PerZone: []int{3},
					MaxPods: 250,
					Taints:  []v1alpha1.Taint{{Key: "node-role.kubernetes.io/infra", Value: "reserved", Effect: "NoExecute"}}},
			},
			Growth: []v1alpha1.GrowthBatch{
				{Step: 1, Pool: "infra", Add: []int{3}, Total: 3, Replicas: []int{3}},
				{Step: 2, Pool: "worker", Add: []int{5}, Total: 5, Replicas: []int{5}},
				{Step: 3, Pool: "worker-cnf", Add: []int{4}, Total: 4, Replicas: []int{4}},
			},
			Monitoring: v1alpha1.MonitoringDecision{Retention: 15 * 86400, PrometheusSize: 40 * unit.GiB,
				PrometheusMemory: 6 * unit.GiB, AlertmanagerSize: 20 * unit.GiB, StorageClass: "lvms-vg1"},
			Routers: []v1alpha1.RouterDecision{
				{Name: "default", Replicas: 2, Threads: 16, Publishing: "HostNetwork", Shard: 1, Shards: 1},
			},
			InfraNodes: true,
		},
	}
}

// small is the least that a plan decides.
func small() v1alpha1.Plan {
	return v1alpha1.Plan{
		Metadata: v1alpha1.Metadata{Name: "small"},
		Platform: v1alpha1.Platform{Type: "openshift", Release: "4.4"},
		Decisions: v1alpha1.Decisions{
			Network:      netOf("OpenShiftSDN", "10.128.0.0/14", 23, 1450),
			ControlPlane: controlPlane("vm8", 4, 16*unit.GB),
			Pools: []v1alpha1.PoolDecision{
				{Name: "worker", Role: "worker", Type: "vm4", CPUs: 4, Memory: 16 * unit.GB, Count: 3, MaxPods: 250},
			},
			Growth: []v1alpha1.GrowthBatch{{Step: 1, Pool: "worker", Add: []int{3}, Total: 3, Replicas: []int{3}}},
			Routers: []v1alpha1.RouterDecision{
				{Name: "default", Replicas: 2, Threads: 4, Publishing: "HostNetwork", Shard: 1, Shards: 1},
			},
		},
	}
}

// gcp splits its routers into shards; its infra nodes have no taint.
func gcp() v1alpha1.Plan {
	return v1alpha1.Plan{
		Metadata: v1alpha1.Metadata{Name: "mall"},
		Platform: v1alpha1.Platform{Type: "openshift", Release: "4.18", Provider: "gcp"},
		Decisions: v1alpha1.Decisions{
			Network:      netOf("OVNKubernetes", "10.128.0.0/14", 23, 0),
			ControlPlane: controlPlane("n2-standard-8", 8, 32*unit.GiB, 1, 1, 1),
			Pools: []v1alpha1.PoolDecision{
				{Name: "worker", Role: "worker", Type: "n2-standard-16", CPUs: 16, Memory: 64 * unit.GiB, Disk: 200 * unit.GiB,
					Count: 10, PerZone: []int{4, 3, 3}, MaxPods: 250},
				{Name: "infra", Role: "infra", Type: "n2-standard-8", CPUs: 8, Memory: 32 * unit.GiB, Disk: 120 * unit.GiB,
					Count: 6, PerZone: []int{2, 2, 2}, MaxPods: 250},
			},
			Growth: []v1alpha1.GrowthBatch{
				{Step: 1, Pool: "worker", Add: []int{4, 3, 3}, Total: 10, Replicas: []int{4, 3, 3}},
				{Step: 2, Pool: "infra", Add: []int{2, 2, 2}, Total: 6, Replicas: []int{2, 2, 2}},
			},
			Monitoring: v1alpha1.MonitoringDecision{Retention: 15 * 86400},
			Routers: []v1alpha1.RouterDecision{
				{Name: "default", Replicas: 2, Threads: 4, Publishing: "LoadBalancerService", Shard: 1, Shards: 3},
				{Name: "shard-2", Replicas: 2, Threads: 4, Publishing: "LoadBalancerService", Shard: 2, Shards: 3},
				{Name: "shard-3", Replicas: 2, Threads: 8, MaxConnections: 20000, Publishing: "LoadBalancerService", Shard: 3,
					Shards: 3},
			},
			InfraNodes: true,
		},
	}
}

// openstack has two zones, and more pods and huge pages on its workers; its
// workers are there already.
func openstack() v1alpha1.Plan {
	return v1alpha1.Plan{
		Metadata: v1alpha1.Metadata{Name: "stack"},
		Platform: v1alpha1.Platform{Type: "openshift", Release: "4.10", Provider: "openstack"},
		Decisions: v1alpha1.Decisions{
			Network:      netOf("OpenShiftSDN", "10.128.0.0/14", 22, 1450),
			ControlPlane: controlPlane("m1.xlarge", 8, 16*unit.GiB, 2, 1),
			Pools: []v1alpha1.PoolDecision{
				{Name: "worker", Role: "worker", Type: "big flavor", CPUs: 8, Memory: 32 * unit.GiB, Disk: 100 * unit.GiB, Count: 4,
					PerZone: []int{2, 2}, MaxPods: 400,
					HugePages: map[string]int64{"2Mi": 1024}},
				{Name: "infra", Role: "infra", Type: "m1.large", CPUs: 4, Memory: 16 * unit.GiB, Count: 2, PerZone: []int{1, 1},
					MaxPods: 250},
			},
			Growth: []v1alpha1.GrowthBatch{
				{Step: 1, Pool: "worker", Add: []int{1, 0}, Total: 4, Replicas: []int{2, 2}},
				{Step: 2, Pool: "infra", Add: []int{1, 1}, Total: 2, Replicas: []int{1, 1}},
			},
			Routers: []v1alpha1.RouterDecision{
				{Name: "default", Replicas: 2, Threads: 4, Publishing: "LoadBalancerService", Shard: 1, Shards: 1},
			},
			InfraNodes: true,
		},
	}
}

// vsphere has three failure domains and only defaults.
func vsphere() v1alpha1.Plan {
	return v1alpha1.Plan{
		Metadata: v1alpha1.Metadata{Name: "dc"},
		Platform: v1alpha1.Platform{Type: "openshift", Release: "4.16.3", Provider: "vsphere"},
		Decisions: v1alpha1.Decisions{
			Network:      netOf("OVNKubernetes", "10.128.0.0/14", 23, 1400),
			ControlPlane: controlPlane("vm-8-32", 8, 32*unit.GiB, 1, 1, 1),
			Pools: []v1alpha1.PoolDecision{{Name: "worker", Role: "worker", Type: "vm-8-32", CPUs: 8, Memory: 32 * unit.GiB,
				Disk: 120 * unit.GiB, Count: 3, PerZone: []int{1, 1, 1}, MaxPods: 250}},
			Growth: []v1alpha1.GrowthBatch{
				{Step: 1, Pool: "worker", Add: []int{1, 1, 1}, Total: 3, Replicas: []int{1, 1, 1}},
			},
			Monitoring: v1alpha1.MonitoringDecision{Retention: 15 * 86400, PrometheusSize: 100 * unit.GiB},
			Routers: []v1alpha1.RouterDecision{
				{Name: "default", Replicas: 2, Publishing: "HostNetwork", Shard: 1, Shards: 1},
			},
		},
	}
}

// mixed has two node types in one pool, which grow one after the other, and a
// control plane of no named type.
func mixed() v1alpha1.Plan {
	return v1alpha1.Plan{
		Metadata: v1alpha1.Metadata{Name: "mix"},
		Platform: v1alpha1.Platform{Type: "openshift", Release: "4.14", Provider: "aws"},
		Decisions: v1alpha1.Decisions{
			Network:      netOf("OVNKubernetes", "10.128.0.0/14", 23, 1400),
			ControlPlane: controlPlane("", 8, 32*unit.GB, 1, 1, 1),
			Pools: []v1alpha1.PoolDecision{
				{Name: "worker", Role: "worker", Type: "m6i.2xlarge", CPUs: 8, Memory: 32 * unit.GiB, Disk: 120 * unit.GiB,
					Count: 31, PerZone: []int{11, 10, 10}, MaxPods: 250},
				{Name: "worker", Role: "worker", Type: "r6i.2xlarge", CPUs: 8, Memory: 64 * unit.GiB, Disk: 120 * unit.GiB,
					Count: 7, PerZone: []int{3, 2, 2}, MaxPods: 250},
			},
			Growth: []v1alpha1.GrowthBatch{
				{Step: 1, Pool: "worker", Add: []int{9, 8, 8}, Total: 25, Replicas: []int{9, 8, 8}},
				{Step: 2, Pool: "worker", Add: []int{4, 5, 4}, Total: 38, Replicas: []int{13, 13, 12}},
			},
			Routers: []v1alpha1.RouterDecision{
				{Name: "default", Replicas: 2, Threads: 4, Publishing: "LoadBalancerService", Shard: 1, Shards: 1},
			},
		},
	}
}
