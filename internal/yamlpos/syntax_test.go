package yamlpos

import (
	"strings"
	"testing"
)

// What is said of each slip, and where.
func TestSyntax(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "1:1: the file is empty"},
		{"# nothing\n", "1:1: the file is empty"},
		{"---\n---\n", "1:1: the file is empty"},
		{"a: 1\n---\nb: 2\n", "2:1: a second document begins here (put each document into a file of its own)"},
		{"a: 1\n...\nb: 2\n", "3:1: a second document begins here (put each document into a file of its own)"},
		{"a:\n\tb: 1\n", "2:1: a tab stands in the indentation (indent with blanks)"},
		{"a:\n  \tb: 1\n", "2:3: a tab stands in the indentation (indent with blanks)"},
		{"a:\n \u00a0b: 1\n", "2:2: the character U+00A0 stands in the indentation (indent with blanks)"},
		{"a: \"x\n", `1:4: the closing " is missing (close the quotes)`},
		{"a: 'x\n", "1:4: the closing ' is missing (close the quotes)"},
		{"a: @x\n", "1:4: a value can't begin with @ or ` (put the value in quotes)"},
		{"a: \"\\q\"\n", `1:5: this escape is not known in a text in double quotes (write \\ for a ` +
			`backslash, or use single quotes)`},
		{"a: [1, 2\n", "1:4: the [ is not closed (add ])"},
		{"a: {b: 1\n", "1:4: the { is not closed (add })"},
		{"a: [1 {b: 1}]\n", "1:7: the list goes on without a comma (add , before this or ] to end the list)"},
		{"a: [\"1\" \"2\"]\n", "1:9: the list goes on without a comma (add , before this or ] to end the list)"},
		{"a: {b: \"1\" \"c\"}\n", "1:12: the mapping goes on without a comma (add , before this or } to end the mapping)"},
		{"a: {b: 1\nc: 2}\n", `2:1: a comma is missing before "c" (separate the entries in brackets by commas, ` +
			`or close the { of line 1)`},
		{"a: {b: 1 c: 2}\n", `1:8: a comma is missing in "1 c: 2" (separate the entries in brackets by commas)`},
		{"a: {b:1}\n", "1:6: no blank stands behind the colon (write key: value, or put a text with a colon in quotes)"},
		{"a: [1,, 2]\n", "1:7: there is no value before this comma (remove the comma)"},
		{"a: ]\n", "1:4: there is no [ for this ] (remove it, or put the value in quotes)"},
		{"a: {b: 1}}\n", "1:10: there is no { for this } (remove it, or put the value in quotes)"},
		{"a: - b\n", "1:4: a list can't begin in the line of its key (begin it in the next line, or write [a, b])"},
		{"a: b: c\n", `1:4: a value is followed by another colon (put a value that holds ": " in quotes; ` +
			`write keys of one mapping below each other, equally indented)`},
		{"a: b\n  c: d\n", "2:3: the line is indented deeper than the one above and so continues its value (indent the " +
			"keys of one mapping equally)"},
		{"a\nb: c\n", "2:1: a key must be one line with a colon behind it (write key: value)"},
		{"a: \"b\" c\n", "1:8: the key has a value already, and here is another (indent keys of one mapping equally; " +
			"put a value with special characters in quotes)"},
		{"a: b\nc\n", "2:1: a key with a colon is expected here (write key: value, indented as the lines above)"},
		{"a:\n  b: 1\n c: 2\n", "3:2: this does not fit the lines above (indent keys of one mapping equally)"},
		{"a:\nb\n", "2:1: this is neither a key nor indented as a value (write key: " +
			"value, or indent it deeper than the key above)"},
		{"a:\n-\nb: 1\n", "2:1: an empty item of a list (write its value behind the dash, or remove the dash)"},
		{"a: 1\nb: 2\na: 3\n", `3:1: the key "a" stands twice (the first is in line 1; remove one)`},
		{"? a\n: b\n", "1:1: keys with ? are not supported (write key: value)"},
		{"a: !!str 1\n", `1:4: the tag "!!str" is not supported (remove it; quote a value that must stay text)`},
		{"%YAML 1.2\n---\na: 1\n", "1:1: directives are not supported (remove the line; quote a value that begins with %)"},
		{"a: 1\n... b\n", "2:5: nothing may follow the ... (put a key that begins with dots in quotes)"},
		{"a:1\nb: 2\n", "1:2: no blank stands behind the colon (write key: value, or put a text with a colon in quotes)"},
		{"a: 1\nb:2\nc: 3\n", "2:2: no blank stands behind the colon (write key: " +
			"value, or put a text with a colon in quotes)"},
		{"a: [1,\n", "1:4: the [ is not closed (add ])"},
		{"a: [{b: 1}, {\n", "1:13: the { is not closed (add })"},
		{"a: %x\n", "1:4: a value can't begin with % (write a share as 30%, or put the value in quotes)"},
		{"a: &\n", "1:4: the & has no name or no value (write &name value, or put the text in quotes)"},
		{"a: 'x\n---\nb\n", "1:4: a --- stands within quotes that were not closed (close the quotes)"},
		{"{a: 1}\nb: 2\n", "2:1: nothing may follow the end of the value (indent it as a part of the value, or remove it)"},
		{"{? a: 1}\n", "1:2: keys with ? are not supported (write key: value)"},
		{"? {a: 1}\n: 2\n", "1:3: a key is not text (write key: value)"},
		{"a: |x\n  b\n", "1:4: nothing may follow the | or > but a comment (begin the text in the next line)"},
		{"a: *b\n", `1:4: there is no anchor "b" before this alias (write &b before the value that it stands for)`},
		{"a: &b [*b]\n", `1:8: the alias "b" stands within its own anchor (write the value out)`},
		{"a: &b 1\n*b : 2\n", "2:1: an alias can't be a key (write the key out)"},
		{"<<: 1\n", "1:1: << takes a mapping (write <<: *anchor)"},
		{"<<: [1]\n", "1:1: << takes mappings only (write <<: *anchor)"},
		{"a: \x00\n", "1:4: the control character U+0000 is not allowed (remove it)"},
		{"a: " + strings.Repeat("\xff\x01", 6) + "\n",
			"1:1: it is no text: it has 12 bytes or characters that no YAML has (name a file of YAML or JSON, saved as UTF-8)"},
		{"a: \xff\n", "1:4: the byte 0xff is not UTF-8 (save the file as UTF-8)"},
		{"\xfe\xff\x00a", "1:1: the file is in UTF-16 (save it as UTF-8)"},
	} {
		tree, ps := Parse("f", []byte(c.text))
		if tree != nil || len(ps) != 1 || ps[0].Error() != "f:"+c.want {
			t.Errorf("%q\ngot  %v\nwant f:%s", c.text, ps, c.want)
		}
	}
}

