package plan

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/part"
)

// saySurvival names the pods that lose more than their node when it fails: those that
// nothing makes again, and those whose volumes may be out of reach in another zone.
func (p *planner) saySurvival(s *part.Part) {
	var bare, bound counted
	for _, t := range p.load.pods {
		switch {
		case t.Replicas == 0:
		case t.Bare:
			bare.add(t)
		case t.Storage > 0:
			bound.add(t)
		}
	}
	if len(bare.names) > 0 {
		s.Find(v1alpha1.Warning, "workload.bare", fmt.Sprintf("%s: no controller makes them again when their node fails, "+
			"and a drain of it needs --force", bare), "run them by a Deployment, a StatefulSet or a Job")
	}
	if len(bound.names) > 0 && p.losesZone() {
		s.Find(v1alpha1.Warning, "workload.volumes", fmt.Sprintf("volumes of %s may stay in the zone that is lost",
			list(bound.names)), "take a storage class that replicates over zones")
	}
}
