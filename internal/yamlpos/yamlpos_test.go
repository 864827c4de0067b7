package yamlpos

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func parse(t testing.TB, text string) *Tree {
	t.Helper()
	tree, problems := Parse("f.yaml", []byte(text))
	if len(problems) > 0 {
		t.Fatalf("%q:\n%v", text, problems)
	}
	return tree
}

// dump writes a tree with its positions, one node a line.
func dump(b *strings.Builder, n *Node, indent string) {
	fmt.Fprintf(b, "%s%d:%d %s %q\n", indent, n.Line, n.Col, n.Kind, n.Text)
	for _, item := range n.Items {
		dump(b, item, indent+"- ")
	}
	for _, e := range n.Entries {
		fmt.Fprintf(b, "%s%d:%d %q:\n", indent, e.Line, e.Col, e.Key)
		dump(b, e.Value, indent+"  ")
	}
}

func TestTree(t *testing.T) {
	tree := parse(t, `# a file
name: "a: b"   # quoted
list:
- 4.10
-   x: ~
    y:
flow: {a.b/c: [true, no, 0x1F], d: 'it''s'}
text: |
  two
  lines
copy: &c
  z: 1e3
again: *c
merged: {<<: *c, w: -2}
`)
	var b strings.Builder
	dump(&b, tree.Root, "")
	want := `2:1 a mapping ""
2:1 "name":
  2:7 text "a: b"
3:1 "list":
  4:1 a list ""
  - 4:3 a number "4.10"
  - 5:5 a mapping ""
  - 5:5 "x":
  -   5:8 nothing "~"
  - 6:5 "y":
  -   6:5 nothing ""
7:1 "flow":
  7:7 a mapping ""
  7:8 "a.b/c":
    7:15 a list ""
    - 7:16 a boolean "true"
    - 7:22 text "no"
    - 7:26 a whole number "0x1F"
  7:33 "d":
    7:36 text "it's"
8:1 "text":
  8:7 text "two\nlines\n"
11:1 "copy":
  12:3 a mapping ""
  12:3 "z":
    12:6 a number "1e3"
13:1 "again":
  12:3 a mapping ""
  12:3 "z":
    12:6 a number "1e3"
14:1 "merged":
  14:9 a mapping ""
  14:18 "w":
    14:21 a whole number "-2"
  12:3 "z":
    12:6 a number "1e3"
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAt(t *testing.T) {
	tree := parse(t, "a:\n  b:\n    - {c: 1, nvidia.com/gpu: 2}\n    - [3, 4]\n  b.x: 5\n")
	for _, c := range []struct {
		path, at string
		has      bool
	}{
		{"", "1:1", true},
		{"a", "2:3", true},
		{"a.b", "3:5", true},
		{"a.b[0]", "3:7", true},
		{"a.b[0].c", "3:11", true},
		{"a.b[0].nvidia.com/gpu", "3:30", true},
		{"a.b[1][1]", "4:11", true},
		{"a.b.x", "5:8", true},
		{"a.b[0].d", "3:7", false},
		{"a.b[2].c", "3:5", false},
		{"a.b[x]", "3:5", false},
		{"x.y", "1:1", false},
	} {
		line, col := tree.At(c.path)
		if got := fmt.Sprintf("%d:%d", line, col); got != c.at {
			t.Errorf("At(%q) = %s, want %s", c.path, got, c.at)
		}
		if tree.Has(c.path) != c.has || (tree.Node(c.path) != nil) != c.has {
			t.Errorf("Has(%q) = %v, Node %v", c.path, tree.Has(c.path), tree.Node(c.path))
		}
	}
	var none *Node
	if none.Get("a") != nil || none.Item(0) != nil || tree.Root.Get("b") != nil {
		t.Error("a node that isn't there has something")
	}
}

// Each limit refuses a document just beyond it and takes one just within.
func TestDrop(t *testing.T) {
	tree, _ := Parse("a.yaml", []byte("a: 1\nb:\n- {c: 2, d: 3}\n"))
	for _, path := range []string{"a", "b[0].c", "b[1].d", "e.f"} {
		tree.Drop(path)
	}
	if tree.Has("a") || tree.Has("b[0].c") || !tree.Has("b[0].d") {
		t.Errorf("got %+v", tree.Root.Value())
	}
}

func TestLimits(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	aliases := func(n int) string {
		return "a: &a [" + strings.Repeat("1,", 999) + "1]\nb: [" + strings.Repeat("*a,", n) + "]\n"
	}
	for _, c := range []struct{ name, good, bad, what string }{
		{"depth", nested(MaxDepth), nested(MaxDepth + 1), "the nesting is too deep"},
		{"nodes", aliases(490), aliases(500), "the document has too many values"},
		{"signs", "# " + strings.Repeat(",", MaxSigns-4) + "\na: 1", "[" + strings.Repeat("1,", MaxSigns) + "]",
			"the document has too many parts"},
		{"size", "a: 1", "#" + strings.Repeat(" ", int(MaxSize)), "the file is too large"},
	} {
		if _, ps := Parse("f", []byte(c.good)); len(ps) > 0 {
			t.Errorf("%s: %v", c.name, ps)
		}
		_, ps := Parse("f", []byte(c.bad))
		if len(ps) != 1 || ps[0].What != c.what {
			t.Errorf("%s: got %v, want %q", c.name, ps, c.what)
		}
	}
}

// Merging one large mapping often would take long without being a deep nest.
func TestMergeBomb(t *testing.T) {
	var b strings.Builder
	b.WriteString("base: &a {")
	for i := range 10_000 {
		fmt.Fprintf(&b, "k%d: 1, ", i)
	}
	b.WriteString("}\nlist:\n" + strings.Repeat("- <<: *a\n", 10_000))
	_, ps := Parse("f", []byte(b.String()))
	if len(ps) == 0 || ps[0].What != "the document has too many values" {
		t.Errorf("got %v", ps)
	}
}

func TestRender(t *testing.T) {
	long := "k: " + strings.Repeat("x", 200) + " # the end"
	source := "\ufeffa: 1\r\n\tb: 2\n東京: \x1b[31m3\n" + long + "\n\n"
	var ps Problems
	add := func(line, col int, field, what, fix string) {
		ps.Add(Problem{File: "f.yaml", Line: line, Col: col, Field: field, What: what, Fix: fix})
	}
	add(4, 204, "k", "the end", "")
	add(3, 5, "", "wide", "mend it")
	add(2, 2, "a.b", "a tab before", "mend it")
	add(1, 4, "a", "first", "mend it")
	add(4, 1, "", "the beginning", "")
	add(5, 1, "", "an empty line", "")
	add(1, 4, "x.a", "first", "the same again is dropped")
	ps.Sort()
	var b bytes.Buffer
	if err := ps.Render(&b, []byte(source)); err != nil {
		t.Fatal(err)
	}
	x := func(n int) string { return strings.Repeat("x", n) }
	want := `f.yaml:1:4: a: first (mend it)
    a: 1
       ^
f.yaml:2:2: a.b: a tab before (mend it)
     b: 2
     ^
f.yaml:3:5: wide (mend it)
    東京: ?[31m3
          ^
f.yaml:4:1: the beginning
    k: ` + x(94) + `...
    ^
f.yaml:4:204: k: the end
    ...` + x(57) + ` # the end
` + strings.Repeat(" ", 64) + `^
f.yaml:5:1: an empty line
6 problems in f.yaml
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestProblems(t *testing.T) {
	var ps Problems
	for i := range MaxProblems + 5 {
		ps.Add(Problem{File: "f", Line: i + 1, Col: 1, What: "bad\x1b[2J"})
	}
	var got Problems
	if err := fmt.Errorf("reading: %w", ps); !errors.As(err, &got) || len(got) != MaxProblems {
		t.Errorf("got %d problems", len(got))
	}
	if first, _, _ := strings.Cut(ps.Error(), "\n"); first != "f:1:1: bad?[2J" {
		t.Errorf("got %q", first)
	}
	var b bytes.Buffer
	if err := (Problems{}).Render(&b, nil); err != nil || b.Len() > 0 {
		t.Errorf("no problems are printed as %q, %v", b.String(), err)
	}
	if err := ps.Render(failing{}, nil); err == nil {
		t.Error("an error of the writer is dropped")
	}
}

// failing is a writer on a full disk.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestQuote(t *testing.T) {
	for in, want := range map[string]string{
		"a\tb\x00": `"a\tb\x00"`, strings.Repeat("é", 80): `"` + strings.Repeat("é", 80) + `"`,
		strings.Repeat("é", 81): `"` + strings.Repeat("é", 77) + `..."`,
	} {
		if got := Quote(in); got != want {
			t.Errorf("Quote(%q) = %s, want %s", in, got, want)
		}
	}
}
