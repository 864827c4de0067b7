package kubeletconfig

import (
	"embed"
	"strings"
	"sync"

	"plimsoll.dev/tune/era"
)

// fieldFiles are the fields of the kubelet's configuration, a table for each era:
// path, type, and whether an empty field is left out of the file. They come from
// the types that the operator of the era is built with.
//
//go:embed fields/*.tsv
var fieldFiles embed.FS

// typ is the type of a field, in Go's words as far as the operator's merge sees
// them: "string", "bool", "int32", "duration", "struct" and others, and "*", "[]"
// or "map" of an elem.
type typ struct {
	kind   string
	elem   *typ
	fields []field
}

// field is a field of a struct.
type field struct {
	name string
	typ  *typ
	// omit leaves the field out of the file when it is empty.
	omit bool
}

// find looks a field up as the operator's reader does: by its name, and if there
// is none, whatever the case.
func (t *typ) find(name string) (f *field, exact bool) {
	for i := range t.fields {
		if t.fields[i].name == name {
			return &t.fields[i], true
		}
	}
	for i := range t.fields {
		if strings.EqualFold(t.fields[i].name, name) {
			return &t.fields[i], false
		}
	}
	return nil, false
}

// inner is the struct in a type, through pointers, lists and maps.
func (t *typ) inner() *typ {
	for t.elem != nil {
		t = t.elem
	}
	return t
}

// schemaOf is the kubelet's configuration in an era.
var schemaOf = func() func(era.Era) *typ {
	var all [len(era.Row{}.At)]func() *typ
	for _, e := range era.All() {
		all[e] = sync.OnceValue(func() *typ {
			text, err := fieldFiles.ReadFile("fields/" + e.String() + ".tsv")
			if err != nil {
				panic(err)
			}
			return parseFields(string(text))
		})
	}
	return func(e era.Era) *typ { return all[e]() }
}()

// parseFields reads a table of fields; a path stands after its parent.
func parseFields(text string) *typ {
	root := &typ{kind: "struct"}
	structs := map[string]*typ{"": root}
	for line := range strings.Lines(text) {
		columns := strings.Split(strings.TrimSpace(line), "\t")
		parent, name := "", columns[0]
		if i := strings.LastIndexByte(name, '.'); i >= 0 {
			parent, name = name[:i], name[i+1:]
		}
		t := parseType(columns[1])
		structs[columns[0]] = t.inner()
		in := structs[parent]
		in.fields = append(in.fields, field{name, t, columns[2] == "omit"})
	}
	return root
}

// parseType reads "[]struct" or "map.string".
func parseType(text string) *typ {
	for _, of := range []string{"*", "[]", "map."} {
		if rest, ok := strings.CutPrefix(text, of); ok {
			return &typ{kind: strings.TrimSuffix(of, "."), elem: parseType(rest)}
		}
	}
	return &typ{kind: text}
}
