package report

import (
	"io"
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

// WritePlacement writes a placement in a format of Formats. It returns an error
// for an unknown format, or the writer's.
func WritePlacement(w io.Writer, p *v1alpha1.Placement, format string, opt Options) error {
	var out string
	var err error
	switch format {
	case Table, Wide, "":
		out = placementText(p, format, opt)
	case JSON:
		out, err = toJSON(p)
	case YAML:
		out, err = toYAML(p)
	case Markdown:
		out = placementMarkdown(p, opt)
	case HTML:
		out, err = placementHTML(p, opt)
	case Name:
		out = placementNames(p)
	default:
		err = unknownFormat(format)
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, out)
	return err
}

// placementNames are the names of the pod types and the nodes.
func placementNames(p *v1alpha1.Placement) string {
	var b strings.Builder
	for _, t := range p.PodTypes {
		b.WriteString("pod/" + oneLine(t.Name) + "\n")
	}
	for _, n := range p.Nodes {
		b.WriteString("node/" + oneLine(n.Name) + "\n")
	}
	return b.String()
}
