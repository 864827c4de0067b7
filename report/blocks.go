package report

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/limit"
)

// Block is a piece of a section: Para, List, Grid, Findings, Gauges, Figures, Layers,
// Timeline, Course, Machines, Charts, Legend, Listing or Fold.
type Block interface{}

// Para is a paragraph.
type Para struct {
	Text  string
	Mark  string
	Style table.Style
	// Inner text is indented.
	Inner bool
}

// Gap is an empty line in text.
type Gap struct{}

// List is nested items.
type List struct {
	Items []Item
	// Flush items begin at the left edge.
	Flush bool
}

// Item is an entry of a list.
type Item struct {
	// Mark judges the item; Lead stands before its text.
	Mark, Lead, Text string
	// Code is text of a formula or a name.
	Code  bool
	Style table.Style
	// To refers to the place that says more, and Link is its text.
	To, Link string
	Items    []Item
}

// items are texts as items behind a lead.
func items(lead string, list []string) []Item {
	return each(list, func(s string) Item { return Item{Lead: lead, Text: s} })
}

// Grid is rows under headings. Any renderer can draw any table.
type Grid struct {
	// ID is the name of the table for CSV; empty is made from Title or the section's ID.
	ID, Title string
	Columns   []Column
	Rows      [][]Cell
	// Places are what rows can be referred to as, in their order; nil for none.
	Places []string
	Notes  []string
	// Bare text has no headings; Inner text is indented further; Flush is not indented.
	Bare, Inner, Flush bool
	// Side tables have their names in the first column, and are split by the others where
	// these do not fit beside each other.
	Side bool
	// Prose has cells of sentences: on a phone its rows become blocks.
	Prose bool
}

// Column is the heading of a column. Keep holds cells on one line, Code shows them as
// names, Chosen sets the column off; Wide ones are left out of the default output.
type Column struct {
	Title                           string
	Right, Keep, Code, Chosen, Wide bool
}

// Cell is an entry of a table. Share is drawn below it where Shared is set; Figure leads
// to the figure of that id, Fact to the fact.
type Cell struct {
	Text   string
	List   []string
	Mark   string
	Style  table.Style
	To     string
	Share  float64
	Shared bool
	Swatch string
	// Drawing of the cell stands below its text, on pages.
	Drawing string
}

// Findings are errors, warnings and remarks.
type Findings struct {
	List []v1alpha1.Finding
	// Brief ones have no lines of their files below them in text, and of equal ones of a
	// file there is one; Plain ones don't name their rules. Full ones say what they are
	// about.
	Brief, Plain, Full bool
	// Most is how many text shows, 0 is all; Remarks is how many remarks are left out.
	Most, Remarks int
}

// Gauges are what is planned against what is possible.
type Gauges struct {
	List []Gauge
	// Rest are the less near ones.
	Rest []Gauge
	Left string
	// Local stands above those that do not grow with the workload.
	Local string
	Full  bool
}

// Gauge is one, and where its numbers come from.
type Gauge struct {
	limit.Gauge
	Steps []Item
}

// Figures are numbers, and with How where they come from.
type Figures struct {
	List    []Figure
	Details []Figure
	How     bool
}

// Figure is a number and its inputs.
type Figure struct {
	explanation
	Steps []Item
}

// Layers are what nodes are used for.
type Layers struct {
	Nodes []v1alpha1.NodeLayers
	Words terms
	Full  bool
}

// Timeline is what happens over time, drawn with so many rows at most (0 is all) and
// followed by so many events (0 is all).
type Timeline struct {
	*v1alpha1.Timeline
	Rows, Events int
}

// Course is how amounts changed over time, drawn with so many phases at most; 0 is all.
type Course struct {
	*v1alpha1.Course
	Phases int
}

// Machines are who owns which core, pages and devices.
type Machines struct {
	All, Shown []v1alpha1.MachineMap
	By         ownedBy
	Beside     besideBy
	Full       bool
}

// Charts are drawings for pages of what stands in tables, too.
type Charts struct {
	Says   string
	List   []chartView
	Legend []kindView
}

// Legend is the key of drawings in tables, for pages.
type Legend []kindView

// Listing is a text of its own lines; of more than Most only the first are shown (0 is
// all).
type Listing struct {
	v1alpha1.Text
	Most int
}

// Fold is blocks that open on demand.
type Fold struct {
	Title  string
	Blocks []Block
}
