package manifesttest

import (
	"regexp"
	"strings"
)

var (
	placeholder = regexp.MustCompile(`<[A-Z][A-Z0-9_]*>`)
	guardLine   = regexp.MustCompile(`(?m)^.*plimsoll\.dev/fill-in.*\n`)
)

// FilledIn replaces placeholders by values of the right kind, and takes the guard
// away, as a user would.
func FilledIn(content string) string {
	content = strings.ReplaceAll(content, "<DISK_GIB>", "120")
	content = guardLine.ReplaceAllString(content, "")
	return placeholder.ReplaceAllStringFunc(content, func(p string) string {
		return "x-" + strings.ReplaceAll(strings.ToLower(strings.Trim(p, "<>")), "_", "-")
	})
}
