package strict

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/unit"
)

// ship is a document with every kind of field.
type ship struct {
	Name   string            `json:"name" check:"required,lower"`
	Kind   string            `json:"kind,omitempty" default:"barge" check:"enum=barge|tanker|ferry"`
	Masts  int               `json:"masts,omitempty" default:"2" fact:"ship.masts" check:"min=1,max=5"`
	Crew   *int              `json:"crew,omitempty" default:"0" check:"min=0"`
	Length float64           `json:"length,omitempty" check:"min=0.5"`
	Sails  bool              `json:"sails,omitempty"`
	Hold   unit.Bytes        `json:"hold,omitempty" default:"1Gi" check:"min=1"`
	Time   *unit.Duration    `json:"time,omitempty" check:"max=3600"`
	Ports  []string          `json:"ports,omitempty" default:"rome" check:"lower"`
	Flags  map[string]string `json:"flags,omitempty" check:"lower"`
	Tons   map[string]int64  `json:"tons,omitempty" check:"max=9"`
	Boats  []boat            `json:"boats,omitempty" check:"unique=name"`
	Keel   keel              `json:"keel,omitzero" check:"required"`
	Spare  *keel             `json:"spare,omitempty"`
	Log    string            `json:"log,omitempty" check:"output"`
	Rank   int32             `json:"rank,omitempty"`

	Bunks map[string][]int        `json:"bunks,omitempty" check:"lower,min=0,max=3"`
	Casks map[string][]unit.Bytes `json:"casks,omitempty"`
	Rig   *rig                    `json:"rig,omitempty"`
	Notes map[string]string       `json:"notes,omitempty" check:"plain"`
	Any   any                     `json:"any,omitempty"`
}

// rig is optional and has defaults of its own.
type rig struct {
	Shape string `json:"shape,omitempty" default:"lateen" check:"enum=lateen|square"`
	Ropes *int32 `json:"ropes,omitempty" check:"min=1"`

	Knots []knot `json:"knots,omitempty"`
}

type knot struct {
	Turns map[string]int `json:"turns" check:"required"`
}

type boat struct {
	Name string   `json:"name" check:"required"`
	Oars int      `json:"oars,omitempty" default:"4"`
	Race []string `json:"race,omitempty"`
}

type keel struct {
	Depth unit.Factor `json:"depth,omitempty"`
	Wood  string      `json:"wood,omitempty"`
}

var testChecks = map[string]Check{"lower": {Sample: "abc", Test: func(s string) error {
	if s != strings.ToLower(s) {
		return fmt.Errorf("%q is loud (write %s)", s, strings.ToLower(s))
	}
	return nil
}}}

func tree(t testing.TB, text string) *yamlpos.Tree {
	t.Helper()
	tr, ps := yamlpos.Parse("f", []byte(text))
	if len(ps) > 0 {
		t.Fatalf("%s\n%v", text, ps)
	}
	return tr
}

