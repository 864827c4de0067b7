package audit

import (
	"strings"

	"plimsoll.dev/facts"
	"plimsoll.dev/podres"
)

// capacityTests are about what pods may take of what nodes have.
var capacityTests = []test{{memoryLimits, (*look).memoryLimits}, {cpuOvercommit, (*look).cpuOvercommit},
	{noOvercommitType, (*look).noOvercommitType}, {nodeLoss, (*look).nodeLoss}}

// limitsByNode are the sums of the limits of the pods on each node.
func (l *look) limitsByNode() map[string]Amounts {
	sum := map[string]Amounts{}
	for i := range l.Pods {
		if p := &l.Pods[i]; p.Node != "" && !p.ended() {
			n := sum[p.Node]
			sum[p.Node] = Amounts{n.CPU + p.Limits.CPU, n.Memory + p.Limits.Memory}
		}
	}
	return sum
}

// commonOvercommit is how much more than there is the document calls a common overcommitment.
func commonOvercommit() float64 { return facts.Load().Must("ocp.example.overcommit").Number }

// beyond are the nodes of which limits are more than is common.
func (l *look) beyond(resource string, of func(Amounts) int64) []where {
	limits, most := l.limitsByNode(), 1+commonOvercommit()
	told := map[string]*strained{}
	if resource == "memory" { // where it has hurt already, node.memoryOvercommit tells
		told = l.overcommitted()
	}
	var out []where
	for i := range l.Nodes {
		n := &l.Nodes[i]
		if told[n.Metadata.Name] != nil {
			continue
		}
		has, may := n.allocatable(resource), of(limits[n.Metadata.Name])
		if share := float64(may) / float64(max(has, 1)); has > 0 && share > most {
			out = append(out, at("Node", n.Metadata.Name, "%.0f %%", 100*share))
		}
	}
	return out
}

func (l *look) memoryLimits() {
	if over := l.beyond("memory", func(a Amounts) int64 { return a.Memory }); len(over) > 0 {
		l.find(over, "lower the limits to what the pods really take (kubectl top pods -A --sum), or add nodes",
			"limits of memory are more than %.0f %% of what the node has to give; %.0f %% more is common",
			100*(1+commonOvercommit()), 100*commonOvercommit())
	}
}

func (l *look) cpuOvercommit() {
	if over := l.beyond("cpu", func(a Amounts) int64 { return a.CPU }); len(over) > 0 {
		l.find(over, "give pods that must not wait a request of the CPU that they need",
			"limits of CPU are more than %.0f %% of what the node has to give; %.0f %% more is common",
			100*(1+commonOvercommit()), 100*commonOvercommit())
	}
}

// noOvercommitType finds pods with huge pages whose memory is overcommitted.
func (l *look) noOvercommitType() {
	var bad []where
	paged := false
	for i := range l.Pods {
		p := &l.Pods[i]
		if p.ended() || !p.hugePages() {
			continue
		}
		paged = true
		if p.Limitless || p.Requests.Memory < p.Limits.Memory {
			bad = append(bad, at("Pod", p.path(), ""))
		}
	}
	switch {
	case len(bad) > 0:
		l.find(bad, "set resources.requests.memory of each container to its resources.limits.memory",
			"pods with huge pages may take more memory than they request")
	case !paged:
		l.notApplicable("no pod asks for huge pages")
	}
}

// hugePages says whether a pod asks for any.
func (p *Pod) hugePages() bool {
	for name, n := range p.Resources {
		if strings.HasPrefix(name, podres.HugePages) && n > 0 {
			return true
		}
	}
	return false
}
