package scenario

import (
	"fmt"

	"plimsoll.dev/internal/yamlpos"
)

// scheduling follows the scheduler's checks of its own configuration
// (pkg/scheduler/apis/config/validation/validation_pluginargs.go).
func (v *validator) scheduling() {
	const toCapacity = "RequestedToCapacityRatio"
	s := v.s.Scheduling
	switch path := "scheduling.shape"; {
	case !v.good(path, "scheduling.scoringStrategy"):
	case s.ScoringStrategy == toCapacity && len(s.Shape) == 0:
		v.bad(path, "is missing", "add shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]")
	case s.ScoringStrategy != toCapacity && len(s.Shape) > 0:
		v.bad(path, s.ScoringStrategy+" has no shape", "remove it, or write scoringStrategy: "+toCapacity)
	}
	for i := 1; i < len(s.Shape); i++ {
		path := fmt.Sprintf("scheduling.shape[%d].utilization", i)
		if before := s.Shape[i-1].Utilization; s.Shape[i].Utilization <= before && v.good("scheduling.shape") {
			v.bad(path, fmt.Sprintf("%d stands behind %d", s.Shape[i].Utilization, before),
				"write the points with rising utilization")
		}
	}
	seen := map[string]bool{}
	for i, r := range s.Resources {
		if path := fmt.Sprintf("scheduling.resources[%d].name", i); seen[r.Name] && v.good(path) {
			v.bad(path, yamlpos.Quote(r.Name)+" stands twice", "each resource has one weight")
		}
		seen[r.Name] = true
	}
}
