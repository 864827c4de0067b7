package cli

import (
	"context"
	"fmt"
	"path"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll.dev/derive"
)

// execute runs the command. What should never happen ends it with an error that can
// be reported, not with a stack trace and the exit code of bad input.
func execute(ctx context.Context, root *cobra.Command) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault(p)
		}
	}()
	return root.ExecuteContext(ctx)
}

// fault tells of a panic what it says, where it began, and which program it was.
func fault(p any) error {
	what := fmt.Sprint(p)
	if f, ok := p.(derive.Fault); ok {
		what = f.Err.Error()
	}
	return fmt.Errorf("fault of the program: %s (%s, %s)\n"+
		"Please report this line, with the command and what it read", what, origin(), build())
}

// origin is the first place of the program's own code that was running, innermost
// first, when a deferred function is called because of a panic.
func origin() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs)])
	panicked := false
	for {
		f, more := frames.Next()
		if panicked && strings.HasPrefix(f.Function, "plimsoll.dev/") {
			return fmt.Sprintf("%s/%s:%d", path.Base(path.Dir(f.File)), path.Base(f.File), f.Line)
		}
		panicked = panicked || f.Function == "runtime.gopanic"
		if !more {
			return "at an unknown place"
		}
	}
}
