package load

import (
	"cmp"
	"errors"
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/internal/yamlout"
	"plimsoll.dev/loadmodel"
)

// Limit finds the figure of the catalogue that a climb on a cluster measures anew: that of its release,
// or of the newest that is known.
func Limit(c *facts.Catalogue, m loadmodel.Maximum, openshift bool, on Cluster) (f facts.Fact, ok bool) {
	quantity, release := "k8s.max."+m.Quantity, "1.999"
	if openshift {
		quantity, release = "ocp.max."+m.Quantity, cmp.Or(on.OpenShift, "4.999")
	}
	f, _, _, ok = c.ForRelease(quantity, release)
	return f, ok
}

// Measured is the climb as a measurement of a scenario, in place of a figure of the catalogue. The error
// is one for people.
func (l *Climbed) Measured(fact string) (v1alpha1.Measurement, error) {
	switch {
	case l.Held == 0:
		return v1alpha1.Measurement{}, errors.New("no level held, so that nothing was measured")
	case l.Stopped != "" && l.Broke == 0:
		return v1alpha1.Measurement{}, fmt.Errorf("%s %s held, but %s before a level broke", words.Number(l.Held), l.Unit,
			l.Stopped)
	case fact == "":
		return v1alpha1.Measurement{}, fmt.Errorf("the catalogue has no maximum of %s that could be replaced", l.Unit)
	}
	first := l.Levels[0].Result
	source := fmt.Sprintf("load run %s", l.RunID)
	if on := l.Cluster.String(); on != "" {
		source += " on " + on
	}
	source += fmt.Sprintf(", %s: %s %s held", first.Began.UTC().Format("2006-01-02"), words.Number(l.Held), l.Unit)
	if at := l.broken(); at == nil {
		source += ", and no more were tried"
	} else {
		source += fmt.Sprintf("; at %s %s: %s", words.Number(at.At), l.Unit, at.Broke)
	}
	return v1alpha1.Measurement{Fact: fact, Value: float64(l.Held), Source: source,
		Simulated: l.Cluster.Simulated > 0}, nil
}

// forPlan is how the climb's figure gets into a plan.
func (l *Climbed) forPlan() v1alpha1.Part {
	p := v1alpha1.Part{Title: "For a plan"}
	m, err := l.Measured(l.Fact)
	if err != nil {
		p.Lead = []string{"Nothing: " + err.Error() + "."}
		return p
	}
	text, err := yamlout.Marshal(map[string]any{"measurements": []v1alpha1.Measurement{m}})
	if err != nil {
		return p
	}
	p.Lead = []string{"In a scenario this takes the figure's place; plan --measured does the same with the JSON of " +
		"this climb."}
	p.Texts = []v1alpha1.Text{{Title: "scenario.yaml", Language: "yaml", Body: string(text)}}
	return p
}
