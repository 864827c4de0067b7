package report

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
)

func plans() map[string]*v1alpha1.Plan {
	return map[string]*v1alpha1.Plan{"plan": samplePlan(), "later": stored[v1alpha1.Plan]("later"),
		"hostile": hostilePlan(), "empty": {}}
}

// texts are all texts that can be written of a plan in some options.
func texts(t *testing.T, p *v1alpha1.Plan, format string, opt Options) map[string]string {
	t.Helper()
	opt.Facts, opt.Format = sampleFacts, format
	var plan, diff bytes.Buffer
	if err := Write(&plan, p, format, opt); err != nil {
		t.Fatal(err)
	}
	if _, err := Diff(&diff, samplePlan(), p, format, opt); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{"plan": plan.String(), "diff": diff.String()}
	for _, g := range p.Gauges {
		var why bytes.Buffer
		if err := Why(&why, p, g.ID, opt); err != nil {
			t.Fatal(err)
		}
		out["why "+g.ID] = why.String()
	}
	return out
}

func TestLinesFit(t *testing.T) {
	for name, p := range plans() {
		for _, width := range []int{0, 40, 62, 80, 132} {
			for _, format := range []string{Table, Wide} {
				limit := width
				if width == 0 {
					if format == Wide {
						continue
					}
					limit = 80
				}
				for what, text := range texts(t, p, format, Options{Width: width}) {
					for line := range strings.Lines(text) {
						if strings.HasPrefix(line, "  plimsoll why FILE '") {
							continue // a command with quotes stays whole
						}
						if w := table.Width(strings.TrimSuffix(line, "\n")); w > limit {
							t.Fatalf("%s %s as %s: %d columns instead of %d: %q", name, what, format, w, limit, line)
						}
					}
				}
			}
		}
	}
}

func TestNoControlCharacters(t *testing.T) {
	for what, text := range texts(t, hostilePlan(), Wide, Options{}) {
		if strings.ContainsAny(text, "\x1b\u202e\t\r") {
			t.Errorf("%s lets control characters through", what)
		}
	}
}

func TestColorOnlyPaints(t *testing.T) {
	codes := regexp.MustCompile("\x1b\\[[0-9;]*m")
	for _, format := range []string{Table, Wide} {
		plain, painted := texts(t, samplePlan(), format, Options{}), texts(t, samplePlan(), format, Options{Color: true})
		for what := range plain {
			if !codes.MatchString(painted[what]) {
				t.Errorf("%s %s is not painted", format, what)
			}
			if diff := cmp.Diff(plain[what], codes.ReplaceAllString(painted[what], "")); diff != "" {
				t.Errorf("%s %s: %s", format, what, diff)
			}
		}
	}
}

func TestASCII(t *testing.T) {
	for what, text := range texts(t, samplePlan(), Wide, Options{}) {
		for _, r := range text {
			if r > 126 {
				t.Errorf("%s has %q", what, r)
			}
		}
	}
}

func TestProminent(t *testing.T) {
	short := texts(t, samplePlan(), Table, Options{Section: "all"})["plan"]
	for _, want := range []string{"and 7 more at 11 % or less (-o wide)", "and 1 remark (-o wide)"} {
		if !strings.Contains(short, want) {
			t.Errorf("short text lacks %q", want)
		}
	}
	for _, not := range []string{"Tested sizes", "control.size.growth", "Containers of the workload"} {
		if strings.Contains(short, not) {
			t.Errorf("short text has %q", not)
		}
	}
	many := samplePlan()
	for i := range 12 {
		g := many.Gauges[0]
		g.ID = fmt.Sprint("extra", i)
		many.Gauges = append(many.Gauges, g)
	}
	if n := strings.Count(texts(t, many, Table, Options{Section: "all"})["plan"], "234 % "); n < 13 {
		t.Errorf("only %d passed limits shown", n)
	}
}

func TestASCIIBar(t *testing.T) {
	for share, want := range map[float64]string{
		0: "[----------]", 0.001: "[#---------]", 0.55: "[######----]", 0.81: "[########--]", 0.999: "[#########-]",
		1: "[##########]", 1.01: "[#########>]", 1e9: "[#########>]",
	} {
		if got := asciiBar(share, 10); got != want {
			t.Errorf("%v: %s, want %s", share, got, want)
		}
	}
}

func TestStackBarIsFull(t *testing.T) {
	for _, n := range samplePlan().Nodes {
		for _, r := range n.Resources {
			bar := stackBar(r, layerLetters(samplePlan().Nodes))
			if len(bar) != layerBar+2 || strings.Contains(bar, " ") {
				t.Errorf("%s %s: %q", n.Type, r.Resource, bar)
			}
		}
	}
}

func TestQuoted(t *testing.T) {
	for id, want := range map[string]string{"network.cidr": "network.cidr", "a[b c]": "'a[b c]'", "it's": `'it'\''s'`} {
		if got := quoted(id); got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
}

func TestCommandCanBePasted(t *testing.T) {
	for _, c := range []struct {
		command string
		width   int
		want    string
	}{
		{"plimsoll plan a.yaml -o html", 60, "See: plimsoll plan a.yaml -o html\n"},
		{"plimsoll plan a.yaml -o html", 0, "See: plimsoll plan a.yaml -o html\n"},
		{"plimsoll tune check deployments/one.yaml -o html", 30,
			"See:\n  plimsoll tune check \\\n    deployments/one.yaml -o \\\n    html\n"},
		{"plimsoll plan a-name/that-is-longer/than-a-line.yaml -o html", 30,
			"See:\n  plimsoll plan \\\n    a-name/that-is-longer/than-a-line.yaml \\\n    -o html\n"},
		{"plimsoll plan 'with a blank.yaml' -o html", 30, "See:\n  plimsoll plan 'with a blank.yaml' -o html\n"},
	} {
		x := &text{width: c.width}
		x.command("See:", c.command)
		if got := x.b.String(); got != c.want {
			t.Errorf("%d columns:\n%s\nwant\n%s", c.width, got, c.want)
		}
	}
}

// A plan of a file with a long name explains numbers by a command that can be pasted whole.
func TestCommandsOfAPlanCanBePasted(t *testing.T) {
	opt := Options{Width: 60, File: "a-rather-long-name/of-a-scenario.yaml"}
	text := brief(t, samplePlan(), opt)
	_, command, ok := strings.Cut(text, "\nAny number explained:")
	command, _, _ = strings.Cut(command, "\nEverything")
	whole := strings.ReplaceAll(strings.TrimSpace(command), " \\\n", "")
	if !ok || strings.Contains(whole, "\n") || !strings.HasPrefix(whole, "plimsoll why") {
		t.Errorf("%q", command)
	}
}
