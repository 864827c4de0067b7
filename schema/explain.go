package schema

import (
	"encoding/json"
	"strings"
)

// values is the schema of a mapping's values.
func (n node) values() node {
	var v node
	if err := json.Unmarshal(n.Values, &v); err != nil {
		return node{} // true or false: no schema of their own
	}
	return v
}

// textWidth is the width at which explanations are broken.
const textWidth = 78

// Explain writes what a person wants to know about a field: type, default,
// allowed values, description, and for objects the fields with their first
// sentence. The empty path explains the whole scenario. The error for a path
// that doesn't exist names the nearest field.
func Explain(path string) (string, error) {
	f, err := Lookup(path)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	row := func(title, value string) {
		if value != "" {
			b.WriteString(title + strings.Repeat(" ", 10-len(title)) + value + "\n")
		}
	}
	kind := "Scenario"
	if strings.HasPrefix(f.Path, Health) {
		kind = Health
	}
	row("KIND:", kind)
	row("VERSION:", "plimsoll.dev/v1alpha1")
	row("FIELD:", f.Path)
	row("TYPE:", f.typeLine())
	row("DEFAULT:", f.defaultLine())
	row("ALLOWED:", f.Allowed)
	row("PLATFORM:", strings.Join(f.Platforms, ", "))
	b.WriteString("\nDESCRIPTION:\n" + wrap(f.Description, "  "))
	if len(f.Fields) > 0 {
		b.WriteString("\nFIELDS:\n")
	}
	for _, child := range f.Fields {
		name := child.Path[strings.LastIndexByte(child.Path, '.')+1:]
		b.WriteString("  " + name + "  <" + child.typeLine() + ">\n")
		b.WriteString(wrap(FirstSentence(child.Description), "      "))
	}
	return b.String(), nil
}

func (f Field) typeLine() string {
	if f.Required {
		return f.Type + ", required"
	}
	return f.Type
}

func (f Field) defaultLine() string {
	switch {
	case f.Required, len(f.Fields) > 0:
		return ""
	case f.Default != "" && f.Fact != "":
		return f.Default + " (fact " + f.Fact + ")"
	case f.Default != "":
		return f.Default
	case strings.Contains(f.Description, "The default "):
		return "depends, see the description"
	}
	return "not set"
}

// FirstSentence is the text up to the first full stop that ends a sentence.
func FirstSentence(text string) string {
	if i := strings.Index(text, ". "); i >= 0 {
		return text[:i+1]
	}
	return text
}

// wrap breaks text between words and indents each line.
func wrap(text, indent string) string {
	var b strings.Builder
	line := indent
	for _, word := range strings.Fields(text) {
		if len(line)+len(word)+1 > textWidth && line != indent {
			b.WriteString(line + "\n")
			line = indent
		}
		if line != indent {
			line += " "
		}
		line += word
	}
	return b.String() + line + "\n"
}
