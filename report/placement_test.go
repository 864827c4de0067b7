package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/unit"
)

// failer is a test, or one of rapid's.
type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

func placementOf(t failer, p *v1alpha1.Placement, format string, opt Options) string {
	t.Helper()
	opt.Facts, opt.File = sampleFacts, "edge.yaml"
	var b bytes.Buffer
	if err := WritePlacement(&b, p, format, opt); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func packingOf(t failer, p Packing, format string, opt Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := WritePacking(&b, p, format, opt); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPlacementGolden(t *testing.T) {
	for name, p := range placements() {
		for _, format := range WholeFormats() {
			if name == "hostile" && format != Table {
				continue // TestPlacementHostile looks at the rest
			}
			t.Run(name+"/"+format, func(t *testing.T) {
				golden(t, "placement-"+name+"."+suffix[format], []byte(placementOf(t, p, format, Options{})))
			})
		}
		golden(t, "placement-"+name+".wide80.txt", []byte(placementOf(t, p, Wide, Options{Width: 80})))
	}
}

func TestPackingGolden(t *testing.T) {
	for _, format := range WholeFormats() {
		if format == JSON {
			continue // certify's document, written elsewhere
		}
		t.Run(format, func(t *testing.T) {
			golden(t, "packing."+suffix[format], []byte(packingOf(t, samplePacking(), format, Options{})))
		})
	}
	if err := WritePacking(&bytes.Buffer{}, samplePacking(), "xml", Options{}); err == nil {
		t.Error("xml is a format of packings")
	}
	if err := WritePlacement(&bytes.Buffer{}, placementNamed("small"), "xml", Options{}); err == nil {
		t.Error("xml is a format of placements")
	}
}

// narrowEnough demands that no line is wider than limit.
func narrowEnough(t failer, what, text string, limit int) {
	t.Helper()
	for line := range strings.Lines(text) {
		if w := table.Width(strings.TrimSuffix(line, "\n")); w > limit {
			t.Fatalf("%s: %d columns instead of %d: %q", what, w, limit, line)
		}
	}
}

func TestPlacementLinesFit(t *testing.T) {
	for _, width := range []int{40, 62, 80, 132} {
		for _, format := range []string{Table, Wide} {
			for name, p := range placements() {
				narrowEnough(t, name+" as "+format, placementOf(t, p, format, Options{Width: width}), width)
			}
			narrowEnough(t, "packing as "+format, packingOf(t, samplePacking(), format, Options{Width: width}), width)
		}
	}
}

// TestPlacementFitsTwoScreens: however large the cluster, the default output can
// be read without a pager of many pages.
func TestPlacementFitsTwoScreens(t *testing.T) {
	p := placementNamed("cluster")
	for i := range 150 {
		o := p.PodTypes[len(p.PodTypes)-1]
		o.Name, o.Pending = fmt.Sprintf("batch-%d", i), i%3
		p.PodTypes = append(p.PodTypes, o)
		n := p.Nodes[i%len(p.Nodes)]
		n.Resources = slices.Clone(n.Resources)
		n.Resources[0].Requested += int64(i)
		p.Nodes = append(p.Nodes, n)
	}
	if n := strings.Count(placementOf(t, p, Table, Options{}), "\n"); n > 120 {
		t.Errorf("%d lines", n)
	}
}

// colourCodes are what paints a text.
var colourCodes = regexp.MustCompile("\x1b\\[[0-9;]*m")

func TestPlacementColorOnlyPaints(t *testing.T) {
	for _, name := range []string{"small", "numa", "cluster", "large"} {
		p := placementNamed(name)
		plain, painted := placementOf(t, p, Table, Options{}), placementOf(t, p, Table, Options{Color: true})
		if diff := cmp.Diff(plain, colourCodes.ReplaceAllString(painted, "")); diff != "" || plain == painted {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// wantedPlacement are the texts that every complete report of a placement has.
func wantedPlacement(p *v1alpha1.Placement) []string {
	want := slices.Concat(p.Rules, []string{p.Metadata.Name, p.Metadata.Description, p.Verdict.Summary, p.Verdict.Problem,
		p.Verdict.Tightest})
	for _, o := range p.PodTypes {
		want = append(want, o.Name, o.QOSClass, o.Nearest, strings.TrimPrefix(o.Preemption, "preemption: "),
			words.Number(o.Wanted), words.Number(o.Placed), words.Number(o.Pending), words.Number(o.More))
		if o.Message != "" {
			want = append(want, o.Message)
		}
		if o.Runaway {
			want = append(want, "a cluster goes on for ever")
		}
		if o.NUMAAware != nil {
			want = append(want, fmt.Sprintf("would run %d of %d", *o.NUMAAware, o.Wanted))
		}
	}
	for _, n := range p.Nodes {
		want = append(want, n.Name, n.Type, words.Number(n.Count))
		want = append(want, slices.Collect(maps.Values(n.Domains))...)
		for _, r := range n.Resources {
			want = append(want, unit.FormatResource(r.Resource, r.Allocatable))
		}
		for _, x := range n.Pods {
			want = append(want, podName(p, x.PodType)+" x"+words.Number(x.Count))
		}
	}
	for _, r := range p.Resources {
		want = append(want, r.Resource, unit.FormatResource(r.Resource, r.Allocatable),
			unit.FormatResource(r.Resource, r.Requested), r.By)
		if r.Stranded > 0 {
			want = append(want, unit.FormatResource(r.Resource, r.Stranded))
		}
	}
	return append(want, wantedWhy(p)...)
}

func wantedWhy(p *v1alpha1.Placement) []string {
	var want []string
	for _, m := range p.Machines {
		want = append(want, m.Node, m.Layout, m.Policies)
		for _, o := range m.Owners {
			want = append(append(want, o.Pod, o.QOSClass, o.CPUs.String()), o.Memory...)
			for _, ids := range o.Devices {
				want = append(want, ids...)
			}
		}
		for _, n := range m.NUMANodes {
			want = append(want, fmt.Sprint("NUMA ", n.ID))
			for _, d := range n.Devices {
				want = append(want, d.ID)
			}
		}
	}
	for _, a := range p.Admissions {
		want = append(append(want, a.Node, a.Pod, a.Reason, a.Message, a.Slow), a.Remedies...)
		for _, s := range a.Steps {
			want = append(append(want, s.Container, s.Title), s.Lines...)
		}
	}
	if c := p.Comparison; c != nil {
		want = append(want, c.Option, words.Number(c.Floor), words.Number(c.Packed), c.Advice)
		for _, n := range c.Needed {
			want = append(want, n.Rules, words.Number(n.Nodes), words.Number(n.Most))
		}
	}
	for _, l := range p.Losses {
		want = append(want, l.What, l.How, l.Worst, words.Number(l.Tried))
	}
	for _, d := range p.Drains {
		want = append(want, d.What, d.Worst, words.Number(d.Batches), words.Number(d.MostUnavailable))
	}
	for _, f := range p.Findings {
		want = append(want, f.ID, f.Message, f.Remedy)
	}
	for _, a := range p.Assumptions {
		want = append(want, a.Field, a.Value, a.Why, a.Fact)
	}
	for _, s := range p.Skipped {
		want = append(want, s.Place, counted(s), s.Why)
	}
	return want
}

// TestAllOfAPlacementIsInEveryFormat: only the default text is short.
func TestAllOfAPlacementIsInEveryFormat(t *testing.T) {
	for name, p := range placements() {
		for _, format := range []string{Wide, Markdown, HTML} {
			raw := placementOf(t, p, format, Options{})
			text, fenced := readable(t, format, raw), strings.ReplaceAll(raw, "\n", " ")
			for _, w := range wantedPlacement(p) {
				w = strings.Join(strings.Fields(oneLine(w)), " ")
				found := strings.Contains(text, w)
				if !found && format == Markdown && name == "hostile" {
					found = strings.Contains(text, readable(t, Markdown, md(w))) || strings.Contains(fenced, w)
				}
				if !found {
					t.Errorf("%s as %s lacks %q", name, format, w)
				}
			}
		}
	}
}

func TestAllOfAPackingIsInEveryFormat(t *testing.T) {
	p := samplePacking()
	want := slices.Concat(p.sentences(), []string{mixText(p), "m5.4xlarge", "web x5, search x1", "database x1", "26",
		"totals divided", "14 pods find no place", "+13.3 %", "at most 18.8 % more expensive"})
	for _, format := range []string{Table, Wide, Markdown, HTML} {
		text := readable(t, format, packingOf(t, p, format, Options{}))
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s lacks %q", format, w)
			}
		}
	}
}

// Of zones one of which may be lost, a packing says whether what runs has to move then, and what plan
// buys for less is measured by what is true of it.
func TestZonesOfAPackingInWords(t *testing.T) {
	p := samplePacking()
	p.Problem.Zones, p.Problem.SurviveZoneLoss, p.Cheaper = 3, true, make([]int64, len(p.Problem.Nodes))
	p.Cheaper[0] = 1
	const moves, runs, shares = "may have to move then", "Each runs when one zone is lost",
		"room for an even share of each kind of pod"
	for _, p.Solution.Together = range []bool{false, true} {
		text := readable(t, Wide, packingOf(t, p, Wide, Options{}))
		for _, c := range []struct {
			says string
			want bool
		}{{"Each of the 3 zones has the same nodes, and the others hold everything when one is lost.", true},
			{moves, p.Solution.Together}, {runs, p.Solution.Together}, {shares, !p.Solution.Together},
			{"Each has room for", !p.Solution.Together}, {"here each zone has the same nodes", true}} {
			if strings.Contains(text, c.says) != c.want {
				t.Errorf("together %v: %q is said: %v\n%s", p.Solution.Together, c.says, !c.want, text)
			}
		}
	}
}

func TestPlacementHostile(t *testing.T) {
	p := hostilePlacement()
	if s := placementOf(t, p, Wide, Options{}); strings.ContainsAny(s, "\x1b\u202e\t\r") {
		t.Error("wide lets control characters through")
	}
	text := placementOf(t, p, Markdown, Options{})
	if bad := live.FindString(outsideFences(text)); bad != "" {
		t.Errorf("Markdown has %q", bad)
	}
	if strings.Count(text, "```") != 2 {
		t.Error("a fence is broken")
	}
	if s := placementOf(t, p, Name, Options{}); strings.Count(s, "\n") != len(p.PodTypes)+len(p.Nodes) {
		t.Errorf("names: %q", s)
	}
}

// outsideFences is Markdown without what stands in code fences.
func outsideFences(text string) string {
	out := ""
	for i, part := range strings.Split(text, "```") {
		if i%2 == 0 {
			out += part
		}
	}
	return out
}

// TestAnyPlacement writes placements that no program would make.
func TestAnyPlacement(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p v1alpha1.Placement
		fill(t, reflect.ValueOf(&p).Elem(), 0)
		width := rapid.SampledFrom([]int{40, 61, 80, 200}).Draw(t, "width")
		for _, format := range WholeFormats() {
			soundIn(t, format, placementOf(t, &p, format, Options{Width: width}), width)
		}
	})
}

// soundIn demands that a text holds the form of its format.
func soundIn(t failer, format, text string, width int) {
	t.Helper()
	switch format {
	case Table, Wide:
		narrowEnough(t, format, text, width)
		if strings.ContainsAny(text, "\x1b\u202e\t\r") {
			t.Errorf("%s lets control characters through", format)
		}
	case HTML:
		wellFormed(t, text)
	case JSON:
		if !json.Valid([]byte(text)) {
			t.Errorf("no JSON: %s", text)
		}
	}
}

// wellFormed demands that tags are closed in order, ids are single, and no text
// became markup.
func wellFormed(t failer, text string) {
	t.Helper()
	void := []string{"meta", "br", "input"}
	var open []string
	ids := map[string]bool{}
	for z := html.NewTokenizer(strings.NewReader(text)); z.Next() != html.ErrorToken; {
		switch token := z.Token(); token.Type {
		case html.StartTagToken:
			if slices.Contains([]string{"script", "img", "b1"}, token.Data) {
				t.Fatalf("a text became <%s>", token.Data)
			}
			for _, a := range token.Attr {
				if a.Key == "id" && ids[a.Val] {
					t.Fatalf("id %q stands twice", a.Val)
				}
				ids[a.Val] = ids[a.Val] || a.Key == "id"
			}
			if !slices.Contains(void, token.Data) {
				open = append(open, token.Data)
			}
		case html.EndTagToken:
			if len(open) == 0 || open[len(open)-1] != token.Data {
				t.Fatalf("</%s> closes %q", token.Data, open)
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Fatalf("%q stay open", open)
	}
}

// fill sets all below v to anything.
func fill(t *rapid.T, v reflect.Value, depth int) {
	switch v.Interface().(type) {
	case unit.CPUSet:
		set := unit.CPUSetOf(rapid.SliceOfN(rapid.IntRange(0, unit.MaxCPUs-1), 0, 5).Draw(t, "cpus")...)
		v.Set(reflect.ValueOf(set))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i), depth+1)
		}
	case reflect.Pointer:
		if rapid.Bool().Draw(t, "set") {
			v.Set(reflect.New(v.Type().Elem()))
			fill(t, v.Elem(), depth+1)
		}
	case reflect.Slice:
		for range rapid.IntRange(0, 2).Draw(t, "length") {
			e := reflect.New(v.Type().Elem()).Elem()
			fill(t, e, depth+1)
			v.Set(reflect.Append(v, e))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range rapid.IntRange(0, 2).Draw(t, "entries") {
			k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(t, k, depth+1)
			fill(t, e, depth+1)
			v.SetMapIndex(k, e)
		}
	default:
		fillScalar(t, v)
	}
}

func fillScalar(t *rapid.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(rapid.SampledFrom([]string{"", "cpu", "memory", "a", "exclusive", "reserved", "vswitch", "idle",
			"hugepages-2Mi", "runs", "0/3 nodes", "error", "openshift",
			"two words", nasty, "<b1>", "a/b-c/", "```", strings.Repeat("w", 300), "節點", " ", "-", "\n"}).Draw(t, "text"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.SampledFrom([]int64{0, 0, 1, 1, 2, 3, 7, 1500, -1, 1 << 35, -1 << 62, 1<<63 - 1}).Draw(t, "number"))
	case reflect.Float64:
		v.SetFloat(rapid.SampledFrom([]float64{0, 1, -1, 0.5, 1e300}).Draw(t, "real"))
	default:
		t.Fatalf("no values of %s", v.Type())
	}
}
