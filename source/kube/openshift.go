package kube

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"

	"plimsoll.dev/api/v1alpha1"
)

// clusterVersion keeps the release that runs: the last that an update has come to, which
// stands first in the history; else the one that is wanted.
func (r *reader) clusterVersion(o *object) {
	r.version = o.status.get("desired", "version").text()
	for h := range o.status.get("history").elems() {
		if h.get("state").is("Completed") {
			r.version = h.get("version").text()
			return
		}
	}
}

// clusterNetwork keeps what the pods' network is made of: what the status says that runs, else
// what is asked for. What can't be read of it is told, and left to the plan.
func (r *reader) clusterNetwork(o *object) {
	from := o.status
	if from.get("clusterNetwork").kind() != list {
		from = o.spec
	}
	n := &v1alpha1.Network{Type: from.get("networkType").text()}
	if !slices.Contains([]string{"", "OVNKubernetes", "OpenShiftSDN"}, n.Type) {
		r.skip(o.place(), o.title(), fmt.Sprintf("of type %.40q, which is not known here: what the plan says of the "+
			"pods' network is not so", n.Type))
		return
	}
	for e := range from.get("clusterNetwork").elems() {
		c := v1alpha1.ClusterNetwork{CIDR: e.get("cidr").text()}
		c.HostPrefix, _ = strconv.Atoi(e.get("hostPrefix").text())
		if p, err := netip.ParsePrefix(c.CIDR); err != nil || c.HostPrefix < p.Bits() || c.HostPrefix > p.Addr().BitLen() {
			r.skip(o.place(), o.title(), fmt.Sprintf("its clusterNetwork %.40q with hostPrefix %d is no network", c.CIDR,
				c.HostPrefix))
			return
		}
		n.ClusterNetwork = append(n.ClusterNetwork, c)
	}
	for e := range from.get("serviceNetwork").elems() {
		if _, err := netip.ParsePrefix(e.text()); err != nil {
			r.skip(o.place(), o.title(), fmt.Sprintf("its serviceNetwork %.40q is no network", e.text()))
			return
		}
		n.ServiceNetwork = append(n.ServiceNetwork, e.text())
	}
	r.network = n
}

var atOnce = regexp.MustCompile(`^[1-9][0-9]*%?$`)

// machinePool keeps how many nodes of a pool are updated at once: 1 where it does not say, or
// says 0, as the machine config operator takes it.
func (r *reader) machinePool(o *object) {
	p := v1alpha1.MachinePool{Name: o.name(), MaxUnavailable: o.spec.get("maxUnavailable").text()}
	if !atOnce.MatchString(p.MaxUnavailable) {
		p.MaxUnavailable = "1"
	}
	r.pools, r.configPools = append(r.pools, p), append(r.configPools, r.machineConfigPool(o.value))
	if p.Name != roleWorker && p.MaxUnavailable != "1" {
		r.skip(o.place(), o.title(), "its maxUnavailable of "+p.MaxUnavailable+" is not planned with: updates of all nodes "+
			"are tried with that of pool worker, of control plane and infrastructure nodes one by one")
	}
	if o.spec.get("paused").is("true") {
		r.skip(o.place(), o.title(), "it is paused: no update reaches its nodes until it is not")
	}
}

// openShift adds what only OpenShift's own objects tell.
func (t *tally) openShift(inv *v1alpha1.Inventory) {
	inv.OpenShift, inv.Pools, inv.Network = t.version, t.pools, t.network
	t.setKubelets(inv.Nodes)
	slices.SortFunc(inv.Pools, func(a, b v1alpha1.MachinePool) int { return compare(a.Name, b.Name) })
}
