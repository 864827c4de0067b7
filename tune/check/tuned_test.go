package check

import (
	"slices"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

// split reads manifests that can be read.
func split(text string) []*object.Object {
	objects, problems := object.Split("f.yaml", []byte(text))
	if len(problems) > 0 {
		panic(problems)
	}
	return objects
}

// The Tuned CR that the operator makes of all others is passed over, text and all, and
// the profiles are judged by the release where it is given.
func TestTunedOfTheOperator(t *testing.T) {
	const text = `apiVersion: tuned.openshift.io/v1
kind: Tuned
metadata: {name: rendered, namespace: openshift-cluster-node-tuning-operator}
spec: {profile: [{name: openshift, data: "[nothing]\ntype=nothing\n"}], recommend: []}
`
	for _, of := range release.Documented() {
		answer := Run(Input{Objects: split(text), Release: of})
		if got := len(answer.Findings) == 1 &&
			answer.Findings[0].ID == "profile.rendered"; got != (of.Minor() >= release.V44) {
			t.Errorf("%v: %v", of, answer.Findings)
		}
	}
	const operand = `apiVersion: tuned.openshift.io/v1
kind: Tuned
metadata: {name: a, namespace: openshift-cluster-node-tuning-operator}
spec: {profile: [], recommend: [{profile: balanced, priority: 1, match: [{label: x}], operand: {tunedConfig: {reapply_sysctl: false}}}]}
`
	for r, want := range map[release.Release]bool{0: false, 10: true, 11: false} {
		answer := Run(Input{Objects: split(operand), Release: r})
		if got := slices.ContainsFunc(answer.Findings,
			func(f v1alpha1.Finding) bool { return f.ID == "profile.operandDropped" }); got != want {
			t.Errorf("%v: %v", r, answer.Findings)
		}
	}
}

// An answer says by whose rules it was made: the release's, where it is known.
func TestRulesOfTheAnswer(t *testing.T) {
	for r, want := range map[release.Release]string{0: "current", 11: "4.11, and of today where nothing else is known",
		20: "4.20"} {
		if got := Run(Input{Objects: split("kind: ConfigMap"), Release: r}).Release; got != want {
			t.Errorf("%d: %s", r, got)
		}
	}
}
