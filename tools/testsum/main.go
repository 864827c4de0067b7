// Command testsum runs "go test -json" with its arguments and prints what go
// test prints: the output of failed tests and a line for each package. Then it
// lists the skipped tests with their reasons and closes with
// "N passed, N failed, N skipped".
//
// It does not choose what is tested. With -no-skips a skipped test is a
// failure, as CI wants it: there, everything a test needs must be installed.
// With -passed and -failed the results of checks made before are added; the
// directories of -also are modules of their own, tested first in the same way. The
// packages of -first, in this module, are begun before those of the last argument.
//
//	go run ./tools/testsum -no-skips -passed 4 -also oracle/ignition -- -timeout 20m ./...
package main

import (
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
	before := flags.Int("passed", 0, "checks that passed before")
	flags.IntVar(&s.failed, "failed", 0, "checks that failed before")
	also := flags.String("also", "", "directories of modules to test first, separated by commas")
	first := flags.String("first", "", "packages of this module to begin with, separated by commas")
	if err := flags.Parse(args); err != nil {
		return 1
	}
	for _, dir := range append(list(*also), ".") {
		failed, args := len(s.failures), flags.Args()
		if dir == "." {
			args = slices.Insert(slices.Clone(args), max(0, len(args)-1), list(*first)...)
		}
		if err := goTest(ctx, s, dir, args, stderr); err != nil && len(s.failures) == failed {
			fmt.Fprintf(stderr, "%s: %v\n", dir, err)
			s.failed++
		}
	}
	none := s.passed == 0
	s.passed += *before
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

// goTest runs go test in a directory and feeds its events to the summary.
func goTest(ctx context.Context, s *summary, dir string, args []string, stderr io.Writer) error {
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-json"}, args...)...)
	cmd.Dir = dir
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Stderr = stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	return errors.Join(s.read(pipe), cmd.Wait())
}
