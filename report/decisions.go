package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/unit"
)

// decisions are what the manifests are written from.
func decisions(d v1alpha1.Decisions) []Block {
	return each([]Grid{poolTable(d), settingTable(d), routerTable(d.Routers), growthTable(d.Growth)},
		func(g Grid) Block { return g.dropped() })
}

func poolTable(d v1alpha1.Decisions) Grid {
	t := Grid{ID: "decisions.pools", Title: "Pools of machines",
		Columns: heads("Pool", "Type", ">Machines", ">By zone", ">CPUs", ">Memory", ">Disk", ">maxPods", "Settings")}
	pools := d.Pools
	if d.ControlPlane.Count > 0 {
		pools = slices.Concat([]v1alpha1.PoolDecision{d.ControlPlane}, pools)
	}
	for _, p := range pools {
		t.row(p.Name, p.Type, orNone(p.Count), ints(p.PerZone), orNone(p.CPUs), amount(p.Memory), amount(p.Disk),
			orNone(p.MaxPods), poolSettings(p))
	}
	return t
}

// poolSettings are the settings that not every pool has.
func poolSettings(p v1alpha1.PoolDecision) string {
	var out []string
	add := func(set bool, format string, args ...any) {
		if set {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	add(p.PodsPerCore > 0, "podsPerCore %d", p.PodsPerCore)
	add(p.KubeAPIQPS > 0, "kubeAPIQPS %d", p.KubeAPIQPS)
	add(p.KubeAPIBurst > 0, "kubeAPIBurst %d", p.KubeAPIBurst)
	if p.SystemReserved != nil {
		add(true, "systemReserved %v CPU, %v memory", p.SystemReserved.CPU, p.SystemReserved.Memory)
	}
	add(p.MaxUnavailable != "", "maxUnavailable %s", p.MaxUnavailable)
	for _, size := range slices.Sorted(maps.Keys(p.HugePages)) {
		add(true, "%d huge pages of %s", p.HugePages[size], size)
	}
	for _, key := range slices.Sorted(maps.Keys(p.Labels)) {
		add(true, "label %s=%s", key, p.Labels[key])
	}
	for _, t := range p.Taints {
		add(true, "taint %s=%s:%s", t.Key, t.Value, t.Effect)
	}
	return strings.Join(out, ", ")
}

func settingTable(d v1alpha1.Decisions) Grid {
	t := Grid{ID: "decisions.settings", Title: "Network and monitoring", Columns: heads("Setting", "Value")}
	add := func(name, value string) {
		if value != "" {
			t.row(name, value)
		}
	}
	n, m := d.Network, d.Monitoring
	add("networkType", n.Type)
	for _, c := range n.ClusterNetwork {
		add("clusterNetwork", fmt.Sprintf("%s, hostPrefix %d", c.CIDR, c.HostPrefix))
	}
	add("machineNetwork", strings.Join(n.MachineNetwork, ", "))
	add("serviceNetwork", strings.Join(n.ServiceNetwork, ", "))
	add("MTU of the cluster network", orNone(n.ClusterMTU))
	if n.IPsec {
		add("IPsec", "on")
	}
	if m.Replicas > 0 {
		add("Prometheus", fmt.Sprintf("%d replicas, %s retention, %s volume, %s memory, %v CPU", m.Replicas, m.Retention,
			amount(m.PrometheusSize), amount(m.PrometheusMemory), m.PrometheusCPU))
		add("Alertmanager", amount(m.AlertmanagerSize)+" volume")
		add("storageClass of monitoring", m.StorageClass)
		add("router and monitoring on", routersOn(d))
	}
	return t
}

func routerTable(routers []v1alpha1.RouterDecision) Grid {
	t := Grid{ID: "decisions.routers", Title: "Routers",
		Columns: heads("Router", ">Replicas", ">Threads", ">Connections", "Published by", "Shard")}
	for _, r := range routers {
		t.row(r.Name, orNone(r.Replicas), orNone(r.Threads), orNone(r.MaxConnections), r.Publishing,
			fmt.Sprintf("%d of %d", r.Shard, r.Shards))
	}
	return t
}

func growthTable(batches []v1alpha1.GrowthBatch) Grid {
	t := Grid{ID: "decisions.growth", Title: "Steps of scaling up",
		Columns: heads(">Step", "Pool", ">Add by zone", ">Machines after", ">Replicas of the machine sets")}
	for _, b := range batches {
		t.row(orNone(b.Step), b.Pool, ints(b.Add), orNone(b.Total), ints(b.Replicas))
	}
	return t
}

func amount(b unit.Bytes) string {
	if b == 0 {
		return ""
	}
	return unit.FormatBytes(b)
}

func ints(list []int) string { return joined(list, " + ", strconv.Itoa) }

// routersOn says which nodes carry what belongs to the cluster itself.
func routersOn(d v1alpha1.Decisions) string {
	if d.InfraNodes {
		return "infra nodes"
	}
	return "workers"
}
