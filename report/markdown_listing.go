package report

import (
	"cmp"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
)

// apart are the findings that stand in files, and the others.
func apart(list []v1alpha1.Finding) (placed, rest []v1alpha1.Finding) {
	for _, f := range list {
		if inFile(f) {
			placed = append(placed, f)
		} else {
			rest = append(rest, f)
		}
	}
	return placed, rest
}

// listing writes a text as it is, but for control characters.
func (m *markdown) listing(x v1alpha1.Text) {
	if x.Title != "" {
		m.para("**" + md(x.Title) + "**")
	}
	lines := bodyLines(x.Body)
	for i, l := range lines {
		lines[i] = cleanLine(l)
	}
	m.fenced(language(x.Language), strings.Join(lines, "\n"))
}

// cleanLine is a line without control characters, but with its tabs.
func cleanLine(l string) string {
	parts := strings.Split(l, "\t")
	for i, p := range parts {
		parts[i] = table.Clean(p)
	}
	return strings.Join(parts, "\t")
}

// language is the name of a language as a fence may have it.
func language(name string) string {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") != "" {
		return "text"
	}
	return cmp.Or(name, "text")
}

// fenced writes a text between fences that are longer than any inside.
func (m *markdown) fenced(language, body string) {
	fence, run := 3, 0
	for _, c := range []byte(body) {
		if c == '`' {
			run++
			fence = max(fence, run+1)
		} else {
			run = 0
		}
	}
	marks := strings.Repeat("`", fence)
	m.para(marks + language + "\n" + strings.TrimRight(body, "\n") + "\n" + marks)
}
