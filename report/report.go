package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
)

// The output formats.
const (
	Table    = "table"    // text in 80 columns, the essence
	Wide     = "wide"     // text with everything
	JSON     = "json"     // the plan itself
	YAML     = "yaml"     // the plan itself
	Markdown = "markdown" // everything, for tickets
	HTML     = "html"     // everything, drawn, in one file
	Name     = "name"     // the ids that can be asked about, one a line
)

// Formats lists the output formats, the default first. Write, Why and Diff
// know all of them.
func Formats() []string { return []string{Table, Wide, JSON, YAML, Markdown, HTML, Name} }

// Options say how to write. The zero Options are good.
type Options struct {
	// Width is the most columns of a line of text. 0 is 80 for table and no limit
	// for wide; other formats have no lines to fit.
	Width int
	// Color paints text for a terminal.
	Color bool
	// File is the scenario's name in the commands that the report suggests; empty
	// is FILE.
	File string
	// Format of Why; empty is table.
	Format string
	// Facts is the catalogue whose kinds, grades and conditions are shown with the
	// facts that the plan used; nil is the built-in one.
	Facts *facts.Catalogue
}

// defaultWidth is that of table; narrowest is the least width that text is laid
// out for.
const (
	defaultWidth = 80
	narrowest    = 40
)

func (o Options) columns(format string) int {
	switch {
	case o.Width > 0:
		return max(o.Width, narrowest)
	case format == Wide:
		return 0
	}
	return defaultWidth
}

func (o Options) file() string {
	if o.File == "" {
		return "FILE"
	}
	return o.File
}

// Write writes the plan in a format of Formats. It returns an error for an
// unknown format, or the writer's.
func Write(w io.Writer, p *v1alpha1.Plan, format string, opt Options) error {
	ix := newIndex(p, opt)
	return forms{value: p, text: func(format string) string { return planText(ix, format) }, markdown: func() string { return planMarkdown(ix) },
		html: func() (string, error) { return planHTML(ix) }, names: func() string { return strings.Join(ix.names(), "\n") + "\n" }}.write(w, format)
}

// forms are the ways to write a document: text is table or wide, JSON and YAML
// are made from the value.
type forms struct {
	value    any
	text     func(format string) string
	markdown func() string
	html     func() (string, error)
	names    func() string
}

// write writes the document in a format of Formats.
func (f forms) write(w io.Writer, format string) error {
	var out string
	var err error
	switch format {
	case Table, Wide, "":
		out = f.text(format)
	case JSON:
		out, err = toJSON(f.value)
	case YAML:
		out, err = toYAML(f.value)
	case Markdown:
		out = f.markdown()
	case HTML:
		out, err = f.html()
	case Name:
		out = f.names()
	default:
		err = unknownFormat(format)
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, out)
	return err
}

func unknownFormat(format string) error {
	return fmt.Errorf("format %q is not one of %s", format, strings.Join(Formats(), ", "))
}

// names lists the ids of figures and gauges, each once.
func (ix *index) names() []string {
	var out []string
	seen := map[string]bool{}
	add := func(id string) {
		if !seen[id] {
			out = append(out, oneLine(id))
		}
		seen[id] = true
	}
	for _, f := range ix.plan.Figures {
		add(f.ID)
	}
	for _, g := range ix.plan.Gauges {
		add(g.ID)
	}
	return slices.Clip(out)
}
