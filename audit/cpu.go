package audit

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/internal/words"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/machineconfig"
	"plimsoll.dev/unit"
)

// cpuTests are about exclusive CPUs, alignment and huge pages.
var cpuTests = []test{{staticAbsent, (*look).staticAbsent}, {cpuFractional, (*look).cpuFractional},
	{topoNotGuaranteed, (*look).topoNotGuaranteed}, {topoRefused, (*look).topoRefused}, {pagesUnused, (*look).pagesUnused},
	{pagesVolume, (*look).pagesVolume}, {pagesSizes, (*look).pagesSizes}}

// configured are the nodes whose KubeletConfig is as wanted.
func (l *look) configured(wanted func(*KubeletConfig) bool) map[string]bool {
	wins, out := l.kubelets(), map[string]bool{}
	for i, pool := range l.memberships() {
		if k := wins[pool]; k != nil && wanted(k) {
			out[l.Nodes[i].Metadata.Name] = true
		}
	}
	return out
}

// static says whether containers can have CPUs of their own.
func (k *KubeletConfig) static() bool { return k.text("cpuManagerPolicy") == "static" }

// aligned says whether CPUs and devices are of one NUMA node, where that is possible.
func (k *KubeletConfig) aligned() bool {
	p := k.text("topologyManagerPolicy")
	return p != "" && p != "none"
}

func (l *look) staticAbsent() {
	if len(l.Pools) == 0 {
		l.notApplicable("there is no machine config pool")
		return
	}
	static := l.configured((*KubeletConfig).static)
	var bad []where
	labelled := false
	for i := range l.Nodes {
		n := &l.Nodes[i]
		if n.Metadata.Labels["cpumanager"] != "true" {
			continue
		}
		if labelled = true; !static[n.Metadata.Name] {
			bad = append(bad, at("Node", n.Metadata.Name, ""))
		}
	}
	if !labelled {
		l.notApplicable("no node is labelled cpumanager=true")
	}
	if len(bad) > 0 {
		l.find(bad, "label the nodes' pool and name that label in the machineConfigPoolSelector of a KubeletConfig with "+
			"cpuManagerPolicy: static, or take the label away: "+l.tell("label node %s cpumanager-", names(l.told(bad))),
			"labelled cpumanager=true, and no KubeletConfig of their pool has cpuManagerPolicy static")
	}
}

func (l *look) cpuFractional() {
	static := l.configured((*KubeletConfig).static)
	if len(static) == 0 {
		l.notApplicable("no KubeletConfig has cpuManagerPolicy static")
		return
	}
	var bad []where
	for _, g := range l.groups(func(p *Pod) bool {
		return p.Fractional && p.QoS == "Guaranteed" && !p.ended() && static[p.Node]
	}) {
		bad = append(bad, where{g.object, words.Count(len(g.pods), "pod") + " of " + inCores(g.pods[0].Requests.CPU)})
	}
	if len(bad) > 0 {
		l.find(bad, "give the containers a whole number of CPUs, as request and as limit",
			"Guaranteed, with a CPU that is not whole, where whole ones are exclusive")
	}
}

// device says whether a resource is a piece of hardware that stands on a NUMA node: not what virtual machines need of
// the kernel, and not the platform's share of CPUs (workload partitioning).
func device(name string) bool {
	domain, _, extended := strings.Cut(name, "/")
	return extended && !slices.ContainsFunc([]string{"kubevirt.io", "kubernetes.io", "workload.openshift.io"},
		func(of string) bool { return strings.HasSuffix(domain, of) })
}

func (l *look) topoNotGuaranteed() {
	aligned := l.configured((*KubeletConfig).aligned)
	if len(aligned) == 0 {
		l.notApplicable("no KubeletConfig has a topologyManagerPolicy")
		return
	}
	var bad []where
	for _, g := range l.groups(func(p *Pod) bool {
		return p.QoS != "Guaranteed" && p.QoS != "" && !p.ended() && aligned[p.Node] && p.devices() != ""
	}) {
		p := g.pods[0]
		bad = append(bad, where{g.object, fmt.Sprintf("%s, %s, %s", words.Count(len(g.pods), "pod"), p.QoS, p.devices())})
	}
	if len(bad) > 0 {
		l.find(bad, "set requests of cpu and memory equal to limits in all containers, with whole CPUs",
			"devices, and not Guaranteed, where a Topology Manager aligns")
	}
}

// devices that a pod asks for, by their names.
func (p *Pod) devices() string {
	var out []string
	for name := range inOrder(p.Resources) {
		if device(name) {
			out = append(out, name)
		}
	}
	return words.Some(out, shown)
}

