package part

import (
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
)

// A field is the user's unless it was assumed; the fact behind an assumed one
// is named. Assumptions about all elements of a list hold for each.
func TestOrigin(t *testing.T) {
	o := NewOrigin([]v1alpha1.Assumption{
		{Field: "policy.zones", Value: "1"},
		{Field: "hardware.nodeTypes[*].maxPods", Value: "250", Fact: "ocp.kubelet.maxPods"},
	}, facts.Load())
	for path, want := range map[string]string{
		"policy.growth":                 "scenario policy.growth",
		"policy.zones":                  "default policy.zones",
		"hardware.nodeTypes[7].maxPods": "default hardware.nodeTypes[7].maxPods (OCP 2.1)",
		"hardware.nodeTypes[7].cpus":    "scenario hardware.nodeTypes[7].cpus",
	} {
		if got := o.Value(path, 1, "").From.String(); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

// Only figures can be shown; a cell links to the figure behind its number.
func TestShowAndCells(t *testing.T) {
	var b derive.Book
	v := b.Calc("x.y", "", 3, "nodes", "3")
	p := New("x", "X")
	p.Show(v, derive.Of(4, "nodes"), derive.Given("a.b", 5, "nodes"))
	p.Detail(v)
	if len(p.Section.Figures) != 1 || p.Section.Figures[0] != "x.y" || len(p.Section.Details) != 1 {
		t.Errorf("got %v, %v", p.Section.Figures, p.Section.Details)
	}
	if c := Num(v); c.Figure != "x.y" || *c.Number != 3 || c.Text != "3 nodes" {
		t.Errorf("got %+v", c)
	}
	if c := Num(derive.Given("a.b", 5, "nodes")); c.Figure != "" {
		t.Errorf("a scenario field is no figure: %+v", c)
	}
}
