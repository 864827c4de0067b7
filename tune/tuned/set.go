package tuned

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Profile is a profile of a directory.
type Profile struct {
	// Name of the profile, the name of its folder.
	Name string
	// Source is the text of its tuned.conf.
	Source Source
}

// Directory is a place with profiles, each in a folder of its own.
type Directory struct {
	// Path is absolute: "/usr/lib/tuned". Scripts and PROFILE_DIR follow from it.
	Path     string
	Profiles []Profile
}

// Set is the profiles of several directories, parsed. It doesn't change.
type Set struct {
	dirs  []map[string]*layer
	order []string
	// lenient sets take a profile that is not there for an empty one.
	lenient bool
}

// NewSet makes a set of directories, the vendor's first. A profile of a later
// directory shadows that of the same name in an earlier one; of two in the same
// directory the last counts.
func NewSet(dirs ...Directory) *Set {
	s := &Set{}
	for _, d := range dirs {
		profiles := make(map[string]*layer, len(d.Profiles))
		for _, p := range d.Profiles {
			profiles[p.Name] = newLayer(d.Path, p)
		}
		s.dirs = append(s.dirs, profiles)
		s.order = slices.AppendSeq(s.order, maps.Keys(profiles))
	}
	slices.Sort(s.order)
	s.order = slices.Compact(s.order)
	return s
}

// safeName says whether TuneD takes a name for a profile to load.
func safeName(name string) bool {
	return name != "" && strings.IndexFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_.-", r))
	}) < 0
}

// maxNameBytes is in bytes; file systems allow 255.
const maxNameBytes = 200

// NameFault says why a profile can't have a name, and is empty where it can.
func NameFault(name string) string {
	switch {
	case !safeName(name):
		return "is dropped by TuneD"
	case name == ".", name == "..":
		return "is another directory to TuneD"
	case name[0] == '-':
		return "is an option to TuneD"
	case len(name) > maxNameBytes:
		return "is longer than " + strconv.Itoa(maxNameBytes) + " bytes"
	}
	return ""
}

// nameAdvice is what would be right.
const nameAdvice = "use letters, digits, underscore, dot and hyphen, the first of them no hyphen"

// Names are the names of all profiles, sorted.
func (s *Set) Names() []string { return slices.Clone(s.order) }

// Has says whether a directory has the profile.
func (s *Set) Has(name string) bool {
	_, found := slices.BinarySearchFunc(s.order, name, cmp.Compare[string])
	return found
}

// locate finds the file of a profile that was not used yet, in the last directory
// first. skipped says that there are only files that were used.
func (s *Set) locate(name string, used map[*layer]bool) (l *layer, skipped bool) {
	for _, dir := range slices.Backward(s.dirs) {
		switch l := dir[name]; {
		case l == nil:
		case used[l]:
			skipped = true
		default:
			return l, false
		}
	}
	return nil, skipped
}
