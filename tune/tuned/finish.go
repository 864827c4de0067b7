package tuned

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"plimsoll.dev/object"
)

// variables defines what the section [variables] has, which is then gone. It says
// whether the load goes on.
func (l *load) variables(m *merged, f *Flat) bool {
	i, known := m.index["variables"]
	if !known {
		return true
	}
	u := m.units[i]
	m.units = slices.Delete(m.units, i, i+1)
	f.written = u.options.list
	var t table
	for _, o := range u.options.list {
		var ok bool
		if o.Key == "include" {
			ok = l.variablesFile(&t, o)
		} else {
			ok = l.define(&t, o)
		}
		if !ok {
			return false
		}
	}
	f.Variables = t.list
	return true
}

// define defines a variable by what the others come to so far.
func (l *load) define(t *table, o Option) bool {
	l.expander.at, l.expander.what = o.From.Place, o.Key
	if !isWordOnly(o.Key) {
		l.expander.note(VariableName, "is no name of a variable: it is not defined", "use letters, digits and underscores")
		return true
	}
	if o.Scripts != nil {
		o.Written = "[" + quoted(o.Scripts[0]) + "]"
		for _, s := range o.Scripts[1:] {
			o.Written = strings.TrimSuffix(o.Written, "]") + ", " + quoted(s) + "]"
		}
		o.Scripts = nil
	}
	value, err := l.expand(o, o.Key)
	if err != nil {
		l.refuse(o, err)
		return false
	}
	if isDecimal(o.Key) {
		l.expander.note(NumberedName, fmt.Sprintf("is the name of a variable: TuneD replaces %s dollar signs by its value",
			o.Key), "begin the name with a letter")
	}
	l.fill(&o, value)
	l.expander.define(o.Key, value)
	setOver(t, o)
	return true
}

// variablesFile defines the variables of a file.
func (l *load) variablesFile(t *table, o Option) bool {
	path := normalPath(o.Written)
	if l.expander.machine.Read == nil {
		return l.unknownVariables(t, o, path)
	}
	body, found := l.expander.machine.Read(path)
	switch {
	case found:
	case l.expander.machine.Incomplete:
		return l.unknownVariables(t, o, path)
	default:
		l.note(VariablesFile, o.From.Place, fmt.Sprintf("the file of variables %s is not there", clip(path)),
			"create it, or put it into a directory that is given with --profiles")
		return true
	}
	p := &parser{source: &Source{File: path}, index: map[string]int{}, bare: true}
	p.read(body)
	l.found = append(l.found, p.found...)
	if p.fault != "" || p.file.Refused {
		l.note(Crash, o.From.Place, fmt.Sprintf("the file of variables %s can't be parsed, "+
			"for which TuneD stops with an error: nothing is loaded", clip(path)), "correct the errors of that file")
		return false
	}
	for _, s := range p.file.Sections {
		for _, v := range p.file.all(s) {
			from := From{Profile: o.From.Profile, Place: v.Place}
			if !v.NoValue && !l.define(t, Option{Key: v.Key, Written: v.Value, From: from}) {
				return false
			}
		}
	}
	return true
}

// unknownVariables makes holes of everything that a file which is not known may define,
// or define anew.
func (l *load) unknownVariables(t *table, o Option, path string) bool {
	e := &l.expander
	what, fix := "the variables of "+path, "put the file into a directory that is given with --profiles"
	if !strings.HasPrefix(path, "/etc/tuned/") {
		fix = "give \"tune flatten\" a copy of the node's files with --root"
	}
	l.note(UnknownVariables, o.From.Place, fmt.Sprintf("%s are not known here: what they decide is left open", what), fix)
	e.behind = append(slices.Clip(e.behind), what)
	e.supposes = false
	for _, name := range e.names {
		value, ok, err := e.open(hole{text: "${" + name + "}", needs: e.behind})
		if !ok {
			l.refuse(o, err)
			return false
		}
		e.define(name, value)
		if v := t.get(name); v != nil {
			l.fill(v, value)
		}
	}
	return true
}

// sections finishes the sections. It says whether TuneD loads the profile.
func (l *load) sections(m *merged, f *Flat) bool {
	f.Sections = make([]Section, len(m.units))
	for i, u := range m.units {
		s := &f.Sections[i]
		*s = Section{Name: u.name, Type: u.name, Enabled: true, Devices: "*", From: u.from, Lost: u.lost}
		for _, key := range reserved {
			if o, ok := u.attributes[key]; ok && key != "replace" && key != "drop" {
				o.Value = o.Written
				s.Attributes = append(s.Attributes, o)
			}
		}
		s.Options = u.options.list
		if !l.attributes(s) {
			return false
		}
	}
	for i := range f.Sections {
		l.values(&f.Sections[i])
		l.checkSection(&f.Sections[i])
	}
	l.judge(f)
	return true
}

