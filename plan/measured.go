package plan

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/limit"
	"plimsoll.dev/part"
)

// Catalogue is c with the scenario's own measurements in the place of published
// figures. What a measurement replaces contradicts nothing any more.
func Catalogue(c *facts.Catalogue, s *v1alpha1.Scenario) *facts.Catalogue {
	for _, m := range s.Measurements {
		f, ok := c.Get(m.Fact)
		if !ok {
			continue // the reader has refused it
		}
		f.Number, f.Text, f.Kind, f.Grade, f.Notes, f.Contradicts = m.Value, "", limit.Measured, facts.Stated, nil, nil
		f.Source.Code, f.Source.Section = part.OwnMeasurement, m.Source
		c = c.With(f)
	}
	return c
}
