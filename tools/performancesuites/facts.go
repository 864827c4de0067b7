package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"
)

// parse reads an object.
func parse(text string) (out map[string]any) {
	if err := yaml.Unmarshal([]byte(text), &out); err != nil {
		panic(err)
	}
	return out
}

// nameOf is the kind and name of an object.
func nameOf(o map[string]any) string {
	m, _ := o["metadata"].(map[string]any)
	return fmt.Sprint(o["kind"], "/", m["name"])
}

// facts are the values of an object by their paths, without what nobody wrote into it.
func facts(o map[string]any) map[string]string {
	raw, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	o = parse(string(raw))
	delete(o, "status")
	m := o["metadata"].(map[string]any)
	delete(m, "creationTimestamp")
	if labels, ok := m["labels"].(map[string]any); ok {
		if delete(labels, "performance.openshift.io/weak-owner-reference-name"); len(labels) == 0 {
			delete(m, "labels")
		}
	}
	out := map[string]string{}
	flatten(out, "", o)
	return out
}

// flatten puts the values below a path into out. Profiles, files and units are taken apart line by line.
func flatten(out map[string]string, at string, v any) {
	switch v := v.(type) {
	case map[string]any:
		if file, isFile := v["contents"].(map[string]any); isFile {
			v["contents"] = fileText(file)
		}
		if len(v) == 0 {
			out[at] = "{}"
		}
		for key, value := range v {
			flatten(out, at+"."+key, value)
		}
	case []any:
		for i, item := range v {
			flatten(out, fmt.Sprintf("%s[%d]", at, i), item)
		}
	case string:
		if !strings.Contains(v, "\n") {
			out[at] = strings.TrimSpace(v)
			return
		}
		lines(out, at, v)
	default:
		out[at] = fmt.Sprint(v)
	}
}

// kept are texts that are not reproduced: the digest alone is compared.
var kept = []string{"#!/", "SUBSYSTEM==", "[Unit]\nDescription=TuneD service"}

// unknown is the digest of a text that depends on the profile.
const unknown = "sha256-?"

// fileText is the text of a file, or the digest of one that is kept.
func fileText(contents map[string]any) string {
	source := fmt.Sprint(contents["source"])
	if strings.HasPrefix(source, "not-reproduced:") {
		if hash, ok := contents["verification"].(map[string]any)["hash"]; ok {
			return fmt.Sprint(hash)
		}
		return unknown
	}
	_, code, _ := strings.Cut(source, "base64,")
	text, err := base64.StdEncoding.DecodeString(code)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// lines are those of a text without comments, in their order within a section.
func lines(out map[string]string, at, text string) {
	text = strings.TrimLeft(text, "\n")
	if rest, ours := strings.CutPrefix(text, "# not reproduced: the operator's text, of SHA-256 "); ours {
		out[at] = "sha256-" + strings.TrimSpace(rest)
		return
	}
	for _, k := range kept {
		if strings.HasPrefix(text, k) {
			out[at] = fmt.Sprintf("sha256-%x", sha256.Sum256([]byte(text)))
			return
		}
	}
	section, n := "", 0
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		key, _, _ := strings.Cut(l, "=")
		switch {
		case l == "" || l[0] == '#' || key == "summary" || key == "Description":
		case l[0] == '[':
			section, n = l, 0
			out[at+section] = ""
		default:
			key, value, _ := strings.Cut(l, "=")
			out[fmt.Sprintf("%s%s#%d", at, section, n)] = strings.TrimSpace(key) + "=" +
				strings.Join(strings.Fields(value), " ")
			n++
		}
	}
}
