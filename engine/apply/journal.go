package apply

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// journal is what a node was before TuneD was started. It is on disk before that, and
// goes when all is put back: where there is one at the start, a run was killed.
type journal struct {
	Profile string    `json:"profile"`
	Began   time.Time `json:"began"`
	// Boot of the machine, whose values another boot forgets; empty for a simulated node.
	Boot string `json:"boot,omitempty"`
	// Scratch is the directory of the run's files, locked as long as any of it runs.
	Scratch string `json:"scratch"`
	// Patience is how long its TuneD may take to roll back by itself.
	Patience time.Duration `json:"patience"`
	// Ended is set where the run was not killed, or what it left was put back since: the
	// entries are what refused.
	Ended bool `json:"ended,omitempty"`
	// Kept is set where the run was ended by ErrKeep. Memo is [Options.Memo] of the profile.
	Kept bool   `json:"kept,omitempty"`
	Memo string `json:"memo,omitempty"`
	// Entries is how many there are.
	Entries int `json:"entries"`

	was snapshot
}

// place is where the journal of a node is kept: of a simulated node in its directory,
// so that both are copied, moved and removed together; of this machine in a directory
// that goes with the next boot, as its values do.
type place struct {
	dir  string
	root *os.Root
	name string
}

const (
	journalName = ".plimsoll-journal"
	// stateDir is where journals of this machine are.
	stateDir = "/run/plimsoll"
	// journalHead begins a journal; another form gets another number.
	journalHead = "plimsoll journal 1"
	maxJournal  = 1 << 30 // bytes
)

// machinePlace is one for each network namespace, since each has settings of its own.
func machinePlace(dir string) (place, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return place{}, err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return place{}, err
	}
	if !info.IsDir() {
		return place{}, fmt.Errorf("%s is no directory (remove it)", dir)
	}
	if fault := sharedFault(info); fault != "" {
		return place{}, fmt.Errorf("%s %s", dir, fault)
	}
	if err := os.Chmod(dir, 0o700); err != nil { // it may have been made otherwise
		return place{}, err
	}
	network, err := networkName()
	if err != nil {
		return place{}, err
	}
	root, err := os.OpenRoot(dir)
	return place{dir, root, "machine-" + network}, err
}

func (p place) file() string { return filepath.Join(p.dir, p.name) }

// write puts a journal on the disk, whole or not at all.
func (p place) write(j journal) error {
	j.Entries = len(j.was)
	next := p.name + ".new"
	f, err := p.root.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|carefully, 0o600)
	if err != nil {
		return fmt.Errorf("journal %s can't be written: %w", p.file(), plain(err))
	}
	err = errors.Join(j.encode(f), f.Sync(), f.Close())
	if err == nil {
		err = p.root.Rename(next, p.name)
	}
	if err == nil {
		err = p.sync()
	}
	if err != nil {
		err = errors.Join(plain(err), p.removeNext()) // the one before it stays
		return fmt.Errorf("journal %s can't be written: %w", p.file(), err)
	}
	return nil
}

// sync makes sure that a name of the directory is on the disk, too.
func (p place) sync() error {
	dir, err := p.root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// remove removes the journal, and one that was begun and never finished.
func (p place) remove() error { return errors.Join(p.removeFile(p.name), p.removeNext()) }

// removeNext removes a journal that was begun and never finished.
func (p place) removeNext() error { return p.removeFile(p.name + ".new") }

func (p place) removeFile(name string) error {
	if err := p.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// read reads the journal; nil where there is none.
func (p place) read() (*journal, error) {
	f, err := p.root.OpenFile(p.name, os.O_RDONLY|carefully, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, p.remove()
	}
	var j *journal
	if err == nil {
		defer f.Close()
		j, err = decodeRegular(f)
	}
	if err != nil {
		return nil, fmt.Errorf("journal %s of a killed run can't be read: %w (put the values back by hand, then remove it)",
			p.file(), plain(err))
	}
	return j, nil
}

func decodeRegular(f *os.File) (*journal, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no file")
	}
	return decodeJournal(io.LimitReader(f, maxJournal))
}

// encode writes lines that people can read, too: names and bytes are quoted, whatever
// they hold.
func (j *journal) encode(w io.Writer) error {
	head, err := json.Marshal(j)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s\n%s\n", journalHead, head)
	for _, name := range slices.Sorted(maps.Keys(j.was)) {
		e := j.was[name]
		fmt.Fprintf(out, "%o %s %s\n", uint32(e.mode), strconv.QuoteToASCII(name), strconv.QuoteToASCII(e.data))
	}
	return out.Flush() // of all that was written
}

var errJournal = errors.New("it is none that this program wrote")

func decodeJournal(r io.Reader) (*journal, error) {
	in := bufio.NewReader(r)
	line := func() string {
		text, err := in.ReadString('\n')
		if err != nil {
			return ""
		}
		return strings.TrimSuffix(text, "\n")
	}
	if line() != journalHead {
		return nil, errJournal
	}
	j := &journal{was: snapshot{}}
	if err := json.Unmarshal([]byte(line()), j); err != nil {
		return nil, errJournal
	}
	for range j.Entries {
		name, e, err := decodeEntry(line())
		if err != nil {
			return nil, err
		}
		j.was[name] = e
	}
	return j, nil
}

// decodeEntry reads a line. It names nothing but what is of a node.
func decodeEntry(line string) (string, entry, error) {
	mode, rest, _ := strings.Cut(line, " ")
	bits, err := strconv.ParseUint(mode, 8, 32)
	if err != nil {
		return "", entry{}, errJournal
	}
	quoted, err := strconv.QuotedPrefix(rest)
	if err != nil {
		return "", entry{}, errJournal
	}
	name, fault := strconv.Unquote(quoted)
	data, err := strconv.Unquote(strings.TrimPrefix(rest[len(quoted):], " "))
	if err != nil || fault != nil || !ofNode(name) {
		return "", entry{}, errJournal
	}
	return name, entry{mode: fs.FileMode(bits), data: data}, nil
}

// ofNode says whether a path is one of those that are compared.
func ofNode(name string) bool {
	return path.Clean(name) == name && slices.ContainsFunc(trees, func(tree string) bool {
		return name == tree || strings.HasPrefix(name, tree+"/")
	})
}
