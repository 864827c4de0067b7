package tuned

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
)

// TestTextIsReadTheSame: what Text writes is one profile that comes to the same
// sections, options and values as the tree that it was made of, for every recorded
// tree that loads.
func TestTextIsReadTheSame(t *testing.T) {
	number := 0
	for r := range recorded[recordedTree](t, "testdata/oracle/trees.jsonl.gz") {
		set, m := r.set()
		f, _ := set.Flatten(r.Load, m)
		if f == nil || unwritable(f) {
			continue
		}
		number++
		text := Text(f)
		again, found := NewSet(directory("/r/flat", "flat", text)).Flatten("flat", m)
		if again == nil {
			t.Fatalf("tree %s: %v\n%s", r.Name, found, text)
		}
		if d := cmp.Diff(essence(f), essence(again)); d != "" {
			t.Fatalf("tree %s: %s\n%s", r.Name, d, text)
		}
	}
	if number < 1500 {
		t.Errorf("only %d trees are written", number)
	}
}

// unwritable results have what one file can't: an option script in other sections
// than [script], or several scripts.
func unwritable(f *Flat) bool {
	for _, s := range f.Sections {
		for _, o := range s.Options {
			if len(o.Scripts) > 1 {
				return true
			}
		}
	}
	return false
}

// essence is a result without the places.
func essence(f *Flat) []string {
	var out []string
	add := func(prefix string, list []Option) {
		for _, o := range list {
			out = append(out, prefix+o.Key+"="+o.Written+"="+o.Value+"="+strings.Join(o.Scripts, ":")+o.Fault)
		}
	}
	add("main:", f.Main)
	add("var:", f.Variables)
	for _, s := range f.Sections {
		out = append(out, s.Name, s.Type, s.Devices, s.Skipped)
		add("", s.Options)
	}
	for _, s := range f.Applied() {
		out = append(out, s.Name)
	}
	return append(out, Kernel(f).Text, strconv.FormatBool(f.Fault != ""))
}

// TestText shows the form: a comment above each value says where it comes from,
// what it comes to and what it overrides.
func TestText(t *testing.T) {
	set := oneDirectory("base", "[variables]\nn=5\n[sysctl]\nk=1\nl=${n}\n", "top",
		"[main]\ninclude=base\n[sysctl]\nk=a\n  b\ndrop=l\n[script]\nscript=x.sh\n")
	want := `# top, flattened from 2 profiles: base, top
[main]

[variables]
# /p/base/tuned.conf:2 (base)
n=5

[sysctl]
# not inherited (drop): l=${n}, /p/base/tuned.conf:5 (base)
# /p/top/tuned.conf:4 (top)
#   instead of 1, /p/base/tuned.conf:4 (base)
k=a
  b

[script]
# /p/top/tuned.conf:8 (top)
script=/p/top/x.sh
`
	if d := cmp.Diff(want, Text(flatten(t, set, "top", Machine{}))); d != "" {
		t.Error(d)
	}
}

// TestTextOfScripts: scripts that were put together run one after the other in
// sections of their own.
func TestTextOfScripts(t *testing.T) {
	set := oneDirectory("base", "[script]\nscript=a.sh\n", "top", "[main]\ninclude=base\n[script]\nscript=b.sh\n")
	f := flatten(t, set, "top", Machine{})
	if got := strings.Join(f.Section("script").Options[0].Scripts, " "); got != "/p/base/a.sh /p/top/b.sh" {
		t.Errorf("scripts: %s", got)
	}
	again := flatten(t, oneDirectory("flat", Text(f)), "flat", Machine{})
	if len(again.Sections) != 2 || again.Sections[1].Type != "script" ||
		again.Sections[1].Options[0].Value != "/p/top/b.sh" {
		t.Errorf("read again: %+v", again.Sections)
	}
}

// TestPlaces: every value stands at the place that is told for it.
func TestPlaces(t *testing.T) {
	for r := range recorded[recordedTree](t, "testdata/oracle/trees.jsonl.gz") {
		set, m := r.set()
		f, _ := set.Flatten(r.Load, m)
		if f == nil {
			continue
		}
		texts := map[string][]string{}
		for _, d := range r.Dirs {
			for _, p := range d.Profiles {
				text := strings.ReplaceAll(strings.ReplaceAll(p.Text, "\r\n", "\n"), "\r", "\n")
				texts[d.Path+"/"+p.Name+"/tuned.conf"] = strings.Split(text, "\n")
			}
		}
		for _, s := range f.Sections {
			for _, o := range s.Options {
				checkPlace(t, r.Name, texts, o.Key, o.From)
				for _, old := range o.Overrides {
					checkPlace(t, r.Name, texts, o.Key, old.From)
				}
			}
		}
	}
}

func checkPlace(t *testing.T, tree string, texts map[string][]string, key string, from From) {
	lines := texts[from.Place.File]
	if from.Place.Line < 1 || from.Place.Line > len(lines) {
		t.Fatalf("tree %s: %s stands at %s", tree, key, from)
	}
	line := []rune(lines[from.Place.Line-1])
	if !strings.HasPrefix(string(line[from.Place.Col-1:]), key) {
		t.Fatalf("tree %s: %s does not stand at %s: %q", tree, key, from, string(line))
	}
}

// TestAnswer: what is refused is told with its reason, what is not with numbers.
func TestAnswer(t *testing.T) {
	set := oneDirectory("base", "[sysctl]\nk=1\n", "top", "[main]\ninclude=base\n[sysctl]\nk=2\n[net]\nenabled=0\nmtu=1\n",
		"bad", "[main]\ninclude=none\n")
	f, found := set.Flatten("top", Machine{})
	a := Answer("top", f, found)
	if !a.Verdict.OK || a.Verdict.Summary != "top merges 2 profiles to 1 setting in 1 section" ||
		a.Kind != "FlattenedProfile" || a.Result != any(f) {
		t.Errorf("%+v", a.Verdict)
	}
	if row := a.Parts[1].Tables[0].Rows[0]; row[1].Text != "2" || row[2].Text != "/p/top/tuned.conf:4" ||
		row[3].Text != "1 (base)" {
		t.Errorf("row %v", row)
	}
	f, found = set.Flatten("bad", Machine{})
	a = Answer("bad", f, found)
	if a.Verdict.OK || a.Verdict.Problem == "" || a.Result != nil || a.Findings[0].Severity != v1alpha1.Error {
		t.Errorf("%+v", a)
	}
}
