// Package check is the lint of manifests: it runs the checks of all packages of tune
// over a set of objects, adds what no single one of them sees, and leaves out what
// the user doesn't want to hear.
//
// It knows no rule about a kind's own fields; those stand in the package that the
// rule's name begins with. It reads no files: that is source/objects' business.
//
//	answer := check.Run(check.Input{Objects: r.Objects, Problems: r.Problems, Release: release.V44})
package check

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

// Input is what is to be checked, and how.
type Input struct {
	Objects []*object.Object
	// Problems of texts that could not be read.
	Problems yamlpos.Problems
	// Release of OpenShift whose operators judge.
	Release release.Release
	// Disable are ids of rules that are not wanted; "tuned.*" are all of a package.
	Disable []string
}

// Result is what was checked, and the counts of what was found.
type Result struct {
	Objects int `json:"objects"`
	// Files in the order of their names.
	Files []File `json:"files"`
	Counts
	// Suppressed findings were found and not wanted.
	Suppressed int `json:"suppressed,omitempty"`
	// Unreadable are the faults of texts that are no manifests, wanted or not.
	Unreadable int `json:"unreadable,omitempty"`
	// NotRead are the kinds of objects that no rule reads, by name.
	NotRead []Kind `json:"notRead,omitempty"`
}

// Counts of findings by severity.
type Counts struct {
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Remarks  int `json:"remarks"`
}

// File is a file with the findings in it.
type File struct {
	Name    string `json:"name"`
	Objects int    `json:"objects"`
	Counts
}

// Kind is a kind of objects, and how many of them there are.
type Kind struct {
	Kind    string `json:"kind"`
	Objects int    `json:"objects"`
}

// Run checks everything.
func Run(in Input) v1alpha1.Answer {
	s := sift(in.Objects)
	problems, other := s.is.texts(in.Problems)
	found := append(append(s.found, other...), unreadable(problems)...)
	found = append(found, nothing(in)...)
	found = s.is.complete(in.Objects, append(found, s.judge(in.Release)...))
	remarks := collect(in.Objects)
	found = unique(append(found, remarks.found...))
	kept := slices.DeleteFunc(remarks.heard(found), func(f v1alpha1.Finding) bool { return disabled(in.Disable, f.ID) })
	r := Result{Objects: len(in.Objects), Suppressed: len(found) - len(kept), NotRead: notRead(in.Objects),
		Unreadable: len(problems)}
	kept = definedOnce(onceElsewhere(kept))
	order(kept)
	r.count(in, kept)
	a := r.answer(in.Release.Rules(), kept)
	a.Verdict.Open = append(a.Verdict.Open, s.unknown(kept)...)
	return a
}

// judge runs the checks of all packages over each set, and over what templates leave whole.
func (s sifted) judge(r release.Release) []v1alpha1.Finding {
	found := s.judgeSets(r)
	poolOpen := false
	for _, g := range s.open {
		found = append(found, g.judge(r)...)
		poolOpen = poolOpen || g.object.Kind == "MachineConfigPool"
	}
	return slices.DeleteFunc(found,
		func(f v1alpha1.Finding) bool { return poolOpen && ofPools(f.ID) })
}

// judgeSets judges each set. Of what several have in common is told once what is wrong in any of them, and what it
// lacks where it lacks that in all; in any, if kustomizations say that it belongs to each.
func (s sifted) judgeSets(r release.Release) []v1alpha1.Finding {
	var found []v1alpha1.Finding
	type place struct {
		id, file, object string
		line, col        int
	}
	at := func(f v1alpha1.Finding) place {
		return place{f.ID, f.Place.File, f.Place.Object, f.Place.Line, f.Place.Col}
	}
	type telling struct{ first, last, sets int }
	told := map[place]*telling{}
	for i, one := range s.sets {
		of := byPackages(one.objects, r)
		for _, f := range append(of, besideMade(one.objects, r, of)...) {
			if one.apart && ofSet(f.ID) {
				continue
			}
			if f.Place != nil && len(s.sets) > 1 {
				t := told[at(f)]
				if t == nil {
					t = &telling{first: i, last: -1}
					told[at(f)] = t
				}
				if t.last != i {
					t.last, t.sets = i, t.sets+1
				}
				if t.first != i {
					continue
				}
			}
			found = append(found, f)
		}
	}
	if len(s.sets) == 1 {
		return found
	}
	holding := s.holding()
	return slices.DeleteFunc(found, func(f v1alpha1.Finding) bool {
		return f.Place != nil && ofNone(f.ID) && len(s.is.takers[path.Clean(f.Place.File)]) < 2 &&
			told[at(f)].sets < holding[f.Place.File+"\n"+f.Place.Object]
	})
}

// holding is the number of sets that hold an object, by its file and name.
func (s sifted) holding() map[string]int {
	times := map[*object.Object]int{}
	for _, one := range s.sets {
		for _, o := range one.objects {
			times[o]++
		}
	}
	out := map[string]int{}
	for o, n := range times {
		out[o.Tree.Name+"\n"+o.String()] = n
	}
	return out
}

// Identify finds what is wrong with objects as such, whatever their fields say: kind,
// apiVersion, name and namespace, and objects that stand twice. That is the part of Run
// whose rules begin with "check.", and takes a small part of its time.
func Identify(objects []*object.Object) []v1alpha1.Finding {
	found := unique(collect(objects).heard(sift(objects).found))
	order(found)
	return found
}

