// Package cell makes the columns and rows of an answer's tables.
//
// It draws nothing; package report does.
//
//	t := v1alpha1.Table{ID: "pools", Columns: cell.Columns("Pool", ">Nodes", "*Place")}
//	t.Rows = append(t.Rows, append(cell.Texts("worker"), cell.Count(3), cell.Text("a.yaml:1")))
package cell

import (
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

// Columns are headings: ">Nodes" is of numbers and stands at the right, "*Place" is
// left out unless output is wide; "*>" is both.
func Columns(titles ...string) []v1alpha1.Column {
	out := make([]v1alpha1.Column, len(titles))
	for i, t := range titles {
		c := &out[i]
		c.Title, c.Wide = strings.CutPrefix(t, "*")
		c.Title, c.Right = strings.CutPrefix(c.Title, ">")
	}
	return out
}

// Text is a cell of text.
func Text(s string) v1alpha1.Cell { return v1alpha1.Cell{Text: s} }

// Texts are cells of text.
func Texts(texts ...string) []v1alpha1.Cell {
	out := make([]v1alpha1.Cell, len(texts))
	for i, s := range texts {
		out[i].Text = s
	}
	return out
}

// Count is a cell of a number of things.
func Count(n int) v1alpha1.Cell {
	f := float64(n)
	return v1alpha1.Cell{Text: strconv.Itoa(n), Number: &f}
}
