package doctest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/schema"
)

const root = "../.."

func TestPages(t *testing.T) {
	pages, err := filepath.Glob(root + "/docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("pages: %v, %v", pages, err)
	}
	for _, name := range append(pages, root+"/README.md") {
		t.Run(filepath.Base(name), func(t *testing.T) {
			problems, commands := check(t, name)
			for _, p := range problems {
				t.Error(p)
			}
			if commands == 0 {
				t.Error("the page shows no command; is the block's language console?")
			}
		})
	}
}

// A page with a mistake of each kind: a test that finds nothing proves nothing.
func TestMistakesAreFound(t *testing.T) {
	text, err := os.ReadFile("testdata/mistakes.want")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(text)), "\n")
	problems, _ := check(t, "testdata/mistakes.md")
	got := make([]string, len(problems))
	for i, p := range problems {
		got[i], _, _ = strings.Cut(p, "\n")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems differ (-want +got):\n%s", diff)
	}
}

// check types a page's blocks and returns what is not true, and how many
// commands there were.
func check(t *testing.T, name string) (problems []string, commands int) {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS(root+"/examples")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	p := page{t: t, name: filepath.Base(name)}
	if slices.Contains(liveClusters, p.name) {
		cluster(t, dir)
	}
	found, problem := blocks(string(text))
	for _, b := range found {
		switch {
		case b.lang == "console":
			p.console(b)
		case b.lang == "yaml":
			p.yaml(b)
		case b.name != "":
			p.save(b.name, b.source())
		}
	}
	p.wrong(problem)
	return p.problems, p.commands
}

// page is a page that is being checked.
type page struct {
	t        *testing.T
	name     string
	shell    shell
	commands int
	problems []string
}

// wrong adds a problem, which begins with its line.
func (p *page) wrong(problem string) {
	if problem != "" {
		p.problems = append(p.problems, p.name+":"+problem)
	}
}

func (p *page) console(b block) {
	list, problem := steps(b)
	p.wrong(problem)
	for _, s := range list {
		p.commands++
		p.step(s)
	}
}

// step runs a command and compares.
func (p *page) step(s step) {
	output, err := p.shell.run(s.command)
	if err != nil {
		p.wrong(fmt.Sprintf("%d: $ %s: %v", s.line, s.command, err))
		return
	}
	var printed []string
	if output != "" {
		printed = strings.Split(strings.TrimSuffix(output, "\n"), "\n")
	}
	if len(s.shown) == 0 {
		if p.shell.exit != 0 && p.shell.exit != 3 {
			p.wrong(fmt.Sprintf("%d: $ %s: ends with exit code %d\n%s", s.line, s.command, p.shell.exit, output))
		}
		return
	}
	switch i := match(s.shown, printed); {
	case i < 0:
	case i == len(s.shown):
		p.wrong(fmt.Sprintf("%d: $ %s: more is printed; end with a line %q", s.line+i, s.command, skip))
	default:
		p.wrong(fmt.Sprintf("%d: $ %s: does not print %q here; the nearest lines are\n%s", s.line+1+i, s.command, s.shown[i],
			strings.Join(nearest(s.shown[i], printed), "\n")))
	}
}

// yaml validates a scenario, and a piece of one with what is missing before it. A
// health scenario is played.
func (p *page) yaml(b block) {
	text := b.source()
	keys := topKeys(b.text)
	switch {
	case slices.Contains(keys, "apiVersion") && strings.Contains(text, "plimsoll.dev/"):
	case len(keys) > 0 && !slices.ContainsFunc(keys, func(k string) bool { return !isSection(k) }):
		if !slices.Contains(keys, "platform") {
			text += "platform: {release: \"4.14\"}\n"
		}
		text += "apiVersion: plimsoll.dev/v1alpha1\nkind: Scenario\n"
	default:
		return // a file of another program
	}
	name := b.name
	if name == "" {
		name = fmt.Sprintf("line-%d.yaml", b.line)
	}
	p.save(name, text)
	command := "plimsoll validate "
	if strings.Contains(text, "kind: HealthScenario") {
		command = "plimsoll tune health simulate "
	}
	if output, _ := p.shell.run(command + name); p.shell.exit != 0 {
		p.wrong(fmt.Sprintf("%d: the scenario is not valid\n%s", b.line, output))
	}
}

// save writes a file for the commands that follow.
func (p *page) save(name, text string) {
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// topKeys are the keys that stand at the beginning of a line.
func topKeys(lines []string) []string {
	var keys []string
	for _, line := range lines {
		key, _, ok := strings.Cut(line, ":")
		if ok && key != "" && !strings.ContainsAny(key, " #-{\"'") {
			keys = append(keys, key)
		}
	}
	return keys
}

// isSection says whether a scenario has such a key.
func isSection(key string) bool {
	_, err := schema.Lookup(key)
	return err == nil
}
