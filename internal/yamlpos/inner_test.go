package yamlpos

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestInner(t *testing.T) {
	for name, c := range map[string]struct {
		text, word string // the word stands once in the file and once in the text of key k
		known      bool
	}{
		"literal":              {"# c\nm:\n  k: |\n    a: 1\n    b:\n      word: 2\n", "word", true},
		"keeps ends":           {"k: |+\n  a: 1\n\n  word\n\n", "word", true},
		"strips ends":          {"k: |- # why\n  word\n", "word", true},
		"blank lines first":    {"k: |\n\n\n  word: 1\n", "word", true},
		"explicit indentation": {"k: |2\n    a\n  word\n", "word", true},
		"in a list":            {"l:\n- k: |\n    a\n      word\n", "word", true},
		"windows":              {"k: |\r\n  a\r\n  word\r\n", "word", true},
		"anchor":               {"k: &x |\n  a\n  word\n", "word", true},
		"plain":                {"k:   a word\n", "word", true},
		"single quotes":        {"k: 'a word'\n", "word", true},
		"double quotes":        {`{"k": "\u00e9\tä\n\"b\":\n  word"}`, "word", true},
		"folded":               {"k: >\n  a\n  word\n", "word", false},
		"double over lines":    {"k: \"a\n  word\"\n", "word", false},
	} {
		tree, ps := Parse("f", []byte(c.text))
		if len(ps) > 0 {
			t.Errorf("%s: %v", name, ps)
			continue
		}
		n := find(tree.Root)
		line, col := tree.Inner(n).At(position(n.Text, c.word))
		wantLine, wantCol := position(c.text, c.word)
		if !c.known {
			wantLine, wantCol = n.Line, n.Col
		}
		if line != wantLine || col != wantCol {
			t.Errorf("%s: %d:%d, not %d:%d", name, line, col, wantLine, wantCol)
		}
	}
}

// find returns the value of the key k.
func find(n *Node) *Node {
	if v := n.Get("k"); v != nil {
		return v
	}
	for _, e := range n.Entries {
		if v := find(e.Value); v != nil {
			return v
		}
	}
	for _, i := range n.Items {
		if v := find(i); v != nil {
			return v
		}
	}
	return nil
}

// position is the line and column of a word.
func position(text, word string) (int, int) {
	before := text[:strings.Index(text, word)]
	last := before[strings.LastIndex(before, "\n")+1:]
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(last) + 1
}

// Every letter of a random literal block is found again, in a document that does
// not begin in the first line.
func TestInnerOfRandomBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		indent := rapid.IntRange(1, 8).Draw(t, "indent")
		lines := rapid.SliceOfN(rapid.StringMatching(` {0,3}[a-z#:é-]{0,6}`), 1, 8).Draw(t, "lines")
		lines[0] = strings.TrimLeft(lines[0], " ") + "x"
		source := "k: |\n"
		for _, l := range lines {
			source += strings.Repeat(" ", indent) + l + "\n"
		}
		first := rapid.IntRange(1, 5).Draw(t, "first")
		tree, ps := ParseAt("f", []byte(source), first)
		if len(ps) > 0 {
			t.Fatal(ps)
		}
		in := tree.Inner(tree.Root.Get("k"))
		for i, l := range lines {
			for c := range utf8.RuneCountInString(l) {
				if line, col := in.At(i+1, c+1); line != first+1+i || col != indent+c+1 {
					t.Fatalf("%d:%d is at %d:%d\n%s", i+1, c+1, line, col, source)
				}
			}
		}
	})
}
