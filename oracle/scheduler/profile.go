package scheduler

import (
	"fmt"

	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"

	"plimsoll.dev/place/scheduler"
)

// release is the Kubernetes that go.mod links, and the rules that it follows.
const (
	release = "v1.36.3"
	rules   = "1.36"
)

// profileObject is the default profile, with what the profile replaces.
func profileObject(p scheduler.Profile) (config.KubeSchedulerProfile, error) {
	if p.Release != rules {
		return config.KubeSchedulerProfile{}, fmt.Errorf("release %q: the scheduler here follows %s only", p.Release, rules)
	}
	all, err := latest.Default()
	if err != nil {
		return config.KubeSchedulerProfile{}, err
	}
	out := all.Profiles[0]
	for _, c := range out.PluginConfig {
		if args, ok := c.Args.(*config.NodeResourcesFitArgs); ok {
			strategy(args.ScoringStrategy, p)
		}
	}
	for i, plugin := range out.Plugins.MultiPoint.Enabled {
		if weight, ok := p.Weights[plugin.Name]; ok && weight > 0 {
			out.Plugins.MultiPoint.Enabled[i].Weight = int32(weight)
		}
	}
	for name, weight := range p.Weights {
		if weight == 0 {
			out.Plugins.Score.Disabled = append(out.Plugins.Score.Disabled, config.Plugin{Name: name})
			out.Plugins.PreScore.Disabled = append(out.Plugins.PreScore.Disabled, config.Plugin{Name: name})
		}
	}
	return out, nil
}

// strategy sets how NodeResourcesFit scores.
func strategy(s *config.ScoringStrategy, p scheduler.Profile) {
	if p.ScoringStrategy != "" {
		s.Type = config.ScoringStrategyType(p.ScoringStrategy)
	}
	if len(p.Resources) > 0 {
		s.Resources = nil
	}
	for _, r := range p.Resources {
		s.Resources = append(s.Resources, config.ResourceSpec{Name: r.Name, Weight: max(r.Weight, 1)})
	}
	if len(p.Shape) > 0 {
		s.RequestedToCapacityRatio = &config.RequestedToCapacityRatioParam{}
	}
	for _, point := range p.Shape {
		s.RequestedToCapacityRatio.Shape = append(s.RequestedToCapacityRatio.Shape,
			config.UtilizationShapePoint{Utilization: int32(point.Utilization), Score: int32(point.Score)})
	}
}
