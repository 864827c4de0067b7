package report

import (
	"strconv"
	"strings"
)

// anchors gives each thing of the page an id of its own.
type anchors struct {
	given map[string]string
	used  map[string]bool
}

// longestAnchor bounds ids made from long names.
const longestAnchor = 60

// at is the anchor of the thing with a kind ("f" for figures) and an id. It is made
// from a text, of letters, digits, dots and hyphens.
func (a *anchors) at(kind, id, text string) string {
	key := kind + "\x00" + id
	if got, ok := a.given[key]; ok {
		return got
	}
	slug := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-':
			return r
		}
		return '_'
	}, text)
	if len(slug) > longestAnchor {
		slug = slug[:longestAnchor]
	}
	unique := slug
	for n := 2; a.used[unique]; n++ {
		unique = slug + "_" + strconv.Itoa(n)
	}
	a.used[unique], a.given[key] = true, unique
	return unique
}
