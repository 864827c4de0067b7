package tuned

import (
	"fmt"
	"strings"

	"plimsoll.dev/internal/words"
)

// Text writes a result as one profile that TuneD reads and that comes to the same:
// nothing included, each value under a comment with the place that it comes from,
// what it comes to, and what it overrides. Variables and functions stay as they are
// written, so that the node works them out.
func Text(f *Flat) string {
	w := &writer{}
	w.line("# %s, flattened from %s: %s", f.Name, words.Count(len(f.Layers), "profile", "profiles"), layerNames(f))
	w.line("[main]")
	for _, o := range f.Main {
		w.option(o)
	}
	if len(f.written) > 0 {
		w.line("\n[variables]")
		for _, o := range f.written {
			w.option(o)
		}
	}
	for i := range f.Sections {
		w.section(&f.Sections[i])
	}
	return w.String()
}

func layerNames(f *Flat) string {
	var names []string
	for _, l := range f.Layers {
		names = append(names, l.Profile)
	}
	return strings.Join(names, ", ")
}

type writer struct{ strings.Builder }

func (w *writer) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

func (w *writer) section(s *Section) {
	if s.Skipped != "" {
		w.line("\n# [%s] is not applied: %s", s.Name, comment(s.Skipped))
		w.line("[%s]", s.Name)
	} else {
		w.line("\n[%s]", s.Name)
	}
	for _, o := range s.Attributes {
		w.option(o)
	}
	for _, lost := range s.Lost {
		w.line("# not inherited (%s): %s=%s, %s", lost.How, comment(lost.Key), comment(lost.Written), lost.From)
	}
	for _, o := range s.Options {
		w.option(o)
	}
	w.scripts(s)
}

// scripts writes what the option script has beyond its first script as sections of
// their own, since an option has one script.
func (w *writer) scripts(s *Section) {
	o := s.Option("script")
	if s.Name != "script" || o == nil {
		return
	}
	for i, script := range o.Scripts[1:] {
		w.line("\n[script.%d]\ntype=%s\nscript=%s", i+2, s.Type, script)
	}
}

// option writes a key with its value under its comments.
func (w *writer) option(o Option) {
	w.line("# %s", o.From)
	if o.Value != o.Written && o.Value != "" && o.Scripts == nil {
		w.line("#   comes to %s", comment(o.Value))
	}
	if open := o.open(); open != "" {
		w.line("#   %s", comment(open))
	}
	for _, old := range o.Overrides {
		w.line("#   instead of %s, %s", comment(old.Value), old.From)
	}
	value := o.Written
	if o.Scripts != nil {
		value = o.Scripts[0]
	}
	w.line("%s=%s", o.Key, strings.ReplaceAll(value, "\n", "\n  "))
}

// comment is a text on one line.
func comment(s string) string { return strings.Join(strings.FieldsFunc(s, isSpace), " ") }

// String is the place as file:line with the profile.
func (f From) String() string {
	return fmt.Sprintf("%s:%d (%s)", f.Place.File, f.Place.Line, f.Profile)
}
