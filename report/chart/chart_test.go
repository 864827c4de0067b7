package chart

import (
	"encoding/xml"
	"flag"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// drawings are one of each kind, in the order of the golden file.
func drawings() []string {
	return []string{
		"within", LoadLine(0.55, "within", nil),
		"near", LoadLine(0.83, "near", nil),
		"at the limit", LoadLine(1, "near", nil),
		"passed", LoadLine(1.1, "passed", nil),
		"far beyond", LoadLine(2.34, "passed", nil),
		"doubts on and off the scale", LoadLine(0.6, "within", []float64{0.5, 8}),
		"nothing", LoadLine(0, "within", nil),
		"scale", Scale(),
		"share", Share(0.28),
		"share above 1", Share(1.57),
		"stack", Stack([]Part{{"system", 0.0625, "system: 0.5 cores"}, {"workload", 0.8, "workload"}, {"a <b> of their own", 0.1, `"quoted" <b>`}, {"free", 0.0375, "free"}}),
		"swatch", Swatch("daemonsets"),
		"swatch of an unknown layer", Swatch("gpu"),
		"packing", Packing([]Column{{3, []Block{{0, 0.5}, {1, 0.25}}, 0.25, "3 nodes: web x2, db x1"}, {1, []Block{{11, 0.9}, {2, 0.2}}, 0.5, `"<b>"`}}, 3),
		"packing of nothing", Packing(nil, 4),
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
		d := LoadLine(share, "within", []float64{share})
		for _, bad := range []string{`width="-`, `x="-`, "NaN", "Inf", "e+"} {
			if strings.Contains(d, bad) {
				t.Errorf("%v: %s in %s", share, bad, d)
			}
		}
	}
}
