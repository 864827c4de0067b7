package apply

import (
	"cmp"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"

	language "plimsoll.dev/tune/tuned"
)

// target is what is tuned: a simulated node or this machine.
type target interface {
	// read takes a snapshot of what is compared, the named files included.
	read(also []string) (snapshot, error)
	// putBack makes entries what they were, and says of each that could not be why.
	putBack(names []string, was snapshot) map[string]error
	// files are the node's, for what a profile names: "sys/class/net/eth0/mtu".
	files() fs.FS
	// resolve says where the links on a path lead; the path itself where that can't be told.
	resolve(name string) string
	// whole says that every change is TuneD's.
	whole() bool
	// place is where its journal is kept, and boot what its values don't outlive.
	place() (place, error)
	boot() string
	// check refuses what nothing may be applied to.
	check() error
	close()
}

func (n *node) files() fs.FS { return n.root.FS() }
func (n *node) whole() bool  { return true }
func (n *node) boot() string { return "" }

func (n *node) place() (place, error) {
	root, err := n.root.OpenRoot(".") // closed by itself
	return place{n.dir, root, journalName}, err
}

func (n *node) resolve(name string) string { return resolveIn(n.dir, name) }

// resolveIn follows links below a directory that they don't leave.
func resolveIn(dir, name string) string {
	real, err := filepath.EvalSymlinks(filepath.Join(dir, name))
	if err != nil {
		return name
	}
	rel, err := filepath.Rel(dir, real)
	if err != nil || !filepath.IsLocal(rel) {
		return name
	}
	return rel
}

// choice is how the kernel shows a setting with its alternatives: "always [madvise] never".
var choice = regexp.MustCompile(`\[([^\]]+)\]`)

// valueOf is a file's value as TuneD reads it: without the line feed, and of
// several choices the one in brackets.
func valueOf(name string, e entry) string {
	if !e.mode.IsRegular() {
		return e.mode.String() + " " + e.data
	}
	text := strings.TrimSpace(e.data)
	if strings.HasPrefix(name, "sys/") {
		if m := choice.FindStringSubmatch(text); m != nil {
			return m[1]
		}
	}
	return text
}

// value is the value of an entry; nil when there is none.
func (s snapshot) value(name string) *string {
	e, ok := s[name]
	if !ok {
		return nil
	}
	v := valueOf(name, e)
	return &v
}

func equal(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

// same says whether two values of a file are the same to the kernel. Masks of CPUs
// are: TuneD writes "0000000f" where the kernel shows "f".
func same(name string, a, b *string) bool {
	if a != nil && b != nil && strings.HasPrefix(name, "proc/irq/") {
		ok, _ := language.Verify(*a, *b)
		return ok
	}
	return equal(a, b)
}

// compare parts what differs between the start and the end: names whose value is
// another, and names that only have other bytes.
func compare(before, after snapshot) (values, bytes []string) {
	for _, name := range before.differing(after) {
		if same(name, before.value(name), after.value(name)) && before[name].mode == after[name].mode {
			bytes = append(bytes, name)
		} else {
			values = append(values, name)
		}
	}
	return values, bytes
}

// open opens what the options name, and keeps others off it.
func (o *Options) open() (target, error) {
	if o.Root == "" {
		return openMachine(cmp.Or(o.State, stateDir))
	}
	n, err := reachNode(o.Root, usual)
	if err != nil {
		return nil, wrongOptions(err)
	}
	if n.lock, err = lock(n.dir); err != nil {
		n.close()
		return nil, fmt.Errorf("node %s: %w", o.Root, err)
	}
	return n, nil
}
