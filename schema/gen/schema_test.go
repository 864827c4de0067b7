package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/schema"
)

// The committed schemas are those that the types give.
func TestSchemasAreUpToDate(t *testing.T) {
	for _, d := range documents {
		want, err := d.schema("plimsoll.dev/schema/gen", "../../api/v1alpha1")
		if err != nil {
			t.Fatal(err)
		}
		got := map[string][]byte{"scenario.schema.json": schema.Scenario(),
			"healthscenario.schema.json": schema.HealthScenario()}[d.file]
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is old; run go generate ./schema (-new +old):\n%s", d.file, diff)
		}
	}
}

func TestDescribe(t *testing.T) {
	for _, c := range []struct{ comment, goName, name, want string }{
		{"MaxPods is the kubelet's\nmaxPods.", "MaxPods", "maxPods", "maxPods is the kubelet's maxPods."},
		{"Name of the type.", "Name", "name", "Name of the type."},
		{"CPU that one pod requests.", "CPU", "cpu", "CPU that one pod requests."},
		{"Version of it.", "APIVersion", "apiVersion", "Version of it."},
	} {
		if got := describe(c.comment, c.goName, c.name); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
