package cloud

import (
	"strings"

	"plimsoll.dev/unit"
)

// plural writes a number and a noun.
func plural(n int, noun string) string { return unit.Format(float64(n), noun+"s") }

// count writes a number with its thousands set off.
func count(n int64) string { return unit.Format(float64(n), unit.None) }

// list writes names as in a sentence: "a, b and c".
func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
