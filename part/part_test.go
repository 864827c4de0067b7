package part

import (
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/limit"
	"plimsoll.dev/unit"
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
		if got := o.Value(path, map[string]float64{"hardware.nodeTypes[7].maxPods": 250}[path],
			"").From.String(); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

// An assumption about a list may stand for some of its elements alone: those with
// another number were written.
func TestOriginOfSomeElements(t *testing.T) {
	o := NewOrigin([]v1alpha1.Assumption{
		{Field: "hardware.nodeTypes[*].cpuGHz", Value: "2.6"}, {Field: "hardware.nodeTypes[*].nics[*].speed", Value: "10G"},
		{Field: "hardware.nodeTypes[*].maxPods", Value: "250"},
		{Field: "hardware.nodeTypes[*].systemReserved.memory", Value: "1Gi"},
		{Field: "hardware.nodeTypes[*].cpus", Value: "16"}, {Field: "policy.utilisation", Value: "80%"},
		{Field: "a[*].words", Value: "imix"},
	}, facts.Load())
	for _, c := range []struct {
		path, unit string
		number     float64
		assumed    bool
	}{
		{"hardware.nodeTypes[0].cpuGHz", "GHz", 2.6, true}, {"hardware.nodeTypes[1].cpuGHz", "GHz", 3.1, false},
		{"hardware.nodeTypes[0].nics[1].speed", unit.BitsPerS, 10e9, true},
		{"hardware.nodeTypes[0].nics[0].speed", unit.BitsPerS, 25e9, false},
		{"hardware.nodeTypes[1].maxPods", "pods", 500, false},
		{"hardware.nodeTypes[0].systemReserved.memory", unit.ByteUnit, 1 << 30, true},
		{"hardware.nodeTypes[0].cpus", unit.Millicores, 16000, true},
		{"hardware.nodeTypes[2].cpus", unit.Millicores, 8000, false},
		{"policy.utilisation", unit.Ratio, 0.5, true}, {"a[3].words", "", 512, true},
	} {
		if got := o.Value(c.path, c.number, c.unit).From.Kind == derive.FromDefault; got != c.assumed {
			t.Errorf("%s = %v: assumed %v, want %v", c.path, c.number, got, c.assumed)
		}
	}
}

// Only figures can be shown; a cell links to the figure behind its number.
func TestShowAndCells(t *testing.T) {
	var b derive.Book
	v := b.Calc("x.y", "", "nodes", "3")
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

// Only what breaks, or is not supported or tested beyond, breaks first: neither a batch
// size that experience advises nor a limit of one node that is kept.
func TestWhatBreaksFirst(t *testing.T) {
	measure := func(title string, value, most float64, k limit.Kind) limit.Gauge {
		return limit.Measure(title, title, "cluster", derive.Of(value, "nodes"), derive.Of(most, "nodes"), k)
	}
	batch, pods := measure("batch", 60, 50, limit.Recommended), measure("pods", 9, 10, limit.Hard).AsLocal()
	nodes, over := measure("nodes", 20, 250, limit.Tested), measure("addresses", 3, 2, limit.Hard).AsLocal()
	for _, c := range []struct {
		gauges []limit.Gauge
		want   string
	}{
		{[]limit.Gauge{batch, pods, nodes}, "nodes: 20 of 250 nodes (tested), 8 % used"},
		{[]limit.Gauge{over, batch, nodes}, "addresses: 3 of 2 nodes (hard), exceeded: 150 %"},
		{[]limit.Gauge{batch, pods}, "no published limit applies"},
	} {
		p := v1alpha1.Plan{Gauges: c.gauges}
		if Conclude(&p, ""); p.Verdict.Tightest != c.want {
			t.Errorf("%q, want %q", p.Verdict.Tightest, c.want)
		}
	}
}
