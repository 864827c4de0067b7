package tuned

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"plimsoll.dev/api/v1alpha1"
)

var recordedFile = flag.String("recorded", "",
	"a file of random trees with TuneD's answers, in place of testdata/oracle")

// recordedTree is a tree of profiles with what TuneD 2.20.0 makes of it.
type recordedTree struct {
	Name string `json:"name"`
	Dirs []struct {
		Path     string `json:"path"`
		Profiles []struct {
			Name string `json:"name"`
			Text string `json:"text"`
		} `json:"profiles"`
	} `json:"dirs"`
	Load    string            `json:"load"`
	Files   map[string]string `json:"files"`
	Machine struct {
		Machine
		Programs map[string]string `json:"programs"`
	} `json:"machine"`
	Answer recordedAnswer `json:"answer"`
}

// recordedAnswer has TuneD's own answer, or ours in the same form.
type recordedAnswer struct {
	Refused   string            `json:"refused,omitempty"`
	Layers    []string          `json:"layers,omitempty"`
	Main      [][2]any          `json:"main,omitempty"`
	Variables [][2]string       `json:"variables,omitempty"`
	Sections  []recordedSection `json:"sections,omitempty"`
	Applied   []string          `json:"applied,omitempty"`
	Fault     string            `json:"fault,omitempty"`
	CmdLine   *string           `json:"cmdline,omitempty"`
	Log       []string          `json:"log,omitempty"`
}

type recordedSection struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"`
	Enabled bool     `json:"enabled"`
	Devices string   `json:"devices"`
	Udev    *string  `json:"udev"`
	CPUInfo *string  `json:"cpuinfo"`
	Uname   *string  `json:"uname"`
	Pre     *string  `json:"pre"`
	Post    *string  `json:"post"`
	Options [][3]any `json:"options,omitempty"`
}

// set is the tree as a Set and the machine that it was loaded on.
func (r *recordedTree) set() (*Set, Machine) {
	var dirs []Directory
	for _, d := range r.Dirs {
		dir := Directory{Path: d.Path}
		for _, p := range d.Profiles {
			dir.Profiles = append(dir.Profiles, Profile{Name: p.Name, Source: Source{Body: p.Text}})
		}
		dirs = append(dirs, dir)
	}
	m := r.Machine.Machine
	m.Read = func(path string) (string, bool) { text, ok := r.Files[path]; return text, ok }
	m.Run = func(args []string) (string, bool) {
		out, ok := r.Machine.Programs[args[0]]
		return out + strings.Join(args[1:], " "), ok
	}
	return NewSet(dirs...), m
}

// answerOf is our answer in the form of TuneD's.
func answerOf(r *recordedTree) recordedAnswer {
	set, m := r.set()
	f, found := set.Flatten(r.Load, m)
	a := recordedAnswer{Log: []string{}}
	for _, x := range found {
		switch kind := strings.TrimPrefix(x.ID, "tuned."); kind {
		case "unknownFunction", "arguments", "braces", "variableName", "variablesFile":
			a.Log = append(a.Log, kind)
		case "assertion", "unreadable", "notFound", "crash":
			if f == nil {
				a.Refused = kind
			}
		}
	}
	slices.Sort(a.Log)
	if f == nil {
		return a
	}
	if len(f.Layers) > 1 {
		for _, l := range f.Layers {
			a.Layers = append(a.Layers, l.Profile)
		}
	}
	for _, o := range f.Main {
		a.Main = append(a.Main, [2]any{o.Key, listOrText(o, o.Value)})
	}
	for _, v := range f.Variables {
		a.Variables = append(a.Variables, [2]string{v.Key, v.Value})
	}
	for i := range f.Sections {
		a.Sections = append(a.Sections, recordedOf(&f.Sections[i]))
	}
	if a.Fault = f.Fault; a.Fault != "" {
		a.Fault = "fault"
		return a
	}
	boot := false
	for _, s := range f.Applied() {
		a.Applied = append(a.Applied, s.Name)
		boot = boot || s.Type == "bootloader"
	}
	e := f.expander
	if line, err := kernelLine(f, &e); boot && err == nil {
		a.CmdLine = &line
	}
	return a
}

func listOrText(o Option, text string) any {
	if o.Scripts == nil {
		return text
	}
	var list []any
	for _, s := range o.Scripts {
		list = append(list, s)
	}
	return list
}

func recordedOf(s *Section) recordedSection {
	value := func(key string) *string {
		if o := s.Attribute(key); o != nil {
			return &o.Value
		}
		return nil
	}
	out := recordedSection{Name: s.Name, Type: s.Type, Enabled: s.Enabled, Devices: s.Devices,
		Udev: value("devices_udev_regex"), CPUInfo: value("cpuinfo_regex"),
		Uname: value("uname_regex"), Pre: value("script_pre"), Post: value("script_post")}
	for _, o := range s.Options {
		worked := listOrText(o, o.Value)
		if o.Fault != "" {
			worked = nil
		}
		out.Options = append(out.Options, [3]any{o.Key, listOrText(o, o.Written), worked})
	}
	return out
}

