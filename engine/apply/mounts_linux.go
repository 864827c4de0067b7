package apply

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// software is what TuneD needs of the machine to run at all: programs, libraries,
// and how they are found. A node sees it, but can't write to it.
var software = []string{
	"usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32",
	"etc/alternatives", "etc/group", "etc/ld.so.cache", "etc/ld.so.conf", "etc/ld.so.conf.d", "etc/localtime",
	"etc/nsswitch.conf", "etc/os-release", "etc/passwd", "etc/python3",
}

// devices are files of /dev that harm nobody.
var devices = []string{"full", "null", "random", "urandom", "zero"}

// enterNode makes a simulated node the root of everything: a memory file system
// with the machine's software, read-only, and the node's own /proc and /sys.
func enterNode(o order) error {
	r := &stage{dir: o.Stage}
	r.mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE)
	r.mount("tmpfs", o.Stage, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV)
	for _, name := range software {
		r.copyOrBind("/"+name, name)
	}
	node := r.openNode(o)
	defer node.Close() // nil where it failed
	for _, name := range ownConfig {
		r.bindOf(node, name)
	}
	r.readOnly()
	for _, name := range []string{"dev", "etc/modprobe.d", "etc/tuned", "proc", "run/tuned", "run/plimsoll", "sys", "tmp",
		"boot", "var/lib/tuned", "var/log/tuned"} {
		r.mkdir(name)
	}
	for _, name := range devices {
		r.bind("/dev/"+name, "dev/"+name)
	}
	r.write("dev/cpu_dma_latency", "") // TuneD writes here how long CPUs may take to wake
	r.bind(o.Config, "etc/tuned")
	r.bind(o.Tools, "run/plimsoll")
	r.proc(node)
	r.bindOf(node, "sys")
	if r.err == nil {
		r.err = r.pivot()
	}
	if r.err == nil {
		r.err = dropRights()
	}
	if r.err == nil {
		r.err = refuseSpecial()
	}
	return r.err
}

// enterMachine lets TuneD see this machine as it is, but its own directories: what
// it notes of profiles and of processes isn't mixed with an installed TuneD's.
func enterMachine(o order) error {
	r := &stage{dir: "/"}
	r.mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE)
	r.bind(o.Config, "etc/tuned")
	r.mkdir("run/tuned")
	r.mount("tmpfs", "/run/tuned", "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV)
	return r.err
}

// stage is a root that is being built. After the first fault it does nothing more.
type stage struct {
	dir string
	err error
}

func (r *stage) fail(doing string, err error) {
	if r.err == nil && err != nil {
		r.err = fmt.Errorf("%s: %w", doing, plain(err))
	}
}

func (r *stage) at(name string) string { return filepath.Join(r.dir, name) }

func (r *stage) mount(source, target, kind string, flags uintptr) {
	if r.err == nil {
		r.fail("mounting "+target, syscall.Mount(source, target, kind, flags, ""))
	}
}

func (r *stage) mkdir(name string) {
	if r.err == nil {
		r.fail("making "+name, os.MkdirAll(r.at(name), 0o755))
	}
}

func (r *stage) write(name, text string) {
	r.mkdir(filepath.Dir(name))
	if r.err == nil {
		r.fail("writing "+name, os.WriteFile(r.at(name), []byte(text), 0o644))
	}
}

// bind shows a file or directory at a place of the stage.
func (r *stage) bind(source, name string) {
	info, err := os.Stat(source)
	if err != nil {
		r.fail("showing "+source, err)
		return
	}
	if info.IsDir() {
		r.mkdir(name)
	} else {
		r.write(name, "")
	}
	if r.err == nil {
		r.fail("showing "+source, syscall.Mount(source, r.at(name), "", syscall.MS_BIND|syscall.MS_REC, ""))
	}
}

// copyOrBind shows what there is at a path: links are made anew.
func (r *stage) copyOrBind(source, name string) {
	info, err := os.Lstat(source)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		r.fail("showing "+source, err)
	case info.Mode()&fs.ModeSymlink != 0 && filepath.Dir(source) == "/":
		target, err := os.Readlink(source)
		r.fail("showing "+source, err)
		if r.err == nil {
			r.fail("linking "+source, os.Symlink(target, r.at(name)))
		}
	default:
		r.bind(source, name)
	}
}

