// Package table lays out text for terminals: columns that fit a width, wrapped
// paragraphs, colour that does not disturb the alignment, and text from
// strangers made harmless.
//
// It knows nothing about terminals (package term does) and nothing about plans.
// Columns of numbers are never cut or wrapped: when the width does not suffice,
// columns of text wrap, and when that does not suffice either, each row becomes
// a small block of its own.
//
//	t := table.Table{Columns: []table.Column{{Title: "Limit"}, {Title: "Used", Right: true}}}
//	t.Add("Nodes", "55 %")
//	fmt.Print(t.String(80))
package table
