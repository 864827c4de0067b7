package chart

import (
	"encoding/xml"
	"flag"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// drawings are one of each kind, in the order of the golden file.
func drawings() []string {
	return []string{
		"within", LoadLine(0.55, "within", nil, Span),
		"near", LoadLine(0.83, "near", nil, Span),
		"at the limit", LoadLine(1, "near", nil, Span),
		"passed", LoadLine(1.1, "exceeded", nil, SpanPassed),
		"far beyond", LoadLine(2.34, "exceeded", nil, SpanPassed),
		"doubts on and off the scale", LoadLine(0.6, "within", []float64{0.5, 8}, Span),
		"nothing", LoadLine(0, "within", nil, Span),
		"scale", Scale(Span),
		"share", Share(0.28, 1),
		"share above 1", Share(1.57, 2),
		"stack", Stack([]Part{{Name: "system", Share: 0.0625, Label: "system: 0.5 cores"},
			{Name: "workload", Share: 0.8, Label: "workload"},
			{Name: "a <b> of their own", Share: 0.1, Label: `"quoted" <b>`}, {Name: "free", Share: 0.0375, Label: "free"}}),
		"stack of kinds", Stack([]Part{{Share: 0.5, Label: "A", Kind: 1}, {Share: 0.25, Label: "L", Kind: 12}}),
		"swatch", Swatch("daemonsets"),
		"swatch of an unknown layer", Swatch("gpu"),
		"packing", Packing([]Nodes{{"", []Column{{3, []Block{{0, 0.5}, {1, 0.25}}, 0.25, "3 nodes: web x2, db x1"},
			{1, []Block{{11, 0.9}, {2, 0.2}}, 0.5, `"<b>"`}}}}, "node"),
		"packing by zone", Packing([]Nodes{{"a <b>", []Column{{3, []Block{{0, 0.5}}, 0, "3 nodes"}}},
			{"b", []Column{{1, []Block{{0, 0.9}}, 0, "1 node"}}}}, "node"),
		"packing of nothing", Packing(nil, "node"),
		"range", Range{Floor: 40, Packed: 43, Least: 59, Most: 86, Placed: 109}.Draw(109),
		"range that is a point", Range{Floor: 3, Packed: 3, Placed: 3}.Draw(6),
		"range of nothing", Range{}.Draw(0),
		"amounts", Amount(0.4, true) + Amount(1, false),
		"growth", Growth([]Growing{{0.25, "a <b>: 4 x"}, {0.05, "b: 20 x"}, {0, "c"}}, 12, 1.3),
		"growth of what is passed", Growth([]Growing{{1.5, "a"}}, 1, 1),
		"keys of ranges", RangeSwatch("floor") + RangeSwatch("packed") + RangeSwatch("order"),
		"swatches", KindSwatch(12) + StrandedSwatch(),
		"patterns", Defs(),
	}
}

func TestDrawings(t *testing.T) {
	const path = "testdata/drawings.txt"
	var b strings.Builder
	for i, d := range drawings() {
		if i%2 == 0 {
			d = "-- " + d
		}
		b.WriteString(strings.ReplaceAll(d, "><", ">\n<") + "\n")
	}
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestWellFormed(t *testing.T) {
	for i, d := range drawings() {
		if i%2 == 0 {
			continue
		}
		decoder := xml.NewDecoder(strings.NewReader(d))
		for {
			token, err := decoder.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Errorf("%s: %v", drawings()[i-1], err)
				break
			}
			if e, ok := token.(xml.StartElement); ok && e.Name.Local == "b" {
				t.Errorf("%s: text became markup", drawings()[i-1])
			}
		}
	}
}

func TestStaysInTheBox(t *testing.T) {
	for _, share := range []float64{-1, 0, 0.5, 1, 1.25, 5, 1e9} {
		d := LoadLine(share, "within", []float64{share}, Span)
		for _, bad := range []string{`width="-`, `x="-`, "NaN", "Inf", "e+"} {
			if strings.Contains(d, bad) {
				t.Errorf("%v: %s in %s", share, bad, d)
			}
		}
	}
}

func TestPackingStaysInTheBox(t *testing.T) {
	for _, n := range []int{-5, 0, 1, 1 << 40} {
		for _, share := range []float64{-1, 0, 0.5, 1e9, math.Inf(1), math.NaN()} {
			d := Packing([]Nodes{{"z", []Column{{n, []Block{{3, share}, {4, share}}, share, "x"}, {2, nil, 1, "y"}}}}, "node") +
				Range{Floor: share, Packed: float64(n), Least: 1, Most: share, Placed: 2}.Draw(float64(n)) +
				Growth([]Growing{{share, "x"}}, float64(n), share) + Amount(share, true) + Share(share, float64(n))
			for _, bad := range []string{`width="-`, `height="-`, ` x="-`, "NaN", "Inf", "e+"} {
				if strings.Contains(d, bad) {
					t.Errorf("%d, %v: %s in %s", n, share, bad, d)
				}
			}
		}
	}
}

func TestKnown(t *testing.T) {
	for name, want := range map[string]bool{"system": true, "workload": true, "free": true, "": false,
		"2Mi pages": false} {
		if Known(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}
