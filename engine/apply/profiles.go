package apply

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	language "plimsoll.dev/tune/tuned"
)

// vendor is where the installed package has its profiles.
const vendor = "/usr/lib/tuned"

// admin is where TuneD looks for the administrator's, which replace the vendor's.
const admin = "/etc/tuned"

// variablesFile ends the names of the files of variables that packages put there.
const variablesFile = "-variables.conf"

// Bounds of a directory of profiles.
const (
	maxProfileFiles = 2_000
	maxProfileBytes = 16 << 20
)

// mainConf is TuneD's own configuration: as the Node Tuning Operator sets it, it
// tunes nothing by load, and takes orders by signals alone.
const mainConf = "daemon=1\ndynamic_tuning=0\nsleep_interval=1\nupdate_interval=0\n" +
	"recommend_command=0\n"

// ownFiles of /etc/tuned are TuneD's notes, not the administrator's; the private
// directory has its own.
var ownFiles = []string{"active_profile", "profile_mode", "post_loaded_profile", "tuned-main.conf", "bootcmdline"}

// tools stand in a simulated node in place of the machine's programs of the same
// names: they read and change the node's files, and so does what they simulate.
//
//go:embed tools
var tools embed.FS

// collection is what will stand at /etc/tuned: files by their path, and profiles
// with the names by which their user knows them.
type collection struct {
	files    map[string]file
	profiles map[string]language.Profile
	bytes    int
	// sysctlsWin over those of the system's own files, which TuneD applies again otherwise.
	sysctlsWin bool
}

type file struct {
	data []byte
	mode fs.FileMode
}

func newCollection() *collection {
	return &collection{files: map[string]file{}, profiles: map[string]language.Profile{}}
}

// directory takes what a source has: each profile whole, and other files as they
// are. A source that has a tuned.conf is a profile itself.
func (c *collection) directory(dir string) error {
	from := source{os.DirFS(dir), ".", dir}
	if !from.has("tuned.conf") {
		return c.source(from)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	return c.profileDirectory(from, filepath.Base(abs))
}

// own takes the profiles that a node has itself, of whose files none leads out of it.
func (c *collection) own(node fs.FS, root string) error {
	if info, err := fs.Stat(node, admin[1:]); err != nil || !info.IsDir() {
		return nil
	}
	return c.source(source{node, admin[1:], filepath.Join(root, admin)})
}

// source is a directory of profiles: at a path of a file system, and as people know it.
type source struct {
	files    fs.FS
	at, name string
}

func (s source) sub(name string) source {
	return source{s.files, path.Join(s.at, name), filepath.Join(s.name, name)}
}

// has says whether the source has a file, which may be a link's.
func (s source) has(name string) bool {
	info, err := fs.Stat(s.files, path.Join(s.at, name))
	return err == nil && info.Mode().IsRegular()
}

// source takes a directory of profiles and other files.
func (c *collection) source(from source) error {
	entries, err := fs.ReadDir(from.files, from.at)
	if err != nil {
		return fmt.Errorf("profiles %s: %w", from.name, plain(err))
	}
	var faults []error
	for _, e := range entries {
		switch name := e.Name(); {
		case from.has(path.Join(name, "tuned.conf")):
			faults = append(faults, c.profileDirectory(from.sub(name), name))
		case from.has(name) && !slices.Contains(ownFiles, name):
			faults = append(faults, c.add(name, from.sub(name)))
		}
	}
	return errors.Join(faults...)
}

// variables takes the files of variables that the installed package has at
// /etc/tuned: profiles of its own don't load without.
func (c *collection) variables() error {
	from := source{os.DirFS(admin), ".", admin}
	names, err := fs.Glob(from.files, "*"+variablesFile)
	faults := []error{err}
	for _, name := range names {
		faults = append(faults, c.add(name, from.sub(name)))
	}
	return errors.Join(faults...)
}

// profileDirectory takes a profile with its scripts.
func (c *collection) profileDirectory(from source, name string) error {
	if checkName(name) != nil {
		return nil // TuneD drops it, too
	}
	c.drop(name)
	err := fs.WalkDir(from.files, from.at, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("profile %s: %w", show(from.name), plain(err))
		}
		if d.IsDir() {
			return nil
		}
		rel := strings.TrimPrefix(file, from.at+"/")
		return c.add(path.Join(name, rel), from.sub(rel))
	})
	if err != nil {
		return err
	}
	body := string(c.files[name+"/tuned.conf"].data)
	c.profiles[name] = language.Profile{Name: name,
		Source: language.Source{Body: body, File: filepath.Join(from.name, "tuned.conf")}}
	return nil
}

