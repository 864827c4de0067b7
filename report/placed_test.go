package report

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/examples"
	"plimsoll.dev/report/chart"
)

// pageOf is the page of the plan of an example.
func pageOf(t *testing.T, name string) (*v1alpha1.Plan, []*html.Node) {
	t.Helper()
	p := planned(example(t, name))
	return p, parsed(t, texts(t, p, HTML, Options{})["plan"])
}

// chosen is the option that a plan goes on with.
func chosen(t *testing.T, p *v1alpha1.Plan) v1alpha1.Option {
	t.Helper()
	for _, o := range p.Options {
		if o.Chosen {
			return o
		}
	}
	t.Fatal("no option is chosen")
	return v1alpha1.Option{}
}

// The first picture of a plan is its nodes as placed: all that it counts, a third in each of
// the zones that the shop may lose one of.
func TestNodesAsPlacedComeFirst(t *testing.T) {
	p, page := pageOf(t, "shop.yaml")
	zones := map[string]int{}
	for _, n := range page {
		if n.Data != "svg" || attr(n, "class") != "packing" {
			continue
		}
		for _, m := range regexp.MustCompile(`(zone-\d): (\d+) nodes`).FindAllStringSubmatch(textOf(n), -1) {
			zones[m[1]+" "+m[2]]++
		}
	}
	third := fmt.Sprint(chosen(t, p).Total / 3)
	for _, zone := range []string{"zone-1 ", "zone-2 ", "zone-3 "} {
		if zones[zone+third] != 2 { // of CPU and of memory
			t.Errorf("zones %v, want %s nodes in each of three", zones, third)
		}
	}
	var sections []string
	for _, n := range page {
		if n.Data == "section" {
			sections = append(sections, attr(n, "id"))
		}
	}
	if sections[0] != "verdict" || sections[1] != "placed" {
		t.Errorf("the page begins with %q", sections[:2])
	}
}

// Where no placement confirms the nodes, none are drawn as placed.
func TestWhatWasNotPlacedIsNotDrawn(t *testing.T) {
	p := planned(example(t, "shop.yaml"))
	for i := range p.Options {
		p.Options[i].Verified.Status = v1alpha1.Estimated
	}
	if text := texts(t, p, HTML, Options{})["plan"]; strings.Contains(text, `id="placed"`) {
		t.Error("nodes are drawn that were not placed")
	}
}

// Options are told apart by what each way to count says and by what they cost in a month, and
// what the placed nodes are more than the floor for is said.
func TestOptionsAreDrawn(t *testing.T) {
	p, page := pageOf(t, "shop.yaml")
	ranges, amounts := 0, 0
	for _, n := range page {
		switch class := attr(n, "class"); {
		case n.Data == "svg" && class == "range":
			ranges++
		case n.Data == "svg" && class == "share" && attr(n, "height") == "14":
			amounts++
		}
	}
	if ranges < len(p.Options) || amounts != len(p.Options) {
		t.Errorf("%d ranges and %d costs of %d options", ranges, amounts, len(p.Options))
	}
	_, month, _ := strings.Cut(p.Verdict.Cost, ", ")
	month = strings.TrimSuffix(month, " a month")
	text := readable(t, HTML, texts(t, p, HTML, Options{})["plan"])
	o := chosen(t, p)
	for _, want := range []string{month + " m5.2xlarge", // the end of the chosen option's row
		fmt.Sprintf("%s: %d nodes more than the floor: so that every pod has a place also when any 2 nodes fail", o.Name,
			o.Total-o.Floor)} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q", want)
		}
	}
}

// A limit of which 10 % are used at 1.25 times today's workload is reached at 12.5 times.
func TestGrowthReachesLimits(t *testing.T) {
	p := planned(example(t, "shop.yaml"))
	p.Scenario.Policy.Growth = 0.25
	for i := range p.Gauges {
		p.Gauges[i].Local = i > 0
	}
	p.Gauges[0].Share, p.Gauges[0].Title, p.Gauges[0].Scope = 0.1, "Widgets", "cluster"
	text := readable(t, Wide, texts(t, p, Wide, Options{})["plan"])
	if want := "Widgets 8 % 10 % 12 x"; !strings.Contains(text, want) {
		t.Errorf("lacks %q", want)
	}
	p.Scenario.Policy.Growth = 0
	if text := texts(t, p, HTML, Options{})["plan"]; strings.Contains(text, `id="growth"`) {
		t.Error("growth is drawn where the scenario has none")
	}
}

