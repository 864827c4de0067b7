package apply

import (
	"os"
	"path"
	"path/filepath"
	"strings"
)

// otherTuned is the process of a TuneD that can change this machine, in whatever container; empty where none runs. It
// is in the user namespace of this process: the rights of others, such as simulated nodes, don't reach so far. One that
// a killed run left is none: that is waited for.
func otherTuned(proc string) (pid string) {
	own, err := os.Readlink(filepath.Join(proc, "self/ns/user"))
	if err != nil {
		return ""
	}
	dirs, _ := filepath.Glob(filepath.Join(proc, "[0-9]*")) // the pattern is right
	for _, dir := range dirs {
		command, _ := os.ReadFile(filepath.Join(dir, "cmdline")) // some end meanwhile
		if !isTuned(strings.Split(string(command), "\x00")) || ofRun(dir) {
			continue
		}
		if its, err := os.Readlink(filepath.Join(dir, "ns/user")); err == nil && its == own {
			return filepath.Base(dir)
		}
	}
	return ""
}

// isTuned says whether a command is TuneD, or what the Node Tuning Operator runs it by, which starts it anew whenever
// it ends: "openshift-tuned", later "ocp-tuned" of the operator's own program.
func isTuned(command []string) bool {
	switch name := path.Base(command[0]); {
	case name == "tuned", name == "openshift-tuned":
		return true
	case name == "cluster-node-tuning-operator":
		return len(command) > 1 && (command[1] == "ocp-tuned" || command[1] == "openshift-tuned")
	case strings.Contains(name, "python"):
		for _, arg := range command[1:] {
			if !strings.HasPrefix(arg, "-") {
				return path.Base(arg) == "tuned"
			}
		}
	}
	return false
}

// ofRun says whether a process holds the files of a run of this program.
func ofRun(dir string) bool {
	files, _ := filepath.Glob(filepath.Join(dir, "fd/*")) // the pattern is right
	for _, file := range files {
		if to, err := os.Readlink(file); err == nil && strings.HasPrefix(filepath.Base(to), scratchName) {
			return true
		}
	}
	return false
}
