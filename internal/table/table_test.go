package table

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "plimsoll.dev/internal/seed"
)

func limits() Table {
	t := Table{Columns: []Column{{Title: "Limit"}, {Title: "Planned", Right: true}, {Title: "Source"}}}
	t.Add("Nodes", "138", "OCP 9.2")
	t.Add("Pods per node", "246", "OpenShift 4.17 docs, Planning your environment")
	return t
}

func TestString(t *testing.T) {
	tests := map[string]struct {
		limit int
		want  string
	}{
		"no limit": {0, `
Limit          Planned  Source
-------------  -------  ----------------------------------------------
Nodes              138  OCP 9.2
Pods per node      246  OpenShift 4.17 docs, Planning your environment
`},
		"the widest text wraps": {50, `
Limit          Planned  Source
-------------  -------  --------------------------
Nodes              138  OCP 9.2
Pods per node      246  OpenShift 4.17 docs,
                        Planning your environment
`},
		"too narrow for columns": {24, `
Nodes
  Planned: 138
  Source: OCP 9.2
Pods per node
  Planned: 246
  Source: OpenShift
    4.17 docs, Planning
    your environment
`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want[1:], limits().String(tt.limit)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestColorKeepsAlignment(t *testing.T) {
	table := Table{Columns: []Column{{Title: "A"}, {Title: "B", Right: true}}, Color: true}
	table.AddCells(Cell{Text: "x", Style: Bad}, Cell{Text: "1", Style: Good})
	painted := table.String(0)
	if !strings.Contains(painted, "\x1b[1;31mx\x1b[0m") {
		t.Errorf("not painted: %q", painted)
	}
	table.Color = false
	for _, code := range []string{"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[1;31m", "\x1b[32m"} {
		painted = strings.ReplaceAll(painted, code, "")
	}
	if diff := cmp.Diff(table.String(0), painted); diff != "" {
		t.Error(diff)
	}
}

func TestWidth(t *testing.T) {
	for s, want := range map[string]int{"": 0, "abc": 3, "größe": 5, "e\u0301": 1, "節點": 4, "a\u200db": 2} {
		if got := Width(s); got != want {
			t.Errorf("Width(%q) = %d, want %d", s, got, want)
		}
	}
}

func TestClean(t *testing.T) {
	for s, want := range map[string]string{
		"plain":              "plain",
		"two\nlines\ttab":    "two lines tab",
		"\x1b[31mred":        `\x1b[31mred`,
		"right\u202eto left": `right\u{202e}to left`,
		"broken \xff byte":   "broken \ufffd byte",
	} {
		if got := Clean(s); got != want {
			t.Errorf("Clean(%q) = %q, want %q", s, got, want)
		}
	}
}

// texts draws words of any characters, long ones among them.
func texts() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.StringMatching(`[a-z0-9.,/ \[\]]{0,60}`),
		rapid.StringN(0, 20, -1),
		rapid.SampledFrom([]string{"", "節點節點節點節點節點節點", "network.clusterNetwork[0].cidr"}),
	)
}

func TestWrapLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, limit := Clean(texts().Draw(t, "s")), rapid.IntRange(2, 40).Draw(t, "limit")
		squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
		lines := Wrap(s, limit)
		if got := squeeze(strings.Join(lines, "")); got != squeeze(s) {
			t.Fatalf("Wrap(%q, %d) = %q", s, limit, lines)
		}
		for _, line := range lines {
			if Width(line) > limit {
				t.Fatalf("%q is %d columns, not %d", line, Width(line), limit)
			}
		}
	})
}

// A word that takes no column (a combining mark alone) is a word.
func TestWrapKeepsWordsWithoutWidth(t *testing.T) {
	for s, want := range map[string]string{"A \u0300": "A|\u0300", "\u0300 AA": "\u0300|A|A"} {
		if got := strings.Join(Wrap(s, 1), "|"); got != want {
			t.Errorf("Wrap(%+q, 1) = %+q, want %+q", s, got, want)
		}
	}
}

func TestNoLineIsTooLong(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := Table{Indent: "  ", Bare: rapid.Bool().Draw(t, "bare")}
		for range rapid.IntRange(1, 6).Draw(t, "columns") {
			table.Columns = append(table.Columns, Column{Title: texts().Draw(t, "title"), Right: rapid.Bool().Draw(t, "right")})
		}
		for range rapid.IntRange(0, 4).Draw(t, "rows") {
			row := make([]string, len(table.Columns))
			for i := range row {
				row[i] = texts().Draw(t, "cell")
			}
			table.Add(row...)
		}
		limit := rapid.IntRange(30, 100).Draw(t, "limit")
		for line := range strings.Lines(table.String(limit)) {
			if w := Width(strings.TrimSuffix(line, "\n")); w > limit {
				t.Fatalf("%q is %d columns, not %d", line, w, limit)
			}
		}
	})
}
