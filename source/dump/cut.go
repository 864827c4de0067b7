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
func headless(text []byte) bool { return itemsBegin.Match(text) && !listKind.Match(text) }

// cut is a list item by item, where it is written as programs write it: a tree of all that a namespace has
// takes forty times the room of its text. What is written otherwise is one piece.
func cut(text []byte) []piece {
	at := itemsBegin.FindIndex(text)
	if at == nil || bytes.Contains(text[at[1]:], []byte("\n---")) || anchors.Match(text) {
		return []piece{{text: text}}
	}
	var one piece
	if m := listKind.FindSubmatch(text); m != nil {
		one.kind = string(m[1])
	}
	if m := listVersion.FindSubmatch(text); m != nil {
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
