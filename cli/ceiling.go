package cli

import (
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"time"

	"plimsoll.dev/unit"
)

// mostMemory is what a command may take where GOMEMLIMIT says nothing else.
const mostMemory = 4 * unit.GiB

// Ceiling ends the program with a sentence and ExitFailed before memory runs out: Go's
// own end of a stack or a heap that outgrows the machine is the exit code of bad input.
// Stacks count as memory, and have no other bound. "tune apply" is left alone, which
// must put a node back whatever comes.
func Ceiling(errs io.Writer, args []string, env func(string) string, exit func(int)) {
	if slices.Contains(args, "apply") || env("GOMEMLIMIT") == "off" {
		return
	}
	limit := debug.SetMemoryLimit(-1)
	if limit == math.MaxInt64 {
		limit = min(int64(mostMemory), machineMemory()/4*3)
		debug.SetMemoryLimit(limit)
	}
	debug.SetMaxStack(math.MaxInt64)
	debug.SetTraceback("crash") // what nothing can catch ends with a signal, not with 2
	go func() {
		for memory() < limit+limit/8 { // the collector keeps to the limit where it can
			time.Sleep(20 * time.Millisecond)
		}
		fmt.Fprintf(errs, "plimsoll: this takes more than %s of memory (ask for less, such as one node type or fewer "+
			"pods; or allow more, such as GOMEMLIMIT=%dGiB)\n", unit.FormatBytes(unit.Bytes(limit)),
			max(1, 2*limit/int64(unit.GiB)))
		exit(ExitFailed)
	}()
}

// memory is what the program has of the machine's memory.
func memory() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64() - sample[1].Value.Uint64())
}

// machineMemory is the memory of the machine, or of the container where that is less;
// more than there is anywhere where neither says so.
func machineMemory() int64 {
	least := int64(math.MaxInt64)
	for file, times := range map[string]int64{"/proc/meminfo": 1 << 10, "/sys/fs/cgroup/memory.max": 1} {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if n, err := strconv.ParseInt(string(firstNumber.Find(text)), 10, 64); err == nil && n > 0 {
			least = min(least, n*times)
		}
	}
	return least
}

// firstNumber is that of MemTotal, or of memory.max ("max" has none).
var firstNumber = regexp.MustCompile(`[0-9]+`)
