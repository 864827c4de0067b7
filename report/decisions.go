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

// decisions is what the manifests are written from, as a section.
func decisions(d v1alpha1.Decisions) v1alpha1.Section {
	s := v1alpha1.Section{ID: "decisions", Title: "Decisions for the manifests"}
	for _, t := range []v1alpha1.Table{poolTable(d), settingTable(d), routerTable(d.Routers), growthTable(d.Growth)} {
		if len(t.Rows) > 0 {
			s.Tables = append(s.Tables, t)
		}
	}
	return s
}

// columns makes headings; a title that begins with ">" is of numbers.
func columns(titles ...string) []v1alpha1.Column {
	out := make([]v1alpha1.Column, len(titles))
	for i, t := range titles {
		title, right := strings.CutPrefix(t, ">")
		out[i] = v1alpha1.Column{Title: title, Right: right}
	}
	return out
}

func cells(texts ...string) []v1alpha1.Cell {
	out := make([]v1alpha1.Cell, len(texts))
	for i, t := range texts {
		out[i].Text = t
	}
	return out
}

func poolTable(d v1alpha1.Decisions) v1alpha1.Table {
	t := v1alpha1.Table{ID: "decisions.pools", Title: "Pools of machines",
		Columns: columns("Pool", "Type", ">Machines", ">By zone", ">CPUs", ">Memory", ">Disk", ">maxPods", "Settings")}
	pools := d.Pools
	if d.ControlPlane.Count > 0 {
		pools = slices.Concat([]v1alpha1.PoolDecision{d.ControlPlane}, pools)
	}
	for _, p := range pools {
		t.Rows = append(t.Rows, cells(p.Name, p.Type, orNone(p.Count), ints(p.PerZone), orNone(p.CPUs), amount(p.Memory), amount(p.Disk), orNone(p.MaxPods), poolSettings(p)))
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

func settingTable(d v1alpha1.Decisions) v1alpha1.Table {
	t := v1alpha1.Table{ID: "decisions.settings", Title: "Network and monitoring", Columns: columns("Setting", "Value")}
	add := func(name, value string) {
		if value != "" {
			t.Rows = append(t.Rows, cells(name, value))
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
		add("Prometheus", fmt.Sprintf("%d replicas, %s retention, %s volume, %s memory, %v CPU", m.Replicas, m.Retention, amount(m.PrometheusSize), amount(m.PrometheusMemory), m.PrometheusCPU))
		add("Alertmanager", amount(m.AlertmanagerSize)+" volume")
		add("storageClass of monitoring", m.StorageClass)
		add("router and monitoring on", routersOn(d))
	}
	return t
}

func routerTable(routers []v1alpha1.RouterDecision) v1alpha1.Table {
	t := v1alpha1.Table{ID: "decisions.routers", Title: "Routers", Columns: columns("Router", ">Replicas", ">Threads", ">Connections", "Published by", "Shard")}
	for _, r := range routers {
		t.Rows = append(t.Rows, cells(r.Name, orNone(r.Replicas), orNone(r.Threads), orNone(r.MaxConnections), r.Publishing, fmt.Sprintf("%d of %d", r.Shard, r.Shards)))
	}
	return t
}

func growthTable(batches []v1alpha1.GrowthBatch) v1alpha1.Table {
	t := v1alpha1.Table{ID: "decisions.growth", Title: "Steps of scaling up", Columns: columns(">Step", "Pool", ">Add by zone", ">Machines after", ">Replicas of the machine sets")}
	for _, b := range batches {
		t.Rows = append(t.Rows, cells(orNone(b.Step), b.Pool, ints(b.Add), orNone(b.Total), ints(b.Replicas)))
	}
	return t
}

func amount(b unit.Bytes) string {
	if b == 0 {
		return ""
	}
	return unit.FormatBytes(b)
}

func ints(list []int) string {
	out := make([]string, len(list))
	for i, n := range list {
		out[i] = strconv.Itoa(n)
	}
	return strings.Join(out, " + ")
}

// routersOn says which nodes carry what belongs to the cluster itself.
func routersOn(d v1alpha1.Decisions) string {
	if d.InfraNodes {
		return "infra nodes"
	}
	return "workers"
}
