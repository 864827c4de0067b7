package apply

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// machine is this machine. All of /proc/sys is compared, and of /sys what the
// profile names: reading the rest may wait, or do something.
type machine struct {
	lock    io.Closer
	journal place
}

// selfMoving are values below /proc/sys that change by themselves.
var selfMoving = []string{
	"proc/sys/fs/aio-nr", "proc/sys/fs/dentry-state", "proc/sys/fs/file-nr", "proc/sys/fs/inode-nr",
	"proc/sys/fs/inode-state",
	"proc/sys/kernel/ns_last_pid", "proc/sys/kernel/pty/nr", "proc/sys/kernel/random/entropy_avail",
	"proc/sys/kernel/random/uuid",
	"proc/sys/net/netfilter/nf_conntrack_count",
}

// openMachine refuses a machine on which a TuneD runs already: each would take the
// other's values for the originals. The directory of journals is the lock that all share:
// nobody but root can open it, and keep root out by it.
func openMachine(state string) (target, error) {
	if err := (machine{}).check(); err != nil {
		return nil, err
	}
	journal, err := machinePlace(state)
	if err != nil {
		return nil, fmt.Errorf("the journal can't be kept: %w", err)
	}
	held, err := lock(journal.dir)
	if err != nil {
		return nil, fmt.Errorf("this machine: %w", err)
	}
	return machine{held, journal}, nil
}

func (m machine) close()     { m.lock.Close() }
func (machine) files() fs.FS { return os.DirFS("/") }
func (machine) whole() bool  { return false }

// check refuses a machine on which another TuneD runs.
func (machine) check() error {
	if pid := otherTuned("/proc"); pid != "" {
		return fmt.Errorf("TuneD runs on this machine already, as process %s (stop it first: systemctl stop tuned, "+
			"or where a container has it, that)", pid)
	}
	return nil
}

func (m machine) place() (place, error) { return m.journal, nil }

// boot is a name of the time since the machine was started.
func (machine) boot() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(id))
}

func (machine) resolve(name string) string { return resolveIn("/", name) }

// read leaves out what can't be read: the kernel has settings that can only be written.
func (m machine) read(also []string) (snapshot, error) {
	out := snapshot{}
	err := filepath.WalkDir("/proc/sys", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // a setting that went away, or a directory
		}
		if name := path[1:]; !slices.Contains(selfMoving, name) {
			m.add(out, name)
		}
		return nil
	})
	for _, name := range also {
		m.add(out, name)
	}
	return out, err
}

// kernelSetting says whether a file of a node may be one that TuneD sets: no other is
// opened or written.
func kernelSetting(name string) bool {
	return fs.ValidPath(name) && (strings.HasPrefix(name, "proc/sys/") || strings.HasPrefix(name, "sys/"))
}

// add looks before it opens: opening a pipe waits, and opening a device may do something.
func (machine) add(out snapshot, name string) {
	if info, err := os.Stat("/" + name); err != nil || !info.Mode().IsRegular() || !kernelSetting(name) {
		return
	}
	f, err := os.OpenFile("/"+name, os.O_RDONLY|carefully, 0)
	if err != nil {
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	if data, err := io.ReadAll(io.LimitReader(f, maxFile)); err == nil {
		out[name] = entry{mode: info.Mode(), data: string(data)}
	}
}

// putBack writes values, as the kernel takes them. What is gone is as good as put back: a disk that was detached, the
// network device of a pod that ended.
func (machine) putBack(names []string, was snapshot) map[string]error {
	faults := map[string]error{}
	for _, name := range pairsLast(names, was) {
		v := was.value(name)
		if v == nil {
			continue
		}
		if !kernelSetting(name) {
			faults[name] = errors.New("it is not below /proc/sys or /sys (nothing else is written)")
		} else if err := writeSetting("/"+name, *v); !gone(err) {
			faults[name] = err
		}
	}
	return faults
}

// gone says whether a file is not there, or its device is not any more.
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENODEV) || errors.Is(err, syscall.ENXIO)
}

// pairs are settings that exclude each other: the kernel sets one to 0 when the other is written, and refuses the 0 of
// some (Linux, Documentation/admin-guide/sysctl/vm.rst).
var pairs = [][2]string{
	{"proc/sys/vm/dirty_bytes", "proc/sys/vm/dirty_ratio"},
	{"proc/sys/vm/dirty_background_bytes", "proc/sys/vm/dirty_background_ratio"},
	{"proc/sys/vm/overcommit_kbytes", "proc/sys/vm/overcommit_ratio"},
}

// partner is the other one of a pair; empty for what is in none.
func partner(name string) string {
	for _, p := range pairs {
		switch name {
		case p[0]:
			return p[1]
		case p[1]:
			return p[0]
		}
	}
	return ""
}

// pairsLast has those of a pair last that were not 0: whatever is written after them would take them away.
func pairsLast(names []string, was snapshot) []string {
	var first, last []string
	for _, name := range names {
		if v := was.value(name); partner(name) != "" && v != nil && *v != "0" {
			last = append(last, name)
		} else {
			first = append(first, name)
		}
	}
	return append(first, last...)
}

// writeSetting writes a setting that there is: none is made.
func writeSetting(path, value string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC|carefully, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	return errors.Join(err, f.Close())
}
