package scenario

import (
	"embed"
	"path"
	"strings"
)

//go:embed templates/*.yaml
var templates embed.FS

// Template returns the commented scenario of a kind (see Templates) that
// "plimsoll init" writes, or nil when there is no such kind. No kind is
// "openshift".
func Template(kind string) []byte {
	if kind == "" {
		kind = openshift
	}
	text, err := templates.ReadFile("templates/" + kind + ".yaml")
	if err != nil {
		return nil
	}
	return text
}

// Templates lists the kinds of templates: helion, minimal, numa, openshift and snapshot.
func Templates() []string {
	entries, err := templates.ReadDir("templates")
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		out = append(out, strings.TrimSuffix(e.Name(), path.Ext(e.Name())))
	}
	return out
}
