package report

import (
	"io"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/limit"
)

// derivation is the answer of Why, and its JSON document.
type derivation struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// ID of the figure or gauge.
	ID string `json:"id"`
	// Gauge is set when the id is that of a gauge.
	Gauge *limit.Gauge `json:"gauge,omitempty"`
	// Steps are the trees: one for a figure; planned, limit and doubts for a gauge.
	Steps []node `json:"steps"`
}

// Why writes how a number came about, down to facts and scenario fields: value,
// formula, formula with numbers, inputs with their origin, and the same for
// each input that is a figure. The id is that of a figure or a gauge, or a part
// of it, or of a title, that only one has; otherwise the error lists the nearest
// ids. opt.Format is one of Formats.
func Why(w io.Writer, p *v1alpha1.Plan, id string, opt Options) error {
	ix := newIndex(p, opt)
	found, err := ix.resolve(id)
	if err != nil {
		return err
	}
	out, err := ix.derivation(found).write(ix)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, out)
	return err
}

func (ix *index) derivation(id string) derivation {
	d := derivation{APIVersion: v1alpha1.APIVersion, Kind: "Derivation", ID: id}
	g := ix.grower()
	for _, x := range ix.gauges() {
		if x.ID == id {
			d.Gauge, d.Steps = &x, g.gauge(x)
		}
	}
	if f, ok := ix.figures[id]; ok && !g.seen[id] {
		d.Steps = append(d.Steps, g.figure(f))
	}
	return d
}

func (d derivation) write(ix *index) (string, error) {
	switch ix.opt.Format {
	case "", Table, Wide:
		return whyText(ix, d), nil
	case JSON:
		return toJSON(d)
	case YAML:
		return toYAML(d)
	case Markdown:
		return whyMarkdown(d), nil
	case HTML:
		return whyHTML(ix, d)
	case Name:
		ids := []string{}
		for _, n := range d.Steps {
			ids = append(ids, n.ids()...)
		}
		for i := range ids {
			ids[i] = oneLine(ids[i]) + "\n"
		}
		return strings.Join(ids, ""), nil
	}
	return "", unknownFormat(ix.opt.Format)
}

// title is the figure's or gauge's title.
func (d derivation) title() string {
	if d.Gauge != nil {
		return scoped(*d.Gauge)
	}
	return d.Steps[0].Title
}
