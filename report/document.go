package report

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
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
	// Lines is how many the default text has at most, 0 as many as there are. Its sections have
	// room in the order of First, and the others after these; those without are named instead.
	Lines int
	First []string
	// Foot stands at the end of the default text, and says what that leaves out.
	Foot []string
	// Why and Again are the commands that explain a number and that write the whole
	// document; empty where there is none.
	Why, Again string
	// Findings are all that the answer has, whatever its blocks show; Judged says that
	// it is of a kind that has findings.
	Findings []v1alpha1.Finding
	Judged   bool
	// Aside is what counts no more, for formats that have a word for that. Baseline says that Findings are what an
	// earlier answer does not have.
	Aside    []v1alpha1.Aside
	Baseline bool
	// Names are the lines of format name.
	Names []string
	// Value is what JSON and YAML are made from.
	Value any
}

// Verdict is an answer in a sentence, and in a few more.
type Verdict struct {
	// Mark is "good", "warn", "bad" or nothing.
	Mark, Text string
	// Open says that the answer lacks something that it needs, so that it is not good.
	Open  bool
	More  []string
	Named []Named
}

// Named are sentences behind their name.
type Named struct {
	Name string
	Says []string
}

// Section is a part of a document under a heading.
type Section struct {
	// ID is stable, and Title stands above. Nav is its name in a page's contents, where
	// that is shorter.
	ID, Title, Nav string
	Blocks         []Block
	// Folded is closed on a page until somebody wants it.
	Folded bool
}

// summary is what a section says first, or how much it has, and the other blocks.
func (s Section) summary() (says string, rest []Block) {
	switch b := s.Blocks[0].(type) {
	case Para:
		return b.Text, s.Blocks[1:]
	case Figures:
		return words.Count(len(b.List)+len(b.Details), "figure"), s.Blocks
	case Grid:
		return words.Count(len(b.Rows), "row"), s.Blocks
	case Layers:
		return words.Count(len(b.Nodes), "kind") + " of " + b.Words.Place, s.Blocks
	}
	return "", s.Blocks
}

// foldAll folds all sections of a page but the named ones.
func (d *Document) foldAll(open ...string) {
	for i, s := range d.Sections {
		d.Sections[i].Folded = !slices.Contains(open, s.ID)
	}
}

// add adds a section, unless it is empty.
func (d *Document) add(id, title string, blocks ...Block) {
	d.addAs(id, title, "", blocks...)
}

// addAs is add with a name for the page's contents.
func (d *Document) addAs(id, title, nav string, blocks ...Block) {
	blocks = slices.DeleteFunc(blocks, vacant)
	if len(blocks) > 0 {
		d.Sections = append(d.Sections, Section{ID: id, Title: title, Nav: cmp.Or(nav, title), Blocks: blocks})
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
		return len(b.All) == 0
	case Charts:
		return len(b.List) == 0
	case Legend:
		return len(b) == 0
	case Fold:
		return !slices.ContainsFunc(b.Blocks, func(x Block) bool { return !vacant(x) })
	}
	return false
}

// The places that cells and items refer to.
func figurePlace(id string) string { return "f\x00" + id }
func factPlace(id string) string   { return "fact\x00" + id }
func fieldPlace(id string) string  { return "a\x00" + id }

// toFigure is the place of a figure; of none without an id.
func toFigure(id string) string {
	if id == "" {
		return ""
	}
	return figurePlace(id)
}

// Tables are the tables of a document under their names, each name once.
func (d *Document) Tables() (names []string, tables map[string]Grid) {
	tables = map[string]Grid{}
	add := func(s Section, t Grid) {
		name := cmp.Or(slug(t.ID), slug(t.Title), slug(s.ID), "table")
		if all, ok := tables[name]; ok && t.ID == figuresID { // of all sections
			all.Rows = append(all.Rows, t.Rows...)
			tables[name] = all
			return
		}
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
		case Course:
			for _, t := range newCourseView(b.Course, 0).tables() {
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

// write writes a document in a format of Formats.
func (d *Document) write(w io.Writer, format string, opt Options) error {
	if err := d.only(opt.Section); err != nil {
		return err
	}
	var out string
	var err error
	switch format {
	case Table, Wide, "":
		out = documentText(d, format, opt)
	case JSON:
		out, err = toJSON(d.Value, opt.MadeBy)
	case YAML:
		out, err = toYAML(d.Value, opt.MadeBy)
	case Markdown:
		out = documentMarkdown(d)
	case HTML:
		out = documentHTML(d, opt.MadeBy)
	case JUnit:
		out, err = d.junit()
	case SARIF:
		out, err = d.sarif(opt.MadeBy)
	case CSV:
		out, err = d.csv(opt.Table)
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
