package tuned

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/tune/cell"
)

// Answer tells people and programs what a profile comes to. f may be nil: then the
// findings say why nothing is loaded.
func Answer(name string, f *Flat, found []v1alpha1.Finding) v1alpha1.Answer {
	a := v1alpha1.Answer{APIVersion: "plimsoll.dev/v1alpha1", Kind: "FlattenedProfile",
		Title: "What the profile " + name + " comes to", Findings: found}
	a.Verdict = verdict(name, f, found)
	if f == nil {
		return a
	}
	a.Result = f
	a.Parts = []v1alpha1.Part{
		{Title: "Profiles", Lead: []string{"Each overrides those above it."}, Tables: []v1alpha1.Table{layerTable(f)}},
		{Title: "Settings", Tables: settings(f)},
		{Title: "The profile in one file", Texts: []v1alpha1.Text{{Title: "tuned.conf", Language: "ini", Body: Text(f)}},
			Wide: true},
	}
	return a
}

func verdict(name string, f *Flat, found []v1alpha1.Finding) v1alpha1.AnswerVerdict {
	v := v1alpha1.AnswerVerdict{OK: f != nil && f.Fault == ""}
	for _, x := range found {
		if x.Severity == v1alpha1.Error {
			v.OK, v.Problem = false, x.Message
			break
		}
	}
	switch {
	case f == nil:
		v.Summary = fmt.Sprintf("TuneD loads nothing for %s", name)
	case f.Fault != "":
		v.Summary = fmt.Sprintf("TuneD loads %s and applies nothing of it", name)
	default:
		options := 0
		for _, s := range f.Applied() {
			options += len(s.Options)
		}
		v.Summary = fmt.Sprintf("%s merges %s to %s in %s", name, words.Count(len(f.Layers), "profile", "profiles"),
			words.Count(options, "setting", "settings"), words.Count(len(f.Applied()), "section", "sections"))
		if len(f.Unknown) > 0 {
			v.Summary += ", and the node decides on further ones"
		}
		lacks(&v, f)
	}
	return v
}

// lacks names what isn't known of the node and decides on values, which are not good then.
func lacks(v *v1alpha1.AnswerVerdict, f *Flat) {
	needs, open := slices.Clone(f.Unknown), 0
	for _, s := range f.Applied() {
		for _, o := range s.Options {
			if len(o.Unknown) > 0 {
				open++
			}
			needs = append(needs, o.Unknown...)
		}
	}
	if len(needs) == 0 {
		return
	}
	slices.Sort(needs)
	v.OK = false
	v.Problem = cmp.Or(v.Problem, fmt.Sprintf("%s on what isn't known of the node: %s",
		words.Count(open, "setting depends", "settings depend"), words.Some(slices.Compact(needs), shownNeeds)))
}

// shownNeeds is how much of what isn't known is named in a sentence.
const shownNeeds = 3

// Supposed says in an answer that a profile is flattened as on bare metal, which nobody
// told, where a virtual machine would get something else.
func Supposed(a *v1alpha1.Answer, bare, virtual *Flat) {
	if bare == nil || virtual == nil || Text(bare) == Text(virtual) {
		return
	}
	a.Verdict.OK = false
	a.Verdict.Summary += "; supposed is bare metal, and a virtual machine gets something else (say --virtual kvm, or " +
		"--virtual '' for bare metal)"
}

func layerTable(f *Flat) v1alpha1.Table {
	t := v1alpha1.Table{ID: "layers", Title: "Profiles in the order of merging",
		Columns: cell.Columns("profile", "file", "included by")}
	for _, l := range f.Layers {
		t.Rows = append(t.Rows, cell.Texts(l.Profile, l.Place.File, l.IncludedBy))
	}
	return t
}

// settings is a table for each section.
func settings(f *Flat) []v1alpha1.Table {
	var out []v1alpha1.Table
	for i := range f.Sections {
		s := &f.Sections[i]
		t := v1alpha1.Table{ID: "section." + s.Name, Title: sectionTitle(s),
			Columns: cell.Columns("option", "value", "from", "instead of")}
		for _, o := range s.Options {
			var before []string
			for _, old := range o.Overrides {
				before = append(before, fmt.Sprintf("%s (%s)", comment(old.Value), old.From.Profile))
			}
			value := comment(o.Value)
			if open := o.open(); open != "" {
				value += " (" + open + ")"
			}
			t.Rows = append(t.Rows, cell.Texts(o.Key, value, fmt.Sprintf("%s:%d", o.From.Place.File, o.From.Place.Line),
				strings.Join(before, ", ")))
		}
		for _, l := range s.Lost {
			t.Notes = append(t.Notes, fmt.Sprintf("%s=%s of %s is lost by %s in %s", l.Key, comment(l.Written), l.From.Profile,
				l.How, l.By))
		}
		if s.Skipped != "" {
			t.Notes = append(t.Notes, "not applied: "+comment(s.Skipped))
		}
		out = append(out, t)
	}
	return out
}

// sectionTitle names the section, and its plug-in and devices where they are not
// the usual ones.
func sectionTitle(s *Section) string {
	title := "[" + s.Name + "]"
	if s.Type != s.Name {
		title += ", plug-in " + comment(s.Type)
	}
	if s.Devices != "*" {
		title += ", devices " + comment(s.Devices)
	}
	return title
}
