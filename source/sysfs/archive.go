package sysfs

import (
	"archive/tar"
	"errors"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	archives "plimsoll.dev/source/files"
	"plimsoll.dev/unit"
)

const (
	// maxUnpacked is the most that is unpacked of an archive: tar keeps a page for
	// each file, and a machine with 1,024 CPUs has 150,000 of them.
	maxUnpacked = unit.GiB
	// maxEntries is the most files of an archive that are looked at, and maxKept
	// the most text that is kept of them.
	maxEntries = 1 << 20
	maxKept    = 64 * unit.MiB
)

// wanted are the files that a reader of trees opens.
var wanted = regexp.MustCompile(`(^|/)devices/(system/(cpu/online|cpu/cpu[0-9]+/(topology/(core_id|` +
	`physical_package_id|book_id|drawer_id)|` +
	`cache/index[0-9]+/(id|level|shared_cpu_map|shared_cpu_list))|node/node[0-9]+/(cpulist|cpumap|meminfo|distance|` +
	`hugepages/hugepages-[^/]+/nr_hugepages)))$`)

// archive is a tree in memory.
type archive struct {
	name  string
	texts map[string]string
	dirs  map[string][]string
	kept  int // bytes of texts and names
}

func (a *archive) shown(name string) string { return a.name + ":" + name }

func (a *archive) read(name string) (string, bool) {
	text, ok := a.texts[name]
	return text, ok
}

func (a *archive) names(dir string) []string { return a.dirs[dir] }

// keep adds a file and the directories above it.
func (a *archive) keep(name, text string) {
	if _, twice := a.texts[name]; !twice {
		for at := name; at != "."; at = path.Dir(at) {
			dir := path.Dir(at)
			_, known := a.dirs[dir]
			a.dirs[dir] = append(a.dirs[dir], path.Base(at))
			if known {
				break
			}
		}
	}
	a.texts[name] = text
}

// readArchive reads a tree in a tar or a tar.gz. Links and everything else that
// is no file are passed over, so that nothing leads out of the archive; paths
// count from where "devices" stands.
func readArchive(f io.Reader, name string, bad *problems) Reading {
	plain, err := archives.Unpacked(f)
	if err != nil {
		bad.file(name, "it can't be unpacked: "+err.Error(), "save the tree again")
		return Reading{}
	}
	a := &archive{name: name, texts: map[string]string{}, dirs: map[string][]string{}}
	limited := &io.LimitedReader{R: plain, N: int64(maxUnpacked)}
	if err := a.fill(tar.NewReader(limited)); err != nil {
		if limited.N <= 0 {
			err = errTooLarge
		}
		bad.file(name, "it can't be read: "+err.Error(), "save only /sys/"+cpuDir+" and /sys/"+nodeDir)
		return Reading{}
	}
	for dir := range a.dirs {
		slices.Sort(a.dirs[dir])
	}
	return readTree(a, bad)
}

var errTooLarge = errors.New("it holds more than " + maxUnpacked.String() + " or too many files")

// fill keeps the files that are wanted.
func (a *archive) fill(r *tar.Reader) error {
	for range maxEntries {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		clean := path.Clean("/" + h.Name)[1:]
		at := wanted.FindStringIndex(clean)
		if h.Typeflag != tar.TypeReg || at == nil {
			continue
		}
		page, err := io.ReadAll(io.LimitReader(r, int64(maxFile)))
		if err != nil {
			return err
		}
		text := trimmed(page)
		if a.kept += len(text) + len(clean); a.kept > int(maxKept) {
			return errTooLarge
		}
		a.keep(strings.TrimPrefix(clean[at[0]:], "/"), text)
	}
	return errTooLarge
}
