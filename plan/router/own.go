package router

import (
	"fmt"
	"math"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/unit"
)

// refuseMeasurements puts the published figure back in the place of a
// measurement that no router can have: dividing by a rate of 0 would make
// routers without end, a negative one negative routers.
func (p *planner) refuseMeasurements() {
	for _, f := range p.Facts.All() {
		if !strings.HasPrefix(f.ID, "ocp.router.") && !strings.HasPrefix(f.ID, "rout.router.") ||
			f.Number > 0 && !math.IsInf(f.Number, 0) {
			continue
		}
		published, ok := facts.Load().Get(f.ID)
		if !ok || published.Number <= 0 {
			continue
		}
		p.Facts = p.Facts.With(published)
		p.find(v1alpha1.Error, "router.measurement", "",
			fmt.Sprintf("%s was measured as %s; it must be more than 0, so the plan takes the published %s", f.ID,
				unit.Format(f.Number, f.Unit), published.Printed()),
			"correct the measurement, or leave it out").Field = "measurements"
	}
}