func TestDecode(t *testing.T) {
	var got ship
	ps := New[ship](testChecks).Decode(tree(t, `
name: argo
kind: ferry
masts: 3
crew: 0
length: 12.5
sails: true
hold: 2Gi
time: 1h
ports: [rome, ostia]
flags: {a: b}
tons: {x: 9}
boats: [{name: one}, {name: two, oars: 0}]
keel: {depth: 30%}
spare: {wood: oak}
rank: -2147483648
bunks: {fore: [0, 3], aft: []}
casks: {wine: [1Gi, 0]}
rig: {ropes: 7}
`), &got)
	crew, hour, ropes := 0, unit.Duration(3600), int32(7)
	want := ship{
		Name: "argo", Kind: "ferry", Masts: 3, Crew: &crew, Length: 12.5, Sails: true, Hold: 2 * unit.GiB, Time: &hour,
		Ports: []string{"rome", "ostia"}, Flags: map[string]string{"a": "b"}, Tons: map[string]int64{"x": 9},
		Boats: []boat{{Name: "one"}, {Name: "two"}}, Keel: keel{Depth: 0.3}, Spare: &keel{Wood: "oak"}, Rank: -1 << 31,
		Bunks: map[string][]int{"fore": {0, 3}, "aft": {}}, Casks: map[string][]unit.Bytes{"wine": {unit.GiB, 0}},
		Rig: &rig{Ropes: &ropes},
	}
	if len(ps) > 0 {
		t.Fatal(ps)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A field that is null isn't there where the decoder is told so; a required one is
// missing then. In lists and tables null stays a problem.
func TestNullIsAbsent(t *testing.T) {
	d := New[ship](testChecks)
	d.NullIsAbsent = true
	var got ship
	if ps := d.Decode(tree(t, "{name: argo, keel: {}, masts: null, hold: null, spare: null, ports: "+
		"null, flags: null, any: null}"), &got); len(ps) > 0 {
		t.Error(ps)
	}
	if got.Spare != nil || got.Masts != 0 || got.Any != nil {
		t.Errorf("null left something: %+v", got)
	}
	ps := d.Decode(tree(t, "{name: null, keel: {}, ports: [null], flags: {a: null}}"), &got)
	if len(ps) != 3 || ps[0].What != "is missing" || ps[1].What != "has no value" || ps[2].What != "has no value" {
		t.Errorf("problems: %v", ps)
	}
	if ps := New[ship](testChecks).Decode(tree(t, "{name: argo, keel: {}, any: null}"), &got); len(ps) != 1 ||
		ps[0].What != "has no value" {
		t.Errorf("without the setting: %v", ps)
	}
}

// Each problem alone: the text after "name: argo, keel: {}" and what is said.
func TestProblems(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"mast: 3", `unknown field "mast" (did you mean masts?)`},
		{"depth: 3", `unknown field "depth" (known are name, kind, masts, crew, length, sails, hold, time, ports, flags, ` +
			`tons, boats, keel, spare, rank, bunks, casks, rig, notes, any)`},
		{"oars: 3", `unknown field "oars" (it belongs to boats)`},
		{"log: x", `log: is filled in by the program (remove it)`},
		{"kind: tankr", `kind: "tankr" is not allowed (did you mean tanker? one of barge, tanker, ferry)`},
		{"kind: 3", `kind: 3 is a whole number, not text (quote it: "3")`},
		{"masts: 6", `masts: 6 is too large (at most 5)`},
		{"masts: 0", `masts: 0 is too small (at least 1)`},
		{"masts: 99999999999999999999", `masts: 99999999999999999999 is too large (at most 5)`},
		{"masts: -99999999999999999999", `masts: -99999999999999999999 is too small (at least 1)`},
		{"tons: {a: 10}", `tons.a: 10 is too large (at most 9)`},
		{"tons: {a: -99999999999999999999}", `tons.a: -99999999999999999999 is too small (write a larger number)`},
		{"crew: 99999999999999999999", `crew: 99999999999999999999 is too large (write a smaller number)`},
		{"masts:", `masts: has no value (write one, or remove the key)`},
		{"crew: ~", `crew: has no value (write one, or remove the key)`},
		{"spare: ~", `spare: has no value (write one, or remove the key)`},
		{"length: 0.4", `length: 0.4 is too small (at least 0.5)`},
		{"length: x", `length: "x" is text, not a number (write a number)`},
		{"sails: 'true'", `sails: "true" is text, not a boolean (write true)`},
		{"hold: 0", `hold: 0 is too small (it must be more than 0)`},
		{"hold: 1GB", `hold: "1GB" is not a byte quantity (did you mean 1G or 1Gi?)`},
		{"hold: [1]", `hold: a list stands where a byte quantity is expected (write it like 16Gi)`},
		{"time: 2h", `time: 2h is too large (at most 1h)`},
		{"ports: rome", `ports: "rome" is text, not a list (write it as a list: [rome])`},
		{"ports: [rome, OSTIA]", `ports[1]: "OSTIA" is loud (write ostia)`},
		{"ports: [~]", `ports[0]: has no value (write one, or remove the item)`},
		{"flags: {A: b}", `flags.A: "A" is loud (write a)`},
		{"flags: {a: 1}", `flags.a: 1 is a whole number, not text (quote it: "1")`},
		{"flags: [a]", `flags: a list stands where a mapping is expected (write key: value, without "- ")`},
		{"boats: {name: a}", `boats: a mapping stands where a list is expected (put "- " before the first key of each item)`},
		{"boats: [{oars: 1}]", `boats[0].name: is missing (add name, a text)`},
		{"boats: [{name: ''}]", `boats[0].name: is empty (write a value)`},
		{"boats: [{name: a}, {name: b}, {name: a}]",
			`boats[2].name: "a" stands twice (the first is in line 3; each name may be used once)`},
		{"rank: 2147483648", `rank: 2147483648 is too large (write a smaller number)`},
		{"rank: -2147483649", `rank: -2147483649 is too small (write a larger number)`},
		{"bunks: {a: [0, 4]}", `bunks.a[1]: 4 is too large (at most 3)`},
		{"bunks: {a: [-1]}", `bunks.a[0]: -1 is too small (at least 0)`},
		{"bunks: {A: [1]}", `bunks.A: "A" is loud (write a)`},
		{"bunks: {a: 1}", `bunks.a: 1 is a whole number, not a list (write it as a list: [1])`},
		{"bunks: {a: ~}", `bunks.a: has no value (write one, or remove the key)`},
		{"bunks: {a: [~]}", `bunks.a[0]: has no value (write one, or remove the item)`},
		{"casks: {a: [1GB]}", `casks.a[0]: "1GB" is not a byte quantity (did you mean 1G or 1Gi?)`},
		{"rig: {ropes: 0}", `rig.ropes: 0 is too small (at least 1)`},
		{"rig: {knots: [{}]}", `rig.knots[0].turns: is missing (add turns, a mapping)`},
		{"rig: {knots: [{turns: {}}]}", `rig.knots[0].turns: is empty (it needs at least one entry)`},
		{"rig: {knots: [{turns: ~}]}", `rig.knots[0].turns: is empty (it needs at least one entry)`},
		{"boats: [x]", `boats[0]: "x" is text, not a mapping (write key: value)`},
	} {
		var s ship
		got := New[ship](testChecks).Decode(tree(t, "name: argo\nkeel: {}\n"+c.text+"\n"), &s)
		if len(got) != 1 || strings.SplitN(got[0].Error(), ": ", 2)[1] != c.want {
			t.Errorf("%s\ngot  %v\nwant %s", c.text, got, c.want)
		}
	}
}

