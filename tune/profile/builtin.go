package profile

import (
	_ "embed" // the CRs that the operator makes
	"slices"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/object"
	"plimsoll.dev/tune/era"
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
	// until is the last release that makes it; 0 for those to come.
	until era.Release
	about string
	text  []byte
}

// String says what is particular to the CR.
func (m manifest) String() string { return m.about }

// manifests are the CRs that the operator made, oldest first.
var manifests = []manifest{
	{3, "also profiles for pods of Elasticsearch, at 10 and 20", default43},
	{7, "openshift-control-plane for master or infra at 30, openshift-node at 40", default44},
	{8, "the same, and containers are left out when tasks are moved off CPUs", default48},
	{10, "openshift-control-plane for master or infra at 30, openshift-node at 40; the profiles are TuneD's", default49},
	{13, "the same, and what is particular to the provider of the machines", default411},
	{19, "the same, with the provider's name in another file", default414},
	{0, "openshift-control-plane for control-plane or infra at 30 (up to 4.19: master or infra), openshift-node at 40; the profiles are TuneD's", defaultToday},
}

// made is the CR that the operator of a release makes.
func made(r era.Release) manifest {
	return manifests[slices.IndexFunc(manifests, func(m manifest) bool { return m.until == 0 || r <= m.until })]
}

var defaults = era.Rule[manifest]{ID: "profile.default", Title: "CR default, as the operator makes it",
	At: era.In(made), Source: nto("assets/tuned/default-cr-tuned.yaml")}

// Default is the CR "default" as the operator of an era makes it.
func Default(e era.Era) object.Typed[openshift.Tuned] { return parsed(defaults.In(e), e.String()) }

// DefaultOf is Default for a release.
func DefaultOf(r era.Release) object.Typed[openshift.Tuned] { return parsed(made(r), r.String()) }

func parsed(m manifest, of string) object.Typed[openshift.Tuned] {
	objects, problems := object.Split("CR default of "+of, m.text)
	if len(problems) > 0 {
		panic("profile: a built-in CR is not readable: " + problems[0].What)
	}
	t, _ := object.Decode[openshift.Tuned](objects[0])
	return t
}

// own is the CR "default" of the release that is judged by.
func (b basis) own() object.Typed[openshift.Tuned] {
	if b.exact == 0 {
		return Default(b.era)
	}
	return DefaultOf(b.exact)
}

// isDefault says whether items are those of the CR "default". Where the release isn't
// known, those of 4.6 to 4.19, which ask for the label of masters, are as good as
// those of today.
func (b basis) isDefault(items []openshift.TunedRecommend) bool {
	same := func(t object.Typed[openshift.Tuned]) bool {
		return slices.EqualFunc(items, t.Value.Spec.Recommend, equalItem)
	}
	return same(b.own()) || b.exact == 0 && likeToday.of(b) && same(Default(era.V44))
}

func equalItem(a, b openshift.TunedRecommend) bool {
	return equal(a.Profile, b.Profile) && equal(a.Priority, b.Priority) && slices.EqualFunc(a.Match, b.Match, equalMatch) &&
		len(a.MachineConfigLabels) == 0 && len(b.MachineConfigLabels) == 0
}

func equalMatch(a, b openshift.TunedMatch) bool {
	return equal(a.Label, b.Label) && equal(a.Value, b.Value) && equal(a.Type, b.Type) && slices.EqualFunc(a.Match, b.Match, equalMatch)
}

// equal compares what two pointers point at; nil equals nil alone.
func equal[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }
