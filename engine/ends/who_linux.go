package ends

import (
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"golang.org/x/sys/unix"

	"plimsoll.dev/unit"
)

// Kernel is the release of this machine's.
func Kernel() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}

// Versions of this program and of Go.
func Versions() map[string]string {
	v := map[string]string{"go": runtime.Version()}
	if info, ok := debug.ReadBuildInfo(); ok {
		v["plimsoll"] = info.Main.Version
	}
	return v
}

// Allowed are the CPUs that this process may run on.
func Allowed() unit.CPUSet {
	var set unix.CPUSet
	var cpus unit.CPUSet
	if unix.SchedGetaffinity(0, &set) == nil {
		for i := range min(unit.MaxCPUs, len(set)*64) {
			if set.IsSet(i) {
				cpus.Add(i)
			}
		}
	}
	return cpus
}

// Pinned are the CPUs that this process may run on, as a list; empty where these are all.
func Pinned() string {
	cpus := Allowed()
	if cpus.Len() >= MachineCPUs() {
		return ""
	}
	return cpus.String()
}

// MachineCPUs that are online.
func MachineCPUs() int {
	n := 0
	stat, _ := os.ReadFile("/proc/stat") // what can't be read has none
	for line := range strings.Lines(string(stat)) {
		if len(line) > 3 && strings.HasPrefix(line, "cpu") && line[3] != ' ' {
			n++
		}
	}
	return n
}
