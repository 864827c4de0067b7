package openstack

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"plimsoll.dev/internal/yamlpos"
)

// is says whether a column has the name, which is in small letters: "RXTX Factor",
// "rxtx_factor" and "rxtxFactor" are rxtxfactor.
func is(column, name string) bool {
	at := 0
	for i := range len(column) {
		c := column[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			continue
		}
		if at == len(name) || name[at] != c {
			return false
		}
		at++
	}
	return at == len(name)
}

// cell is the value of the first of the columns that is there and not empty; nil
// when none is.
func cell(row *yamlpos.Node, columns ...string) *yamlpos.Node {
	for _, c := range columns {
		for i := range row.Entries {
			e := &row.Entries[i]
			empty := e.Value.Kind == yamlpos.Null || e.Value.Kind == yamlpos.Text && strings.TrimSpace(e.Value.Text) == ""
			if !empty && is(e.Key, c) {
				return e.Value
			}
		}
	}
	return nil
}

// has says whether the row has one of the columns, with a value or without.
func has(row *yamlpos.Node, columns ...string) bool {
	for i := range row.Entries {
		for _, c := range columns {
			if is(row.Entries[i].Key, c) {
				return true
			}
		}
	}
	return false
}

// scalar says whether the node holds one value.
func scalar(n *yamlpos.Node) bool {
	return n != nil && n.Kind != yamlpos.List && n.Kind != yamlpos.Map && n.Kind != yamlpos.Null
}

// text is a scalar's text without blanks around it; empty for anything else.
func text(n *yamlpos.Node) string {
	if !scalar(n) {
		return ""
	}
	return strings.TrimSpace(n.Text)
}

// whole reads a whole number from least to most; unset is taken where there is no value.
func (t *table) whole(row *yamlpos.Node, name string, unset, least, most int64, columns ...string) int64 {
	n := cell(row, columns...)
	if n == nil {
		if unset < least {
			t.at(row, "the row has no column "+name, "list with --long")
		}
		return unset
	}
	v, err := strconv.ParseInt(text(n), 10, 64)
	if err != nil {
		// Clients that pass numbers through floating point write 4096.0.
		f, ferr := strconv.ParseFloat(text(n), 64)
		if ferr == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			v, err = int64(f), nil
		}
	}
	if err != nil || v < least || v > most {
		t.at(n, fmt.Sprintf("%s %s is out of range", name, shown(n)),
			fmt.Sprintf("a whole number from %d to %d", least, most))
	}
	return v
}

// shown is a value for a message.
func shown(n *yamlpos.Node) string {
	if !scalar(n) {
		return n.Kind.String()
	}
	return yamlpos.Quote(n.Text)
}

// property is a key and value, and where it stands.
type property struct {
	key, value string
	at         *yamlpos.Node
}

// properties reads a mapping, or the text that old clients made of one.
func (t *table) properties(n *yamlpos.Node) []property {
	switch {
	case n == nil:
		return nil
	case n.Kind == yamlpos.Map:
		return t.mapping(n)
	case n.Kind == yamlpos.Text:
		return t.quoted(n)
	}
	t.at(n, "properties are "+n.Kind.String(), "a mapping, or text such as a='1', b='2'")
	return nil
}

func (t *table) mapping(n *yamlpos.Node) []property {
	var out []property
	for _, e := range n.Entries {
		at := &yamlpos.Node{Line: e.Line, Col: e.Col}
		if e.Value.Kind == yamlpos.List || e.Value.Kind == yamlpos.Map {
			t.at(at, "property "+yamlpos.Quote(e.Key)+" is "+e.Value.Kind.String(), "text")
			continue
		}
		out = append(out, property{e.Key, e.Value.Text, at})
	}
	return out
}

// quoted reads a='1', b='2,3'. A value ends with a quotation mark that the text's
// end follows, or a comma, a blank and another key: values may hold the mark.
func (t *table) quoted(n *yamlpos.Node) []property {
	var out []property
	rest, col := n.Text, n.Col+1
	for rest != "" {
		key, value, length, ok := cutPair(rest)
		at := &yamlpos.Node{Line: n.Line, Col: col}
		if !ok {
			t.at(at, "properties can't be read from "+yamlpos.Quote(rest), "text such as a='1', b='2'")
			return nil
		}
		out = append(out, property{key, value, at})
		col += len([]rune(rest[:length]))
		rest = rest[length:]
	}
	return out
}

// cutPair cuts a='1' and the comma behind it off the text.
func cutPair(s string) (key, value string, length int, ok bool) {
	key, tail, ok := strings.Cut(s, "='")
	if !ok || !plainKey(key) {
		return "", "", 0, false
	}
	for end := 0; ; end++ {
		i := strings.IndexByte(tail[end:], '\'')
		if i < 0 {
			return "", "", 0, false
		}
		end += i
		before := len(key) + 2 + end + 1
		after, isNext := strings.CutPrefix(tail[end+1:], ", ")
		next, _, hasKey := strings.Cut(after, "='")
		switch {
		case tail[end+1:] == "":
			return key, tail[:end], before, true
		case isNext && hasKey && plainKey(next):
			return key, tail[:end], before + 2, true
		}
	}
}

// plainKey says whether the text may be a property's name.
func plainKey(s string) bool { return s != "" && len(s) <= 255 && !strings.ContainsAny(s, "', =\n") }
