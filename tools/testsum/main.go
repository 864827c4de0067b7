// Command testsum runs "go test -json" with its arguments and prints what go
// test prints: the output of failed tests and a line for each package. Then it
// lists the skipped tests with their reasons and closes with
// "N passed, N failed, N skipped".
//
// It does not choose what is tested. With -no-skips a skipped test is a
// failure, as CI wants it: there, everything a test needs must be installed.
// With -passed and -failed the results of checks made before are added; the
// directories of -also are modules of their own, tested first in the same way. The
// packages of -first, in this module, are begun before those of the last argument. The
// modules of -beside are tested at the same time as all others, and told of last; they are
// those that link what takes minutes to build, which is not vetted.
//
//	go run ./tools/testsum -no-skips -passed 4 -also oracle/ignition -beside lab -- -timeout 20m ./...
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run returns the exit code: 0 when at least one test passed and none failed.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	s := newSummary(stdout)
	flags := flag.NewFlagSet("testsum", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.BoolVar(&s.noSkips, "no-skips", false, "count a skipped test as failed")
	earlier := flags.Int("passed", 0, "checks that passed before")
	flags.IntVar(&s.failed, "failed", 0, "checks that failed before")
	also := flags.String("also", "", "directories of modules to test first, separated by commas")
	beside := flags.String("beside", "", "directories of modules to test beside all else, separated by commas")
	first := flags.String("first", "", "packages of this module to begin with, separated by commas")
	if err := flags.Parse(args); err != nil {
		return 1
	}
	// before puts more in front of the last argument, the packages.
	before := func(more ...string) []string {
		return slices.Insert(slices.Clone(flags.Args()), max(0, flags.NArg()-1), more...)
	}
	var late []func()
	for _, dir := range list(*beside) {
		late = append(late, inBackground(ctx, s, dir, before("-vet=off"), stderr))
	}
	for _, dir := range append(list(*also), ".") {
		args := flags.Args()
		if dir == "." {
			args = before(list(*first)...)
		}
		s.module(dir, stderr, func() error { return goTest(ctx, s, dir, args, stderr) })
	}
	for _, tell := range late {
		tell()
	}
	none := s.passed == 0
	s.passed += *earlier
	s.close()
	if s.failed > 0 || none {
		return 1
	}
	return 0
}

// list splits at commas.
func list(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}

// module tests a module. One that fails without a failed test did not get so far.
func (s *summary) module(dir string, stderr io.Writer, test func() error) {
	failed := len(s.failures)
	if err := test(); err != nil && len(s.failures) == failed {
		fmt.Fprintf(stderr, "%s: %v\n", dir, err)
		s.failed++
	}
}

// inBackground begins to test a module; what is returned waits for it and feeds its events
// to the summary.
func inBackground(ctx context.Context, s *summary, dir string, args []string, stderr io.Writer) (tell func()) {
	var events, problems bytes.Buffer
	cmd := command(ctx, dir, args, &problems)
	cmd.Stdout = &events
	began := cmd.Start()
	return func() {
		s.module(dir, stderr, func() error {
			if began != nil {
				return began
			}
			ended := cmd.Wait()
			_, err := problems.WriteTo(stderr)
			return errors.Join(s.read(&events), ended, err)
		})
	}
}

// goTest runs go test in a directory and feeds its events to the summary.
func goTest(ctx context.Context, s *summary, dir string, args []string, stderr io.Writer) error {
	cmd := command(ctx, dir, args, stderr)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	return errors.Join(s.read(pipe), cmd.Wait())
}

// command is "go test -json" in a directory.
func command(ctx context.Context, dir string, args []string, stderr io.Writer) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-json"}, args...)...)
	cmd.Dir = dir
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Stderr = stderr
	return cmd
}
