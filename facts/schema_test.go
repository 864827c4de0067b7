package facts_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"plimsoll.dev/facts"
)

// files reads data/*.yaml as the generator does.
func files(t *testing.T) []facts.File {
	t.Helper()
	paths, err := filepath.Glob("data/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no data files: %v", err)
	}
	slices.Sort(paths)
	var out []facts.File
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var f facts.File
		if err := yaml.UnmarshalStrict(text, &f); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		out = append(out, f)
	}
	return out
}

func TestCatalogueIsCurrent(t *testing.T) {
	list, errs := facts.Flatten(files(t))
	for _, err := range errs {
		t.Error(err)
	}
	want, err := facts.Encode(list)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("catalogue.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("catalogue.json is not what data/*.yaml gives: run go generate ./facts")
	}
	if n := len(facts.Load().All()); n != len(list) {
		t.Errorf("the built-in catalogue has %d facts, the data files %d", n, len(list))
	}
}

func TestFactsAreWellFormed(t *testing.T) {
	var (
		id   = regexp.MustCompile(`^[a-z0-9]+(\.[A-Za-z0-9_-]+)+(/[A-Za-z0-9._-]+)*$`)
		date = regexp.MustCompile(`^(\d{4}(-\d{2})?)?$`)
	)
	seen := map[string]bool{}
	for _, f := range facts.Load().All() {
		if seen[f.ID] {
			t.Errorf("%s stands twice", f.ID)
		}
		seen[f.ID] = true
		if !id.MatchString(f.ID) {
			t.Errorf("%s: not an id", f.ID)
		}
		if !date.MatchString(f.Date) {
			t.Errorf("%s: date %q", f.ID, f.Date)
		}
		if f.Text != "" && (f.Number != 0 || f.Unit != "") {
			t.Errorf("%s: both the text %q and a number or unit", f.ID, f.Text)
		}
		if f.Printed() == "" || strings.HasSuffix(f.Title, ".") {
			t.Errorf("%s: prints %q, title %q", f.ID, f.Printed(), f.Title)
		}
		if f.Grade == facts.Doubtful && len(f.Notes) == 0 && len(f.Contradicts) == 0 {
			t.Errorf("%s is doubtful and does not say why", f.ID)
		}
		if f.Grade == facts.SecondSource && f.Date == "" {
			t.Errorf("%s is from a second source without a date", f.ID)
		}
	}
}

// Titles and units are those of the quantity, whatever group a row stands in.
func TestQuantitiesAreUniform(t *testing.T) {
	first := map[string]facts.Fact{}
	for _, f := range facts.Load().All() {
		g, ok := first[f.Quantity]
		if !ok {
			first[f.Quantity] = f
			continue
		}
		if g.Title != f.Title || g.Unit != f.Unit || g.Scope != f.Scope || g.Platform != f.Platform ||
			len(g.Dims) != len(f.Dims) {
			t.Errorf("%s and %s differ in title, unit, scope, platform or dims", g.ID, f.ID)
		}
	}
}

func TestContradictionsAreMutual(t *testing.T) {
	c := facts.Load()
	n := 0
	for _, f := range c.All() {
		for _, id := range f.Contradicts {
			n++
			other, ok := c.Get(id)
			if !ok {
				t.Errorf("%s contradicts %s, which is not there", f.ID, id)
			} else if !slices.Contains(other.Contradicts, f.ID) {
				t.Errorf("%s contradicts %s, which does not know", f.ID, id)
			}
		}
	}
	if n == 0 {
		t.Error("no contradiction is recorded")
	}
}

// sections are the numbered sections of the two documents, from their tables
// of contents; ROUT is an excerpt without one.
var sections = map[string]string{
	"OCP": `1.1 2.1 2.2 2.3 2.4 2.5 3.1 3.2 3.3 3.3.1 3.4 3.4.1 3.4.1.1 3.4.1.2 3.5
		4.1 4.2 4.3 4.4 4.5 4.6 4.7 5.1 5.2 5.3 5.3.1 5.3.2 5.4 6.1 7.1 7.2 7.2.1 7.2.2 7.2.3 7.2.4 7.3
		8.1 8.2 9.1 9.2 9.3 9.4 10.1 10.2 10.2.1 10.2.1.1 10.2.1.2 10.2.1.3 10.2.1.4 10.2.1.5 10.2.2 10.3
		11.1 11.2 12.1 12.2 12.3 13.1 13.2 13.3 1 2 3 4 5 6 7 8 9 10 11 12 13`,
	"ROUT": `8.1 8.1.1 8.1.2 8.1.2.1 8.1.2.2 8.1.2.3 8.1.2.4 8.1.2.5`,
}

func TestSourcesExist(t *testing.T) {
	readme, err := os.ReadFile("data/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(readme), "## Sources")
	if !ok {
		t.Fatal("data/README.md has no table of sources")
	}
	rfc := regexp.MustCompile(`^RFC \d+$`)
	used := map[string]bool{"RFC …": true}
	for _, f := range facts.Load().All() {
		used[f.Source.Code] = true
		if rfc.MatchString(f.Source.Code) {
			continue
		}
		if !strings.Contains(table, "\n| "+f.Source.Code+" |") {
			t.Errorf("%s: source %q is not in the table at the end of data/README.md: add it there", f.ID, f.Source.Code)
		}
		if list, ok := sections[f.Source.Code]; ok && !slices.Contains(strings.Fields(list), f.Source.Section) {
			t.Errorf("%s: %s has no section %q", f.ID, f.Source.Code, f.Source.Section)
		}
	}
	for line := range strings.Lines(table) {
		code, _, ok := strings.Cut(strings.TrimPrefix(line, "| "), " |")
		if ok && strings.HasPrefix(line, "| ") && code != "code" && !used[code] {
			t.Errorf("the table of sources has %q, which no fact uses", code)
		}
	}
}

// Chapters of the document that have figures must all be in the catalogue.
func TestEveryChapterIsThere(t *testing.T) {
	without := []string{"2.5", "4.4", "5.1", "5.3", "7.2.1", "7.2.2", "7.2.3", "7.2.4", "12.2"} // nothing of their own
	var used []string
	for _, f := range facts.Load().All() {
		if f.Source.Code == "OCP" {
			used = append(used, f.Source.Section)
		}
	}
	for _, s := range strings.Fields(sections["OCP"]) {
		if strings.Contains(s, ".") && !slices.Contains(used, s) && !slices.Contains(without, s) {
			t.Errorf("no fact comes from OCP %s", s)
		}
	}
}
