package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

// TodaysNodes is the name of the option made of a snapshot's nodes.
const TodaysNodes = "today's nodes"

// Merge adds to a scenario what was found in manifests or in a snapshot: pod
// types, numbers of objects and, from a snapshot, nodes. It returns the fields
// that it filled in where the scenario left them open.
//
// A snapshot's nodes become an option, the mix as it stands today. The
// scenario's own worker types stay options beside it, with the infrastructure nodes as
// they are, so that a running workload can be planned on other machines.
func Merge(s *v1alpha1.Scenario, found *v1alpha1.Inventory, assumed []v1alpha1.Assumption) []v1alpha1.Assumption {
	names := map[string]bool{}
	for _, t := range s.Workload.PodTypes {
		names[t.Name] = true
	}
	planned, called := 0, map[string]string{}
	for _, t := range found.PodTypes {
		if t.Held {
			continue
		}
		planned++
		old := t.Name
		t.Name = unique(names, t.Name, t.Namespace)
		called[old] = t.Name
		s.Workload.PodTypes = append(s.Workload.PodTypes, t)
	}
	for _, b := range found.Budgets {
		types := b.Pods
		b.Pods = nil
		for _, t := range types {
			b.Pods = append(b.Pods, cmp.Or(called[t], t))
		}
		s.Workload.DisruptionBudgets = append(s.Workload.DisruptionBudgets, b)
	}
	s.Workload.Objects.Add(found.Objects)
	assumed = append(assumed, found.Assumptions...)
	if len(found.NodeTypes) == 0 {
		return assumed
	}
	if planned == 0 {
		s.Workload.Snapshot = "" // it has nodes alone: the platform's own pods are not in it
	}
	return mergeNodes(s, found, assumed)
}

// Join adds one inventory to another.
func Join(all, more *v1alpha1.Inventory) {
	all.PodTypes = append(all.PodTypes, more.PodTypes...)
	all.NodeTypes = append(all.NodeTypes, more.NodeTypes...)
	all.Budgets = append(all.Budgets, more.Budgets...)
	all.Skipped = append(all.Skipped, more.Skipped...)
	all.Assumptions = append(all.Assumptions, more.Assumptions...)
	all.Objects.Add(more.Objects)
}

// unique returns a name that is not taken: the name, name.namespace, or with a
// number.
func unique(taken map[string]bool, name, namespace string) string {
	candidate := name
	for i := 1; taken[candidate]; i++ {
		switch {
		case i == 1 && namespace != "":
			candidate = name + "." + namespace
		default:
			candidate = fmt.Sprintf("%s-%d", name, i)
		}
	}
	taken[candidate] = true
	return candidate
}

// mergeNodes adds the nodes of a snapshot. Its infrastructure nodes are part of the mix, since the pods
// that select them are part of the workload; so are control plane nodes that take it.
func mergeNodes(s *v1alpha1.Scenario, found *v1alpha1.Inventory, assumed []v1alpha1.Assumption) []v1alpha1.Assumption {
	renamed := map[string]string{}
	own := ownOptions(s)
	names := map[string]bool{}
	for _, t := range s.Hardware.NodeTypes {
		names[t.Name] = true
	}
	today := v1alpha1.HardwareOption{Name: TodaysNodes}
	var stay []v1alpha1.OptionNodes
	masters, infras, static := 0, 0, staticPods(found)
	for _, t := range found.NodeTypes {
		n := 0
		if t.Count != nil {
			n = *t.Count
		}
		old := t.Name
		t.Name = unique(names, t.Name, t.Role)
		renamed[old] = t.Name
		shared := takesWorkload(t)
		switch {
		case shared:
			masters += n
			t = withStatic(t, static[old])
			t.Role = "worker"
		case t.Role == "controlPlane":
			masters += n
			s.Hardware.NodeTypes = append(s.Hardware.NodeTypes, t)
			continue
		case t.Role == "infra":
			infras += n
			t.Role = "worker"
		}
		s.Hardware.NodeTypes = append(s.Hardware.NodeTypes, t)
		if n == 0 {
			continue
		}
		today.Nodes = append(today.Nodes, v1alpha1.OptionNodes{Type: t.Name, Count: n})
		if shared || infraToday(t) {
			stay = append(stay, today.Nodes[len(today.Nodes)-1])
		}
	}
	for i, n := range found.Nodes {
		found.Nodes[i].Type = cmp.Or(renamed[n.Type], n.Type)
	}
	for i := range own {
		own[i].Nodes = slices.Concat(stay, own[i].Nodes)
	}
	if len(today.Nodes) > 0 {
		s.Hardware.Options = append(append(s.Hardware.Options, today), own...)
	}
	if s.Workload.Snapshot == "" {
		return assumed
	}
	return fillFromSnapshot(s, found, masters, infras, assumed)
}

// ownOptions are the scenario's worker types as options, where it lists none.
func ownOptions(s *v1alpha1.Scenario) []v1alpha1.HardwareOption {
	var own []v1alpha1.HardwareOption
	if len(s.Hardware.Options) > 0 {
		return nil
	}
	for _, t := range s.Hardware.NodeTypes {
		if cmp.Or(t.Role, "worker") == "worker" {
			own = append(own, v1alpha1.HardwareOption{Name: t.Name, Nodes: []v1alpha1.OptionNodes{{Type: t.Name}}})
		}
	}
	return own
}

// fillFromSnapshot replaces defaults by what the snapshot shows.
func fillFromSnapshot(s *v1alpha1.Scenario, found *v1alpha1.Inventory, masters, infras int,
	assumed []v1alpha1.Assumption) []v1alpha1.Assumption {
	const why = v1alpha1.AsSnapshot
	set := func(field, value string, apply func()) {
		for i, a := range assumed {
			if a.Field == field && value != "" {
				assumed[i] = v1alpha1.Assumption{Field: field, Value: value, Why: why}
				apply()
			}
		}
	}
	set("policy.systemPodsPerNode", "0", func() { s.Policy.SystemPodsPerNode = 0 })
	set("policy.controlPlaneNodes", strconv.Itoa(masters), func() { s.Policy.ControlPlaneNodes = masters })
	set("platform.provider", found.Provider, func() { s.Platform.Provider = found.Provider })
	if found.Zones > 1 {
		set("policy.zones", strconv.Itoa(found.Zones), func() { s.Policy.Zones = found.Zones })
	}
	for _, p := range found.Pools {
		if p.Name == "worker" && s.Platform.Type == "openshift" {
			set("policy.maxUnavailable", p.MaxUnavailable, func() { s.Policy.MaxUnavailable = p.MaxUnavailable })
		}
	}
	if n := found.Network; n != nil && s.Platform.Type == "openshift" {
		if len(s.Network.ClusterNetwork) == 0 && len(n.ClusterNetwork) > 0 { // else the plan derives it
			s.Network.ClusterNetwork = n.ClusterNetwork
			assumed = append(assumed, v1alpha1.Assumption{Field: "network.clusterNetwork", Value: n.Blocks(), Why: why})
		}
		set("network.type", n.Type, func() { s.Network.Type = n.Type })
		set("network.serviceNetwork", strings.Join(n.ServiceNetwork, ", "),
			func() { s.Network.ServiceNetwork = n.ServiceNetwork })
	}
	if s.Policy.InfraNodes == nil {
		zero := 0
		s.Policy.InfraNodes = &zero
		assumed = append(assumed, v1alpha1.Assumption{Field: "policy.infraNodes", Value: "0",
			Why: fmt.Sprintf("the snapshot's %d infrastructure nodes and the pods on them are counted with the workload",
				infras)})
	}
	return assumed
}