// attributes works out what the loader does: devices and the two conditions.
func (l *load) attributes(s *Section) bool {
	for i := range s.Attributes {
		o := &s.Attributes[i]
		if o.Key == "devices" || o.Key == "cpuinfo_regex" || o.Key == "uname_regex" {
			value, err := l.expand(*o, fmt.Sprintf("%s of [%s]", o.Key, s.Name))
			if err != nil {
				l.refuse(*o, err)
				return false
			}
			l.fill(o, value)
		}
	}
	if o := s.Attribute("type"); o != nil {
		s.Type = o.Value
	}
	if o := s.Attribute("enabled"); o != nil {
		s.Enabled = isTrue(o.Value)
	}
	if o := s.Attribute("devices"); o != nil {
		s.Devices = o.Value
		return true
	}
	value, err := l.expand(Option{Written: "*", From: s.From}, "devices of ["+s.Name+"]")
	s.Devices = l.expander.show(value)
	return err == nil
}

// values works out the options as their plug-in does when it applies them.
func (l *load) values(s *Section) {
	for i := range s.Options {
		o := &s.Options[i]
		if o.Scripts != nil {
			o.Value = o.Written
			continue
		}
		text := *o
		if s.Type == "sysctl" {
			text.Written = Unquote(o.Written)
		}
		value, err := l.expand(text, o.Key)
		if err != nil {
			o.Value, o.Fault = o.Written, err.Error()
			l.note(ApplyFails, o.From.Place, fmt.Sprintf("%s %s", o.Key, err), "correct the value")
			continue
		}
		l.fill(o, value)
	}
}

// judge says for each section whether TuneD passes over it, and its priority. TuneD
// applies nothing where it fails.
func (l *load) judge(f *Flat) {
	for i := range f.Sections {
		s := &f.Sections[i]
		if !s.Enabled {
			s.Skipped = "disabled"
			continue
		}
		l.condition(f, s, "cpuinfo_regex", "cpuinfo", l.expander.machine.CPUInfo)
		if s.Skipped == "" {
			l.condition(f, s, "uname_regex", "uname", l.expander.machine.Uname)
		}
		if s.Skipped != "" {
			continue
		}
		if o := s.Option("priority"); o != nil {
			l.priority(f, s, o)
		}
	}
}

func (l *load) priority(f *Flat, s *Section, o *Option) {
	n, ok := number(o.Written, 10)
	switch {
	case !ok:
		what := fmt.Sprintf("the priority %q of [%s] is not a whole number: nothing of the profile is applied",
			clip(o.Written), s.Name)
		f.Fault = what
		l.note(Priority, o.From.Place, what, "give a whole number; 0 is the usual one")
	case n.IsInt64():
		s.Priority = int(n.Int64())
	default:
		s.Priority = math.MaxInt * n.Sign()
	}
}

// condition skips the section unless the machine meets a condition of it. Of what
// is not known of the machine it is assumed that it does.
func (l *load) condition(f *Flat, s *Section, key, fact string, text *string) {
	o := s.Attribute(key)
	if o == nil {
		return
	}
	if text == nil || len(o.Unknown) > 0 {
		l.note(NeedsMachine, o.From.Place, fmt.Sprintf("[%s] is applied only if %s matches %q; it is taken for applied",
			s.Name, fact, clip(o.Value)), "look at it on the node")
		s.Unknown = append(s.Unknown, fact)
		return
	}
	found, err := search(o.Value, *text, true)
	switch {
	case err != nil:
		what := fmt.Sprintf("%s of [%s]: %s", key, s.Name, strings.TrimPrefix(err.Error(), "which "))
		if ruleOf(err).ID == Crash.ID {
			f.Fault = what
		} else {
			s.Unknown = append(s.Unknown, fact)
		}
		l.note(ruleOf(err), o.From.Place, what, "correct the expression")
	case !found:
		s.Skipped = fmt.Sprintf("%s does not match %q", fact, o.Value)
	}
}

// ruleOf is the rule of a function that gave no result.
func ruleOf(err error) object.Rule {
	switch e := err.(type) {
	case *aborts:
		return e.rule
	case *stays:
		return e.rule
	}
	return Crash
}
