package cluster

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

// Pools are the worker nodes to place on: those of the named option of a plan, or
// of the one that the plan chose. Where the scenario counts the nodes of a type,
// there are so many, unless planned asks for what the plan needs, spare nodes
// included. The error names the options there are.
func Pools(s *v1alpha1.Scenario, made *v1alpha1.Plan, option string, planned bool) ([]v1alpha1.PoolDecision, error) {
	var names []string
	for _, o := range made.Options {
		if option == "" && o.Chosen || o.Name == option {
			return append(WithPages(ofOption(s, o, planned), made), InfraPools(s, made)...), nil
		}
		names = append(names, o.Name)
	}
	if option == "" {
		return nil, nil
	}
	return nil, fmt.Errorf("there is no option %q (the options are %s)", option, strings.Join(names, ", "))
}

func ofOption(s *v1alpha1.Scenario, o v1alpha1.Option, planned bool) []v1alpha1.PoolDecision {
	var pools []v1alpha1.PoolDecision
	for _, n := range o.Nodes {
		count := n.Count
		for _, t := range s.Hardware.NodeTypes {
			if t.Name == n.Type && t.Count != nil && len(s.Hardware.Options) == 0 && !planned {
				count = *t.Count
			}
		}
		pools = append(pools, v1alpha1.PoolDecision{Type: n.Type, Count: count})
	}
	return pools
}

// infra is the role of infrastructure nodes.
const infra = "infra"

// InfraPools are the infrastructure nodes, where pods of the workload select them:
// those of the plan, else those that the scenario counts.
func InfraPools(s *v1alpha1.Scenario, made *v1alpha1.Plan) []v1alpha1.PoolDecision {
	if !slices.ContainsFunc(s.Workload.PodTypes, selectsInfra) {
		return nil
	}
	var pools []v1alpha1.PoolDecision
	for _, d := range made.Decisions.Pools {
		if d.Role == infra {
			pools = append(pools, v1alpha1.PoolDecision{Role: infra, Type: d.Type, Count: d.Count, HugePages: d.HugePages})
		}
	}
	for _, t := range s.Hardware.NodeTypes {
		if len(pools) == 0 && t.Role == infra && t.Count != nil {
			return []v1alpha1.PoolDecision{{Role: infra, Type: t.Name, Count: *t.Count}}
		}
	}
	return pools
}

func selectsInfra(t v1alpha1.PodType) bool {
	_, selects := t.NodeSelector[rolePrefix+infra]
	return selects
}

// WithPages adds the huge pages that the plan decided on for each type.
func WithPages(pools []v1alpha1.PoolDecision, made *v1alpha1.Plan) []v1alpha1.PoolDecision {
	for i := range pools {
		for _, d := range made.Decisions.Pools {
			if d.Role == "worker" && d.Type == pools[i].Type {
				pools[i].HugePages = d.HugePages
			}
		}
	}
	return pools
}
