package schedulertest

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/scheduler"
)

const (
	mebi = 1 << 20
	gibi = 1 << 30

	gpu      = "example.com/gpu"
	nic      = "example.com/nic"
	hugeTwo  = "hugepages-2Mi"
	hugeOne  = "hugepages-1Gi"
	hostname = "kubernetes.io/hostname"
	zone     = "topology.kubernetes.io/zone"
	region   = "topology.kubernetes.io/region"
	rack     = "rack"
	disk     = "disk"
	gen      = "generation"
	pool     = "pool"
)

// nodes of up to five kinds, in runs or mixed.
func (g *generator) nodes() []scheduler.Node {
	for range 1 + g.IntN(5) {
		g.kinds = append(g.kinds, g.kind())
	}
	mixed := g.one(2)
	out := make([]scheduler.Node, g.Nodes)
	for i := range out {
		kind := g.kinds[i*len(g.kinds)/g.Nodes]
		if mixed {
			kind = pick(g, g.kinds...)
		}
		out[i] = g.nodeOf(i, kind)
	}
	return out
}

func (g *generator) nodeOf(i int, kind scheduler.Resources) scheduler.Node {
	n := scheduler.Node{Name: fmt.Sprintf("node-%d", i), Allocatable: kind, Labels: g.nodeLabels(i)}
	if g.Tolerations {
		n.Taints = g.taints()
		n.Unschedulable = g.one(12)
	}
	return n
}

// kind is what a node offers: odd amounts, as they are when the system's part
// is taken off, or round ones.
func (g *generator) kind() scheduler.Resources {
	cores := pick[int64](g, 2, 4, 8, 16, 32, 64)
	r := scheduler.Resources{CPU: cores * 1000, Memory: cores * pick[int64](g, 2, 4, 8) * gibi,
		Pods: pick[int64](g, 110, 110, 250, 40)}
	if g.one(2) {
		r.CPU -= pick[int64](g, 60, 70, 80, 500)
		r.Memory -= pick[int64](g, 614400*1024, 1<<30+100*mebi, 123456789)
	}
	if !g.Devices {
		return r
	}
	r.EphemeralStorage = pick[int64](g, 0, 50, 120) * gibi
	r.Scalar = map[string]int64{}
	if g.one(2) {
		r.Scalar[gpu] = pick[int64](g, 0, 1, 4, 8)
	}
	if g.one(3) {
		r.Scalar[nic] = pick[int64](g, 2, 64)
	}
	if g.one(2) {
		r.Scalar[hugeTwo] = pick[int64](g, 1, 4) * gibi
		r.Memory -= min(r.Scalar[hugeTwo], r.Memory/2)
	}
	if g.one(3) {
		r.Scalar[hugeOne] = pick[int64](g, 0, 2) * gibi
	}
	return r
}

// nodeLabels: zones come in turn, in runs or at random; one node in twenty lacks
// the zone, one in thirty its hostname.
func (g *generator) nodeLabels(i int) map[string]string {
	l := map[string]string{}
	if !g.one(30) {
		l[hostname] = fmt.Sprintf("node-%d", i)
	}
	if g.Zones > 0 && !g.one(20) {
		z := pick(g, i%g.Zones, i%g.Zones, g.IntN(g.Zones))
		l[zone] = fmt.Sprintf("zone-%c", 'a'+z)
		if !g.one(20) {
			l[region] = fmt.Sprintf("region-%d", z/3)
		}
		if g.Racks > 0 {
			l[rack] = fmt.Sprintf("rack-%d-%d", z, g.IntN(g.Racks))
		}
	}
	if g.Selectors || g.Spread {
		l[pool] = pick(g, "blue", "green", "red")
		if !g.one(5) {
			l[disk] = pick(g, "ssd", "hdd")
		}
		if !g.one(6) {
			l[gen] = pick(g, "1", "2", "3", "7", "10", "0", "new", "007")
		}
	}
	return l
}

func (g *generator) taints() []v1alpha1.Taint {
	if g.one(2) {
		return nil
	}
	return some(g, 3,
		v1alpha1.Taint{Key: "dedicated", Value: pick(g, "db", "web"), Effect: "NoSchedule"},
		v1alpha1.Taint{Key: "maintenance", Effect: pick(g, "NoExecute", "PreferNoSchedule")},
		v1alpha1.Taint{Key: "spot", Value: "true", Effect: "PreferNoSchedule"},
		v1alpha1.Taint{Key: "old", Value: pick(g, "", "very"), Effect: "PreferNoSchedule"},
		v1alpha1.Taint{Key: "slow", Effect: "PreferNoSchedule"},
	)
}
