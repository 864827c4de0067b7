package profile

import (
	"strings"

	"plimsoll.dev/tune/tuned"
)

// includes are the names of the profiles that a text includes, in their order.
// Names that functions make can't be told and are left out.
func includes(text string) []string {
	file, _ := tuned.Parse(tuned.Source{Body: text})
	var out []string
	for _, s := range file.Sections {
		for _, o := range s.Options {
			if s.Name != "main" || o.Key != "include" {
				continue
			}
			for _, name := range strings.FieldsFunc(o.Value, func(c rune) bool { return c == ',' || c == ';' }) {
				name = strings.TrimPrefix(strings.TrimSpace(name), "-")
				if name != "" && !strings.Contains(name, "${") {
					out = append(out, name)
				}
			}
		}
	}
	return out
}
