package profile

import (
	"fmt"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/tune/sysctl"
	"plimsoll.dev/tune/tuned"
)

// profile checks what an operator and its nodes make of a profile's text; the
// language itself is checked by package tuned.
func (c *checker) profile(t *cr, path, name, data string) {
	source := tuned.Source{Body: data}
	if t.Object != nil {
		source = tuned.SourceAt(t.Object, path+".data", data)
	}
	file, _ := tuned.Parse(source)
	c.parents(t, path, name)
	c.includes(t, file, name)
	wins := "files of the host in /etc/sysctl.d win over these sysctls where both set one"
	if overrideReported.In(c.release) {
		wins += ", and the node's Profile is Degraded with TunedSysctlOverride"
	}
	undone := sysctl.Undone{}
	for i := range file.Sections {
		s := &file.Sections[i]
		if !isType(s, "sysctl") {
			continue
		}
		if !c.spare[name] {
			c.textFinding(t, sysctlHost, s.Place, wins, "look there when a sysctl doesn't stay")
		}
		for _, o := range s.Options {
			c.sysctl(t, o)
			if what, fix := undone.Add(o.Key, valueOf(o)); what != "" {
				c.textFinding(t, sysctlUndone, o.Place, what, fix)
			}
		}
	}
}

// swapsSlashes is the first TuneD 2 that takes a slash in the name of a sysctl for a dot inside a part of it.
const swapsSlashes = 22

// sysctl judges a sysctl by what kernels know.
func (c *checker) sysctl(t *cr, o tuned.FileOption) {
	const then = ": TuneD logs an error, and the node's Profile is Degraded"
	swaps := tuned.ReleaseIn(c.release).Minor >= swapsSlashes
	if swaps && strings.Contains(o.Key, "/") && !strings.Contains(o.Key, ".") {
		c.textFinding(t, sysctlDots, o.Place, "TuneD takes the slashes of "+o.Key+" for dots in one name"+then,
			"write "+strings.ReplaceAll(o.Key, "/", "."))
		return
	}
	if strings.ContainsAny(o.Key, " \t$") {
		return // blanks are told by package tuned, and what a variable comes to is not known
	}
	fault, what, fix := sysctl.Judge(o.Key, valueOf(o), c.release)
	switch fault {
	case sysctl.Gone:
		c.textFinding(t, sysctlGone, o.Place, what+then, fix)
	case sysctl.Misspelt:
		c.textFinding(t, sysctlUnknown, o.Place, what+then, fix)
	case sysctl.OutOfRange:
		c.textFinding(t, sysctlValue, o.Place, what+then, fix)
	case sysctl.Dotted:
		fix = "set it otherwise: this TuneD can't"
		if swaps {
			fix = "write a slash for each dot of the interface's name"
		}
		c.textFinding(t, sysctlDots, o.Place, what+then, fix)
	}
}

// valueOf is the value of a sysctl without its quotes, and without the sign by which TuneD keeps a value of the node
// that is already greater, or smaller.
func valueOf(o tuned.FileOption) string {
	value := strings.Trim(o.Value, `"`)
	number := strings.TrimLeft(value, "<>")
	if len(value) == len(number)+1 && number != "" && strings.Trim(number, "0123456789") == "" {
		return number
	}
	return value
}

// textFinding is a finding at a place inside a profile's text.
func (c *checker) textFinding(t *cr, r object.Rule, place v1alpha1.Place, what, fix string) {
	f := at(t, r, "spec.profile", what, fix)
	if t.Object != nil {
		f.Place = &place
	}
	c.found = append(c.found, f)
}

// isType says whether a section is of a plug-in.
func isType(s *tuned.FileSection, kind string) bool {
	for _, o := range s.Options {
		if o.Key == "type" {
			return o.Value == kind
		}
	}
	return s.Name == kind
}

// parents tells of profiles that a profile includes and whose change its nodes miss. Those
// of CR default change with the operator alone, which starts TuneD anew.
func (c *checker) parents(t *cr, path, name string) {
	if reloads.In(c.release) != reloadOwn {
		return
	}
	for _, parent := range c.lineage.family(name) {
		if c.all.definition(parent).CR != DefaultName && parent != name {
			c.add(t, staleParent, path, fmt.Sprintf("when only the text of %s, which it includes, changes, "+
				"the nodes with %s keep the old settings until TuneD starts anew", parent, name),
				"change the text of "+name+" as well, a comment for example")
		}
	}
}
