package yamlpos

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	_ "plimsoll.dev/internal/seed"
)

// A random document, written in random ways, has the values that Kubernetes reads from
// it, by a library that knows no places; and each stands where the tree says.
func TestAsKubernetesReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := writer{t: t}
		w.block(0, 3, rapid.Bool().Draw(t, "list"))
		text := w.b.String()
		tree, problems := Parse("f", []byte(text))
		if len(problems) > 0 {
			t.Fatalf("%s\n%v", text, problems)
		}
		if diff := cmp.Diff(kubernetes(t, text), plain(t, tree.Root.Value())); diff != "" {
			t.Fatalf("%s\n(-Kubernetes +ours):\n%s", text, diff)
		}
		p := placed{t: t, lines: splitLines([]byte(text))}
		p.value(tree.Root)
	})
}

// fatal is what a test of either kind has.
type fatal interface {
	Helper()
	Fatalf(format string, args ...any)
}

// kubernetes is what Kubernetes makes of a text.
func kubernetes(t fatal, text string) any {
	t.Helper()
	raw, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatalf("Kubernetes: %v\n%s", err, text)
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

// plain is a value as JSON has it.
func plain(t fatal, v any) (out any) {
	t.Helper()
	raw, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		t.Fatalf("%v: %v", v, err)
	}
	return out
}

// Where YAML 1.1, which Kubernetes reads, and 1.2 differ, the tree has what stands in
// the file: a scenario's "no" is a word, and whoever checks manifests sees both.
func TestWhereKubernetesReadsOtherwise(t *testing.T) {
	for _, c := range []struct {
		text       string
		ours, kube any
	}{
		{"yes", "yes", true}, {"off", "off", false}, {"y", "y", true}, {"True", true, true},
		{"1_000", "1_000", 1000.0}, {"1:30", "1:30", "1:30"}, {"0644", 420.0, 420.0}, {"08", 8.0, 8.0},
		{"0o17", 15.0, 15.0}, {"0b11", 3.0, 3.0}, {"0x1F", 31.0, 31.0}, {"+12", 12.0, 12.0}, {"1e3", 1000.0, 1000.0},
		{".5", 0.5, 0.5}, {"4.10", 4.1, 4.1}, {"2020-01-01", "2020-01-01", "2020-01-01"}, {"16Gi", "16Gi", "16Gi"},
		{"~", nil, nil}, {"NULL", nil, nil}, {"9007199254740993", 9007199254740993.0, 9007199254740993.0},
		{"123456789012345678901", 123456789012345678901.0, 123456789012345678901.0},
	} {
		text := "a: " + c.text + "\n"
		ours := plain(t, parse(t, text).Root.Value()).(map[string]any)["a"]
		kube := kubernetes(t, text).(map[string]any)["a"]
		if ours != c.ours || kube != c.kube {
			t.Errorf("%s is %#v to us, %#v to Kubernetes", c.text, ours, kube)
		}
	}
}

// placed checks that everything stands where it says, each behind the one before.
type placed struct {
	t     *rapid.T
	lines [][]byte
	last  place
}

// begins checks that a place is not before the last one, and begins with one of the signs.
func (p *placed) begins(line, col int, signs string) {
	rest := p.lines[line-1][offsetOf(p.lines[line-1], col):]
	first, _ := utf8.DecodeRune(rest)
	if line < p.last.line || line == p.last.line && col < p.last.col || !strings.ContainsRune(signs, first) {
		p.t.Fatalf("%d:%d behind %v: %q does not begin with one of %q", line, col, p.last, rest, signs)
	}
	p.last = place{line, col}
}

func (p *placed) value(n *Node) {
	first, _ := utf8.DecodeRuneInString(n.Text)
	switch {
	case n.Kind == List:
		p.begins(n.Line, n.Col, "[-")
	case n.Kind == Map:
		for _, e := range n.Entries[:min(1, len(n.Entries))] {
			if n.Line != e.Line || n.Col != e.Col {
				p.begins(n.Line, n.Col, "{")
			}
		}
	case n.Kind == Text && strings.Contains(n.Text, "some text"):
		p.begins(n.Line, n.Col, `s"'|>`)
	case n.Kind == Text:
		p.begins(n.Line, n.Col, string(first)+`"'`)
	case n.Text != "":
		p.begins(n.Line, n.Col, string(first))
	}
	for _, item := range n.Items {
		p.value(item)
	}
	for _, e := range n.Entries {
		p.begins(e.Line, e.Col, e.Key[:1]+`"'日`)
		p.value(e.Value)
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
	w.b.WriteString(w.pick("", "", " ", "   ", " # comment", "  # a: b", " #") +
		w.pick("\n", "\n", "\n\n", "\r\n", "\n# between\n", "\n   # deeper\n"))
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
		return w.pick("16Gi", "4.10", "08", "-3", "true", "~", "null", "http://a.b/c#d", "a b  c", "bb", "aa-a", "日本語",
			`"q: # x"`, `"\u00e9\t\"x\\"`, "'it''s'", `""`, "x#y", "2020-01-01", "<<<", "...", ".5", "1e3")
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
