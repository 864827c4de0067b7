package report

import (
	"bytes"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/unit"
)

func serversOf(t failer, p *v1alpha1.ServerPlacement, format string, opt Options) string {
	t.Helper()
	opt.Facts, opt.File = sampleFacts, "cloud.yaml"
	var b bytes.Buffer
	if err := WriteServerPlacement(&b, p, format, opt); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestServersGolden(t *testing.T) {
	for name, p := range serverPlacements() {
		for _, format := range WholeFormats() {
			if name == "hostile" && format != Table {
				continue // TestServersHostile looks at the rest
			}
			t.Run(name+"/"+format, func(t *testing.T) {
				golden(t, "servers-"+name+"."+suffix[format], []byte(serversOf(t, p, format, Options{})))
			})
		}
		golden(t, "servers-"+name+".wide80.txt", []byte(serversOf(t, p, Wide, Options{Width: 80})))
	}
	if err := WriteServerPlacement(&bytes.Buffer{}, serversNamed("cloud"), "xml", Options{}); err == nil {
		t.Error("xml is a format of placements")
	}
}

func TestServersLinesFit(t *testing.T) {
	for _, width := range []int{40, 62, 80, 132} {
		for _, format := range []string{Table, Wide} {
			for name, p := range serverPlacements() {
				narrowEnough(t, name+" as "+format, serversOf(t, p, format, Options{Width: width}), width)
			}
		}
	}
}

func TestServersColorOnlyPaints(t *testing.T) {
	for _, name := range []string{"figure-16", "cloud"} {
		p := serversNamed(name)
		plain, painted := serversOf(t, p, Table, Options{}), serversOf(t, p, Table, Options{Color: true})
		if diff := cmp.Diff(plain, colourCodes.ReplaceAllString(painted, "")); diff != "" || plain == painted {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestServersFitTwoScreens: however large the cloud, the default output can be read
// without a pager of many pages.
func TestServersFitTwoScreens(t *testing.T) {
	p := serversNamed("cloud")
	for i := range 150 {
		o := p.ServerTypes[i%5]
		o.Name, o.Placed = fmt.Sprintf("vnf-%d", i), o.Wanted-i%2
		p.ServerTypes = append(p.ServerTypes, o)
		h := p.Hosts[i%len(p.Hosts)]
		h.Machine, h.VMs = 0, i
		p.Hosts = append(p.Hosts, h)
		p.Refusals = append(p.Refusals, p.Refusals[0])
	}
	if n := strings.Count(serversOf(t, p, Table, Options{}), "\n"); n > 240 {
		t.Errorf("%d lines", n)
	}
}

// wantedServers are the texts that every complete report of a placement of VMs has.
func wantedServers(p *v1alpha1.ServerPlacement) []string {
	want := slices.Concat(p.Rules, []string{p.Metadata.Name, p.Metadata.Description, p.Verdict.Summary, p.Verdict.Problem,
		p.Verdict.Tightest})
	for _, o := range p.ServerTypes {
		want = append(want, o.Name, o.Flavor, o.Policy, words.Number(o.VCPUs), unit.FormatBytes(o.RAM),
			fmt.Sprintf("%d of %d", o.Placed, o.Wanted), words.Number(o.More))
	}
	for _, s := range p.Servers {
		want = append(append(want, s.Name, s.Host, whereText(s), s.NovaRefuses), s.Why...)
	}
	for _, h := range p.Hosts {
		want = append(want, h.Name, h.Type, h.Zone, words.Number(h.Count), words.Number(h.VMs))
		for _, n := range h.Nodes {
			want = append(want, words.Number(n.Dedicated-n.Pinned))
			for _, d := range n.Devices {
				want = append(want, d.Kind, fmt.Sprintf("%d of %d", d.Total-d.Used, d.Total))
			}
		}
	}
	for _, r := range p.Resources {
		want = append(want, r.Resource, unit.FormatResource(r.Resource, r.Allocatable),
			unit.FormatResource(r.Resource, r.Requested), r.By)
	}
	return append(want, wantedServersRest(p)...)
}

func wantedServersRest(p *v1alpha1.ServerPlacement) []string {
	var want []string
	for _, m := range p.Machines {
		want = append(want, m.Node, m.Layout, m.Policies)
		for _, o := range m.Owners {
			want = append(want, o.Server)
		}
	}
	for _, r := range p.Refusals {
		want = append(slices.Concat(want, r.Nodes, r.Remedies), r.Nearest, words.Number(r.Count))
		for _, x := range r.Reasons {
			want = append(want, x.Reason, words.Number(x.Nodes))
		}
	}
	if c := p.Comparison; c != nil {
		want = append(want, words.Number(c.Floor), c.Method, words.Number(c.Packed), words.Number(c.Nova),
			words.Number(c.Given), c.Advice)
	}
	for _, l := range p.Losses {
		want = append(want, l.What, l.Worst)
		if l.Of > 1 {
			want = append(want, l.How, words.Number(l.Tried))
		}
		for _, h := range l.Homeless {
			want = append(want, h.Reason, serverName(p, h.ServerType)+" x"+words.Number(h.Count))
		}
	}
	for _, s := range p.Stranding {
		want = append(want, s.Resource, unit.Format(float64(s.Amount), s.Unit), s.Why)
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

// TestAllOfTheServersIsInEveryFormat: only the default text is short.
func TestAllOfTheServersIsInEveryFormat(t *testing.T) {
	for name, p := range serverPlacements() {
		for _, format := range []string{Wide, Markdown, HTML} {
			raw := serversOf(t, p, format, Options{})
			text, fenced := readable(t, format, raw), strings.Join(strings.Fields(raw), " ")
			for _, w := range wantedServers(p) {
				w = strings.Join(strings.Fields(oneLine(w)), " ")
				found := strings.Contains(text, w)
				if !found && format == Markdown {
					found = strings.Contains(text, readable(t, Markdown, md(w))) || strings.Contains(fenced, w)
				}
				if !found {
					t.Errorf("%s as %s lacks %q", name, format, w)
				}
			}
		}
	}
}

// TestTextIsInTheOthers: no word of the default text is missing in Markdown or on
// the page, but marks, drawings and hints on other formats.
func TestTextIsInTheOthers(t *testing.T) {
	for _, name := range []string{"figure-16", "cloud"} {
		p := serversNamed(name)
		short := serversOf(t, p, Table, Options{Width: 400, Section: "all"})
		for _, format := range []string{Markdown, HTML} {
			text := readable(t, format, serversOf(t, p, format, Options{}))
			for line := range strings.Lines(short) {
				for _, cell := range strings.Split(strings.TrimSpace(line), "  ") {
					cell = strings.TrimLeft(cell, "!+~-> :")
					if strings.Trim(cell, "-") == "" || onlyInText(cell) {
						continue
					}
					if !strings.Contains(text, cell) {
						t.Errorf("%s as %s lacks %q", name, format, cell)
					}
				}
			}
		}
	}
}

// drawing is a row of CPUs, of devices, or devices with their owners.
var drawing = regexp.MustCompile(`^(\S{1,2} )*\S{1,2}$|^[A-Z.]{5,}$|^(\S+ )?\S+ [A-Z](, \S+ [A-Z])*$`)

// onlyInText says whether a cell of the default text is a drawing, sums up what the
// other formats tell in full, or leads to them.
func onlyInText(cell string) bool {
	for _, start := range []string{"[", "as ", "alike: ", "Placement ", "Everything", "plimsoll", "cpu ", "devices",
		"NUMA ", "Each mark", "Assumptions: ", "Machines: ", "Further rules"} {
		if strings.HasPrefix(cell, start) {
			return true
		}
	}
	for _, part := range []string{"-o wide", " = ", " + "} {
		if strings.Contains(cell, part) {
			return true
		}
	}
	return drawing.MatchString(cell)
}

func TestServersHostile(t *testing.T) {
	p := hostileServers()
	if s := serversOf(t, p, Wide, Options{}); strings.ContainsAny(s, "\x1b\u202e\t\r") {
		t.Error("wide lets control characters through")
	}
	text := serversOf(t, p, Markdown, Options{})
	if bad := live.FindString(outsideFences(text)); bad != "" {
		t.Errorf("Markdown has %q", bad)
	}
	if strings.Count(text, "```") != 2 {
		t.Error("a fence is broken")
	}
	if s := serversOf(t, p, Name, Options{}); strings.Count(s, "\n") != len(p.ServerTypes)+len(p.Hosts) {
		t.Errorf("names: %q", s)
	}
}

// TestAnyServers writes placements that no program would make.
func TestAnyServers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p v1alpha1.ServerPlacement
		fill(t, reflect.ValueOf(&p).Elem(), 0)
		width := rapid.SampledFrom([]int{40, 61, 80, 200}).Draw(t, "width")
		for _, format := range WholeFormats() {
			soundIn(t, format, serversOf(t, &p, format, Options{Width: width}), width)
		}
	})
}