// nothing tells that there are no objects: a name that is slightly wrong must not pass
// for manifests without a fault.
func nothing(in Input) []v1alpha1.Finding {
	if len(in.Objects)+len(in.Problems) > 0 {
		return nil
	}
	return []v1alpha1.Finding{{Severity: noObjects.Severity, ID: noObjects.ID,
		Message: "no object was read: nothing is checked",
		Remedy:  "name files or directories with manifests", Sources: noObjects.Sources}}
}

// unreadable makes findings of texts that are no YAML, or no objects.
func unreadable(problems yamlpos.Problems) []v1alpha1.Finding {
	var out []v1alpha1.Finding
	for _, p := range problems {
		out = append(out, v1alpha1.Finding{Severity: notYAML.Severity, ID: notYAML.ID, Message: p.What, Remedy: p.Fix,
			Sources: notYAML.Sources,
			Place:   &v1alpha1.Place{File: p.File, Line: p.Line, Col: p.Col, Field: p.Field, Excerpt: p.Excerpt}})
	}
	return out
}

// onceElsewhere leaves out what packages say of a namespace of which wrongNamespace tells.
func onceElsewhere(list []v1alpha1.Finding) []v1alpha1.Finding {
	told := map[v1alpha1.Place]bool{}
	for _, f := range list {
		if f.ID == wrongNamespace.ID && f.Place != nil {
			told[*f.Place] = true
		}
	}
	return slices.DeleteFunc(list, func(f v1alpha1.Finding) bool {
		return strings.HasSuffix(f.ID, ".namespace") && f.Place != nil && told[*f.Place]
	})
}

// definedOnce leaves out what the definition of a kind says of a field of which a package tells as much, and better.
func definedOnce(list []v1alpha1.Finding) []v1alpha1.Finding {
	type place struct {
		file, object, field string
		line, col           int
	}
	told := map[place]v1alpha1.Severity{}
	note := func(p place, s v1alpha1.Severity) {
		if old, ok := told[p]; !ok || s.Rank() < old.Rank() {
			told[p] = s
		}
	}
	defined := func(f v1alpha1.Finding) bool { return f.Place != nil && strings.HasPrefix(f.ID, "crd.") }
	for _, f := range list {
		if f.Place == nil || defined(f) {
			continue
		}
		note(place{file: f.Place.File, line: f.Place.Line, col: f.Place.Col}, f.Severity)
		for field := f.Place.Field; field != ""; field = field[:max(strings.LastIndexByte(field, '.'), 0)] {
			note(place{file: f.Place.File, object: f.Place.Object, field: field}, f.Severity)
			if f.ID == object.UnknownField.ID {
				break // whose field is the one around it
			}
		}
	}
	return slices.DeleteFunc(list, func(f v1alpha1.Finding) bool {
		if !defined(f) {
			return false
		}
		s, ok := told[place{file: f.Place.File, object: f.Place.Object, field: f.Place.Field}]
		if !ok && f.ID != "crd.missing" { // which stands nowhere: its place is that of what is around it
			s, ok = told[place{file: f.Place.File, line: f.Place.Line, col: f.Place.Col}]
		}
		return ok && s.Rank() <= f.Severity.Rank()
	})
}

// identity is what makes two findings the same for a reader.
type identity struct {
	id, message, file string
	line, col         int
}

// unique leaves out what several packages found alike.
func unique(list []v1alpha1.Finding) []v1alpha1.Finding {
	seen := map[identity]bool{}
	return slices.DeleteFunc(list, func(f v1alpha1.Finding) bool {
		key := identity{id: f.ID, message: f.Message}
		if f.Place != nil {
			key.file, key.line, key.col = f.Place.File, f.Place.Line, f.Place.Col
		}
		double := seen[key]
		seen[key] = true
		return double
	})
}

// order sorts by severity and position, and at one position by rule and text.
func order(list []v1alpha1.Finding) {
	slices.SortStableFunc(list, func(a, b v1alpha1.Finding) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Message, b.Message))
	})
	object.Sort(list)
}

// count fills in the counts.
func (r *Result) count(in Input, found []v1alpha1.Finding) {
	files := map[string]*File{}
	file := func(name string) *File {
		if files[name] == nil {
			files[name] = &File{Name: name}
		}
		return files[name]
	}
	for _, o := range in.Objects {
		file(o.Tree.Name).Objects++
	}
	for _, f := range found {
		r.add(f.Severity)
		if f.Place != nil && f.Place.File != "" {
			file(f.Place.File).add(f.Severity)
		}
	}
	for _, f := range files {
		r.Files = append(r.Files, *f)
	}
	slices.SortFunc(r.Files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
}

func (c *Counts) add(s v1alpha1.Severity) {
	switch s {
	case v1alpha1.Error:
		c.Errors++
	case v1alpha1.Warning:
		c.Warnings++
	default:
		c.Remarks++
	}
}

// String is the counts in words: "2 errors, 1 warning".
func (c Counts) String() string {
	var parts []string
	for _, p := range []struct {
		n         int
		one, many string
	}{{c.Errors, "error", "errors"}, {c.Warnings, "warning", "warnings"}, {c.Remarks, "remark", "remarks"}} {
		if p.n > 0 {
			parts = append(parts, words.Count(p.n, p.one, p.many))
		}
	}
	if len(parts) == 0 {
		return "nothing found"
	}
	return strings.Join(parts, ", ")
}
