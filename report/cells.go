package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

// listedName is the length of a name up to which a list of names is joined.
const listedName = 24

// slim is a table without the columns that say nothing in any row, and with lists of
// names in a line.
func slim(src v1alpha1.Table) v1alpha1.Table {
	said := make([]bool, len(src.Columns))
	for _, row := range src.Rows {
		for i := range min(len(row), len(said)) {
			said[i] = said[i] || row[i].Text != "" || len(row[i].List) > 0
		}
	}
	out := src
	out.Columns, out.Rows = nil, make([][]v1alpha1.Cell, len(src.Rows))
	for i, c := range src.Columns {
		if !said[i] {
			continue
		}
		out.Columns = append(out.Columns, c)
		for j, row := range src.Rows {
			cell := v1alpha1.Cell{}
			if i < len(row) {
				cell = row[i]
			}
			if areNames(cell.List) {
				cell.Text, cell.List = joinedNames(cell.List), nil
			}
			out.Rows[j] = append(out.Rows[j], cell)
		}
	}
	return out
}

// areNames says whether a list has but short names without blanks.
func areNames(list []string) bool {
	return len(list) > 1 && !slices.ContainsFunc(list, func(s string) bool { return len(s) > listedName || strings.Contains(s, " ") })
}

// joinedNames are names in a line: with ranges in the order of their numbers, or as
// they are where that makes no range.
func joinedNames(names []string) string {
	sorted := slices.Clone(names)
	slices.SortFunc(sorted, func(a, b string) int {
		x, n := apartNumber(a)
		y, m := apartNumber(b)
		return cmp.Or(strings.Compare(x, y), len(n)-len(m), strings.Compare(n, m))
	})
	if folded := foldedNames(sorted); strings.Contains(folded, "[") {
		return folded
	}
	return strings.Join(names, ", ")
}

// foldedNames writes names with ranges where three or more follow each other:
// "worker-[1-10], infra-0".
func foldedNames(names []string) string {
	var parts []string
	for i := 0; i < len(names); {
		j := i + 1
		for j < len(names) && follows(names[j-1], names[j]) {
			j++
		}
		if j-i < 3 {
			parts = append(parts, names[i:j]...)
		} else {
			stem, first := apartNumber(names[i])
			_, last := apartNumber(names[j-1])
			parts = append(parts, fmt.Sprintf("%s[%s-%s]", stem, first, last))
		}
		i = j
	}
	return strings.Join(parts, ", ")
}

// follows says whether b is the name after a: the same with the next number.
func follows(a, b string) bool {
	stem, digits := apartNumber(a)
	if digits == "" || strings.Trim(digits, "9") == "" && digits[0] == '0' {
		return false
	}
	next := []byte(digits)
	i := len(next) - 1
	for i >= 0 && next[i] == '9' {
		next[i] = '0'
		i--
	}
	if i < 0 {
		return b == stem+"1"+string(next)
	}
	next[i]++
	return b == stem+string(next)
}

// apartNumber cuts a name before the number at its end.
func apartNumber(name string) (stem, digits string) {
	stem = strings.TrimRight(name, "0123456789")
	return stem, name[len(stem):]
}

// withoutWide is the table without its wide columns, and says so.
func withoutWide(src v1alpha1.Table) v1alpha1.Table {
	if !slices.ContainsFunc(src.Columns, func(c v1alpha1.Column) bool { return c.Wide }) {
		return src
	}
	out := v1alpha1.Table{Title: src.Title, Notes: slices.Clone(src.Notes), Rows: make([][]v1alpha1.Cell, len(src.Rows))}
	var names []string
	for i, c := range src.Columns {
		if c.Wide {
			names = append(names, c.Title)
			continue
		}
		out.Columns = append(out.Columns, c)
		for j, row := range src.Rows {
			if i < len(row) {
				out.Rows[j] = append(out.Rows[j], row[i])
			}
		}
	}
	out.Notes = append(out.Notes, "With -o wide also: "+strings.ToLower(strings.Join(names, ", "))+".")
	return out
}
