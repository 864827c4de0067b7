package check

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
)

// ignore is the comment that silences rules: "# plimsoll:ignore profile.priorityTie"
// in the line of what was found, or in a line of nothing but comments above it.
var ignore = regexp.MustCompile(`#.*?\bplimsoll:ignore[ \t]+([A-Za-z0-9.*, \t]+)`)

// remarks are the comments of a set of files, by file and line.
type remarks struct {
	rules map[string]map[int][]string
	found []v1alpha1.Finding
}

// collect reads the comments of all files that objects stand in.
func collect(objects []*object.Object) *remarks {
	out := &remarks{rules: map[string]map[int][]string{}}
	type part struct {
		file string
		line int
	}
	seen := map[part]bool{}
	for _, o := range objects {
		p := part{o.Tree.Name, max(1, o.Tree.First)}
		if !seen[p] && strings.Contains(string(o.Tree.Source), "plimsoll:ignore") {
			out.read(o.Tree.Name, p.line, string(o.Tree.Source))
		}
		seen[p] = true
	}
	return out
}

// read reads the comments of a text that begins in a line of its file.
func (r *remarks) read(file string, first int, text string) {
	if r.rules[file] == nil {
		r.rules[file] = map[int][]string{}
	}
	var above []string // of the comment lines directly above
	for i, line := range strings.Split(text, "\n") {
		ids := above
		if m := ignore.FindStringSubmatchIndex(line); m != nil {
			here := strings.FieldsFunc(line[m[2]:m[3]], func(c rune) bool { return strings.ContainsRune(", \t", c) })
			r.judge(file, first+i, line, m[2], here)
			ids = append(ids, here...)
		}
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			above = ids
			continue
		}
		r.rules[file][first+i], above = ids, nil
	}
}

// judge notes ids that are of no rule.
func (r *remarks) judge(file string, line int, text string, from int, ids []string) {
	for _, err := range Unknown(ids) {
		r.found = append(r.found, v1alpha1.Finding{Severity: unknownRule.Severity, ID: unknownRule.ID,
			Message: fmt.Sprintf("the comment silences nothing: %v", err), Sources: unknownRule.Sources,
			Place: &v1alpha1.Place{File: file, Line: line, Col: utf8.RuneCountInString(text[:from]) + 1}})
	}
}

// heard are the findings that no comment silences.
func (r *remarks) heard(found []v1alpha1.Finding) []v1alpha1.Finding {
	return slices.DeleteFunc(slices.Clone(found), r.silence)
}

// silence says whether a comment silences a finding.
func (r *remarks) silence(f v1alpha1.Finding) bool {
	return f.Place != nil && disabled(r.rules[f.Place.File][f.Place.Line], f.ID)
}
