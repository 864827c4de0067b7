package cli_test

import (
	"context"
	"flag"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"plimsoll.dev/cli"
)

var update = flag.Bool("update", false, "write what is printed into the scripts where cmp compares with it")

// The scripts start the test binary under the program's names; it then does
// what package main does.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"plimsoll":         program,
		"kubectl-plimsoll": program,
		"oc-plimsoll":      program,
		"plimsoll-main":    plimsollMain,
		"glutton":          glutton,
	})
}

// plimsollMain takes no signals but those that a command takes itself, as package main does.
func plimsollMain() {
	os.Exit(cli.Run(context.Background(), cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, os.Args, os.Getenv))
}

func program() {
	cli.Ceiling(os.Stderr, os.Args, os.Getenv, os.Exit)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(cli.Run(ctx, cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, os.Args, os.Getenv))
}

// TestScripts does what users do, in a process and a directory of its own. Each
// script says at its top what a user learns from it.
func TestScripts(t *testing.T) {
	t.Parallel()
	examples, err := filepath.Abs(examplesDir)
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/script",
		Cmds:               helpers,
		RequireUniqueNames: true,
		UpdateScripts:      *update,
		Setup: func(e *testscript.Env) error {
			e.Setenv("EXAMPLES", examples)
			for _, name := range []string{"NO_COLOR", "COLUMNS", "TERM"} {
				e.Setenv(name, "")
			}
			return nil
		},
	})
}
