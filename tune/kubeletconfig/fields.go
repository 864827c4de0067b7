package kubeletconfig

import (
	"embed"
	"strings"

	"plimsoll.dev/internal/memo"
	"plimsoll.dev/release"
)

// fieldFiles are the fields of the kubelet's configuration, a table for each release:
// path, type, and whether an empty field is left out of the file. They come from
// the types that the operator of the release is built with.
//
//go:embed fields/*.tsv
var fieldFiles embed.FS

// fieldTables are the tables by the release that brought them.
var fieldTables = release.Behaviour[string]{Steps: []release.Step[string]{
	{From: 1, Value: "4.3"}, {From: 4, Value: "4.4"}, {From: 5, Value: "4.5"}, {From: 6, Value: "current"}}}

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

// schemaOf is the kubelet's configuration in a release.
func schemaOf(r release.Release) *typ { return schemas(fieldTables.In(r)) }

// schemas are the tables of fields by name, each read once.
var schemas = memo.Once(func(name string) *typ {
	text, err := fieldFiles.ReadFile("fields/" + name + ".tsv")
	if err != nil {
		panic(err)
	}
	return parseFields(string(text))
})

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
