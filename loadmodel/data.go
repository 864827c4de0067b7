package loadmodel

import (
	"encoding/base64"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"plimsoll.dev/internal/yamlpos"
)

// data are the config maps or secrets of a project.
func (e *expansion) data(files any, kind, at string) *Batch {
	paths, ok := e.parameters(files, at)
	if !ok || len(paths) == 0 {
		return nil
	}
	names := slices.Sorted(maps.Keys(paths))
	for _, name := range names {
		e.nameFits(kind, at+"."+name, name)
		e.takes(kind, name, at)
	}
	return &Batch{Title: strings.ToLower(kind) + "s", Field: at, Count: len(names), items: func(i int) ([]Object, error) {
		body := map[string]any{"apiVersion": "v1", "kind": kind}
		e.read.Data[paths[names[i]]].put(body, kind)
		return []Object{named(body, names[i], "")}, nil
	}}
}

// Files are the files of config maps and secrets that a project names.
func (p *Project) Files() []string {
	var out []string
	for _, files := range []any{p.ConfigMaps, p.Secrets} {
		paths, _ := flat(files)
		for _, path := range paths {
			if path != nil {
				out = append(out, *path)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// quota of a project.
func (e *expansion) quota(p *Project, at string) *Batch {
	if p.Quota == "" {
		return nil
	}
	file, known := e.quotas[p.Quota]
	if !known {
		e.bad(at+".quota", "there is no quota "+yamlpos.Quote(p.Quota), "name one of quotas")
		return nil
	}
	o, ok := e.single(file, "ResourceQuota", at+".quota")
	if !ok {
		return nil
	}
	e.takes(o.Kind, o.Name, at+".quota")
	return &Batch{Title: "quota " + p.Quota, Field: at + ".quota", Count: 1,
		items: func(int) ([]Object, error) { return []Object{o}, nil }}
}

// put fills a config map or a secret.
func (d Data) put(body map[string]any, kind string) {
	switch {
	case kind == "Secret" || !utf8.Valid(d.Text):
		field := map[string]string{"Secret": "data", "ConfigMap": "binaryData"}[kind]
		body[field] = map[string]any{d.Key: base64.StdEncoding.EncodeToString(d.Text)}
	default:
		body["data"] = map[string]any{d.Key: string(d.Text)}
	}
}
