package loadmodel

import (
	"embed"
	"fmt"
	"strings"

	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/template"
)

// builtin is the file that stands for the one of its kind that is built in.
const builtin = "default"

//go:embed builtin
var builtins embed.FS

// Builtin says whether a file of the configuration is built in.
func Builtin(name string) bool { return name == builtin }

// manifest is the file of a configuration's entry, or the built-in one for its kind.
func (e *expansion) manifest(name, kind string) (Manifest, bool) {
	if name != builtin {
		m, ok := e.read.Manifests[name]
		return m, ok
	}
	file := "builtin/" + strings.ToLower(kind) + ".yaml"
	text, err := builtins.ReadFile(file)
	if err != nil {
		return Manifest{}, false
	}
	tree, problems := yamlpos.Parse(file, text)
	if len(problems) > 0 {
		return Manifest{}, false
	}
	return Manifest{File: file, Root: tree.Root}, true
}

// single is the one object of a file, which must be of a kind.
func (e *expansion) single(name, kind, field string) (Object, bool) {
	m, ok := e.manifest(name, kind)
	if !ok {
		return Object{}, false // which the reader has told
	}
	o, wrong := objectOf(m, m.Root)
	if wrong == "" && o.Kind != kind {
		wrong = "is a " + o.Kind
	}
	if wrong != "" {
		e.bad(field, m.File+" "+wrong, "name a file with a "+kind)
		return Object{}, false
	}
	return o, true
}

// objectOf is an object of a file, in the API group that serves its kind today.
func objectOf(m Manifest, n *yamlpos.Node) (o Object, wrong string) {
	body, ok := n.Value().(map[string]any)
	if !ok {
		return o, "holds no object"
	}
	o.Origin = fmt.Sprintf("%s:%d", m.File, n.Line)
	o.Kind, o.APIVersion = textOf(n, "kind"), textOf(n, "apiVersion")
	switch {
	case o.Kind == "":
		return o, "has no kind"
	case o.APIVersion == "":
		return o, "has no apiVersion"
	}
	o.APIVersion = Served(o.APIVersion, o.Kind)
	for key := range body { // API servers take them in any case
		if strings.EqualFold(key, "kind") || strings.EqualFold(key, "apiVersion") {
			delete(body, key)
		}
	}
	body["apiVersion"], body["kind"] = o.APIVersion, o.Kind
	meta := object(body, "metadata")
	delete(meta, "creationTimestamp")
	delete(body, "status")
	o.Name, _ = meta["name"].(string)
	o.Body = body
	return o, ""
}

func textOf(n *yamlpos.Node, key string) string {
	if f := template.Field(n, key); f != nil {
		return f.Text
	}
	return ""
}

// listed are the objects of a List, or the one object.
func listed(n *yamlpos.Node) []*yamlpos.Node {
	if kind := textOf(n, "kind"); strings.HasSuffix(kind, "List") && n.Get("items") != nil {
		return n.Get("items").Items
	}
	return []*yamlpos.Node{n}
}
