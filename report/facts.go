package report

import (
	"fmt"
	"io"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/unit"
)

// Facts writes a list of facts in a format of Formats. Wide adds kind's
// companions: grade, conditions and notes.
func Facts(w io.Writer, list []facts.Fact, format string, opt Options) error {
	var out string
	var err error
	switch format {
	case Table, Wide, "":
		out = factText(list, format, opt)
	case JSON:
		out, err = toJSON(newFactList(list))
	case YAML:
		out, err = toYAML(newFactList(list))
	case Markdown:
		out = factMarkdown(list)
	case HTML:
		out, err = factsHTML(list)
	case Name:
		for _, f := range list {
			out += f.ID + "\n"
		}
	default:
		err = unknownFormat(format)
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, out)
	return err
}

// factList is the document that programs get.
type factList struct {
	APIVersion string       `json:"apiVersion"`
	Kind       string       `json:"kind"`
	Facts      []facts.Fact `json:"facts"`
}

func newFactList(list []facts.Fact) factList { return factList{v1alpha1.APIVersion, "Facts", list} }

func factText(list []facts.Fact, format string, opt Options) string {
	t := table.Table{Columns: []table.Column{{Title: "Fact", Keep: true}, {Title: "Value", Right: true}, {Title: "Kind", Keep: true}, {Title: "Source"}}, Color: opt.Color}
	if format == Wide {
		t.Columns = append(t.Columns, table.Column{Title: "Grade", Keep: true}, table.Column{Title: "Title"}, table.Column{Title: "Contradicted by"})
	}
	for _, f := range list {
		value := f.Printed()
		if f.Text != "" {
			// A text is no number: it may wrap.
			t.Columns[1].Right = false
		}
		row := []string{f.ID, value, string(f.Kind), f.Source.String()}
		if format == Wide {
			row = append(row, string(f.Grade), f.Title, strings.Join(f.Contradicts, ", "))
		} else if len(f.Contradicts) > 0 {
			row[1] += " (!)"
		}
		t.Add(row...)
	}
	if t.Columns[1].Right && !t.Fits(opt.columns(format)) {
		t.Columns[0].Keep = false // long ids on two lines before a block for each fact
	}
	out := t.String(opt.columns(format))
	if format == Wide {
		return out
	}
	foot := unit.Format(float64(len(list)), "facts") + "."
	if strings.Contains(out, "(!)") {
		foot += " (!) is contradicted by another source: plimsoll facts ID shows both."
	}
	return out + "\n" + strings.Join(table.Wrap(foot, opt.columns(format)), "\n") + "\n"
}

func factMarkdown(list []facts.Fact) string {
	m := &markdown{}
	rows := make([][]string, len(list))
	for i, f := range list {
		rows[i] = []string{code(f.ID), md(f.Title), md(f.Printed()), string(f.Kind), string(f.Grade), md(f.Source.String()), md(strings.Join(f.Notes, " "))}
	}
	m.table([]string{"Fact", "Title", "Value", "Kind", "Grade", "Source", "Notes"}, rows)
	return m.b.String()
}

// Fact writes one fact whole, and the facts that contradict it.
func Fact(w io.Writer, c *facts.Catalogue, f facts.Fact, format string, opt Options) error {
	list := []facts.Fact{f}
	for _, id := range f.Contradicts {
		if other, ok := c.Get(id); ok {
			list = append(list, other)
		}
	}
	if format != Table && format != Wide && format != "" {
		return Facts(w, list, format, opt)
	}
	var b strings.Builder
	factWhole(&b, f, opt)
	if len(list) > 1 {
		b.WriteString("\nContradicted by:\n")
		for _, other := range list[1:] {
			b.WriteString("\n")
			factWhole(&b, other, opt)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func factWhole(b *strings.Builder, f facts.Fact, opt Options) {
	t := table.Table{Columns: []table.Column{{Title: "", Keep: true}, {Title: ""}}, Bare: true, Color: opt.Color}
	add := func(name, value string) {
		if value != "" {
			t.Add(name, value)
		}
	}
	add("Fact", f.ID)
	add("Value", f.Printed())
	add("Title", f.Title)
	add("Scope", f.Scope)
	add("Kind", fmt.Sprintf("%s: %s", f.Kind, meaning(f.Kind)))
	add("Grade", string(f.Grade))
	add("Source", f.Source.String()+dated(f.Date))
	add("Conditions", f.Conditions)
	for i, n := range f.Notes {
		add([]string{"Notes", ""}[min(i, 1)], n)
	}
	b.WriteString(t.String(opt.columns(Table)))
}

func dated(date string) string {
	if date == "" {
		return ""
	}
	return ", " + date
}
