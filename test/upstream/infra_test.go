package upstream

import (
	"slices"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/infra"
	"plimsoll.dev/tune/infra/placement"
)

// The pool of the move is read by OpenShift's own types.
func TestInfraPool(t *testing.T) {
	for _, e := range release.Documented() {
		text, err := yaml.Marshal(infra.Pool(e.Minor(), infra.Role, "10%"))
		if err != nil {
			t.Fatal(err)
		}
		var typed mcfgv1.MachineConfigPool
		if err := yaml.UnmarshalStrict(text, &typed); err != nil || typed.Spec.MaxUnavailable.String() != "10%" {
			t.Errorf("%v in %s", err, text)
		}
	}
}

// Tolerates answers as Kubernetes' own types do.
func TestToleratesAsKubernetes(t *testing.T) {
	pick := func(t *rapid.T, name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }
	rapid.Check(t, func(t *rapid.T) {
		taint := v1alpha1.Taint{Key: pick(t, "key", "a", "b"), Value: pick(t, "value", "", "x"),
			Effect: pick(t, "effect", placement.Effects...)}
		ours := openshift.Toleration{Key: pick(t, "tkey", "", "a", "b"), Operator: pick(t, "op", "", "Equal", "Exists"),
			Value: pick(t, "tvalue", "", "x"), Effect: pick(t, "teffect", append(slices.Clone(placement.Effects), "")...)}
		if field, _, _ := placement.Wrong(ours); field != "" {
			return
		}
		theirs := corev1.Toleration{Key: ours.Key, Operator: corev1.TolerationOperator(ours.Operator), Value: ours.Value,
			Effect: corev1.TaintEffect(ours.Effect)}
		kube := corev1.Taint{Key: taint.Key, Value: taint.Value, Effect: corev1.TaintEffect(taint.Effect)}
		if got, want := placement.Tolerates([]openshift.Toleration{ours}, taint),
			silently(theirs.ToleratesTaint, &kube); got != want {
			t.Fatalf("%+v and %+v: %v", ours, taint, got)
		}
		if made := placement.Tolerating([]v1alpha1.Taint{taint}); len(made) > 0 {
			if field, what, _ := placement.Wrong(made[0]); field != "" || !placement.Tolerates(made, taint) {
				t.Fatalf("%+v for %+v: %s", made, taint, what)
			}
		}
	})
}

// silently asks Kubernetes without a logger, whatever type that has.
func silently[L any](tolerates func(L, *corev1.Taint, bool) bool, taint *corev1.Taint) bool {
	var none L
	return tolerates(none, taint, false)
}
