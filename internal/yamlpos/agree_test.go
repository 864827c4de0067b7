package yamlpos

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"
	"pgregory.net/rapid"

	_ "plimsoll.dev/internal/seed"
)

// A random document, written in random ways, is read as another YAML library
// reads it: the same values at the same places.
func TestAgainstAnotherParser(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := writer{t: t}
		w.block(0, 3, rapid.Bool().Draw(t, "list"))
		text := w.b.String()
		tree, problems := Parse("f", []byte(text))
		if len(problems) > 0 {
			t.Fatalf("%s\n%v", text, problems)
		}
		var doc yaml.Node
		if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatalf("the other parser: %v\n%s", err, text)
		}
		var ours, theirs strings.Builder
		dump(&ours, tree.Root, "")
		other(&theirs, doc.Content[0], nil, "")
		if diff := cmp.Diff(theirs.String(), ours.String()); diff != "" {
			t.Fatalf("%s\n(-other +ours):\n%s", text, diff)
		}
	})
}

// other dumps what the other library read, in the form of dump.
func other(b *strings.Builder, n, key *yaml.Node, indent string) {
	switch n.Kind {
	case yaml.SequenceNode:
		fmt.Fprintf(b, "%s%d:%d %s %q\n", indent, n.Line, n.Column, List, "")
		for _, item := range n.Content {
			other(b, item, nil, indent+"- ")
		}
	case yaml.MappingNode:
		fmt.Fprintf(b, "%s%d:%d %s %q\n", indent, n.Line, n.Column, Map, "")
		for i := 0; i < len(n.Content); i += 2 {
			k := n.Content[i]
			fmt.Fprintf(b, "%s%d:%d %q:\n", indent, k.Line, k.Column, k.Value)
			other(b, n.Content[i+1], k, indent+"  ")
		}
	default:
		at, kind := n, Text
		if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0 {
			kind = classify(n.Value)
		}
		if kind == Null && n.Value == "" && key != nil {
			at = key // we put what isn't there at its key
		}
		fmt.Fprintf(b, "%s%d:%d %s %q\n", indent, at.Line, at.Column, kind, n.Value)
	}
}

// writer writes a random document.
type writer struct {
	t *rapid.T
	b strings.Builder
}

func (w *writer) pick(options ...string) string { return rapid.SampledFrom(options).Draw(w.t, "pick") }

// end ends a line: blanks, a comment, empty lines, comment lines.
func (w *writer) end() {
	w.b.WriteString(w.pick("", "", " ", "   ", " # comment", "  # a: b", " #") + w.pick("\n", "\n", "\n\n", "\r\n", "\n# between\n", "\n   # deeper\n"))
}

// block writes a mapping or a list with one entry a line.
func (w *writer) block(indent, depth int, list bool) {
	for i := range rapid.IntRange(1, 4).Draw(w.t, "entries") {
		w.b.WriteString(strings.Repeat(" ", indent))
		if list {
			w.b.WriteString("-" + strings.Repeat(" ", rapid.IntRange(1, 3).Draw(w.t, "gap")))
			w.b.WriteString(w.inline(2))
			w.end()
			continue
		}
		key := w.pick("k", "a b", "nvidia.com/gpu", "日本", "x-y") + strconv.Itoa(i)
		w.b.WriteString(w.pick(key, key, `"`+key+`"`, "'"+key+"'") + w.pick("", "", " ") + ":")
		if depth > 0 && rapid.Bool().Draw(w.t, "nested") {
			w.end()
			w.block(indent+rapid.IntRange(1, 4).Draw(w.t, "deeper"), depth-1, rapid.Bool().Draw(w.t, "list"))
			continue
		}
		w.value(indent)
	}
}

// value writes a value behind a key, in its line or below it.
func (w *writer) value(indent int) {
	deeper := strings.Repeat(" ", indent+2)
	switch rapid.IntRange(0, 9).Draw(w.t, "form") {
	case 0:
		w.end() // nothing
	case 1:
		w.b.WriteString(w.pick(" |", " >", " |-", " >-") + "\n" + deeper + "some text\n" + deeper + "of lines # kept\n")
	case 2:
		w.b.WriteString("\n" + deeper + w.inline(2))
		w.end()
	case 3:
		quote := w.pick("", `"`, "'")
		w.b.WriteString(" " + quote + "some text\n" + deeper + "over two lines" + quote)
		w.end()
	default:
		w.b.WriteString(strings.Repeat(" ", rapid.IntRange(1, 3).Draw(w.t, "gap")) + w.inline(2))
		w.end()
	}
}

// inline writes a value in one line.
func (w *writer) inline(depth int) string {
	form := rapid.IntRange(0, 5).Draw(w.t, "inline")
	if depth == 2 && form == 2 { // in brackets these need quotes
		return w.pick("a:b", "fd01::/48", "-a", "a, b", "x]", "?x")
	}
	if depth == 0 || form > 1 {
		return w.pick("16Gi", "4.10", "08", "-3", "true", "yes", "~", "null", "http://a.b/c#d", "a b  c", "bb", "aa-a", "日本語",
			`"q: # x"`, `"\u00e9\t\"x\\"`, "'it''s'", `""`, "1_000", "x#y", "2020-01-01", "<<<", "...", ".5", "1e3")
	}
	var parts []string
	for i := range rapid.IntRange(0, 3).Draw(w.t, "parts") {
		part := w.inline(depth - 1)
		if form == 1 {
			part = "k" + strconv.Itoa(i) + ": " + part
		}
		parts = append(parts, part)
	}
	inner := strings.Join(parts, w.pick(", ", ",  ", " , ")) + w.pick("", " ")
	if form == 1 {
		return "{" + w.pick("", " ") + inner + "}"
	}
	return "[" + inner + "]"
}
