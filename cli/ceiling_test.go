package cli_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"plimsoll.dev/cli"
)

// glutton takes memory without end, as a fault of the program would: on the heap or on
// the stack.
func glutton() {
	cli.Ceiling(os.Stderr, os.Args, os.Getenv, os.Exit)
	if os.Args[1] == "stack" {
		deeper(0)
	}
	for kept := [][]byte{}; ; {
		kept = append(kept, make([]byte, 1<<20))
	}
}

func deeper(n int) int { return 1 + deeper(n+1) }

// Memory has an end of our own, that is told and is no bad input.
func TestCeiling(t *testing.T) {
	t.Parallel()
	for _, of := range []string{"stack", "heap"} {
		c := exec.Command(os.Args[0], of)
		c.Args[0] = "glutton"
		c.Env = append(os.Environ(), "GOMEMLIMIT=64MiB")
		out, _ := c.CombinedOutput()
		want := "plimsoll: this takes more than 64 MiB of memory ("
		if code := c.ProcessState.ExitCode(); code != cli.ExitFailed || !strings.HasPrefix(string(out), want) {
			t.Errorf("%s: exit code %d, %.300s", of, code, out)
		}
	}
}
