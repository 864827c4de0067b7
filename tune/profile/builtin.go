package profile

import (
	_ "embed" // the CRs that the operator makes
	"slices"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/tune/era"
	"plimsoll.dev/tune/object"
)

// DefaultName is the name of the CR that the operator makes and keeps.
const DefaultName = "default"

var (
	//go:embed builtin/4.3.yaml
	default43 []byte
	//go:embed builtin/4.4.yaml
	default44 []byte
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

var (
	made43    = manifest{"also profiles for pods of Elasticsearch, at 10 and 20", default43}
	made44    = manifest{"openshift-control-plane for master or infra at 30, openshift-node at 40", default44}
	madeToday = manifest{"openshift-control-plane for control-plane or infra at 30, openshift-node at 40; the profiles are TuneD's", defaultToday}
	defaults  = era.Rule[manifest]{ID: "profile.default", Title: "CR default, as the operator makes it",
		At: [4]manifest{made43, made44, made44, madeToday}, Source: nto("assets/tuned/default-cr-tuned.yaml")}
)

// Default is the CR "default" as the operator of an era makes it.
func Default(e era.Era) object.Typed[openshift.Tuned] {
	objects, problems := object.Split("CR default of "+e.String(), defaults.In(e).text)
	if len(problems) > 0 {
		panic("profile: a built-in CR is not readable: " + problems[0].What)
	}
	t, _ := object.Decode[openshift.Tuned](objects[0])
	return t
}

// isDefault says whether items are those of the CR "default". Up to 4.19 the
// operators of today asked for the label of masters.
func isDefault(items []openshift.TunedRecommend, e era.Era) bool {
	same := func(want []openshift.TunedRecommend) bool { return slices.EqualFunc(items, want, equalItem) }
	want := Default(e).Value.Spec.Recommend
	if same(want) || e != era.Current {
		return same(want)
	}
	return same(Default(era.V44).Value.Spec.Recommend)
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
