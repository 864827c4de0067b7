package scheduler

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

// Exit codes of Main.
const (
	done = iota
	failed
	badInput
	differs
)

const usage = `usage: scheduler record|check|bench|record-files|check-files [flags]

record  ask the real scheduler and write the fixtures
check   compare with the real scheduler on fresh random sessions
bench   compare the speeds of both

record-files FILE...  ask it about the pods of snapshots that wait, and write the answers beside them; -draw n draws some
check-files           compare from fresh random snapshot files, as the command line reads them
`

// Main runs one step and returns the exit code: 0 done, 1 could not do it, 2 bad
// input, 3 our engine decides differently.
func Main(args []string) int {
	steps := map[string]func([]string) (int, error){"record": record, "check": check, "bench": bench,
		"record-files": recordFiles, "check-files": checkFiles}
	if len(args) == 0 || steps[args[0]] == nil {
		fmt.Fprint(os.Stderr, usage)
		return badInput
	}
	code, err := steps[args[0]](args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return done
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "scheduler %s: %v\n", args[0], err)
	}
	return code
}

// flags is a set that returns its errors.
func flags(step string) *flag.FlagSet {
	return flag.NewFlagSet("scheduler "+step, flag.ContinueOnError)
}
