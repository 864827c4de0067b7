package profile

import (
	_ "embed" // the CRs that the operator makes
	"slices"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

// DefaultName is the name of the CR that the operator makes and keeps.
const DefaultName = "default"

var (
	//go:embed builtin/4.3.yaml
	default43 []byte
	//go:embed builtin/4.4.yaml
	default44 []byte
	//go:embed builtin/4.8.yaml
	default48 []byte
	//go:embed builtin/4.9.yaml
	default49 []byte
	//go:embed builtin/4.11.yaml
	default411 []byte
	//go:embed builtin/4.14.yaml
	default414 []byte
	//go:embed builtin/current.yaml
	defaultToday []byte
)

// manifest is a built-in CR.
type manifest struct {
	about string
	text  []byte
}

// String says what is particular to the CR.
func (m manifest) String() string { return m.about }

// The CRs that the operator made, oldest first.
var (
	manifest43 = manifest{"also profiles for pods of Elasticsearch, at 10 and 20", default43}
	manifest44 = manifest{"openshift-control-plane for master or infra at 30, openshift-node at 40", default44}
	manifest48 = manifest{"the same, and containers are left out when tasks are moved off CPUs", default48}
	manifest49 = manifest{"openshift-control-plane for master or infra at 30, openshift-node at 40; " +
		"the profiles are TuneD's", default49}
	manifest411   = manifest{"the same, and what is particular to the provider of the machines", default411}
	manifest414   = manifest{"the same, with the provider's name in another file", default414}
	manifestToday = manifest{"openshift-control-plane for control-plane or infra at 30 (up to 4.19: master or infra), " +
		"openshift-node at 40; the profiles are TuneD's", defaultToday}
)

// Default is the CR "default" as the operator of a release makes it.
func Default(r release.Release) object.Typed[openshift.Tuned] {
	return parsed(defaults.In(r), r.String())
}

func parsed(m manifest, of string) object.Typed[openshift.Tuned] {
	objects, problems := object.Split("CR default of "+of, m.text)
	if len(problems) > 0 {
		panic("profile: a built-in CR is not readable: " + problems[0].What)
	}
	t, _ := object.Decode[openshift.Tuned](objects[0])
	return t
}

// isDefault reports whether items are those of the CR "default" of a release. Where the
// release isn't known, those of 4.6 to 4.19, which ask for the label of masters, are as
// good as those of today.
func isDefault(items []openshift.TunedRecommend, r release.Release) bool {
	same := func(t object.Typed[openshift.Tuned]) bool {
		return slices.EqualFunc(items, t.Value.Spec.Recommend, equalItem)
	}
	return same(Default(r)) || r == release.Current && likeToday.In(r) && same(Default(release.V44))
}

func equalItem(a, b openshift.TunedRecommend) bool {
	return equal(a.Profile, b.Profile) && equal(a.Priority, b.Priority) &&
		slices.EqualFunc(a.Match, b.Match, equalMatch) && len(a.MachineConfigLabels) == 0 && len(b.MachineConfigLabels) == 0
}

func equalMatch(a, b openshift.TunedMatch) bool {
	return equal(a.Label, b.Label) && equal(a.Value, b.Value) && equal(a.Type, b.Type) &&
		slices.EqualFunc(a.Match, b.Match, equalMatch)
}

// equal compares what two pointers point at; nil equals nil alone.
func equal[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }
