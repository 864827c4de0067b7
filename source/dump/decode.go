package dump

import (
	"bytes"
	"encoding/json"
	"fmt"
	slashpath "path"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
)

// decoded is what a file holds.
type decoded struct {
	objects []Object
	passed  []v1alpha1.Skipped
}

// decode reads the objects of a file. A dump has files that are cut, and others that are no objects; they are passed
// over, and told.
func decode(name string, text []byte) (d decoded) {
	if strings.EqualFold(slashpath.Ext(name), ".json") {
		if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
			return d // a list of something else, such as the members of etcd
		}
		r := &Reader{Take: func(o Object) { d.objects = append(d.objects, o) }}
		if err := r.Stream(bytes.NewReader(text)); err != nil {
			d.pass(name, "it can't be read to its end: "+err.Error())
		}
		return d
	}
	if headless(text) {
		d.pass(name, "the list ends in the middle: its kind is missing")
		return d
	}
	for _, piece := range cut(text) {
		if d.plain(piece) {
			continue
		}
		problems, syntax := yamlpos.Documents(name, piece.text, 1, func(n *yamlpos.Node) {
			if o, ok := n.Value().(map[string]any); ok {
				d.listed(o, piece.kind, piece.apiVersion)
			}
		})
		if syntax || len(problems) > 0 {
			d.pass(name, "it can't be read to its end: "+problems[0].What)
			return d
		}
	}
	return d
}

func (d *decoded) pass(file, why string) {
	d.passed = append(d.passed, v1alpha1.Skipped{What: "the file", Why: why, Place: file})
}

// plain takes an object that a program has written, which most are. It says not ok of all others.
func (d *decoded) plain(p piece) bool {
	text, ok := yamlpos.PlainJSON(make([]byte, 0, len(p.text)+len(p.text)/4), p.text)
	if !ok {
		return false
	}
	var head struct {
		APIVersion *string         `json:"apiVersion"`
		Kind       *string         `json:"kind"`
		Items      json.RawMessage `json:"items"`
		Metadata   struct {
			Namespace string `json:"namespace"`
			Name      string `json:"name"`
		} `json:"metadata"`
	}
	if json.Unmarshal(text, &head) != nil || head.Items != nil || head.Kind == nil && head.APIVersion != nil {
		return false
	}
	if head.Kind == nil && p.kind != "" {
		said, err := json.Marshal(map[string]string{"apiVersion": p.apiVersion, "kind": p.kind})
		if err != nil {
			return false
		}
		text = append(append(said[:len(said)-1], ','), text[1:]...)
		head.Kind, head.APIVersion = &p.kind, &p.apiVersion
	}
	if head.Kind == nil || head.APIVersion == nil || head.Metadata.Name == "" {
		return false
	}
	d.objects = append(d.objects, Object{APIVersion: *head.APIVersion, Kind: *head.Kind,
		Namespace: head.Metadata.Namespace, Name: head.Metadata.Name, JSON: text})
	return true
}

// listed takes an object, or those of a list, which may leave out what the list says of all.
func (d *decoded) listed(o map[string]any, kind, apiVersion string) {
	list, isList := o["items"].([]any)
	if !isList {
		if o["kind"] == nil && kind != "" {
			o["kind"], o["apiVersion"] = kind, apiVersion
		}
		if one, ok := encoded(o); ok {
			d.objects = append(d.objects, one)
		}
		return
	}
	of, _ := o["kind"].(string)
	version, _ := o["apiVersion"].(string)
	for _, item := range list {
		if item, ok := item.(map[string]any); ok {
			d.listed(item, kindOf(of), version)
		}
	}
}

// kindOf is the kind of a list's items; "" where the list does not say it.
func kindOf(list string) string {
	one, ok := strings.CutSuffix(list, "List")
	if !ok {
		return ""
	}
	return one
}

// encoded is an object that has a kind and a name.
func encoded(o map[string]any) (Object, bool) {
	meta, _ := o["metadata"].(map[string]any)
	if o["kind"] == nil || meta["name"] == nil {
		return Object{}, false
	}
	said := func(v any) string {
		if v == nil {
			return ""
		}
		return fmt.Sprint(v)
	}
	text, err := json.Marshal(o)
	return Object{APIVersion: said(o["apiVersion"]), Kind: said(o["kind"]), Namespace: said(meta["namespace"]),
		Name: said(meta["name"]), JSON: text}, err == nil
}
