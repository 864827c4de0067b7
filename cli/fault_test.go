package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"plimsoll.dev/derive"
)

// A formula that can't be computed ends the program with a sentence; another panic
// stays a panic.
func TestFaultIsTold(t *testing.T) {
	root := func(run func()) *cobra.Command {
		c := &cobra.Command{SilenceErrors: true, SilenceUsage: true, Run: func(*cobra.Command, []string) { run() }}
		c.SetArgs(nil)
		return c
	}
	err := execute(t.Context(), root(func() { derive.Solve("nodes / 0", derive.In("nodes", derive.Of(3, "nodes"))) }))
	if err == nil || !strings.HasPrefix(err.Error(), "fault of the program: ") ||
		!strings.Contains(err.Error(), "division by zero") {
		t.Errorf("got %v", err)
	}
	defer func() {
		if recover() != "other" {
			t.Error("another panic is swallowed")
		}
	}()
	_ = execute(t.Context(), root(func() { panic("other") }))
}
