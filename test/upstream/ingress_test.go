package upstream

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	operatorv1 "github.com/openshift/api/operator/v1"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/ingresscontroller"
)

// The record of fields, which tune/ingresscontroller's tables are compared with, has today's
// fields of the Go types.
func TestIngressFieldsAreThoseOfTheGoTypes(t *testing.T) {
	var got []string
	for _, line := range record(t, "testdata/ingress.txt") {
		if name, today := strings.CutSuffix(line, " -"); today {
			got = append(got, name[:strings.LastIndex(name, " ")])
		}
	}
	want := slices.Concat(fieldsOf[operatorv1.IngressControllerSpec](""),
		fieldsOf[operatorv1.NodePlacement]("nodePlacement."),
		fieldsOf[operatorv1.IngressControllerTuningOptions]("tuningOptions."))
	slices.Sort(want)
	slices.Sort(got)
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// What is generated has no findings in its release, and OpenShift's own types read it.
func TestGeneratedIngressIsGood(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := ingresscontroller.Options{Release: release.Release(rapid.IntRange(3, int(release.Newest)).Draw(t, "release")),
			Replicas:   rapid.Int64Range(0, 9).Draw(t, "replicas"),
			Name:       rapid.SampledFrom([]string{"", "internal"}).Draw(t, "name"),
			Publishing: rapid.SampledFrom([]string{"", "HostNetwork"}).Draw(t, "publishing"),
			NodeSelector: rapid.SampledFrom([]map[string]string{nil, {openshift.LabelInfra: ""}, {"a": "1", "b": "yes"}}).Draw(t,
				"selector"),
			Tolerations: rapid.SampledFrom([][]openshift.Toleration{nil, {{Key: "infra", Operator: "Exists"}}}).Draw(t,
				"tolerations"),
			Tuning: map[string]any{}}
		for _, option := range []struct {
			name  string
			value any
		}{{"threadCount", 8}, {"maxConnections", 100000}, {"clientTimeout", "1m30s"}, {"reloadInterval", "15s"},
			{"httpKeepAliveTimeout", "2m"}} {
			if rapid.Bool().Draw(t, option.name) { // a fixed order: a seed draws the same again
				o.Tuning[option.name] = option.value
			}
		}
		made, left := ingresscontroller.Generate(o)
		text, err := yaml.Marshal(made)
		if err != nil {
			t.Fatal(err)
		}
		objects, problems := object.Split("f.yaml", text)
		if found := ingresscontroller.Check(objects, o.Release); len(problems) > 0 || len(found) > 0 {
			t.Fatalf("%s\n%v\n%v", text, problems, found)
		}
		if len(left)+len(made.Spec.TuningOptions) != len(o.Tuning) {
			t.Fatalf("%v is left of %v", left, o.Tuning)
		}
		var typed operatorv1.IngressController
		if err := yaml.UnmarshalStrict(text, &typed); err != nil {
			t.Fatal(err)
		}
	})
}
