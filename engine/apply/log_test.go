package apply

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// crash is how TuneD 2.20.0 dies of a device without counters: the process goes on.
const crash = `2026-11-22 01:48:24,548 INFO     tuned.plugins.base: instance net: assigning devices eth0
Exception in thread Thread-1 (_thread_code):
Traceback (most recent call last):
  File "/usr/lib/python3.11/threading.py", line 1038, in _bootstrap_inner
    self.run()
                             ^^^^^^^^^^
FileNotFoundError: [Errno 2] No such file or directory: '/sys/class/net/eth0/statistics/rx_bytes'
`

// TestOutcomeOfALog: the last word counts, and only TuneD's own.
func TestOutcomeOfALog(t *testing.T) {
	const at = "2026-11-22 01:48:24,548 "
	for _, c := range []struct {
		name, log string
		want      outcome
		reason    string
	}{
		{"applied", at + "INFO     tuned.daemon.daemon: static tuning from profile 'p' applied\n", applied, ""},
		{"another profile", at + "INFO     tuned.daemon.daemon: static tuning from profile 'q' applied\n", undecided, ""},
		{"a script says so", at + "ERROR    tuned.plugins.plugin_script: script error output: " +
			"'static tuning from profile 'p' applied'\n", undecided, ""},
		{"a script's own line", "static tuning from profile 'p' applied\n", undecided, ""},
		{"another module", at + "INFO     tuned.plugins.x: static tuning from profile 'p' applied\n", undecided, ""},
		{"started", at + "INFO     tuned.daemon.daemon: starting tuning\n", undecided, ""},
		{"refused", at + "ERROR    tuned.daemon.daemon: Cannot set initial profile. No tunings will be enabled: " +
			"Requested profile 'p' doesn't exist.\n", refused, "Requested profile 'p' doesn't exist."},
		{"refused later", at + "ERROR    tuned.daemon.controller: Failed to reload TuneD: Cannot load profile(s) 'p': why\n",
			refused, "Cannot load profile(s) 'p': why"},
		{"crash", crash, refused, "FileNotFoundError: [Errno 2] No such file or directory: " +
			"'/sys/class/net/eth0/statistics/rx_bytes'"},
		{"crash without words", "Exception in thread Thread-12:\nTraceback (most recent call last):\n" +
			"  File \"x\", line 1\nAssertionError\n", refused, "AssertionError"},
		{"traceback of a plug-in that failed alone", at + "ERROR    tuned.units.manager: failed to initialize plugin warp\n" +
			at + "ERROR    tuned.units.manager: No module\nTraceback (most recent call last):\nImportError: No module\n",
			undecided, ""},
		{"another thread", "Exception in thread Thread-2 (watch):\nTraceback (most recent call last):\nOSError: x\n",
			undecided, ""},
	} {
		w := watcher{profile: "p"}
		lines := make(chan Line, 100)
		readLines(strings.NewReader(c.log), lines)
		got := undecided
		for l := range lines {
			if o := w.hear(l); o != undecided {
				got = o
			}
		}
		if got != c.want || w.reason != c.reason {
			t.Errorf("%s: %d %q, not %d %q", c.name, got, w.reason, c.want, c.reason)
		}
	}
}

func TestLinesAreCut(t *testing.T) {
	lines := make(chan Line, 10)
	readLines(strings.NewReader(strings.Repeat("x", 10*maxLine)+"\nnext\nlast without an end"), lines)
	var got []int
	for l := range lines {
		got = append(got, len(l.Text))
	}
	if d := cmp.Diff([]int{maxLine, 4, 19}, got); d != "" {
		t.Error(d)
	}
}

// FuzzLog: whatever comes, every line is told, and nothing longer than the bound.
func FuzzLog(f *testing.F) {
	f.Add(crash)
	f.Add("2026-11-22 01:48:24,548 INFO     tuned.daemon.daemon: static tuning from profile 'p' applied\r\n\x00\xff")
	f.Fuzz(func(t *testing.T, text string) {
		lines, w, count := make(chan Line), watcher{profile: "p"}, 0
		go readLines(io.LimitReader(strings.NewReader(text), 1<<20), lines)
		for l := range lines {
			count++
			if w.hear(l) == applied && !strings.Contains(text, "static tuning from profile 'p' applied") {
				t.Error("applied, though nothing says so")
			}
			if len(l.Text) > maxLine {
				t.Errorf("a line of %d bytes", len(l.Text))
			}
		}
		want := strings.Count(text, "\n")
		if text != "" && !strings.HasSuffix(text, "\n") {
			want++
		}
		if count != want {
			t.Errorf("%d lines of %d", count, want)
		}
	})
}
