package plan

import (
	"fmt"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/limit"
	"plimsoll.dev/part"
)

// Catalogue is c with the scenario's own measurements in the place of published
// figures. What a measurement replaces contradicts nothing any more, and the conditions
// of others are not its own.
func Catalogue(c *facts.Catalogue, s *v1alpha1.Scenario) *facts.Catalogue {
	for _, m := range s.Measurements {
		f, ok := c.Get(m.Fact)
		if !ok {
			continue // the reader has refused it
		}
		f.Notes = []string{fmt.Sprintf("measured, in place of the %s that %s has", f.Printed(), f.Source)}
		if m.Simulated {
			f.Notes = append(f.Notes, simulated)
		}
		f.Number, f.Text, f.Kind, f.Grade, f.Conditions, f.Contradicts = m.Value, "", limit.Measured, facts.Stated, "", nil
		f.Source.Code, f.Source.Section = part.OwnMeasurement, m.Source
		c = c.With(f)
	}
	return c
}

// simulated says what a laboratory's figure is worth.
const simulated = "its nodes were simulated: the control plane of a laboratory was measured, and not this cluster's"

// sayMeasured warns of limits that were measured with simulated nodes, and of those that the plan does
// not look at because they are another release's.
func (p *planner) sayMeasured(s *part.Part) {
	for i, m := range p.s.Measurements {
		f, ok := p.c.Get(m.Fact)
		_, quantity, limits := strings.Cut(f.Quantity, ".max.")
		if !ok || !limits || f.Dim("release") == "" {
			continue
		}
		field := fmt.Sprintf("measurements[%d]", i)
		used, _, _, ok := Maximum(p.c, p.s.Platform, quantity)
		switch {
		case !ok || used.ID != f.ID:
			s.Find(v1alpha1.Warning, "limits.measurement["+f.ID+"]", fmt.Sprintf("the measurement of %s has no effect on %s",
				f.ID, p.s.Platform.Release), "name the figure of the release that is planned"+hint(used.ID)).Field = field
		case m.Simulated:
			s.Find(v1alpha1.Warning, "limits.simulated["+f.ID+"]", fmt.Sprintf("%s: %s were measured (%s); %s", f.Title,
				f.Printed(), m.Source, simulated), "measure the cluster itself: plimsoll load --maximum").Field = field
		}
	}
}

// hint is the figure that is meant, if there is one.
func hint(id string) string {
	if id == "" {
		return ""
	}
	return ": " + id
}