// Not everything that is unusual is wrong.
func TestUnusual(t *testing.T) {
	for _, text := range []string{
		"a: 1", "\n\n  a: 1\n  b: 2\n\n", "--- # first\na: 1\n---\n", "a:\n- b\n- c\n", "a: {b: [c, d], }\n",
		"{\"a\":1,\"b\":[2]}",
		"a: b:c\n", "a: x - y\n", "a: x#y\n", "a: [\n  1,\n\t2\n]\n", "a: 'x\n\n  y'\n", "\"a\": &x {b: 1}\n'c': {<<: *x}\n",
		"a: |2\n    x\nb: >+\n\n  y\n\n", "a: |\n  # not a comment\n  \t x: y: z\n",
	} {
		if _, ps := Parse("f", []byte(text)); len(ps) > 0 {
			t.Errorf("%q: %v", text, ps)
		}
	}
}

// FuzzParse reads anything without a panic, and places problems in the file.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"a: [1, {b: c}]\n- d\n", "a: &x\n  <<: *x\n", "a: |\n  b\n", "\"a\\u00e9\": 'b'\n",
		"? a\n: b\n", "a:\tb\r\n# c\n", "- - - a\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tree, ps := Parse("f", []byte(s))
		if (tree == nil) != (len(ps) > 0) {
			t.Fatalf("tree %v, problems %v", tree, ps)
		}
		lines := splitLines([]byte(s))
		for _, p := range ps {
			if p.Line < 1 || p.Line > len(lines) || p.Col < 1 || p.Col > len([]rune(string(lines[p.Line-1])))+1 {
				t.Errorf("outside the file: %v", p)
			}
		}
	})
}
