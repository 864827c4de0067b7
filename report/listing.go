package report

import (
	"strings"

	"plimsoll.dev/internal/table"
)

// listingLines is the number of lines of a text that the default output shows.
const listingLines = 40

// tabStop is the distance of a terminal's tab stops.
const tabStop = 8

// bodyLines are the lines of a text without their ends.
func bodyLines(body string) []string {
	if body == "" {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSuffix(l, "\r")
	}
	return lines
}

// diffStyle is how a line of a difference is painted.
func diffStyle(line string) table.Style {
	switch {
	case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
		return table.Bold
	case strings.HasPrefix(line, "+"):
		return table.Good
	case strings.HasPrefix(line, "-"):
		return table.Bad
	case strings.HasPrefix(line, "@@"):
		return table.Faint
	}
	return table.Plain
}

// verbatim writes a line with its blanks behind an indent. What is wider than the
// report goes on below, and a backslash says so.
func (t *text) verbatim(indent string, style table.Style, line string) {
	rest := table.Clean(expanded(line))
	for t.width > 0 && len(indent)+table.Width(rest) > t.width {
		head := table.Cut(rest, t.width-len(indent)-1)
		t.b.WriteString(indent + t.paint(style, head+`\`) + "\n")
		rest = rest[len(head):]
	}
	t.b.WriteString(strings.TrimRight(indent+t.paint(style, rest), " ") + "\n")
}

// expanded is a line with blanks in place of its tabs.
func expanded(line string) string {
	if !strings.Contains(line, "\t") {
		return line
	}
	var b strings.Builder
	for i, part := range strings.Split(line, "\t") {
		if i > 0 {
			b.WriteString(strings.Repeat(" ", tabStop-table.Width(b.String())%tabStop))
		}
		b.WriteString(part)
	}
	return b.String()
}