// misaligned says whether a kubelet turned a pod away because what it asked for was not to be had together.
func misaligned(reason string) bool {
	return slices.Contains([]string{"TopologyAffinityError", "UnexpectedAdmissionError", "SMTAlignmentError"}, reason)
}

func (l *look) topoRefused() {
	l.refused("refused", misaligned,
		"the scheduler counts CPUs and devices of the whole node, the kubelet those of a NUMA node: "+
			"plimsoll place tells which are free; make the pods smaller than a NUMA node, or use the NUMA-aware scheduler; of "+
			"UnexpectedAdmissionError after a restart of the node, see that the device plug-in is up before such pods")
}

// idlePages is the share of huge pages that may be unused, by this program's own choice.
const idlePages = 0.5

func (l *look) pagesUnused() {
	used := map[[2]string]int64{}
	for i := range l.Pods {
		p := &l.Pods[i]
		for name, n := range p.Resources {
			if !p.ended() && strings.HasPrefix(name, "hugepages-") {
				used[[2]string{p.Node, name}] += n
			}
		}
	}
	var bad []where
	lost, any := int64(0), false
	for i := range l.Nodes {
		n := &l.Nodes[i]
		for name := range inOrder(n.Status.Allocatable) {
			has := n.allocatable(name)
			if !strings.HasPrefix(name, "hugepages-") || has == 0 {
				continue
			}
			any = true
			if idle := has - used[[2]string{n.Metadata.Name, name}]; float64(idle) > idlePages*float64(has) {
				lost += idle
				bad = append(bad, at("Node", n.Metadata.Name, "%s of %s of %s", inBytes(idle), inBytes(has), name))
			}
		}
	}
	switch {
	case !any:
		l.notApplicable("no node has huge pages")
	case len(bad) > 0:
		l.find(bad, "allocate fewer in the profile or the kernel arguments of the nodes, unless something beside pods, "+
			"such as Open vSwitch with DPDK, uses them", "huge pages of %s that no pod asks for", inBytes(lost))
	}
}

func (l *look) pagesVolume() {
	if !slices.ContainsFunc(l.Pods, func(p Pod) bool { return len(p.PageVolumes) > 0 && !p.ended() }) {
		l.notApplicable("no pod has a volume of huge pages with a sizeLimit")
		return
	}
	var bad []where
	for _, g := range l.groups(func(p *Pod) bool { return !p.ended() && p.beyond() != "" }) {
		bad = append(bad, where{g.object, g.pods[0].beyond()})
	}
	if len(bad) > 0 {
		l.find(bad, "set sizeLimit of the volume to what the pod requests of the pages, or request more",
			"the volume of huge pages may become larger than what the pod requests")
	}
}

// beyond says which volume of huge pages is larger than the pod's request; empty for none.
func (p *Pod) beyond() string {
	for medium, size := range inOrder(p.PageVolumes) {
		asked := int64(0)
		for name, n := range p.Resources {
			if strings.HasPrefix(name, "hugepages-") && (medium == "HugePages" || strings.EqualFold(name, medium)) {
				asked += n
			}
		}
		if size > asked {
			return fmt.Sprintf("%s: %s, requested %s", medium, unit.Bytes(size), unit.Bytes(asked))
		}
	}
	return ""
}

// severalSizes says whether a node of the release may have huge pages of several sizes.
func (l *look) severalSizes() bool {
	return slices.ContainsFunc(machineconfig.Behaviours(), func(r release.Row) bool {
		return r.ID == "machineConfig.hugePages.several" && r.In(l.Release) == "true"
	})
}

func (l *look) pagesSizes() {
	if l.severalSizes() {
		l.notApplicable("%s allows several sizes on a node", l.Release.OpenShift())
		return
	}
	var bad []where
	for i := range l.Nodes {
		n := &l.Nodes[i]
		var sizes []string
		for name := range inOrder(n.Status.Capacity) {
			if size, ok := strings.CutPrefix(name, "hugepages-"); ok && n.capacity(name) > 0 {
				sizes = append(sizes, size)
			}
		}
		if len(sizes) > 1 {
			bad = append(bad, at("Node", n.Metadata.Name, "%s", words.And(sizes)))
		}
	}
	if len(bad) > 0 {
		l.find(bad, "allocate one size in the profile or the kernel arguments of each pool",
			"huge pages of several sizes, which %s does not take", l.Release.OpenShift())
	}
}
