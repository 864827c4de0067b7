package check

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/schema"
	"plimsoll.dev/tune/containerruntime"
	"plimsoll.dev/tune/crd"
	"plimsoll.dev/tune/haproxy"
	"plimsoll.dev/tune/health"
	"plimsoll.dev/tune/infra"
	"plimsoll.dev/tune/ingresscontroller"
	"plimsoll.dev/tune/kubeletconfig"
	"plimsoll.dev/tune/machineconfig"
	"plimsoll.dev/tune/monitoring"
	"plimsoll.dev/tune/performance"
	"plimsoll.dev/tune/pool"
	"plimsoll.dev/tune/profile"
	"plimsoll.dev/tune/sysctl"
	"plimsoll.dev/tune/tuned"
)

// checker is what a package offers.
type checker struct {
	check      func([]*object.Object, release.Release) []v1alpha1.Finding
	rules      func() []object.Rule
	behaviours func() []release.Row
}

// packages are the packages with checks, in the order of the names of their rules.
var packages = []checker{
	{crd.Check, crd.Rules, func() []release.Row { return nil }},
	{health.Check, health.Rules, health.Behaviours},
	{ingresscontroller.Check, ingresscontroller.Rules, ingresscontroller.Behaviours},
	{kubeletconfig.Check, kubeletconfig.Rules, kubeletconfig.Behaviours},
	{machineconfig.Check, machineconfig.Rules, machineconfig.Behaviours},
	{monitoring.Check, monitoring.Rules, monitoring.Behaviours},
	{performance.Check, performance.Rules, performance.Behaviours},
	{pool.Check, pool.Rules, pool.Behaviours},
	{profile.Check, profile.Rules, profile.Behaviours},
	{haproxy.Check, haproxy.Rules, haproxy.Behaviours},
	{containerruntime.Check, containerruntime.Rules, containerruntime.Behaviours},
	{checkTexts, tuned.Rules, tuned.Behaviours},
}

// checkTexts judges the texts of profiles that somebody wrote: not those that the
// operator copies into a CR of its own.
func checkTexts(objects []*object.Object, r release.Release) []v1alpha1.Finding {
	return tuned.Check(slices.DeleteFunc(slices.Clone(objects),
		func(o *object.Object) bool { return profile.IsSum(o, r) }), r)
}

// Catalogue are all rules, by id.
func Catalogue() []object.Rule {
	out := slices.Concat(Rules(), object.Rules(), infra.Rules())
	for _, p := range packages {
		out = append(out, p.rules()...)
	}
	slices.SortFunc(out, func(a, b object.Rule) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// Behaviours are all that differ between releases, by id.
func Behaviours() []release.Row {
	out := slices.Concat(infra.Behaviours(), sysctl.Behaviours()) // which check no objects
	for _, p := range packages {
		out = append(out, p.behaviours()...)
	}
	slices.SortFunc(out, func(a, b release.Row) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// everyRule ends the id that stands for all rules of a package.
const everyRule = ".*"

// Unknown says which ids are of no rule, and what may be meant, one error for each.
func Unknown(ids []string) []error {
	var known []string
	for _, r := range Catalogue() {
		known = append(known, r.ID)
	}
	var out []error
	for _, id := range ids {
		if slices.ContainsFunc(known, func(k string) bool { return covers(id, k) }) {
			continue
		}
		fix := "plimsoll tune check --list shows all"
		if near := schema.Nearest(id, known); near != "" {
			fix = "did you mean " + near + "?"
		}
		out = append(out, fmt.Errorf("%q is no rule (%s)", id, fix))
	}
	return out
}

func disabled(ids []string, rule string) bool {
	return slices.ContainsFunc(ids, func(id string) bool { return covers(id, rule) })
}

// covers says whether an id, or an id for all rules of a package, is of a rule.
func covers(id, rule string) bool {
	name, every := strings.CutSuffix(id, everyRule)
	return id == rule || every && strings.HasPrefix(rule, name+".")
}
