package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// event is a line of "go test -json".
type event struct {
	Action, Package, Test, Output string
}

// test names a test or, without a name, its package.
type test struct{ pkg, name string }

// summary counts the results of tests while it prints them.
type summary struct {
	out                     io.Writer
	noSkips                 bool
	passed, failed, skipped int
	running                 map[test]*strings.Builder // output of tests that have not ended
	failures                map[string]int            // by package
	skips                   []string
}

func newSummary(out io.Writer) *summary {
	return &summary{out: out, running: map[test]*strings.Builder{}, failures: map[string]int{}}
}

// read takes events until the stream ends. A line that is no event is printed
// as it is.
func (s *summary) read(r io.Reader) error {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				fmt.Fprintf(s.out, "%s", line)
			} else {
				s.take(e)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (s *summary) take(e event) {
	at := test{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(s.out, e.Output)
	case "output":
		s.output(at, e.Output)
	case "pass":
		if at.name != "" {
			s.passed++
		}
		delete(s.running, at)
	case "fail":
		s.fail(at)
	case "skip":
		if at.name != "" {
			s.skip(at)
		}
	}
}

// output prints a package's line and keeps a test's until its end is known.
func (s *summary) output(at test, text string) {
	if at.name == "" {
		if text != "PASS\n" && text != "FAIL\n" {
			fmt.Fprint(s.out, text)
		}
		return
	}
	if strings.HasPrefix(text, "=== ") {
		return
	}
	if s.running[at] == nil {
		s.running[at] = &strings.Builder{}
	}
	s.running[at].WriteString(text)
}

// fail counts a failed test. A package that failed with no failed test did
// not compile or died: that is one failure, and its tests' output is shown.
func (s *summary) fail(at test) {
	if at.name != "" {
		s.failed++
		s.failures[at.pkg]++
		fmt.Fprint(s.out, s.end(at))
		return
	}
	if s.failures[at.pkg] == 0 {
		s.failed++
		s.failures[at.pkg]++
	}
	for other := range s.running {
		if other.pkg == at.pkg {
			fmt.Fprint(s.out, s.end(other))
		}
	}
}

// end returns a test's output and forgets it.
func (s *summary) end(at test) string {
	b := s.running[at]
	delete(s.running, at)
	if b == nil {
		return ""
	}
	return b.String()
}

func (s *summary) skip(at test) {
	var reason []string
	for line := range strings.Lines(s.end(at)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "--- SKIP") {
			reason = append(reason, line)
		}
	}
	s.skips = append(s.skips, fmt.Sprintf("SKIPPED %s %s: %s", at.pkg, at.name, strings.Join(reason, " ")))
	if s.noSkips {
		s.failed++
		return
	}
	s.skipped++
}

// close prints the skipped tests and the closing line.
func (s *summary) close() {
	for _, line := range s.skips {
		fmt.Fprintln(s.out, line)
	}
	if s.noSkips && len(s.skips) > 0 {
		fmt.Fprintln(s.out, "Skipped tests count as failed here: what they need must be installed.")
	}
	fmt.Fprintf(s.out, "%d passed, %d failed", s.passed, s.failed)
	if s.skipped > 0 {
		fmt.Fprintf(s.out, ", %d skipped", s.skipped)
	}
	fmt.Fprintln(s.out)
}
