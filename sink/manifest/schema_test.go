package manifest

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"

	"plimsoll.dev/facts"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/ingresscontroller"
)

// TestFillInIsRefused proves that no file with placeholders can be applied by
// accident: the API server refuses the guard's value, and most names as well.
func TestFillInIsRefused(t *testing.T) {
	for name, in := range cases() {
		for _, f := range manifests(mustRender(t, in)) {
			holes := placeholdersIn(f.Content)
			if strings.HasPrefix(f.Path, installDir) {
				continue // no object of an API server
			}
			if (len(holes) > 0) != strings.HasPrefix(f.Path, fillInDir) {
				t.Errorf("%s/%s: placeholders %v belong into %s only", name, f.Path, holes, fillInDir)
			}
			var o struct {
				Kind     string
				Metadata struct {
					Name   string
					Labels map[string]string
				}
			}
			if err := yaml.Unmarshal(f.Content, &o); err != nil {
				t.Fatal(err)
			}
			guarded := len(validation.IsValidLabelValue(o.Metadata.Labels[fillInLabel])) > 0
			if guarded != (len(holes) > 0) {
				t.Errorf("%s/%s: guarded %v with placeholders %v", name, f.Path, guarded, holes)
			}
			if o.Kind == "MachineSet" && len(validation.IsDNS1123Subdomain(o.Metadata.Name)) == 0 {
				t.Errorf("%s/%s: the name %s would be accepted", name, f.Path, o.Metadata.Name)
			}
		}
	}
}

// TestPlaceholdersAreExplained keeps the README complete.
func TestPlaceholdersAreExplained(t *testing.T) {
	for name, in := range cases() {
		for _, f := range mustRender(t, in) {
			for _, p := range placeholdersIn(f.Content) {
				if h := holeOf(p); p != fillInValue && (h.meaning == "" || h.find == "") {
					t.Errorf("%s/%s: %s is not explained", name, f.Path, p)
				}
			}
		}
	}
}

// TestTableAgreesWithTheCatalogue: where the catalogue knows since when a field
// can be set, the table of releases says the same.
func TestTableAgreesWithTheCatalogue(t *testing.T) {
	c := facts.Load()
	for minor := 1; minor <= 22; minor++ {
		rel := release.Release(minor)
		for quantity, option := range map[string]string{"ocp.router.canSetThreads": "threadCount",
			"ocp.router.canSetMaxConnections": "maxConnections"} {
			fact, _, _, ok := c.ForRelease(quantity, rel.String())
			if !ok || (fact.Text == "Yes") != ingresscontroller.Knows(rel, "tuningOptions."+option) {
				t.Errorf("%s/%s is %q, the table says %v", quantity, rel, fact.Text, !(fact.Text == "Yes"))
			}
		}
		fact, _, _, ok := c.ForRelease("ocp.network.openShiftSDN", rel.String())
		forbidden := fact.Text == "removed" || fact.Text == "not for new installations"
		if !ok || forbidden == openShiftSDN.In(rel) {
			t.Errorf("ocp.network.openShiftSDN/%s is %q, the table says %v", rel, fact.Text, openShiftSDN.In(rel))
		}
	}
}
