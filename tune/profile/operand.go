package profile

import (
	"fmt"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
)

// The releases that know operand, and what it has.
var (
	operandSince   = release.SpanOf(&operandKnown)
	daemonSince    = release.Span{Since: 11}
	verbositySince = release.Span{Since: 18}
)

// operand tells which parts of it the API server drops.
func (c *checker) operand(t *cr, path string, r *openshift.TunedRecommend) {
	if r.Operand == nil {
		return
	}
	path += ".operand"
	has := func(field string) bool { return t.Object == nil || t.Object.Tree.Has(path+"."+field) }
	drop := func(field string, known release.Span) {
		if !known.Has(c.release) {
			name := path[strings.LastIndexByte(path, '.')+1:] + field
			c.add(t, operandDropped, path+field, fmt.Sprintf("%s came with %s: it is dropped", name, known.Since),
				"leave it out")
		}
	}
	if drop("", operandSince); !operandSince.Has(c.release) {
		return
	}
	if has("tunedConfig") {
		drop(".tunedConfig", daemonSince)
	}
	if has("verbosity") {
		drop(".verbosity", verbositySince)
	}
}

// reapplies says whether the nodes that get their profile by an item have the host's
// sysctl files applied after the profile.
func reapplies(r *openshift.TunedRecommend, of release.Release) bool {
	if r.Operand == nil || !daemonSince.Has(of) {
		return true
	}
	set := r.Operand.TunedConfig.ReapplySysctl
	return set == nil || *set
}

// spared are the profiles after which the host's sysctl files are not applied: nodes get
// them, by themselves or included in others, only by items that turn that off. Of a
// profile that no item here recommends it is not known, and it is not among them.
func (c *checker) spared() map[string]bool {
	var on, off []string
	for i := range c.all.items {
		if item := &c.all.items[i]; reapplies(item.recommend, c.release) {
			on = append(on, item.Profile)
		} else {
			off = append(off, item.Profile)
		}
	}
	if len(off) == 0 {
		return nil
	}
	out := map[string]bool{}
	for _, name := range c.lineage.family(off...) {
		out[name] = true
	}
	for _, name := range c.lineage.family(on...) {
		delete(out, name)
	}
	return out
}
