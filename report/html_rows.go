package report

import "strings"

// rowsView is a table; a heading that begins with ">" is aligned to the right,
// with its column.
type rowsView struct {
	Title string
	Head  []headView
	Rows  [][]headView
	Notes []string
}

// headView is a heading or a cell. Keep keeps a short name on one line.
type headView struct {
	Title       string
	Right, Keep bool
	// Long text gets some width, also on a phone.
	Long bool
}

// Lengths of a name that stays on one line, and from which a text is long; rows
// from which a table is folded.
const (
	keptName = 32
	longText = 24
	manyRows = 40
)

// Fold is what the summary of a table with many rows says; else it is empty.
func (v *rowsView) Fold() string {
	if len(v.Rows) < manyRows {
		return ""
	}
	return foldTitle(len(v.Rows))
}

// foldTitle is the summary of so many rows that are folded.
func foldTitle(rows int) string { return "All " + whole(rows) + " rows" }

// newRows makes a table of headings and cells.
func newRows(title string, head []string, rows [][]string, notes ...string) *rowsView {
	if len(rows) == 0 {
		return nil
	}
	v := &rowsView{Title: title, Notes: notes}
	for _, h := range head {
		name, right := strings.CutPrefix(h, ">")
		v.Head = append(v.Head, headView{Title: name, Right: right})
	}
	for _, row := range rows {
		var cells []headView
		for i, text := range row {
			cells = append(cells, headView{Title: text, Right: i < len(v.Head) && v.Head[i].Right, Keep: i == 0 && len(text) <= keptName, Long: len(text) >= longText})
		}
		v.Rows = append(v.Rows, cells)
	}
	return v
}