// Of forty types of four namespaces, which leave most of a picture to the last colour, the
// namespaces have the colours; a few types have colours of their own.
func TestColoursTellMost(t *testing.T) {
	var names, spaces []string
	var weights []float64
	for i := range 40 {
		names, spaces = append(names, fmt.Sprintf("type%d", i)), append(spaces, fmt.Sprintf("team-%d", i%4))
		weights = append(weights, 1)
	}
	colours, legend := coloured(weights, names, spaces)
	if len(legend) != 4 || legend[0].Name != "team-0 (10 types)" || colours[1] != colours[5] || colours[0] == colours[1] {
		t.Errorf("colours %v, legend %v", colours, legend)
	}
	if colours, legend = coloured(weights[:5], names[:5], spaces[:5]); len(legend) != 5 || legend[4].Name != "type4" {
		t.Errorf("colours %v, legend %v", colours, legend)
	}
	_, legend = coloured(weights, names)
	if last := legend[len(legend)-1].Name; len(legend) != chart.Kinds || last != "31 further types" {
		t.Errorf("legend %v", legend)
	}
	if _, legend = coloured(weights, names, make([]string, 40)); len(legend) != chart.Kinds {
		t.Errorf("types without a namespace: %v", legend)
	}
}

// No page of an example has an empty section, or tells figures of a list by the same name.
func TestPagesOfExamples(t *testing.T) {
	files := examples.Scenarios("../examples")
	for _, file := range files {
		_, page := pageOf(t, filepath.Base(file))
		for _, n := range page {
			if n.Data == "section" && len(strings.Fields(textOf(n))) < 8 {
				t.Errorf("%s: section %q says no more than that", file, textOf(n))
			}
			if attr(n, "class") == "ledger" {
				eachTwice(n, func(name string) { t.Errorf("%s: %q stands twice in a list", file, name) })
			}
		}
	}
}

// eachTwice calls tell with the names of figures that stand in a list more than once.
func eachTwice(list *html.Node, tell func(name string)) {
	seen := map[string]bool{}
	for n := range list.Descendants() {
		if n.Data == "summary" && n.FirstChild != nil {
			name := textOf(n.FirstChild)
			if seen[name] {
				tell(name)
			}
			seen[name] = true
		}
	}
}

// Nodes that a running cluster has are no more than the floor for a reason that the plan knows,
// and numbers that nothing was placed on are not drawn as placed.
func TestGapIsThatOfPlacement(t *testing.T) {
	o := v1alpha1.Option{Name: "m", Floor: 3, Base: 3, Total: 6,
		Verified: &v1alpha1.Verification{Status: v1alpha1.Verified, Order: "runs", Asked: []string{"any 1 node fails"}}}
	if got, want := gapText(o, podWords), "m: 3 nodes more than the floor: so that every pod has a place also when "+
		"any 1 node fails"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	o.Comparison = &v1alpha1.NodeComparison{Floor: 3, Packed: 3,
		Needed: []v1alpha1.NeededNodes{{Rules: "1.36", Order: "runs", Nodes: 5}, {Rules: "1.34", Order: "runs", Nodes: 4}}}
	if got := gapText(o, podWords); !strings.Contains(got, ": 2 as the scheduler takes") ||
		!strings.Contains(got, ", and 1 so that") {
		t.Errorf("%q", got)
	}
	o.Given = 6
	if got := gapText(o, podWords); got != "" {
		t.Errorf("%q of nodes that are given", got)
	}
	if r := rangeOf(o, podWords); r.Placed != 6 || r.Most != 5 {
		t.Errorf("%+v", r)
	}
	o.Verified.Status = v1alpha1.Estimated
	if r := rangeOf(o, podWords); r.Placed != 0 {
		t.Errorf("%+v is drawn as placed", r)
	}
}
