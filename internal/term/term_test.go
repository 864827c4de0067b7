package term

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for _, p := range pairs {
			if v, ok := strings.CutPrefix(p, name+"="); ok {
				return v
			}
		}
		return ""
	}
}

func TestColor(t *testing.T) {
	screen, file := &Fake{Columns: 80}, &bytes.Buffer{}
	tests := []struct {
		name string
		mode ColorMode
		to   any
		env  []string
		want bool
	}{
		{"terminal", Auto, screen, nil, true},
		{"file", Auto, file, nil, false},
		{"NO_COLOR", Auto, screen, []string{"NO_COLOR=1"}, false},
		{"NO_COLOR empty", Auto, screen, []string{"NO_COLOR="}, true},
		{"dumb", Auto, screen, []string{"TERM=dumb"}, false},
		{"always beats NO_COLOR", Always, file, []string{"NO_COLOR=1"}, true},
		{"never", Never, screen, nil, false},
	}
	for _, tt := range tests {
		if got := Color(tt.mode, tt.to, env(tt.env...)); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestParseColorMode(t *testing.T) {
	for s, want := range map[string]ColorMode{"": Auto, "auto": Auto, "always": Always, "never": Never} {
		if got, err := ParseColorMode(s); err != nil || got != want {
			t.Errorf("%q: %q, %v", s, got, err)
		}
	}
	if _, err := ParseColorMode("yes"); err == nil || err.Error() != `colour "yes" is not auto, always or never` {
		t.Errorf("error: %v", err)
	}
}

func TestWidth(t *testing.T) {
	tests := []struct {
		to   any
		env  func(string) string
		want int
	}{
		{&Fake{Columns: 120}, env("COLUMNS=99"), 120},
		{&Fake{}, env("COLUMNS=99"), 99},
		{&bytes.Buffer{}, env(), 0},
		{&bytes.Buffer{}, env("COLUMNS=-4"), 0},
	}
	for i, tt := range tests {
		if got := Width(tt.to, tt.env); got != tt.want {
			t.Errorf("%d: %d, want %d", i, got, tt.want)
		}
	}
}

// clock is a time that only the test moves.
type clock struct{ t time.Time }

func (c *clock) now() time.Time          { return c.t }
func (c *clock) advance(d time.Duration) { c.t = c.t.Add(d) }

func TestProgressOnATerminal(t *testing.T) {
	screen, c := &Fake{Columns: 60}, &clock{}
	p := NewProgress(screen, ProgressOptions{Title: "packing", Unit: "pods", Total: 500, Now: c.now})
	p.Add(5) // too early to show
	c.advance(2 * time.Second)
	p.Set(200)
	c.advance(50 * time.Millisecond)
	p.Set(210) // too soon after the last
	p.Done()
	p.Add(1)
	want := "\rpacking  40 %  200 of 500 pods  100/s  4 s left" + "\r" + strings.Repeat(" ", 47) + "\r"
	if diff := cmp.Diff(want, string(screen.Text)); diff != "" {
		t.Error(diff)
	}
}

func TestProgressInAFile(t *testing.T) {
	file, c := &Fake{}, &clock{}
	p := NewProgress(file, ProgressOptions{Title: "packing", Unit: "pods", Total: 100, Now: c.now})
	for range 25 {
		c.advance(time.Second)
		p.Add(1)
	}
	c.advance(40 * time.Second)
	p.Note("3 pods wait")
	p.Add(1)
	p.Done()
	want := `packing  10 %  10 of 100 pods  1/s  1 min 31 s left
packing  20 %  20 of 100 pods  1/s  1 min 21 s left
packing  26 %  26 of 100 pods  0.4/s  3 min 6 s left  3 pods wait
`
	if diff := cmp.Diff(want, string(file.Text)); diff != "" {
		t.Error(diff)
	}
}

func TestProgressWithoutTotalAndQuiet(t *testing.T) {
	file, c := &Fake{}, &clock{}
	p := NewProgress(file, ProgressOptions{Title: "reading", Unit: "files", Now: c.now})
	c.advance(31 * time.Second)
	p.Set(62)
	if got := string(file.Text); got != "reading 62 files  2/s\n" {
		t.Errorf("%q", got)
	}
	quiet := &Fake{Columns: 80}
	q := NewProgress(quiet, ProgressOptions{Quiet: true, Now: c.now})
	c.advance(time.Hour)
	q.Set(3)
	q.Done()
	if len(quiet.Text) > 0 {
		t.Errorf("not quiet: %q", quiet.Text)
	}
}

func TestProgressOfTime(t *testing.T) {
	file, c := &Fake{}, &clock{}
	p := NewProgress(file, ProgressOptions{Title: "building", Elapsed: true, Now: c.now})
	c.advance(95500 * time.Millisecond)
	p.Set(0)
	if got := string(file.Text); got != "building  1 min 35 s\n" {
		t.Errorf("%q", got)
	}
}

func TestProgressStaysOnItsLine(t *testing.T) {
	screen, c := &Fake{Columns: 20}, &clock{}
	p := NewProgress(screen, ProgressOptions{Title: "packing a great deal of", Unit: "pods", Total: 10, Now: c.now})
	c.advance(time.Second)
	p.Add(1)
	for _, line := range strings.Split(string(screen.Text), "\r") {
		if len(line) > 19 {
			t.Errorf("%q is longer than 19", line)
		}
	}
}