// drop forgets an earlier profile of the name.
func (c *collection) drop(name string) {
	for path, f := range c.files {
		if strings.HasPrefix(path, name+"/") {
			delete(c.files, path)
			c.bytes -= len(f.data)
		}
	}
}

// text takes a profile that is a text.
func (c *collection) text(p language.Profile) {
	c.drop(p.Name)
	c.files[p.Name+"/tuned.conf"] = file{data: []byte(p.Source.Body), mode: 0o644}
	c.profiles[p.Name] = p
}

// add reads a file, whose size is known when it has been read: files of /proc have none.
func (c *collection) add(name string, from source) error {
	info, err := fs.Stat(from.files, from.at)
	if err != nil {
		return fmt.Errorf("profile file %s: %w", show(from.name), plain(err))
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("profile file %s is neither file nor directory (leave it out)", show(from.name))
	}
	f, err := from.files.Open(from.at)
	if err != nil {
		return fmt.Errorf("profile file %s: %w", show(from.name), plain(err))
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return fmt.Errorf("profile file %s: %w", show(from.name), plain(err))
	}
	if c.bytes += len(data); len(data) > maxFile || c.bytes > maxProfileBytes || len(c.files) >= maxProfileFiles {
		return fmt.Errorf("profile file %s is too much (at most %d bytes each, %d files of %d bytes in all)", show(from.name),
			maxFile, maxProfileFiles, maxProfileBytes)
	}
	c.files[name] = file{data: data, mode: info.Mode().Perm()}
	return nil
}

// write makes a directory hold the collection and nothing else, with the profile that
// TuneD applies at its next start or reload. Where there is no room it changes nothing.
func (c *collection) write(dir, profile string) (err error) {
	next, err := os.MkdirTemp(filepath.Dir(dir), "next-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(next)) }()
	files, again := maps.Clone(c.files), "reapply_sysctl=1\n"
	if c.sysctlsWin {
		again = "reapply_sysctl=0\n"
	}
	for name, text := range map[string]string{"tuned-main.conf": mainConf + again, "active_profile": profile + "\n",
		"profile_mode": "manual\n"} {
		files[name] = file{[]byte(text), 0o644}
	}
	for name, f := range files {
		if err := writeFile(filepath.Join(next, name), f); err != nil {
			return err
		}
	}
	return replace(dir, next)
}

// replace puts the entries of a directory in place of those of another: the directory
// itself must stay, because TuneD sees it by a mount.
func replace(dir, next string) error {
	for _, from := range []string{dir, next} {
		entries, err := os.ReadDir(from)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if from == dir {
				err = os.RemoveAll(filepath.Join(dir, e.Name()))
			} else {
				err = os.Rename(filepath.Join(next, e.Name()), filepath.Join(dir, e.Name()))
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func writeFile(path string, f file) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, f.data, f.mode)
}

// writeTools puts the programs of a simulated node into a directory. virtual is
// what virt-what prints there.
func writeTools(dir, virtual string) error {
	return fs.WalkDir(tools, "tools", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := tools.ReadFile(path)
		if err != nil {
			return err
		}
		return errors.Join(os.WriteFile(filepath.Join(dir, d.Name()), data, 0o755),
			os.WriteFile(filepath.Join(dir, "virtual"), []byte(virtual), 0o644))
	})
}

// directories are the profiles as TuneD finds them, the vendor's first.
func (c *collection) directories() ([]language.Directory, error) {
	installed := newCollection()
	if err := installed.directory(vendor); err != nil {
		return nil, err
	}
	return []language.Directory{{Path: vendor, Profiles: installed.list()}, {Path: admin, Profiles: c.list()}}, nil
}

func (c *collection) list() []language.Profile {
	return slices.SortedFunc(maps.Values(c.profiles),
		func(a, b language.Profile) int { return strings.Compare(a.Name, b.Name) })
}
