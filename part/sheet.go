package part

import (
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
)

// Sheet is what the planner of each part writes on: the book takes the figures, the
// part takes what readers see of them, and the catalogue and the origin say where the
// inputs come from. Planners embed it.
type Sheet struct {
	*derive.Book
	*Part
	Facts  *facts.Catalogue
	Origin *Origin
	// Path of the section of the scenario that Field reads: "router".
	Path string
}

// On is a sheet for a part with the book of a plan; path is the section of the
// scenario that it reads. Without an origin every field counts as written by the user.
func On(b *derive.Book, c *facts.Catalogue, o *Origin, p *Part, path string) Sheet {
	return Sheet{Book: b, Part: p, Facts: c, Origin: o.OrWritten(c), Path: path}
}

// Fact is the value of the fact with the id, which must exist.
func (s Sheet) Fact(id string) derive.Value { return s.Facts.Must(id).Value() }

// Field is a number of the sheet's section of the scenario.
func (s Sheet) Field(name string, number float64, unitName string) derive.Value {
	return s.Origin.Value(s.Path+"."+name, number, unitName)
}

// Figure is the value of a figure that was recorded before; the zero value of one
// that was not.
func (s Sheet) Figure(id string) derive.Value {
	f, ok := s.Get(id)
	if !ok {
		return derive.Value{}
	}
	return derive.Cite(f)
}
