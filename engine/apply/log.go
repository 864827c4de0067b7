package apply

import (
	"bufio"
	"io"
	"regexp"
	"slices"
	"strings"
)

// Bounds of what is kept of the daemon's log.
const (
	maxLine  = 4 << 10
	maxLines = 20_000
)

// Line is a line of TuneD's log.
type Line struct {
	// Time as TuneD writes it: "2026-11-22 01:48:20,615"; empty for lines of a traceback.
	Time string `json:"time,omitempty"`
	// Level is INFO, WARNING or ERROR; empty for lines of a traceback.
	Level string `json:"level,omitempty"`
	// Module that speaks: "tuned.plugins.plugin_sysctl".
	Module string `json:"module,omitempty"`
	// Text of the line.
	Text string `json:"text"`
}

var logLine = regexp.MustCompile(`^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}) ([A-Z]+) +(tuned[\w.]*): (.*)$`)

// parseLine reads a line of the log; what is none is text without a level.
func parseLine(text string) Line {
	text = strings.ToValidUTF8(text, "?")
	if m := logLine.FindStringSubmatch(text); m != nil {
		return Line{Time: m[1], Level: m[2], Module: m[3], Text: m[4]}
	}
	return Line{Text: text}
}

// readLines sends the lines of r until it ends. Long lines are cut.
func readLines(r io.Reader, out chan<- Line) {
	defer close(out)
	in := bufio.NewReaderSize(r, maxLine)
	for {
		text, tooLong, err := in.ReadLine()
		if err != nil {
			return
		}
		line := parseLine(string(text))
		for tooLong && err == nil {
			_, tooLong, err = in.ReadLine()
		}
		out <- line
	}
}

// outcome is what a line of the log means for the profile.
type outcome int

const (
	undecided outcome = iota
	applied           // the tuning of the awaited profile is done
	refused           // nothing is applied, though the daemon goes on
)

var (
	appliedLine = regexp.MustCompile(`^static tuning from profile '(.*)' applied$`)
	refusedLine = regexp.MustCompile(`^(?:Cannot set initial profile\. ` +
		`No tunings will be enabled|Failed to reload TuneD): (.*)$`)
	// The tuning runs in a thread of its own, whose target newer Pythons name.
	threadDied = regexp.MustCompile(`^Exception in thread Thread-\d+(?: \(_thread_code\))?:$`)
)

// watcher finds in the log whether a profile was applied. That the daemon runs
// says nothing: after an exception at start it lives on with nothing applied.
type watcher struct {
	profile string
	trace   []string // of a thread that died, nil outside of one
	reason  string   // why it was refused
}

// hear takes the next line.
func (w *watcher) hear(l Line) outcome {
	if l.Level == "" {
		return w.hearTrace(l.Text)
	}
	w.trace = nil
	if m := appliedLine.FindStringSubmatch(l.Text); m != nil && m[1] == w.profile && l.Module == "tuned.daemon.daemon" {
		return applied
	}
	if m := refusedLine.FindStringSubmatch(l.Text); m != nil && l.Level == "ERROR" {
		w.reason = m[1]
		return refused
	}
	return undecided
}

// hearTrace follows the traceback of a thread that died. Its first line that is
// not indented, after its heading, names the exception.
func (w *watcher) hearTrace(text string) outcome {
	if threadDied.MatchString(text) {
		w.trace = []string{text}
		return undecided
	}
	if w.trace == nil {
		return undecided
	}
	w.trace = append(w.trace, text)
	if text == "" || strings.HasPrefix(text, " ") || strings.HasPrefix(text, "Traceback ") ||
		!strings.Contains(text, ":") && len(w.trace) < 3 {
		return undecided
	}
	w.reason = text
	return refused
}

// versionLine is how TuneD begins.
var versionLine = regexp.MustCompile(`^TuneD: (\S+), kernel: (\S+)$`)

// versionOf is TuneD's version and the kernel's, when the line tells them.
func versionOf(l Line) (string, bool) {
	m := versionLine.FindStringSubmatch(l.Text)
	if m == nil {
		return "", false
	}
	return "TuneD " + m[1] + ", kernel " + m[2], true
}

// turnLog begins the part of the log that is about the next profile. Those who reload
// for months keep the later half of a full one.
func (s *session) turnLog() {
	if cut := len(s.result.Log) - maxLines/2; cut > 0 {
		s.result.Log, s.result.LogCut = slices.Clone(s.result.Log[cut:]), true
	}
	s.since = len(s.result.Log)
}
