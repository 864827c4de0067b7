package report

import (
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/tune/cell"
)

// listTable has a cell with entries and a wide column.
func listTable() v1alpha1.Table {
	entries := v1alpha1.Cell{Text: "no a; b; c; d; e", List: []string{"no a", "b", "c", "d", "e"}}
	one := v1alpha1.Cell{Text: "nothing", List: []string{"nothing"}}
	return v1alpha1.Table{Title: "Models", Columns: cell.Columns("Model", "Reasons", "*Why"),
		Rows: [][]v1alpha1.Cell{{{Text: "x", Mark: "bad"}, entries, {Text: "so"}}, {{Text: "y"}, one, {Text: "thus"}}}}
}

func TestPlanTable(t *testing.T) {
	for format, want := range map[string]string{
		Table: `
  Models:
  Model  Reasons
  -----  ----------------------
  ! x    - no a
         - b
         - c
         - and 2 more (-o wide)
  y      nothing
  - With -o wide also: why.
`,
		Wide: `
  Models:
  Model  Reasons  Why
  -----  -------  ----
  ! x    - no a   so
         - b
         - c
         - d
         - e
  y      nothing  thus
`} {
		x := newText(Options{}, format)
		x.drawGrid(gridOf(listTable(), format))
		if got := x.b.String(); got != want {
			t.Errorf("%s:%s", format, got)
		}
	}
	m := &markdown{}
	m.drawGrid(gridOf(listTable(), Markdown))
	if want := "- no a<br>- b<br>- c<br>- d<br>- e | so |\n"; !strings.Contains(m.b.String(), want) {
		t.Errorf("lacks %s: %s", want, m.b.String())
	}
}

// TestPlanTableTooNarrow: a block of a row whose first cell is a number says what it
// is a number of.
func TestPlanTableTooNarrow(t *testing.T) {
	src := v1alpha1.Table{Columns: cell.Columns(">Node", ">Memory of the node", ">Memory of the platform")}
	src.Rows = [][]v1alpha1.Cell{cell.Texts("0", "64,000,000,000,000 GiB", "64,000,000,000,000 GiB")}
	x := newText(Options{Width: 40}, Table)
	x.drawGrid(gridOf(src, Table))
	if got := x.b.String(); !strings.HasPrefix(got, "  Node 0\n    Memory of the node:") {
		t.Error(got)
	}
}
