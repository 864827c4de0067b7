package main

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// sample is one run of a process.
type sample struct {
	time time.Duration
	peak int64 // most memory in bytes; 0 where the system does not tell
}

// measure runs a command to its end, with its output thrown away.
func measure(command []string) (sample, error) {
	cmd := exec.Command(command[0], command[1:]...)
	var problems bytes.Buffer
	cmd.Stderr = &problems
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 3 {
		err = nil
	}
	if err != nil {
		return sample{}, fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, problems.Bytes())
	}
	return sample{time: took, peak: peakMemory(cmd.ProcessState)}, nil
}

// table sets the two commands below each other.
func table(title string, ours, peer []string, a, b []sample) string {
	var out strings.Builder
	names := []string{short(ours), short(peer)}
	width := max(len(names[0]), len(names[1]))
	fmt.Fprintf(&out, "%s (%d runs each, in turns)\n", title, len(a))
	fmt.Fprintf(&out, "  %-*s  %11s %11s %11s %12s\n", width, "", "median", "least", "most", "peak memory")
	for i, list := range [][]sample{a, b} {
		t := times(list)
		fmt.Fprintf(&out, "  %-*s  %11s %11s %11s %12s\n", width, names[i],
			printed(median(t)), printed(t[0]), printed(t[len(t)-1]), memory(list))
	}
	fmt.Fprintf(&out, "  %-*s  %10.2fx\n", width, "ratio", float64(median(times(a)))/float64(median(times(b))))
	return out.String()
}

// short is a command without directories.
func short(command []string) string {
	words := slices.Clone(command)
	for i := range words {
		words[i] = filepath.Base(words[i])
	}
	return strings.Join(words, " ")
}

// times are the run times, shortest first.
func times(list []sample) []time.Duration {
	var out []time.Duration
	for _, s := range list {
		out = append(out, s.time)
	}
	slices.Sort(out)
	return out
}

// median is the middle of a sorted list, or between the two middle ones.
func median(sorted []time.Duration) time.Duration {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

func printed(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}

func memory(list []sample) string {
	var most int64
	for _, s := range list {
		most = max(most, s.peak)
	}
	if most == 0 {
		return "unknown"
	}
	return fmt.Sprintf("%.1f MiB", float64(most)/(1<<20))
}