func TestMissing(t *testing.T) {
	var s ship
	got := New[ship](testChecks).Decode(tree(t, "kind: ferry\n"), &s)
	want := "f:1:1: name: is missing (add name: abc)\nf:1:1: keel: is missing (add keel: {})"
	if got.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", got, want)
	}
}

// An anchor with a mistake that is used twice is one problem, and what could
// not be read is not compared with its limits; a name that stands twice is told beside.
func TestProblemBehindAnAlias(t *testing.T) {
	var s ship
	got := New[ship](testChecks).
		Decode(tree(t, "name: argo\nkeel: {}\nmasts: &m many\ncrew: *m\nboats: [&b {name: a, oars: x}, *b]\n"), &s)
	want := `f:3:11: masts: "many" is text, not a whole number (write a number)
f:3:11: crew: "many" is text, not a whole number (write a number)
f:5:19: boats[1].name: "a" stands twice (the first is in line 5; each name may be used once)
f:5:28: boats[0].oars: "x" is text, not a whole number (write a number)`
	if got.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", got, want)
	}
}

func TestDefaults(t *testing.T) {
	text := "name: argo\nmasts: 0\nboats: [{name: a}, {name: b, oars: 6}, {name: c}]\n"
	var s ship
	d := New[ship](testChecks)
	d.Decode(tree(t, text), &s)
	rules := map[string]Rule{
		"kind":           func(any) (any, string, string) { return nil, "none", "no" },
		"spare.wood":     func(parent any) (any, string, string) { return "oak", "ship.wood", fmt.Sprintf("%T", parent) },
		"boats[*].oars":  func(parent any) (any, string, string) { return len(parent.(*boat).Name), "", "its name" },
		"keel.depth":     func(any) (any, string, string) { return unit.Factor(0.5), "", "" },
		"boats[*].never": func(any) (any, string, string) { panic("no such field") },
	}
	var got []string
	for _, f := range Collapse(d.Defaults(tree(t, text), &s, rules)) {
		got = append(got, fmt.Sprintf("%s=%s %s %s %d/%d", f.Path, f.Value, f.Fact, f.Why, f.Count, f.Of))
	}
	want := []string{
		"kind=barge   1/1", "crew=0   1/1", "hold=1Gi   1/1", "ports=rome   1/1", "boats[*].oars=1  its name 2/3",
		"keel.depth=0.5   1/1", "spare.wood=oak ship.wood *strict.keel 1/1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if s.Masts != 0 || s.Kind != "barge" || *s.Crew != 0 || s.Boats[1].Oars != 6 || s.Spare.Wood != "oak" ||
		s.Ports[0] != "rome" {
		t.Errorf("filled in: %+v", s)
	}
}

// The defaults of an optional struct count when it is there, or when a rule
// makes it.
func TestDefaultsOfAnOptionalStruct(t *testing.T) {
	ropes := func(any) (any, string, string) { n := int32(2); return &n, "", "" }
	for _, c := range []struct {
		text  string
		rules map[string]Rule
		want  *rig
		found string
	}{
		{"name: argo", nil, nil, ""},
		{"rig:", nil, nil, ""},
		{"rig: {}", nil, &rig{Shape: "lateen"}, "rig.shape=lateen 1/1"},
		{"rig: {shape: square}", nil, &rig{Shape: "square"}, ""},
		{"name: argo", map[string]Rule{"rig.ropes": ropes}, &rig{Ropes: new(int32(2))}, "rig.ropes=2 1/1"},
	} {
		var s ship
		d := New[ship](testChecks)
		tr := tree(t, c.text+"\n")
		d.Decode(tr, &s)
		found := ""
		for _, f := range d.Defaults(tr, &s, c.rules) {
			if strings.HasPrefix(f.Path, "rig") {
				found += fmt.Sprintf("%s=%s %d/%d", f.Path, f.Value, f.Count, f.Of)
			}
		}
		if diff := cmp.Diff(c.want, s.Rig); diff != "" || found != c.found {
			t.Errorf("%s: %q (-want +got):\n%s", c.text, found, diff)
		}
	}
}

// Without a tree, a zero is a field that was left open.
func TestDefaultsWithoutATree(t *testing.T) {
	s := ship{Masts: 3, Boats: []boat{{Name: "a"}}}
	found := New[ship](testChecks).Defaults(nil, &s, nil)
	if s.Masts != 3 || s.Boats[0].Oars != 4 || s.Hold != unit.GiB || len(found) != 5 {
		t.Errorf("%+v, %+v", s, found)
	}
}

// What has its default, given or left open, is told of a document that is complete, which
// stays as it is; a field that is open is filled in.
func TestFilled(t *testing.T) {
	complete := ship{Masts: 3, Boats: []boat{{Name: "a"}}}
	d := New[ship](testChecks)
	given := d.Defaults(nil, &complete, nil)
	s := complete
	if diff := cmp.Diff(given, d.Filled(&s, nil)); diff != "" || !reflect.DeepEqual(s, complete) {
		t.Errorf("(-want +got):\n%s", diff)
	}
	s.Boats = []boat{{Name: "a", Oars: 5}}
	if found := d.Filled(&s, nil); len(found) != len(given)-1 || s.Boats[0].Oars != 5 {
		t.Errorf("with 5 oars: %+v", found)
	}
	s.Boats[0].Oars = 0
	if found := d.Filled(&s, nil); len(found) != len(given)-1 || s.Boats[0].Oars != 0 {
		t.Errorf("with no oars: %+v", found)
	}
	if d.Filled(&s, nil, "boats[0].oars"); s.Boats[0].Oars != 4 {
		t.Errorf("%d oars where they are open", s.Boats[0].Oars)
	}
}

// A tag that is not understood is found when the program starts.
func TestWrongTags(t *testing.T) {
	for name, try := range map[string]func(){
		"unknown check": func() {
			New[struct {
				A string `json:"a" check:"lowr"`
			}](testChecks)
		},
		"limit": func() {
			New[struct {
				A int `json:"a" check:"min=few"`
			}](nil)
		},
		"default": func() {
			var v struct {
				A int `json:"a" default:"few"`
			}
			New[struct {
				A int `json:"a" default:"few"`
			}](nil).Defaults(nil, &v, nil)
		},
		"type": func() {
			var v struct {
				A uint `json:"a"`
			}
			New[struct {
				A uint `json:"a"`
			}](nil).Decode(tree(t, "a: 1\n"), &v)
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			try()
		}()
	}
}

// A mapping may say that its values need no quotes.
func TestPlainTexts(t *testing.T) {
	var got ship
	ps := New[ship](testChecks).
		Decode(tree(t, "name: a\nkeel: {}\nnotes: {a: 2, b: yes, c: 0x10, d: true, e: 1.50, f: [1], g: }"), &got)
	if diff := cmp.Diff(map[string]string{"a": "2", "b": "yes", "c": "0x10", "d": "true", "e": "1.50", "f": "", "g": ""},
		got.Notes); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if len(ps) != 2 || ps[0].Field != "notes.f" || ps[1].Field != "notes.g" {
		t.Errorf("problems: %v", ps)
	}
}

// fleet has fields that only some of its platforms have.
type fleet struct {
	Kind   string `json:"kind,omitempty"`
	Engine string `json:"engine" check:"required" platform:"steam|motor"`
	Sail   struct {
		Area int `json:"area,omitempty" default:"9"`
	} `json:"sail,omitzero" platform:"wind"`
	Fuel int `json:"fuel,omitempty" default:"7" platform:"motor"`
}

func TestPlatform(t *testing.T) {
	for _, c := range []struct{ platform, text, problems, defaults string }{
		{"wind", "sail: {area: 3}", "", ""},
		{"wind", "kind: x", "", "sail.area 9"},
		{"wind", "fuel: 3", "f:1:1: fuel: is not a field of platform wind (remove it, or write platform.type: motor)\n",
			"sail.area 9"},
		{"wind", "area: 3", "f:1:1: : unknown field \"area\" (it belongs to sail)\n", "sail.area 9"},
		{"steam", "engine: a\nsail: {}",
			"f:2:1: sail: is not a field of platform steam (remove it, or write platform.type: wind)\n", ""},
		{"motor", "area: 3", "f:1:1: : unknown field \"area\" (known are kind, engine, fuel)\n", "fuel 7"},
		{"", "engine: a", "", "sail.area 9,fuel 7"},
	} {
		d := New[fleet](nil)
		d.Platform = c.platform
		var got fleet
		var problems, defaults []string
		tr := tree(t, c.text)
		for _, p := range d.Decode(tr, &got) {
			if p.What != "is missing" {
				problems = append(problems, fmt.Sprintf("%s:%d:%d: %s: %s (%s)\n", p.File, p.Line, p.Col, p.Field, p.What, p.Fix))
			}
		}
		for _, f := range d.Defaults(tr, &got, nil) {
			defaults = append(defaults, f.Path+" "+f.Value)
		}
		if p, f := strings.Join(problems, ""), strings.Join(defaults, ","); p != c.problems || f != c.defaults {
			t.Errorf("%s, %s:\n%s%s", c.platform, c.text, p, f)
		}
	}
}
