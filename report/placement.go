package report

import (
	"io"
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

// WritePlacement writes a placement in a format of Formats. It returns an error
// for an unknown format, or the writer's.
func WritePlacement(w io.Writer, p *v1alpha1.Placement, format string, opt Options) error {
	return forms{value: p, text: func(format string) string { return placementText(p, format, opt) }, markdown: func() string { return placementMarkdown(p, opt) },
		html: func() (string, error) { return placementHTML(p, opt) }, names: func() string { return placementNames(p) }}.write(w, format)
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
