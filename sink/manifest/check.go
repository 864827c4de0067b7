package manifest

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/ingresscontroller"
	mcp "plimsoll.dev/tune/pool"
)

// Names that the machine config operator gives a meaning.
const (
	poolMaster = "master"
	poolWorker = "worker"
	poolInfra  = "infra"
)

// maxPoolName leaves room for the rest of a machine's name, which is the
// hostname label of its node (63 letters): an infrastructure id of 27, the
// hyphens, the zone and the suffix that the machine controller adds.
const maxPoolName = 25

// problems collects what is wrong with the input.
type problems []error

func (p *problems) addf(format string, args ...any) {
	*p = append(*p, fmt.Errorf(format, args...))
}

// add adds the texts of a validation under the path of the value.
func (p *problems) add(path, value string, texts []string) {
	for _, t := range texts {
		p.addf("%s: %q: %s", path, value, t)
	}
}

// check reads the release and finds everything that can't be written.
func (r *renderer) check() error {
	var p problems
	r.checkPlatform(&p)
	p.add("metadata.name", r.Metadata.Name, validation.IsDNS1123Label(r.Metadata.Name))
	if len(p) == 0 { // the rest depends on the release
		r.checkNetwork(&p)
		r.checkPools(&p)
		r.checkGrowth(&p)
		r.checkRouters(&p)
		if class := r.Decisions.Monitoring.StorageClass; class != "" {
			p.add("monitoring.storageClass", class, validation.IsDNS1123Subdomain(class))
		}
	}
	return errors.Join(p...)
}

func (r *renderer) checkPlatform(p *problems) {
	if t := r.Platform.Type; t != "" && t != "openshift" {
		p.addf("platform.type: manifests are written for openshift, not for %s", t)
		return
	}
	if s := r.Platform.Service; s != "" && s != "self-managed" {
		p.addf("platform.service: %s manages machines, kubelets, monitoring and routers itself; set them with its own tool",
			s)
	}
	if r.Platform.Provider == "" {
		r.Platform.Provider = "none"
	}
	var err error
	if r.release, err = release.Parse(r.Platform.Release); strings.HasPrefix(r.Platform.Release, "3.") {
		p.addf("platform.release: OpenShift %s has no machine config operator; manifests are written from 4.1 on",
			r.Platform.Release)
	} else if err != nil {
		p.addf("platform.%w", err)
	}
}

func (r *renderer) checkNetwork(p *problems) {
	n := r.Decisions.Network
	switch n.Type {
	case "", "OVNKubernetes":
	case "OpenShiftSDN":
		if !openShiftSDN.In(r.release) {
			p.addf("network.type: OpenShift %s installs no new cluster with OpenShiftSDN (the last that "+
				"does is %s); use OVNKubernetes",
				r.release, release.SpanOf(&openShiftSDN).Until)
		}
		if n.IPsec {
			p.addf("network.ipsec: only OVNKubernetes encrypts the traffic between nodes")
		}
	default:
		p.addf("network.type: %q is not OpenShiftSDN or OVNKubernetes", n.Type)
	}
	if n.IPsec && !ipsecConfig.In(r.release) {
		p.addf("network.ipsec: OpenShift %s can't encrypt the cluster network (the first that can is %s)", r.release,
			release.SpanOf(&ipsecConfig).Since)
	}
	for i, c := range n.ClusterNetwork {
		checkCIDR(p, fmt.Sprintf("network.clusterNetwork[%d].cidr", i), c.CIDR)
	}
	for i, c := range n.MachineNetwork {
		checkCIDR(p, fmt.Sprintf("network.machineNetwork[%d]", i), c)
	}
	for i, c := range n.ServiceNetwork {
		checkCIDR(p, fmt.Sprintf("network.serviceNetwork[%d]", i), c)
	}
}

func checkCIDR(p *problems, path, cidr string) {
	if _, err := netip.ParsePrefix(cidr); err != nil {
		p.addf("%s: %q is not a block of addresses such as 10.128.0.0/14", path, cidr)
	}
}

func (r *renderer) checkPools(p *problems) {
	for i, pool := range r.Decisions.Pools {
		path := fmt.Sprintf("pools[%d]", i)
		checkPoolName(p, path, pool)
		checkPool(p, path, pool)
	}
	checkPool(p, "controlPlane", r.Decisions.ControlPlane)
	tags := map[string]string{}
	for _, g := range r.groups() {
		r.checkGroup(p, g)
		for _, m := range g.members {
			if other, ok := tags[m.tag]; ok {
				p.addf("pools: machine sets of pools %s and %s would both be called %s; rename one", other, g.name, m.tag)
			}
			tags[m.tag] = g.name
		}
	}
	if _, ok := r.group(poolInfra); r.Decisions.InfraNodes && !ok {
		p.addf("infraNodes: router and monitoring have nodes of their own, but no pool is called infra")
	}
}

// checkGroup refuses node types in one pool whose settings a pool has only once.
func (r *renderer) checkGroup(p *problems, g group) {
	first := g.members[0].PoolDecision
	for _, m := range g.members[1:] {
		a, b := describe(r.kubeletSettings(first)), describe(r.kubeletSettings(m.PoolDecision))
		switch {
		case g.name == poolInfra:
			p.addf("pools: two pools are called infra")
		case a != b:
			p.addf("pools: pool %s can have one kubelet configuration, but its node types want two: %s for %s, %s for %s; "+
				"give the types the same settings",
				g.name, a, first.Type, b, m.Type)
		case first.MaxUnavailable != m.MaxUnavailable:
			p.addf("pools: pool %s has two values of maxUnavailable: %q and %q", g.name, first.MaxUnavailable, m.MaxUnavailable)
		case len(zones(first)) != len(zones(m.PoolDecision)):
			p.addf("pools: the node types of pool %s have %d and %d zones", g.name, len(zones(first)),
				len(zones(m.PoolDecision)))
		}
	}
}

