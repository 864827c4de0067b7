package tuned

import (
	"errors"

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