// openNode opens the directory that was looked at, whatever stands at its path now.
func (r *stage) openNode(o order) *os.File {
	node, err := os.OpenFile(o.Node, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	r.fail("opening "+o.Node, err)
	if err != nil {
		return nil
	}
	info, err := node.Stat()
	if err == nil && fileID(info) != o.NodeID {
		err = errors.New("another directory stands there since it was looked at")
	}
	r.fail("opening "+o.Node, err)
	return node
}

// openIn opens what stands below a directory, and follows no link on the way; nil
// where nothing does.
func (r *stage) openIn(dir *os.File, name string) *os.File {
	for at := dir; r.err == nil; {
		step, rest, more := strings.Cut(name, "/")
		fd, err := unix.Openat(int(at.Fd()), step, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if at != dir {
			at.Close()
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		r.fail("opening "+step, err)
		if at = os.NewFile(uintptr(fd), step); err != nil || !more {
			return at
		}
		name = rest
	}
	return nil
}

// fdPath is a path of an open file that leads nowhere else.
func fdPath(f *os.File) string { return fmt.Sprintf("/proc/self/fd/%d", f.Fd()) }

// bindOf shows a file or directory of the node at the same place of the stage.
func (r *stage) bindOf(node *os.File, name string) {
	f := r.openIn(node, name)
	if f == nil {
		return
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && (info.IsDir() || info.Mode().IsRegular()) {
		r.bind(fdPath(f), name)
	}
}

// proc is the node's own /proc. What TuneD can't start without, and the node
// doesn't have, is given without content.
func (r *stage) proc(node *os.File) {
	if proc := r.openIn(node, "proc"); proc != nil {
		entries, err := os.ReadDir(fdPath(proc))
		proc.Close()
		r.fail("reading the node's proc", err)
		for _, e := range entries {
			r.bindOf(node, "proc/"+e.Name())
		}
	}
	for name, text := range map[string]string{
		"proc/cmdline": "\n", "proc/cpuinfo": "processor\t: 0\n", "proc/interrupts": "           CPU0\n",
		"proc/loadavg": "0.00 0.00 0.00 1/1 1\n",
	} {
		if r.err == nil && !exists(r.at(name)) {
			r.write(name, text)
		}
	}
}

// readOnly makes all mounts of the stage read-only, those below them included.
func (r *stage) readOnly() {
	if r.err != nil {
		return
	}
	points, err := mountPoints(r.dir)
	r.fail("listing mounts", err)
	for _, p := range points {
		var s syscall.Statfs_t
		if r.err == nil {
			r.fail("asking for "+p, syscall.Statfs(p, &s))
		}
		// What the machine denies must stay denied, or the kernel refuses.
		kept := uintptr(s.Flags) & (syscall.MS_NOSUID | syscall.MS_NODEV | syscall.MS_NOEXEC | syscall.MS_NOATIME |
			syscall.MS_NODIRATIME)
		if s.Flags&statfsRelatime != 0 {
			kept |= syscall.MS_RELATIME
		}
		r.mount("", p, "", syscall.MS_REMOUNT|syscall.MS_BIND|syscall.MS_RDONLY|kept)
	}
}

// statfsRelatime is ST_RELATIME of statfs(2); its other flags are those of mount(2).
const statfsRelatime = 1 << 12

// mountPoints are the mounts below a directory, but itself.
func mountPoints(dir string) ([]string, error) {
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []string
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 5 {
			continue
		}
		if point := unescape.Replace(fields[4]); strings.HasPrefix(point, dir+"/") {
			out = append(out, point)
		}
	}
	return out, lines.Err()
}

// unescape reads a path of mountinfo.
var unescape = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)

// pivot makes the stage the root, and lets go of the machine's.
func (r *stage) pivot() error {
	if err := os.Chdir(r.dir); err != nil {
		return err
	}
	if err := syscall.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("changing the root: %w", err)
	}
	if err := syscall.Unmount(".", syscall.MNT_DETACH); err != nil {
		return fmt.Errorf("letting go of the machine's root: %w", err)
	}
	return os.Chdir("/")
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}
