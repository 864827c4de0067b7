package apply

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	language "plimsoll.dev/tune/tuned"
)

// NodeFacts is what the files of a node say that profiles ask of it: proc and sys of a
// simulated node, or as far as they are there, of one whose files were collected. What
// they don't say stays unknown. Links that lead out of the directory are not followed.
func NodeFacts(root string) (language.Machine, error) {
	r, err := os.OpenRoot(root)
	if err != nil {
		return language.Machine{}, fmt.Errorf("node %s: %w (%s)", root, plain(err), needs)
	}
	defer r.Close()
	return facts(r.FS()), nil
}

// ReadPrinted reads what a program printed on a node, for WithLSCPU and WithUname of a
// language.Machine: a file of at most 1 MiB.
func ReadPrinted(file string) (string, error) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return "", fmt.Errorf("%s: %w", file, plain(err))
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is no file (write what the program prints to one)", file)
	}
	text, ok := readRegular(os.DirFS(filepath.Dir(file)), filepath.Base(file), maxFile)
	if !ok {
		return "", fmt.Errorf("%s can't be read, or has more than %d bytes", file, maxFile)
	}
	return text, nil
}

// facts are what files say of a machine.
func facts(files fs.FS) language.Machine {
	return language.Machine{Online: text(files, cpus+"/online"), Present: text(files, cpus+"/present"),
		Sockets: sockets(files), CPUInfo: text(files, "/proc/cpuinfo"), PMU: text(files, "/sys/devices/cpu/caps/pmu_name")}
}

// sockets are those of the CPUs that have a directory; nil where none has.
func sockets(files fs.FS) map[int]string {
	var out map[int]string
	entries, _ := fs.ReadDir(files, cpus[1:])
	for _, e := range entries {
		cpu, err := strconv.Atoi(strings.TrimPrefix(e.Name(), "cpu"))
		if err != nil || cpu < 0 || e.Name() != "cpu"+strconv.Itoa(cpu) {
			continue
		}
		if out == nil {
			out = map[int]string{}
		}
		out[cpu] = "-1"
		if t := text(files, path.Join(cpus, e.Name(), "topology/physical_package_id")); t != nil {
			out[cpu] = *t
		}
	}
	return out
}

// maxFacts is how many bytes of a file of facts are read: /proc/cpuinfo has some 1,500
// for each CPU, and Linux has up to 8,192 CPUs.
const maxFacts = 16 << 20

// text is the text of a file, by its path on the node; nil when there is none.
func text(files fs.FS, name string) *string {
	t, ok := readRegular(files, name[1:], maxFacts)
	if !ok {
		return nil
	}
	return &t
}
