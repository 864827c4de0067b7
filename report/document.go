package report

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/limit"
)

// Document is an answer for people. Each kind of answer has one function that makes
// its Document; the renderers know blocks, and no answer.
type Document struct {
	// Title names the answer, Sub what it is about, Description what the user calls it.
	Title, Sub, Description string
	// Headless text begins with the first block.
	Headless bool
	// Verdict is what a reader needs first; nil where there is none.
	Verdict  *Verdict
	Sections []Section
	// Foot stands at the end of the default text, and says what that leaves out.
	Foot []string
	// Why and Again are the commands that explain a number and that write the whole
	// document; empty where there is none.
	Why, Again string
	// Findings are all that the answer has, whatever its blocks show; Judged says that
	// it is of a kind that has findings.
	Findings []v1alpha1.Finding
	Judged   bool
	// Names are the lines of format name.
	Names []string
	// Value is what JSON and YAML are made from.
	Value any
}

// Verdict is an answer in a sentence, and in a few more.
type Verdict struct {
	// Mark is "good", "warn", "bad" or nothing.
	Mark, Text string
	More       []string
	// Named are sentences behind their names.
	Named [][2]string
}

// Section is a part of a document under a heading.
type Section struct {
	// ID is stable, and Title stands above. Nav is its name in a page's contents, where
	// that is shorter.
	ID, Title, Nav string
	Blocks         []Block
}

// Block is a piece of a section: Para, List, Grid, Findings, Gauges, Figures, Layers,
// Timeline, Machines, Charts, Listing or Fold.
type Block interface{}

// Para is a paragraph.
type Para struct {
	Text  string
	Mark  string
	Style table.Style
}

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
	out := make([]Item, len(list))
	for i, s := range list {
		out[i] = Item{Lead: lead, Text: s}
	}
	return out
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
// names, Chosen sets the column off.
type Column struct {
	Title                     string
	Right, Keep, Code, Chosen bool
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
}

// Findings are errors, warnings and remarks.
type Findings struct {
	List []v1alpha1.Finding
	// Brief ones have no lines of their files below them in text, and of equal ones of a
	// file there is one. Full ones say what they are about.
	Brief, Full bool
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
	Words words
	Full  bool
}

// Timeline is what happens over time, drawn with so many rows at most (0 is all) and
// followed by so many events (0 is all).
type Timeline struct {
	*v1alpha1.Timeline
	Rows, Events int
}

// Machines are who owns which core, pages and devices.
type Machines struct {
	All, Shown []v1alpha1.MachineMap
	By         ownedBy
	Full       bool
}

// Charts are drawings for pages of what stands in tables, too.
type Charts struct {
	Says   string
	List   []chartView
	Legend []kindView
}

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

// add adds a section, unless it is empty.
func (d *Document) add(id, title string, blocks ...Block) {
	d.addAs(id, title, "", blocks...)
}

// addAs is add with a name for the page's contents.
func (d *Document) addAs(id, title, nav string, blocks ...Block) {
	blocks = slices.DeleteFunc(blocks, vacant)
	if len(blocks) > 0 {
		d.Sections = append(d.Sections, Section{id, title, cmp.Or(nav, title), blocks})
	}
}

// vacant reports whether a block shows nothing in any format.
func vacant(b Block) bool {
	switch b := b.(type) {
	case nil:
		return true
	case Para:
		return b.Text == ""
	case List:
		return len(b.Items) == 0
	case Grid:
		return len(b.Rows) == 0
	case Findings:
		return len(b.List)+b.Remarks == 0
	case Gauges:
		return len(b.List) == 0
	case Figures:
		return len(b.List)+len(b.Details) == 0
	case Layers:
		return len(b.Nodes) == 0
	case Machines:
		return len(b.Shown) == 0
	case Charts:
		return len(b.List) == 0
	case Fold:
		return !slices.ContainsFunc(b.Blocks, func(x Block) bool { return !vacant(x) })
	}
	return false
}

// columns makes headings; a title that begins with ">" is of numbers.
func heads(titles ...string) []Column {
	out := make([]Column, len(titles))
	for i, t := range titles {
		title, right := strings.CutPrefix(t, ">")
		out[i] = Column{Title: title, Right: right}
	}
	return out
}

