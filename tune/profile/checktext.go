package profile

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
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
	wins := "files of the host in /etc/sysctl.d win over these sysctls where both set one"
	if overrideReported.In(c.release) {
		wins += ", and the node's Profile is Degraded with TunedSysctlOverride"
	}
	for i := range file.Sections {
		s := &file.Sections[i]
		if !isSysctl(s) {
			continue
		}
		if !c.spare[name] {
			c.textFinding(t, sysctlHost, s.Place, wins, "look there when a sysctl doesn't stay")
		}
		for _, o := range s.Options {
			if isGone(o.Key) && !oldKernel.In(c.release) {
				c.textFinding(t, sysctlGone, o.Place, o.Key+
					" is gone from kernels of 5.13 and later: TuneD logs an error, and the node's Profile is Degraded", "remove it")
			}
		}
	}
}

// textFinding is a finding at a place inside a profile's text.
func (c *checker) textFinding(t *cr, r object.Rule, place v1alpha1.Place, what, fix string) {
	f := at(t, r, "spec.profile", what, fix)
	if t.Object != nil {
		f.Place = &place
	}
	c.found = append(c.found, f)
}

// isSysctl says whether a section sets sysctls.
func isSysctl(s *tuned.FileSection) bool {
	for _, o := range s.Options {
		if o.Key == "type" {
			return o.Value == "sysctl"
		}
	}
	return s.Name == "sysctl"
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
