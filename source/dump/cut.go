package dump

import (
	"bytes"
	"regexp"
	"strings"
)

// piece is a part of a file that can be read by itself, and what the list that it is of says of its items.
type piece struct {
	text             []byte
	kind, apiVersion string
}

// The fields of a list, as programs write them: in the first column.
var (
	listKind    = regexp.MustCompile(`(?m)^kind:[ \t]*["']?(\w*)List["']?[ \t]*\r?$`)
	listVersion = regexp.MustCompile(`(?m)^apiVersion:[ \t]*["']?([\w./-]+)["']?[ \t]*\r?$`)
	itemsBegin  = regexp.MustCompile(`(?m)^items:[ \t]*\r?\n-[ \t]`)
)

// headless says that a text is the beginning of a list: programs write the fields in the order of their
// names, so that the kind stands behind the items.
func headless(text []byte) bool {
	return itemsAt(text) != nil && matched(text, "kind:", listKind) == nil
}

// itemsAt is where the items begin; nil where there are none.
func itemsAt(text []byte) []int {
	if !bytes.HasPrefix(text, []byte("items:")) && !bytes.Contains(text, []byte("\nitems:")) {
		return nil // most texts have none, and an expression looks at each letter
	}
	return itemsBegin.FindIndex(text)
}

// matched is what an expression finds in the first line of those that begin with a field; nil where there is none.
func matched(text []byte, field string, expression *regexp.Regexp) [][]byte {
	for rest := text; ; {
		line, _, _ := bytes.Cut(rest, []byte("\n"))
		if bytes.HasPrefix(line, []byte(field)) {
			if m := expression.FindSubmatch(line); m != nil {
				return m
			}
		}
		at := bytes.Index(rest, []byte("\n"+field))
		if at < 0 {
			return nil
		}
		rest = rest[at+1:]
	}
}

// cut is a list item by item, where it is written as programs write it: a tree of all that a namespace has
// takes forty times the room of its text. What is written otherwise is one piece.
func cut(text []byte) []piece {
	at := itemsAt(text)
	if at == nil || bytes.Contains(text[at[1]:], []byte("\n---")) || bytes.ContainsAny(text, "&*") && anchors.Match(text) {
		return []piece{{text: text}}
	}
	var one piece
	if m := matched(text, "kind:", listKind); m != nil {
		one.kind = string(m[1])
	}
	if m := matched(text, "apiVersion:", listVersion); m != nil {
		one.apiVersion = string(m[1])
	}
	var out []piece
	rest := text[at[1]-2:] // from the first dash on
	for len(rest) > 0 && rest[0] == '-' {
		end := 0
		for end < len(rest) {
			line := bytes.IndexByte(rest[end:], '\n')
			if line < 0 {
				end = len(rest)
				break
			}
			end += line + 1
			if end < len(rest) && !strings.ContainsRune(" \t\r\n#", rune(rest[end])) {
				break
			}
		}
		one.text = append([]byte(" "), rest[1:end]...) // the dash is in the column of the item's indent
		out = append(out, one)
		rest = rest[end:]
	}
	return out
}

// anchors may lead from one item to another.
var anchors = regexp.MustCompile(`(?m)[:-][ \t]+[&*]\w`)