// theirs brings what TuneD answers into the form that is compared: names of
// layers without the hyphen and folders of the include, variables that an
// environment would have.
func theirs(a recordedAnswer) recordedAnswer {
	for i, name := range a.Layers {
		a.Layers[i] = baseName(strings.TrimPrefix(name, "-"))
	}
	if a.Fault != "" {
		a.Fault = "fault"
	}
	return a
}

func textOf(t *testing.T, v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// recorded yields the lines of a file as values of T.
func recorded[T any](t testing.TB, name string) func(func(T) bool) {
	return func(yield func(T) bool) {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		var in io.Reader = file
		if strings.HasSuffix(name, ".gz") {
			if in, err = gzip.NewReader(file); err != nil {
				t.Fatal(err)
			}
		}
		lines := bufio.NewReader(in)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			var v T
			d := json.NewDecoder(bytes.NewReader(line))
			if err := d.Decode(&v); err != nil {
				t.Fatal(err)
			}
			if !yield(v) {
				return
			}
		}
	}
}

// recordedTrees is the file of the trees.
func recordedTrees() string {
	if *recordedFile != "" {
		return *recordedFile
	}
	return "testdata/oracle/trees.jsonl.gz"
}

// cornered reports whether a tree has what is left open, and the findings say so: a
// variable with a number for its name, or letters beyond ASCII in which an expression
// looks for those of Unicode. Only such trees may come to something else here.
func cornered(r *recordedTree) bool {
	set, m := r.set()
	_, found := set.Flatten(r.Load, m)
	return findingOf(found, NumberedName) != nil ||
		slices.ContainsFunc(found, func(f v1alpha1.Finding) bool {
			return f.ID == BeyondUs.ID && strings.Contains(f.Message, "not understood here") && unicodes.MatchString(f.Message)
		})
}

// TestOracle replays what TuneD 2.20.0 made of random trees and demands the same
// layers, options, variables, sections, values, order and complaints.
func TestOracle(t *testing.T) {
	number, refused, wrong, open := 0, map[string]int{}, 0, 0
	for r := range recorded[recordedTree](t, recordedTrees()) {
		number++
		refused[r.Answer.Refused]++
		want, got := theirs(r.Answer), answerOf(&r)
		if textOf(t, want) == textOf(t, got) {
			continue
		}
		if cornered(&r) {
			open++
			continue
		}
		if wrong++; wrong <= 10 {
			t.Errorf("tree %s: TuneD -, here +\n%s\n%s", r.Name, cmp.Diff(want, got, cmpopts.EquateEmpty()), textOf(t, r))
		}
	}
	t.Logf("%d trees, refused: %v, %d differ, %d are left open", number, refused, wrong, open)
	if open > number/50 {
		t.Errorf("%d of %d trees are left open", open, number)
	}
	if number < 2000 || refused[""] < 1500 || refused["notFound"] == 0 || refused["unreadable"] == 0 ||
		refused["assertion"] == 0 || refused["crash"] == 0 {
		t.Error("too few answers are recorded to tell anything")
	}
}

// TestOracleTables: functions with their numbers of arguments, plug-ins with their
// options, as TuneD 2.20.0 has them.
func TestOracleTables(t *testing.T) {
	type row struct {
		Function    string `json:"function"`
		Least, Most int
		Plugin      string   `json:"plugin"`
		Options     []string `json:"options"`
		Any         bool     `json:"any"`
		Devices     bool     `json:"devices"`
	}
	names := map[string]bool{}
	for r := range recorded[row](t, "testdata/oracle/tables.jsonl.gz") {
		names[r.Function+r.Plugin] = true
		if r.Function != "" {
			if f, known := function(r.Function); !known || f.least != r.Least || f.most != r.Most {
				t.Errorf("function %s: %+v, TuneD takes %d to %d arguments", r.Function, f, r.Least, r.Most)
			}
			continue
		}
		p, known := plugins[r.Plugin]
		slices.Sort(p.options)
		if !known || p.any != r.Any || p.devices != r.Devices || !p.any && !slices.Equal(p.options, r.Options) {
			t.Errorf("plug-in %s: %+v, TuneD has %+v", r.Plugin, p, r)
		}
	}
	here := len(plugins)
	for _, f := range builtins {
		if f.since <= 20 {
			here++
		}
	}
	if len(names) != here {
		t.Errorf("TuneD 2.20 has %d functions and plug-ins, here are %d", len(names), here)
	}
}