func checkPoolName(p *problems, path string, pool v1alpha1.PoolDecision) {
	path += ".name"
	p.add(path, pool.Name, validation.IsDNS1123Label(pool.Name))
	switch {
	case pool.Name == poolMaster:
		p.addf("%s: master is the control plane's pool", path)
	case pool.Role != "worker" && pool.Role != "infra":
		p.addf("%s: role %q is not worker or infra", strings.TrimSuffix(path, ".name")+".role", pool.Role)
	case (pool.Role == "infra") != (pool.Name == poolInfra):
		p.addf("%s: the pool of role infra, and no other, is called infra (this is %q of role %s)", path, pool.Name,
			pool.Role)
	case len(pool.Name) > maxPoolName:
		p.addf("%s: %q is longer than %d letters, so names of machines would not fit a hostname", path, pool.Name,
			maxPoolName)
	}
}

// checkPool checks what pools and the control plane have in common.
func checkPool(p *problems, path string, pool v1alpha1.PoolDecision) {
	if oneLine(pool.Type) != pool.Type {
		p.addf("%s.type: %q holds characters that can't be printed", path, pool.Type)
	}
	sum := 0
	for _, n := range pool.PerZone {
		if n < 0 {
			p.addf("%s.perZone: %d is negative", path, n)
		}
		sum += n
	}
	if len(pool.PerZone) > 0 && sum != pool.Count {
		p.addf("%s.perZone: the zones have %d machines, the pool has %d", path, sum, pool.Count)
	}
	if most := pool.MaxUnavailable; most != "" {
		if _, err := mcp.ReadMaxUnavailable(most); err != nil {
			p.addf("%s.maxUnavailable: %w", path, err)
		}
	}
	for _, key := range sortedKeys(pool.Labels) {
		p.add(path+".labels", key, validation.IsQualifiedName(key))
		p.add(path+".labels["+key+"]", pool.Labels[key], validation.IsValidLabelValue(pool.Labels[key]))
	}
	for i, t := range pool.Taints {
		at := fmt.Sprintf("%s.taints[%d]", path, i)
		p.add(at+".key", t.Key, validation.IsQualifiedName(t.Key))
		p.add(at+".value", t.Value, validation.IsValidLabelValue(t.Value))
		if t.Effect != "NoSchedule" && t.Effect != "PreferNoSchedule" && t.Effect != "NoExecute" {
			p.addf("%s.effect: %q is not NoSchedule, PreferNoSchedule or NoExecute", at, t.Effect)
		}
	}
}

func (r *renderer) checkGrowth(p *problems) {
	for i, g := range r.Decisions.Growth {
		pool, ok := r.pool(g.Pool)
		switch {
		case !ok:
			p.addf("growth[%d].pool: no pool is called %q", i, g.Pool)
		case len(g.Replicas) != len(zones(pool)):
			p.addf("growth[%d].replicas: pool %s has %d zones, not %d", i, g.Pool, len(zones(pool)), len(g.Replicas))
		}
	}
}

func (r *renderer) checkRouters(p *problems) {
	names, shards := map[string]bool{}, map[int]bool{}
	for i, d := range r.Decisions.Routers {
		path := fmt.Sprintf("routers[%d]", i)
		p.add(path+".name", d.Name, validation.IsDNS1123Label(d.Name))
		if names[d.Name] {
			p.addf("%s.name: two routers are called %s", path, d.Name)
		}
		if d.Shards > 1 && (d.Shard < 1 || d.Shard > d.Shards || shards[d.Shard]) {
			p.addf("%s.shard: %d is not a number of its own from 1 to %d", path, d.Shard, d.Shards)
		}
		names[d.Name], shards[d.Shard] = true, true
		if d.Replicas < 1 {
			p.addf("%s.replicas: %d is not 1 or more", path, d.Replicas)
		}
		if d.Publishing != "" && d.Publishing != "LoadBalancerService" && d.Publishing != "HostNetwork" {
			p.addf("%s.publishing: %q is not LoadBalancerService or HostNetwork", path, d.Publishing)
		}
		r.checkTuning(p, path, d)
	}
}

// checkTuning refuses values that the API server would refuse.
func (r *renderer) checkTuning(p *problems, path string, d v1alpha1.RouterDecision) {
	least, most := r.number("ocp.router.threadsMin"), r.number("ocp.router.threadsMax")
	if d.Threads != 0 && (d.Threads < least || d.Threads > most) {
		p.addf("%s.threads: %d is not from %d to %d", path, d.Threads, least, most)
	}
	least, most = r.number("ocp.router.maxConnectionsMin"), r.number("ocp.router.maxConnectionsMax")
	if d.MaxConnections != 0 && (d.MaxConnections < least || d.MaxConnections > most) &&
		ingresscontroller.Knows(r.release, "tuningOptions.maxConnections") {
		p.addf("%s.maxConnections: %d is not from %d to %d", path, d.MaxConnections, least, most)
	}
}