// newTable makes a table of texts; headings that begin with ">" are of numbers.
func newTable(title string, head []string, rows [][]string, notes ...string) Grid {
	t := Grid{Title: title, Columns: heads(head...), Notes: notes}
	for _, row := range rows {
		t.row(row...)
	}
	return t
}

// row appends a row of texts.
func (t *Grid) row(texts ...string) {
	cells := make([]Cell, len(texts))
	for i, s := range texts {
		cells[i].Text = s
	}
	t.Rows = append(t.Rows, cells)
}

// tableOf is a table of a plan or an answer.
func tableOf(src v1alpha1.Table) Grid {
	t := Grid{ID: src.ID, Title: src.Title, Notes: src.Notes}
	for _, c := range src.Columns {
		t.Columns = append(t.Columns, Column{Title: c.Title, Right: c.Right})
	}
	for _, row := range src.Rows {
		cells := make([]Cell, len(t.Columns))
		for i := range min(len(row), len(cells)) {
			cells[i] = cellOf(row[i])
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// cellOf is a cell of a plan or an answer.
func cellOf(c v1alpha1.Cell) Cell {
	out := Cell{Text: c.Text, Mark: c.Mark}
	if len(c.List) > 1 {
		out.List = c.List
	}
	if c.Figure != "" {
		out.To = figurePlace(c.Figure)
	}
	return out
}

// dropped is the table without the columns that say nothing in any row.
func (t Grid) dropped() Grid {
	said := func(i int) bool {
		return slices.ContainsFunc(t.Rows, func(row []Cell) bool { return row[i].Text != "" || len(row[i].List) > 0 })
	}
	out := t
	out.Columns, out.Rows = nil, make([][]Cell, len(t.Rows))
	for i, c := range t.Columns {
		if !said(i) {
			continue
		}
		out.Columns = append(out.Columns, c)
		for j, row := range t.Rows {
			out.Rows[j] = append(out.Rows[j], row[i])
		}
	}
	return out
}

// cut is the table with its first n columns.
func (t Grid) cut(n int) Grid {
	out := t
	out.Columns, out.Rows = t.Columns[:n], make([][]Cell, len(t.Rows))
	for i, row := range t.Rows {
		out.Rows[i] = row[:n]
	}
	return out
}

// The places that cells and items refer to.
func figurePlace(id string) string { return "f\x00" + id }
func factPlace(id string) string   { return "fact\x00" + id }
func fieldPlace(id string) string  { return "a\x00" + id }

// Tables are the tables of a document under their names, each name once.
func (d *Document) Tables() (names []string, tables map[string]Grid) {
	tables = map[string]Grid{}
	add := func(s Section, t Grid) {
		name := cmp.Or(slug(t.ID), slug(t.Title), slug(s.ID), "table")
		unique := name
		for n := 2; tables[unique].Columns != nil; n++ {
			unique = name + "-" + strconv.Itoa(n)
		}
		names, tables[unique] = append(names, unique), t
	}
	for _, s := range d.Sections {
		eachTable(s.Blocks, func(t Grid) { add(s, t) })
	}
	return names, tables
}

// eachTable calls add with all that is a table, or can be one.
func eachTable(blocks []Block, add func(t Grid)) {
	for _, b := range blocks {
		switch b := b.(type) {
		case Grid:
			if len(b.Rows) > 0 {
				add(b)
			}
		case Gauges:
			add(b.table())
		case Figures:
			add(b.table())
		case Layers:
			for _, n := range b.Nodes {
				add(layerGrid(n, b.Words))
			}
		case Timeline:
			for _, t := range newTimeView(b.Timeline, 0).tables() {
				if len(t.Rows) > 0 {
					add(t)
				}
			}
		case Findings:
			add(b.table())
		case Fold:
			eachTable(b.Blocks, add)
		}
	}
}

// slug is a name in small letters, digits, dots and dashes.
func slug(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '.':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, s)
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '-' }), "-")
}

