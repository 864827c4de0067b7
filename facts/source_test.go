package facts_test

import (
	"encoding/json"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"plimsoll.dev/facts"
)

func TestCellReadsQuantities(t *testing.T) {
	for in, want := range map[string]float64{
		`250`: 250, `0.5`: 0.5, `"16GB"`: 16e9, `"6.3GB"`: 6.3e9, `"1.4TB"`: 1.4e12, `"512Mi"`: 512 << 20, `"1Gi"`: 1 << 30,
		`"4Ki"`: 4096, `"192GiB"`: 192 << 30, `"1kB"`: 1000, `"500m"`: 500, `"4cores"`: 4000, `"0.5cores"`: 500,
		`"1core"`: 1000,
		`"10min"`: 600, `"300s"`: 300, `"50ms"`: 0.05, `"1h"`: 3600, `"15d"`: 1296000, `"40%"`: 0.4, `"1Gbit/s"`: 1e9,
		`"8162900Ki"`: 8162900 << 10, `{"value": "25%", "grade": "doubtful"}`: 0.25,
	} {
		var c facts.Cell
		if err := json.Unmarshal([]byte(in), &c); err != nil || c.Number != want || c.Text != "" {
			t.Errorf("%s: number %v, text %q, %v; want %v", in, c.Number, c.Text, err, want)
		}
	}
	for _, in := range []string{`"10.128.0.0/14"`, `"4.10"`, `"No"`, `"no default value"`, `"cpu-map 1 0"`, `"/var/log"`,
		`"s, m, h, d"`} {
		var c facts.Cell
		if err := json.Unmarshal([]byte(in), &c); err != nil || `"`+c.Text+`"` != in || c.Number != 0 {
			t.Errorf("%s: number %v, text %q, %v", in, c.Number, c.Text, err)
		}
	}
	for _, in := range []string{`true`, `[1]`, `{"grade": "stated"}`, `{"value": 1, "gradd": "stated"}`} {
		var c facts.Cell
		if err := json.Unmarshal([]byte(in), &c); err == nil {
			t.Errorf("%s is accepted as %+v", in, c)
		}
	}
}

const good = `
groups:
- prefix: a.b
  platform: openshift
  dims: [release]
  unit: nodes
  kind: tested
  grade: stated
  source: {code: OCP, section: "9.2"}
  footnotes: {x: Footnote.}
  quantities:
  - name: c
    title: Things
    marks: [x]
    values: {"4.4": 1, "4.x": {value: 2, contradicts: [a.b.c/4.4]}}
`

// A data file that is wrong in any way is refused, with the id of the fact.
func TestFlattenFindsMistakes(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"", "", ""},
		{"title: Things", `title: ""`, "a.b.c/4.4: has no title"},
		{"platform: openshift", "platform: windows", `platform "windows"`},
		{"kind: tested", "kind: exact", `kind "exact"`},
		{"grade: stated", "grade: sure", `grade "sure"`},
		{`section: "9.2"`, `section: ""`, "has no source"},
		{"unit: nodes", `unit: ""`, "a number needs a unit"},
		{"marks: [x]", "marks: [z]", "missing footnote z"},
		{`{"4.4": 1,`, `{"4.4/9": 1,`, `key "4.4/9" has 2 parts`},
		{"dims: [release]", "dims: []", `has 1 parts, the group has dims []`},
		{"[a.b.c/4.4]", "[a.b.c/4.5]", `contradicts "a.b.c/4.5"`},
		{"[a.b.c/4.4]", "[a.b.c/4.x]", `contradicts "a.b.c/4.x"`},
		{"    values:", "    value: 3\n    values:", "give either value or values"},
	} {
		text := strings.Replace(good, c.old, c.new, 1)
		var f facts.File
		if err := yaml.UnmarshalStrict([]byte(text), &f); err != nil {
			t.Fatalf("%s: %v", c.new, err)
		}
		list, errs := facts.Flatten([]facts.File{f})
		var all []string
		for _, err := range errs {
			all = append(all, err.Error())
		}
		joined := strings.Join(all, "\n")
		if c.want == "" && (joined != "" || len(list) != 2) {
			t.Errorf("the good file: %d facts, %s", len(list), joined)
		}
		if !strings.Contains(joined, c.want) {
			t.Errorf("%q: got %q, want %q", c.new, joined, c.want)
		}
	}
}

func TestFlattenFindsDuplicates(t *testing.T) {
	var f facts.File
	if err := yaml.UnmarshalStrict([]byte(good), &f); err != nil {
		t.Fatal(err)
	}
	_, errs := facts.Flatten([]facts.File{f, f})
	if len(errs) != 2 || !strings.Contains(errs[0].Error(), "stands twice") {
		t.Errorf("two equal files: %v", errs)
	}
}
