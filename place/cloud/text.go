package cloud

import (
	"strings"

	"plimsoll.dev/place/whatif"
)

// plural writes a number and a noun.
func plural(n int, noun string) string { return whatif.Plural(n, noun) }

// list writes names as in a sentence: "a, b and c".
func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
