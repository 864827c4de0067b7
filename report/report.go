package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/limit"
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
	JUnit    = "junit"    // the findings as test cases
	SARIF    = "sarif"    // the findings for code scanners, SARIF 2.1.0
	CSV      = "csv"      // one of the tables, as Options.Table names it
)

// Formats lists the output formats, the default first. All answers know all of them,
// but JUnit and SARIF are for those that have findings.
func Formats() []string {
	return []string{Table, Wide, JSON, YAML, Markdown, HTML, Name, JUnit, SARIF, CSV}
}

// WholeFormats are those that show an answer whole, whatever it is: not only its
// findings, or one of its tables.
func WholeFormats() []string { return Formats()[:7] }

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
	// Verb is the command that made an answer; empty is tune.
	Verb string
	// Table names the table of format CSV.
	Table string
	// Section names the sections to write, separated by commas; all is all of them. Empty is
	// what the format shows by itself.
	Section string
	// Format of Why; empty is table.
	Format string
	// Facts is the catalogue whose kinds, grades and conditions are shown with the
	// facts that the plan used; nil is the built-in one.
	Facts *facts.Catalogue
	// Scenario of a placement of VMs: pictures of hosts show its NICs, and what crosses NUMA nodes
	// to the vSwitch; nil leaves both out.
	Scenario *v1alpha1.Scenario
	// MadeBy is told in JSON, YAML, SARIF and pages; the zero Build in none.
	MadeBy v1alpha1.Build
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
	return planDocument(newIndex(p, opt), format).write(w, format, opt)
}

func unknownFormat(format string) error {
	return fmt.Errorf("format %q is not one of %s", format, strings.Join(Formats(), ", "))
}

// names lists the ids of figures and gauges, each once.
func (ix *index) names() []string {
	figures := each(ix.plan.Figures, func(f derive.Figure) string { return f.ID })
	return once(slices.Concat(figures, each(ix.plan.Gauges, func(g limit.Gauge) string { return g.ID })), itself)
}
