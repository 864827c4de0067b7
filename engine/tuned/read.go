package tuned

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

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
		out = append(out, language.Directory{Path: dir, Profiles: c.list()})
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
