package scenario_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/facts"
	"plimsoll.dev/source/scenario"
)

func TestTemplates(t *testing.T) {
	if got := scenario.Templates(); !slices.Equal(got, []string{"helion", "minimal", "numa", "openshift", "snapshot"}) {
		t.Errorf("templates %v", got)
	}
	for _, kind := range scenario.Templates() {
		text := scenario.Template(kind)
		if _, err := scenario.Read(kind+".yaml", text); err != nil {
			t.Errorf("%s:\n%v", kind, err)
		}
		if bare := uncomment(string(text)); bare == string(text) && kind != "minimal" {
			t.Errorf("%s: nothing is commented out", kind)
		} else if _, err := scenario.Read(kind+".yaml", []byte(bare)); err != nil {
			t.Errorf("%s, with what is commented out:\n%v\n%s", kind, err, bare)
		}
	}
	if scenario.Template("titanic") != nil {
		t.Error("there is a template of an unknown kind")
	}
	if string(scenario.Template("")) != string(scenario.Template("openshift")) {
		t.Error("openshift is not the default")
	}
}

// commented is a line of YAML behind a comment sign.
var commented = regexp.MustCompile(`(?m)^( *)# ( *(- )*(\{|[a-zA-Z]+:).*)$`)

// uncomment makes fields of the fields that a template shows in comments.
func uncomment(text string) string { return commented.ReplaceAllString(text, "$1$2") }

// The template has the example of OCP 9.4.
func TestTemplateIsTheExample(t *testing.T) {
	doc, err := scenario.Read("s", scenario.Template("openshift"))
	if err != nil {
		t.Fatal(err)
	}
	c := facts.Load()
	var cpu, memory, storage float64
	for _, p := range doc.Scenario.Workload.PodTypes {
		for quantity, got := range map[string]float64{
			"quantity": float64(p.Replicas), "cpu": float64(p.CPU), "memory": float64(p.Memory), "storage": float64(p.Storage),
		} {
			if want := c.Must("ocp.example.podType." + quantity + "/" + strings.ToLower(p.Name)).Number; got != want {
				t.Errorf("%s of %s: got %v, want %v", quantity, p.Name, got, want)
			}
		}
		n := float64(p.Replicas)
		cpu, memory, storage = cpu+n*float64(p.CPU), memory+n*float64(p.Memory), storage+n*float64(p.Storage)
	}
	// "550 CPU cores, 450GB RAM, and 1.4TB storage"
	if cpu != 550_000 || memory != 450e9 || storage != 1.4e12 {
		t.Errorf("in all %v millicores, %v and %v bytes", cpu, memory, storage)
	}
	for i, n := range doc.Scenario.Hardware.NodeTypes {
		option := string(rune('1' + i))
		want := [3]float64{c.Must("ocp.example.nodeOption.cpus/" + option).Number,
			c.Must("ocp.example.nodeOption.memory/" + option).Number,
			c.Must("ocp.example.nodeOption.quantity/" + option).Number}
		if got := [3]float64{float64(n.CPUs) * 1000, float64(n.Memory), float64(*n.Count)}; got != want {
			t.Errorf("%s: got %v, want %v", n.Name, got, want)
		}
	}
}