// table is the findings as one.
func (f Findings) table() Grid {
	t := Grid{ID: "findings", Prose: true, Columns: heads("Severity", "Where", "What is wrong", "Remedy", "Rule", "About")}
	for _, x := range f.List {
		t.row(string(x.Severity), whereFound(x), x.Message, x.Remedy, x.ID, aboutFinding(x))
	}
	return t
}

// table is the gauges as one, with their doubts.
func (g Gauges) table() Grid {
	t := Grid{ID: "limits", Columns: heads("Verdict", "Limit", "", ">Used", ">Planned", ">Limit", "Kind", "Source", "Id")}
	t.Columns[2].Code, t.Columns[8].Code = true, true
	for _, x := range slices.Concat(g.List, g.Rest) {
		value, most := pair(x.Value, x.Limit)
		t.Rows = append(t.Rows, []Cell{{Text: string(x.Verdict), Style: loud(x.Verdict)}, {Text: scoped(x.Gauge)}, {Text: asciiBar(x.Share, barWidth)}, {Text: percent(x.Share)},
			{Text: value}, {Text: most}, {Text: string(x.Kind)}, {Text: limitSource(x.Limit)}, {Text: x.ID}})
		for _, d := range x.Doubts {
			t.Rows = append(t.Rows, []Cell{{Text: string(d.Verdict), Style: loud(d.Verdict)}, {Text: "or, in doubt"}, {Text: asciiBar(d.Share, barWidth)}, {Text: percent(d.Share)},
				{}, {Text: d.Limit.Text}, {}, {Text: limitSource(d.Limit)}, {Text: x.ID}})
		}
	}
	return t
}

// loud is the style of a verdict that must be seen.
func loud(v limit.Verdict) table.Style {
	if v == limit.Passed {
		return table.Bold
	}
	return table.Plain
}

// table is the figures as one.
func (f Figures) table() Grid {
	t := Grid{ID: "figures", Columns: heads("Figure", ">Value", "Id")}
	t.Columns[2].Code = true
	for _, x := range slices.Concat(f.List, f.Details) {
		t.Rows = append(t.Rows, []Cell{{Text: x.Title}, {Text: x.Value.Text, Style: table.Bold}, {Text: x.ID}})
	}
	return t
}

// figures are figures with the steps to them.
func (ix *index) figureViews(list []derive.Figure) []Figure {
	out := make([]Figure, len(list))
	for i, f := range list {
		out[i] = Figure{explanation: explain(f)}
		for _, in := range f.Inputs {
			out[i].Steps = append(out[i].Steps, ix.input(in.Name, in.Value))
		}
	}
	return out
}

// input is a value of a formula and where it comes from.
func (ix *index) input(name string, v derive.Value) Item {
	return ix.from(Item{Text: strings.TrimPrefix(name+" = ", " = ") + v.Text + behind(exact(v))}, v)
}

// behind is a remark in parentheses.
func behind(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

// from says of an item where its value comes from.
func (ix *index) from(item Item, v derive.Value) Item {
	item.Link = origin(v.From)
	if r := v.From; r != nil {
		switch r.Kind {
		case derive.FromFigure:
			item.To = figurePlace(r.ID)
			if f, ok := ix.figures[r.ID]; ok {
				item.Link = f.Title + " [" + r.ID + "]"
			}
		case derive.FromFact:
			item.To = factPlace(r.ID)
		case derive.FromDefault:
			item.To = fieldPlace(r.ID)
		}
	}
	return item
}

// write writes a document in a format of Formats.
func (d *Document) write(w io.Writer, format string, opt Options) error {
	var out string
	var err error
	switch format {
	case Table, Wide, "":
		out = documentText(d, format, opt)
	case JSON:
		out, err = toJSON(d.Value)
	case YAML:
		out, err = toYAML(d.Value)
	case Markdown:
		out = documentMarkdown(d)
	case HTML:
		out = documentHTML(d)
	case Name:
		for _, n := range d.Names {
			out += oneLine(n) + "\n"
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

// isText reports whether a format is text for terminals.
func isText(format string) bool { return format == Table || format == Wide || format == "" }

// short reports whether a format leaves out what is not essential.
func short(format string) bool { return format == Table || format == "" }
