package cli

import (
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"plimsoll.dev/derive"
)

// What should never happen ends the program with a sentence that can be reported:
// what it was, where, in which version; never with a stack trace, nor as bad input.
func TestFaultIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		run  func()
		want []string
	}{
		"a formula": {func() { derive.Solve("nodes / 0", derive.In("nodes", derive.Of(3, "nodes"))) },
			[]string{"fault of the program: ", "division by zero", "derive/"}},
		"an index": {func() { _ = []int{}[len(t.Name())] },
			[]string{"fault of the program: ", "index out of range", "cli/fault_test.go:", "Please report"}},
		"a text":   {func() { panic("never") }, []string{"fault of the program: never (cli/fault_test.go:"}},
		"an error": {func() { panic(errors.New("accepts 1 arg")) }, []string{"fault of the program: accepts 1 arg"}},
	} {
		root := &cobra.Command{SilenceErrors: true, SilenceUsage: true, Run: func(*cobra.Command, []string) { c.run() }}
		root.SetArgs(nil)
		err := execute(t.Context(), root)
		if err == nil || isUsage(err) || strings.Contains(err.Error(), "goroutine") {
			t.Fatalf("%s: %v", name, err)
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: no %q in %v", name, want, err)
			}
		}
	}
}
