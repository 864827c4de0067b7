package apply

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	language "plimsoll.dev/tune/tuned"
)

// ReadProfiles reads the profiles of directories as TuneD finds them, the vendor's
// first: each holds profiles, as /etc/tuned does, or is a profile itself. installed
// adds those of the installed TuneD before them, where it is installed. It returns
// all errors joined.
func ReadProfiles(dirs []string, installed bool) ([]language.Directory, error) {
	var out []language.Directory
	if installed {
		c := newCollection()
		if c.directory(vendor) == nil {
			out = append(out, language.Directory{Path: vendor, Profiles: c.list()})
		}
	}
	var faults []error
	for _, dir := range dirs {
		c := newCollection()
		faults = append(faults, c.directory(dir))
		out = append(out, language.Directory{Path: admin, Profiles: c.list()}) // where a node has them
	}
	return out, errors.Join(faults...)
}

// NodeProfiles reads the profiles that a node has itself, in its etc/tuned: those of a
// simulated node's directory, or of this machine where root is empty. It is nil where
// the node has no such directory. Apply reads them after the vendor's and before
// Options.Sources. Links that lead out of a simulated node are not followed.
func NodeProfiles(root string) ([]language.Directory, error) {
	files := os.DirFS("/")
	if root != "" {
		r, err := os.OpenRoot(root)
		if err != nil {
			return nil, fmt.Errorf("node %s: %w (%s)", root, plain(err), needs)
		}
		defer r.Close()
		files = r.FS()
	}
	c := newCollection()
	err := c.own(files, root)
	if len(c.files) == 0 {
		return nil, err
	}
	return []language.Directory{{Path: filepath.Join(root, admin), Profiles: c.list()}}, err
}

// ReadVariables returns what reads the files of variables that profiles include from
// /etc/tuned: those of directories, the last first, then, with installed, those that
// the package of the installed TuneD put there. Then come those of the copy of a node's
// files in root, unless that is empty. Of others it knows nothing: a language.Machine
// with it is Incomplete.
func ReadVariables(dirs []string, installed bool, root string) func(name string) (text string, found bool) {
	profiles := ofProfiles(dirs, installed)
	return func(name string) (string, bool) {
		text, found := profiles(name)
		if found || root == "" {
			return text, found
		}
		r, err := os.OpenRoot(root)
		if err != nil {
			return "", false
		}
		defer r.Close()
		return readRegular(r.FS(), strings.TrimPrefix(name, "/"), maxFile)
	}
}

// ofProfiles reads files of variables from directories of profiles.
func ofProfiles(dirs []string, installed bool) func(name string) (text string, found bool) {
	return func(name string) (string, bool) {
		name, ok := strings.CutPrefix(name, admin+"/")
		if !ok || !filepath.IsLocal(name) {
			return "", false
		}
		from := dirs
		if installed && strings.HasSuffix(name, variablesFile) {
			from = append([]string{admin}, dirs...)
		}
		for _, dir := range slices.Backward(from) {
			if text, found := readRegular(os.DirFS(dir), name, maxFile); found {
				return text, true
			}
			inner, isProfile := strings.CutPrefix(name, filepath.Base(dir)+"/") // the directory may be the profile itself
			if text, found := readRegular(os.DirFS(dir), inner, maxFile); found && isProfile {
				return text, true
			}
		}
		return "", false
	}
}

// versions are where Debian and Red Hat put the number of TuneD's release.
var versions = []string{"/usr/lib/python3/dist-packages/tuned/version.py",
	"/usr/lib/python3*/site-packages/tuned/version.py"}

var minor = regexp.MustCompile(`(?m)^TUNED_VERSION_MINOR\s*=\s*(\d{1,4})\s*$`)

// releaseOf is the release of a TuneD that one of the patterns finds; where none says
// it, the newest.
func releaseOf(patterns []string) language.Release {
	for _, pattern := range patterns {
		files, _ := filepath.Glob(pattern) // the patterns are right
		for _, file := range files {
			text, _ := readRegular(os.DirFS(filepath.Dir(file)), filepath.Base(file), maxFile)
			if m := minor.FindStringSubmatch(text); m != nil {
				n, _ := strconv.Atoi(m[1]) // at most four digits
				return language.Release{Minor: n}
			}
		}
	}
	return language.Release{}
}
