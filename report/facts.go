package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
)

// Facts writes a list of facts in a format of Formats. Wide adds kind's
// companions: grade, conditions and notes.
func Facts(w io.Writer, list []facts.Fact, format string, opt Options) error {
	return factsDocument(list, format, opt).write(w, format, opt)
}

// factsDocument is a list of facts for people.
func factsDocument(list []facts.Fact, format string, opt Options) *Document {
	d := &Document{Title: "Facts", Sub: words.Count(len(list), "figure") + " with kind, grade and source", Headless: true,
		Value: factList{v1alpha1.APIVersion, "Facts", list}}
	d.Names = each(list, func(f facts.Fact) string { return f.ID })
	switch {
	case !short(format):
		d.add("facts", "", factsGrid(list))
	default:
		d.add("facts", "", shortFacts(list, opt.columns(format)))
		foot := words.Count(len(list), "fact") + "."
		if slices.ContainsFunc(list, func(f facts.Fact) bool { return len(f.Contradicts) > 0 }) {
			foot += " (!) is contradicted by another source: plimsoll facts ID shows both."
		}
		d.add("count", "", Para{Text: foot})
	}
	return d
}

// shortFacts are the facts in 80 columns.
func shortFacts(list []facts.Fact, width int) Grid {
	g := factsGrid(list).cut(4)
	for i, f := range list {
		if len(f.Contradicts) > 0 {
			g.Rows[i][1].Text += " (!)"
		}
	}
	if g.Columns[1].Right && !layout(g).Fits(width) {
		g.Columns[0].Keep = false // long ids on two lines before a block for each fact
	}
	return g
}

// factsGrid are the facts with all that is known of them.
func factsGrid(list []facts.Fact) Grid {
	g := Grid{ID: "facts", Flush: true,
		Columns: heads("Fact", ">Value", "Kind", "Source", "Grade", "Title", "Contradicted by", "Notes")}
	g.Columns[0].Keep, g.Columns[0].Code, g.Columns[2].Keep, g.Columns[4].Keep = true, true, true, true
	for _, f := range list {
		if f.Text != "" {
			g.Columns[1].Right = false // a text is no number: it may wrap
		}
		g.row(f.ID, f.Printed(), string(f.Kind), f.Source.String(), string(f.Grade), f.Title,
			strings.Join(f.Contradicts, ", "), strings.Join(f.Notes, " "))
	}
	return g
}

// factList is the document that programs get.
type factList struct {
	APIVersion string       `json:"apiVersion"`
	Kind       string       `json:"kind"`
	Facts      []facts.Fact `json:"facts"`
}

// Fact writes one fact whole, and the facts that contradict it.
func Fact(w io.Writer, c *facts.Catalogue, f facts.Fact, format string, opt Options) error {
	list := []facts.Fact{f}
	for _, id := range f.Contradicts {
		if other, ok := c.Get(id); ok {
			list = append(list, other)
		}
	}
	d := factsDocument(list, format, opt)
	if isText(format) {
		d.Sections = nil
		for i, other := range list {
			if i == 1 {
				d.add("contradicted", "", Para{Text: "Contradicted by:"})
			}
			d.add(other.ID, "", factGrid(other))
		}
	}
	return d.write(w, format, opt)
}

// factGrid is one fact, a property a line.
func factGrid(f facts.Fact) Grid {
	g := Grid{Bare: true, Flush: true, Columns: heads("Property", "Value")}
	g.Columns[0].Keep = true
	add := func(name, value string) {
		if value != "" {
			g.row(name, value)
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
	return g
}

func dated(date string) string {
	if date == "" {
		return ""
	}
	return ", " + date
}
