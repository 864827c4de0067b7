package profile

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/tune/tuned"
)

// performancePrefix begins the names of the profiles that the operator makes of PerformanceProfiles.
const performancePrefix = "openshift-node-performance-"

// known says whether a profile exists: in a CR, installed with TuneD, or made of a PerformanceProfile, of which those
// that are among the input are taken for all.
func (c *checker) known(name string) bool {
	if c.all.definition(name) != nil || isVendor(name, c.release) {
		return true
	}
	of, made := strings.CutPrefix(name, performancePrefix)
	return made && (len(c.performance) == 0 || slices.Contains(c.performance, of))
}

// namesOf are the names of the objects of a kind.
func namesOf(objects []*object.Object, kind string) []string {
	var out []string
	for _, o := range objects {
		if o.Kind == kind {
			out = append(out, o.Name)
		}
	}
	return out
}

// includes tells of profiles that one includes and that exist nowhere.
func (c *checker) includes(t *cr, file *tuned.File, name string) {
	for i := range file.Sections {
		s := &file.Sections[i]
		for _, o := range s.Options {
			if s.Name != "main" || o.Key != "include" {
				continue
			}
			for _, parent := range included(o.Value, true) {
				if !c.known(parent) {
					c.textFinding(t, includeNowhere, o.Place, fmt.Sprintf("profile %s, which %s includes, is defined in no CR "+
						"of these files and not installed with TuneD: without it TuneD loads nothing, and nodes keep their old "+
						"settings", parent, name), "define it, correct the name, or give the file that has it")
				}
			}
		}
	}
}

// lacking tells of profiles that nodes get and that take nothing of what OpenShift sets on each node.
func (c *checker) lacking(i *Item) {
	d := c.all.definition(i.Profile)
	if !c.all.own(i) || d == nil || c.said[d.Name+" lacks"] || d.CR == DefaultName ||
		strings.HasPrefix(d.Name, "openshift") {
		return
	}
	for _, name := range c.lineage.family(d.Name) {
		text := c.lineage.texts[name]
		if text.open || slices.ContainsFunc(text.includes,
			func(p string) bool { return strings.HasPrefix(p, "openshift") || !c.known(p) }) {
			return
		}
	}
	c.said[d.Name+" lacks"] = true
	t := c.all.cr(d.CR)
	path := "spec.profile"
	for n, p := range t.Value.Spec.Profile {
		if p.Name != nil && *p.Name == d.Name {
			path = fmt.Sprintf("spec.profile[%d].name", n)
		}
	}
	c.add(t, withoutNode, path, "nodes with profile "+d.Name+" lose what OpenShift sets on each node: one profile alone "+
		"counts, and it includes none of OpenShift's", "write include="+noMatch+" into its section main")
}

// bootArguments tells of kernel arguments in a profile that is chosen otherwise than by pool. Hosted clusters know no
// pools.
func (c *checker) bootArguments(m *merged, i *Item) {
	if !m.own(i) || !labelsKnown.In(c.release) || i.MachineConfigLabels != nil || hosted(i.recommend.Match) {
		return
	}
	for _, name := range c.lineage.family(i.Profile) {
		if c.lineage.texts[name].arguments {
			c.atItem(m, argsByMatch, i, ".profile", "the kernel arguments of profile "+name+" are not set: the operator "+
				"writes a MachineConfig only for items with machineConfigLabels",
				"choose the profile by machineConfigLabels, without match")
			return
		}
	}
}

// hosted says whether a match list asks for the pool of a hosted cluster.
func hosted(list []openshift.TunedMatch) bool {
	return slices.ContainsFunc(list, func(m openshift.TunedMatch) bool {
		return m.Label != nil && strings.HasPrefix(*m.Label, "hypershift.openshift.io/") || hosted(m.Match)
	})
}

// takers tells of machineConfigLabels that no pool takes.
func (c *checker) takers(m *merged, i *Item) {
	if !m.own(i) || !labelsKnown.In(c.release) || len(i.MachineConfigLabels) == 0 ||
		badLabels(i.MachineConfigLabels) != "" || len(c.pools.taking(i.MachineConfigLabels)) > 0 {
		return
	}
	r, pairs := noPoolTakes, labelPairs(i.MachineConfigLabels)
	fix := "write " + openshift.LabelRole + " with the role of a pool"
	switch {
	case c.poolsListed:
		r.Severity = v1alpha1.Error
		c.atItem(m, r, i, ".machineConfigLabels", "no pool takes "+pairs+": the item selects no node", fix)
	case i.MachineConfigLabels[openshift.LabelRole] != "":
		r.Severity = v1alpha1.Info
		c.atItem(m, r, i, ".machineConfigLabels", "neither pool master nor pool worker takes "+pairs+
			": the item selects no node unless the cluster has a pool that does", "give that pool along")
	default:
		c.atItem(m, r, i, ".machineConfigLabels", "pools take MachineConfigs by the label "+openshift.LabelRole+
			", and not by "+pairs+": the item selects no node unless the cluster has a pool that does", fix)
	}
}

// labelPairs writes labels for people.
func labelPairs(labels map[string]string) string {
	var out []string
	for key, value := range labels {
		out = append(out, key+"="+value)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}
