package scheduler

import "plimsoll.dev/api/v1alpha1"

// Labels that tell nodes and their places apart. Of those for zones the scheduler
// still looks at the beta names, and at them first.
const (
	HostnameLabel = v1alpha1.HostnameLabel
	ZoneLabel     = "topology.kubernetes.io/zone"

	regionLabel     = "topology.kubernetes.io/region"
	betaZoneLabel   = "failure-domain.beta.kubernetes.io/zone"
	betaRegionLabel = "failure-domain.beta.kubernetes.io/region"
)

// zoneOf is what tells nodes' zones apart (component-helpers, GetZoneKey).
func zoneOf(n *Node) string {
	zone, ok := n.Labels[betaZoneLabel]
	if !ok {
		zone = n.Labels[ZoneLabel]
	}
	region, ok := n.Labels[betaRegionLabel]
	if !ok {
		region = n.Labels[regionLabel]
	}
	if region == "" && zone == "" {
		return ""
	}
	return region + ":\x00:" + zone
}

// tree keeps nodes by zone, as backend/cache/node_tree.go: zones in the order in
// which they came, nodes of a zone likewise. A zone without nodes is forgotten.
type tree struct {
	zones []string
	nodes map[string][]int32
	count int
}

func (t *tree) add(zone string, node int32) {
	if t.nodes == nil {
		t.nodes = map[string][]int32{}
	}
	if len(t.nodes[zone]) == 0 {
		t.zones = append(t.zones, zone)
	}
	t.nodes[zone] = append(t.nodes[zone], node)
	t.count++
}

func (t *tree) remove(zone string, node int32) {
	t.nodes[zone] = without(t.nodes[zone], node)
	if len(t.nodes[zone]) == 0 {
		t.zones = without(t.zones, zone)
	}
	t.count--
}

// without is a copy of the list that lacks the item.
func without[T comparable](list []T, item T) []T {
	out := make([]T, 0, len(list))
	for _, x := range list {
		if x != item {
			out = append(out, x)
		}
	}
	return out
}

func (t *tree) clone() tree {
	out := tree{zones: append([]string(nil), t.zones...), nodes: make(map[string][]int32, len(t.nodes)), count: t.count}
	for zone, nodes := range t.nodes {
		out.nodes[zone] = nodes[:len(nodes):len(nodes)]
	}
	return out
}

// list goes around the zones and takes the next node of each.
func (t *tree) list() []int32 {
	out := make([]int32, 0, t.count)
	for i := 0; len(out) < t.count; i++ {
		for _, zone := range t.zones {
			if nodes := t.nodes[zone]; i < len(nodes) {
				out = append(out, nodes[i])
			}
		}
	}
	return out
}
