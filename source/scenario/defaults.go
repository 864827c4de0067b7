package scenario

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/strict"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/schema"
	"plimsoll.dev/unit"
)

// Defaults fills in what a scenario leaves open that was not read from a file,
// and returns what it filled in. Fields that are zero count as left open.
func Defaults(s *v1alpha1.Scenario) []v1alpha1.Assumption {
	d := newDecoder()
	d.Platform = cmp.Or(s.Platform.Type, openshift)
	return fill(d, nil, s)
}

// trivial are defaults that say nothing: they mean the same as the field's
// absence.
var trivial = []string{
	"workload.podTypes[*].tolerations[*].operator",
	"workload.podTypes[*].preemptionPolicy",
	"workload.podTypes[*].hostPorts[*].protocol",
	"workload.podTypes[*].topologySpreadConstraints[*].nodeAffinityPolicy",
	"workload.podTypes[*].topologySpreadConstraints[*].nodeTaintsPolicy",
	"scheduling.resources[*].weight",
	"scheduling.scoringStrategy",
	"scheduling.order",
	"workload.servers[*].count",
	"workload.servers[*].ports[*].vnicType",
	"workload.serverGroups[*].maxServerPerHost",
	"workload.images[*].count",
	"hardware.nodeTypes[*].disks[*].count",
	"hardware.nodeTypes[*].nics[*].count",
	"policy.sites",
	"hardware.pricePeriod",
}

func fill(d *strict.Decoder, tree *yamlpos.Tree, s *v1alpha1.Scenario) []v1alpha1.Assumption {
	var out []v1alpha1.Assumption
	for _, d := range strict.Collapse(d.Defaults(tree, s, rules(s))) {
		if unsaid(d) {
			continue
		}
		out = append(out, v1alpha1.Assumption{Field: d.Path, Value: d.Value, Why: why(d), Fact: d.Fact})
	}
	return out
}

const leftOpen = "; left open by "

// unsaid says that a default is no assumption.
func unsaid(d strict.Default) bool {
	return slices.Contains(trivial, d.Generic) || d.Why == notUsed || d.Why == derived
}

// why says why a default has its value: the rule's reason, else the fact's
// title, else the first sentence about the field.
func why(d strict.Default) string {
	text := d.Why
	if f, ok := facts.Load().Get(d.Fact); ok && text == "" {
		text = f.Title + " (" + f.Source.String() + ")"
	}
	if f, err := schema.Lookup(d.Generic); err == nil && text == "" {
		text = strings.TrimSuffix(schema.FirstSentence(f.Description), ".")
	}
	if d.Of > d.Count && d.Count > 1 {
		text += leftOpen + strconv.Itoa(d.Count) + " of " + strconv.Itoa(d.Of)
	}
	return text
}

// rules are the defaults that depend on other fields.
func rules(s *v1alpha1.Scenario) map[string]strict.Rule {
	return map[string]strict.Rule{
		"platform.provider":                        provider(s),
		"hardware.nodeTypes[*].role":               role(s),
		"hardware.nodeTypes[*].cpus":               topologyCPUs,
		"hardware.nodeTypes[*].numaNodes":          topologyNUMANodes,
		"hardware.nodeTypes[*].hugePages":          pagesOfNodes,
		"hardware.nodeTypes[*].maxPods":            maxPods(s),
		"hardware.nodeTypes[*].autoSizingReserved": autoSizing(s),
		"hardware.nodeTypes[*].systemReserved":     autoSized(s),
		"hardware.nodeTypes[*].kubeReserved":       serviceReserved(s),
		"policy.controlPlaneNodes":                 controlPlaneNodes(s),
		"hardware.nodeTypes[*].systemReserved.cpu": byRelease(s, "ocp.systemReserved.cpu",
			func(f facts.Fact) any { return unit.CPU(f.Number) }),
		"hardware.nodeTypes[*].systemReserved.memory": byRelease(s, "ocp.systemReserved.memory",
			func(f facts.Fact) any { return unit.Bytes(f.Number) }),
		"workload.images[*].diskSize":           imageDisk,
		"workload.podTypes[*].cpu":              sumOf(func(t *v1alpha1.PodType) any { return sumCPU(t.ContainerSpecs) }),
		"workload.podTypes[*].memory":           sumOf(func(t *v1alpha1.PodType) any { return sumMemory(t.ContainerSpecs) }),
		"workload.podTypes[*].cpuLimit":         limitOf(cpuLimit),
		"workload.podTypes[*].memoryLimit":      limitOf(memoryLimit),
		"workload.podTypes[*].ephemeralStorage": sumOf(func(t *v1alpha1.PodType) any { return sumStorage(t.ContainerSpecs) }),
		"workload.podTypes[*].hugePages":        sumOf(func(t *v1alpha1.PodType) any { return sumPages(t.ContainerSpecs) }),
		"workload.podTypes[*].devices":          sumOf(func(t *v1alpha1.PodType) any { return sumDevices(t.ContainerSpecs) }),
		"workload.podTypes[*].containers":       sumOf(func(t *v1alpha1.PodType) any { return len(t.ContainerSpecs) }),
		"workload.podTypes[*].replicas":         replicas,
		"workload.podTypes[*].overcommit":       podOvercommit,
		"storage.etcdQuota":                     etcdQuota(s),
		"router.maxConnections": byRelease(s, "ocp.router.maxConnectionsDefault",
			func(f facts.Fact) any { return int(f.Number) }),
		"network.type":                         networkType(s),
		"network.clusterNetwork[*].hostPrefix": hostPrefix(s),
		"router.publishing":                    publishing(s),
	}
}
