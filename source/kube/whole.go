package kube

import (
	"cmp"
	"fmt"
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

// providers are platform.provider by the scheme of a node's providerID, as the cloud
// providers and Cluster API write it; others are none that a plan knows.
var providers = map[string]string{"aws": "aws", "azure": "azure", "gce": "gcp", "openstack": "openstack",
	"vsphere": "vsphere", "baremetalhost": "baremetal", "metal3": "baremetal"}

// wholeCluster adds what the nodes tell of the cluster: its release, provider and zones.
func (t *tally) wholeCluster(inv *v1alpha1.Inventory) {
	zones, found, oldest := map[string]bool{}, map[string]bool{}, 0
	for i := range t.nodes {
		n := &t.nodes[i]
		var major, minor int
		if _, err := fmt.Sscanf(n.kubelet, "v%d.%d", &major, &minor); err == nil && major == 1 {
			oldest = cmp.Or(min(oldest, minor), oldest, minor)
		}
		if scheme, _, ok := strings.Cut(n.provider, "://"); ok {
			found[providers[scheme]] = true
		}
		if zone := n.zone(); zone != "" && n.role != roleControl {
			zones[zone] = true
		}
	}
	if oldest > 0 {
		inv.Kubernetes = fmt.Sprintf("1.%d", oldest)
	}
	if inv.Zones = len(zones); len(found) == 1 {
		for inv.Provider = range found {
		}
	}
}

// zone is the node's availability zone; empty where no label says it.
func (n *node) zone() string {
	for _, key := range []string{"topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"} {
		if zone, ok := labelOf(n.labels, key); ok {
			return zone
		}
	}
	return ""
}
