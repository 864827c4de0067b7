package ends

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll.dev/bench/measure"
)

// ticks of a second in /proc (USER_HZ, which is 100 on all that Linux runs on here).
const ticks = 100

// Machine is what all have used since its start; zero where that can't be read.
func Machine() measure.CPU {
	stat, _ := os.ReadFile("/proc/stat")
	return machineCPU(stat)
}

// Of is what a process has used, in steps of 10 ms; false when there is none.
func Of(pid int) (measure.CPU, bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, ok := bytes.Cut(stat, []byte(") ")) // the name before it may hold blanks
	f := strings.Fields(string(after))
	if err != nil || !ok || len(f) < 13 {
		return measure.CPU{}, false
	}
	at := func(i int) float64 { n, _ := strconv.ParseFloat(f[i], 64); return n / ticks }
	return measure.CPU{User: at(11), System: at(12)}, true
}

// machineCPU reads the first line of /proc/stat (proc(5)): user, nice, system, idle, iowait, irq, softirq, steal.
func machineCPU(stat []byte) measure.CPU {
	line, _, _ := bytes.Cut(stat, []byte("\n"))
	f := strings.Fields(string(line))
	if len(f) < 9 || f[0] != "cpu" {
		return measure.CPU{}
	}
	at := func(i int) float64 { n, _ := strconv.ParseFloat(f[i], 64); return n / ticks }
	return measure.CPU{User: at(1) + at(2), System: at(3), SoftIRQ: at(6) + at(7), Steal: at(8)}
}

// spinTurns are some six milliseconds of work, and spins how often it is done: the quickest counts, since
// what ends after a sample is no disturbance.
const (
	spinTurns = 3_000_000
	spins     = 3
)

// spun keeps the work from being left out by the compiler.
var spun uint64

// Work does a fixed piece of work, and says how long it took by both clocks.
func Work() measure.Spin {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	best := turn()
	for range spins - 1 {
		if next := turn(); next.Wall < best.Wall {
			best = next
		}
	}
	return best
}

func turn() measure.Spin {
	began, cpu := time.Now(), threadTime()
	x := uint64(1)
	for range spinTurns {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	spun = x
	return measure.Spin{Wall: time.Since(began), CPU: threadTime() - cpu}
}

func threadTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
