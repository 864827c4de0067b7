package pages_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/limit"
	"plimsoll.dev/part"
	"plimsoll.dev/plan/pages"
	"plimsoll.dev/unit"
)

// TestDocument checks the numbers of OCP 13.
func TestDocument(t *testing.T) {
	c := facts.Load()
	tests := []struct {
		name         string
		amount, page unit.Bytes
		fact         string
	}{
		{"1 Mi in pages of 4 Ki", unit.MiB, 4 * unit.KiB, "ocp.hugePages.pagesPer1Mi"},
		{"1 Gi in pages of 4 Ki, by arithmetic", unit.GiB, 4 * unit.KiB, "ocp.hugePages.pagesPer1GiArithmetic"},
		{"100 MB in pages of 2 MB", 100 * unit.MB, 2 * unit.MB, "ocp.hugePages.example100Mi"},
		{"100 Mi in pages of 2 Mi", 100 * unit.MiB, 2 * unit.MiB, "ocp.hugePages.example100Mi"},
		{"2 Gi in pages of 2 Mi (vm.nr_hugepages)", 2 * unit.GiB, 2 * unit.MiB, "ocp.hugePages.nrHugepagesExample"},
	}
	for _, tt := range tests {
		if got, want := pages.Count(tt.amount, tt.page), int64(c.Must(tt.fact).Number); got != want {
			t.Errorf("%s: %d pages, want %d", tt.name, got, want)
		}
	}
	// The document says 256,000 pages for 1 Gi; the difference must stay visible.
	if f := c.Must("ocp.hugePages.pagesPer1Gi"); f.Number != 256000 || f.Grade != facts.Doubtful ||
		len(f.Contradicts) == 0 {
		t.Errorf("the document's 256,000 pages are not kept as doubtful: %+v", f)
	}
}

func TestBootArguments(t *testing.T) {
	for _, tt := range []struct {
		pages map[string]int64
		want  string
	}{
		{map[string]int64{"2Mi": 1024}, "hugepagesz=2M hugepages=1024"},
		{map[string]int64{"1Gi": 8}, "default_hugepagesz=1G hugepagesz=1G hugepages=8"},
		{map[string]int64{"2Mi": 512, "1Gi": 2}, "hugepagesz=1G hugepages=2 hugepagesz=2M hugepages=512"},
		{map[string]int64{"2Mi": 512, "1Gi": 0}, "hugepagesz=2M hugepages=512"},
		{map[string]int64{"64Ki": 16}, "default_hugepagesz=64K hugepagesz=64K hugepages=16"},
		{nil, ""},
	} {
		if diff := cmp.Diff(tt.want, strings.Join(pages.BootArguments(tt.pages, 2*unit.MiB), " ")); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.pages, diff)
		}
	}
}

func plan(t *testing.T, in pages.Input) pages.Result {
	t.Helper()
	in.Facts = facts.Load()
	in.Origin = part.NewOrigin(nil, in.Facts)
	if in.Platform == "" {
		in.Platform = "openshift"
	}
	if in.Release == "" {
		in.Release = "4.4"
	}
	var b derive.Book
	r := pages.Plan(&b, in)
	for _, err := range b.Verify() {
		t.Error(err)
	}
	for _, f := range r.Part.Findings {
		if f.Severity != v1alpha1.Info && (f.Remedy == "" || len(f.Sources) == 0) {
			t.Errorf("%s has no remedy or no source", f.ID)
		}
	}
	return r
}

func gib(n float64) derive.Value { return derive.Given("given", n*float64(unit.GiB), unit.ByteUnit) }

func need(sizes map[string]unit.Bytes) map[string]derive.Value {
	m := map[string]derive.Value{}
	for size, b := range sizes {
		m[size] = derive.Given("pods", b, unit.ByteUnit)
	}
	return m
}

func TestAllocation(t *testing.T) {
	tests := []struct {
		name   string
		node   pages.Node
		pages  map[string]int64
		each   []int64
		args   string
		sysctl string
	}{
		{"the document's profile: 2 Gi of 2 Mi",
			pages.Node{Type: "w", Memory: gib(16), Pods: need(map[string]unit.Bytes{"2Mi": 2 * unit.GiB})},
			map[string]int64{"2Mi": 1024}, []int64{1024}, "hugepagesz=2M hugepages=1024", "vm.nr_hugepages=1024"},
		{"the document's pod: 100 Mi", pages.Node{Type: "w", Memory: gib(16),
			Pods: need(map[string]unit.Bytes{"2Mi": 100 * unit.MiB})},
			map[string]int64{"2Mi": 50}, []int64{50}, "hugepagesz=2M hugepages=50", "vm.nr_hugepages=50"},
		{"odd number on two NUMA nodes", pages.Node{Type: "w", Memory: gib(64), NUMANodes: 2,
			Pods: need(map[string]unit.Bytes{"1Gi": 5 * unit.GiB})},
			map[string]int64{"1Gi": 6}, []int64{3}, "default_hugepagesz=1G hugepagesz=1G hugepages=6", ""},
		{"given by the scenario", pages.Node{Type: "w", Memory: gib(64), NUMANodes: 2,
			Pods:  need(map[string]unit.Bytes{"1Gi": 5 * unit.GiB}),
			Given: map[string]unit.Bytes{"1Gi": 8 * unit.GiB}},
			map[string]int64{"1Gi": 8}, []int64{4}, "default_hugepagesz=1G hugepagesz=1G hugepages=8", ""},
		{"two sizes", pages.Node{Type: "w", Memory: gib(64),
			Pods: need(map[string]unit.Bytes{"1Gi": 2 * unit.GiB, "2Mi": unit.GiB})},
			map[string]int64{"1Gi": 2, "2Mi": 512}, []int64{2, 512}, "hugepagesz=1G hugepages=2 hugepagesz=2M hugepages=512",
			""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := plan(t, pages.Input{Nodes: []pages.Node{tt.node}}).Nodes[0]
			if diff := cmp.Diff(tt.pages, a.HugePages()); diff != "" {
				t.Errorf("pages (-want +got):\n%s", diff)
			}
			var each []int64
			for _, s := range a.Sizes {
				each = append(each, s.PerNUMA.Int())
			}
			if diff := cmp.Diff(tt.each, each); diff != "" {
				t.Errorf("per NUMA node (-want +got):\n%s", diff)
			}
			if got := strings.Join(a.BootArguments, " "); got != tt.args || a.Sysctl != tt.sysctl {
				t.Errorf("%q and %q, want %q and %q", got, a.Sysctl, tt.args, tt.sysctl)
			}
		})
	}
}

func TestNodeFindings(t *testing.T) {
	two := pages.Node{Type: "w", Memory: gib(64), Pods: need(map[string]unit.Bytes{"1Gi": 2 * unit.GiB, "2Mi": unit.GiB})}
	tests := []struct {
		name, platform, release string
		node                    pages.Node
		want                    []string
	}{
		{"two sizes in 4.4", "openshift", "4.4", two, []string{"error hugePages.sizes"}},
		{"two sizes in 4.5", "openshift", "4.5", two, []string{"error hugePages.sizes"}},
		{"two sizes in 4.6", "openshift", "4.6", two, nil},
		{"two sizes in Kubernetes 1.18", "kubernetes", "1.18", two, []string{"error hugePages.sizes"}},
		{"two sizes in Kubernetes 1.36", "kubernetes", "1.36", two, nil},
		{"more than the machine has", "openshift", "4.4",
			pages.Node{Type: "w", Memory: gib(16), Pods: need(map[string]unit.Bytes{"1Gi": 17 * unit.GiB})},
			[]string{"error hugePages.tooMany"}},
		{"more than the system leaves", "openshift", "4.4",
			pages.Node{Type: "w", Memory: gib(16), Kept: gib(1), Pods: need(map[string]unit.Bytes{"1Gi": 16 * unit.GiB})},
			[]string{"error hugePages.tooMany"}},
		{"too few given", "openshift", "4.4", pages.Node{Type: "w", Memory: gib(16),
			Pods:  need(map[string]unit.Bytes{"2Mi": 2 * unit.GiB}),
			Given: map[string]unit.Bytes{"2Mi": unit.GiB}}, []string{"error hugePages.given.tooFew"}},
		{"given and not used", "openshift", "4.4",
			pages.Node{Type: "w", Memory: gib(16), Given: map[string]unit.Bytes{"2Mi": unit.GiB}},
			[]string{"info hugePages.given.unused"}},
		{"given in fractions", "openshift", "4.4",
			pages.Node{Type: "w", Memory: gib(16), Given: map[string]unit.Bytes{"1Gi": 1500 * unit.MiB}},
			[]string{"error hugePages.given.fraction"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := plan(t, pages.Input{Platform: tt.platform, Release: tt.release, Nodes: []pages.Node{tt.node}})
			if diff := cmp.Diff(tt.want, ids(r)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			g := r.Part.Gauges[0]
			if over := slices.Contains(tt.want, "error hugePages.tooMany"); over != (g.Verdict == limit.Passed) ||
				g.Kind != limit.Hard {
				t.Errorf("gauge says %s (%s)", g.Verdict, g.Kind)
			}
		})
	}
}

func ids(r pages.Result) []string {
	var list []string
	for _, f := range r.Part.Findings {
		list = append(list, fmt.Sprintf("%s %s", f.Severity, f.ID))
	}
	return list
}

func TestPodFindings(t *testing.T) {
	pod := func(memory unit.Bytes, sizes map[string]unit.Bytes) v1alpha1.PodType {
		return v1alpha1.PodType{Name: "dpdk", Memory: memory, HugePages: sizes}
	}
	tests := []struct {
		name, release string
		pod           v1alpha1.PodType
		want          []string
	}{
		{"the document's pod", "4.4", pod(unit.GiB, map[string]unit.Bytes{"2Mi": 100 * unit.MiB}), nil},
		{"no huge pages", "4.4", pod(0, nil), nil},
		{"nothing but huge pages", "4.4", pod(0, map[string]unit.Bytes{"2Mi": 100 * unit.MiB}),
			[]string{"error hugePages.pod.alone"}},
		{"half a page", "4.4", pod(unit.GiB, map[string]unit.Bytes{"2Mi": 3 * unit.MiB}),
			[]string{"error hugePages.pod.fraction"}},
		{"two sizes in 4.4", "4.4", pod(unit.GiB, map[string]unit.Bytes{"2Mi": 2 * unit.MiB, "1Gi": unit.GiB}),
			[]string{"error hugePages.pod.sizes"}},
		{"two sizes in 4.17", "4.17", pod(unit.GiB, map[string]unit.Bytes{"2Mi": 2 * unit.MiB, "1Gi": unit.GiB}), nil},
		{"a size of another processor", "4.4", pod(unit.GiB, map[string]unit.Bytes{"16Mi": 16 * unit.MiB}),
			[]string{"warning hugePages.pod.unusualSize"}},
		{"wider than a NUMA node", "4.17", pod(unit.GiB, map[string]unit.Bytes{"1Gi": 3 * unit.GiB}),
			[]string{"warning hugePages.pod.numa"}},
	}
	node := pages.Node{Type: "w", Memory: gib(64), NUMANodes: 2, Pods: need(map[string]unit.Bytes{"1Gi": 4 * unit.GiB})}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := plan(t, pages.Input{Release: tt.release, Nodes: []pages.Node{node}, PodTypes: []v1alpha1.PodType{tt.pod}})
			if diff := cmp.Diff(tt.want, ids(r)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCountProperties: the pages hold the amount, and one page fewer does not;
// spread over NUMA nodes there are enough and less than one page each too many.
func TestCountProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		page := rapid.SampledFrom([]unit.Bytes{4 * unit.KiB, 2 * unit.MiB, unit.GiB}).Draw(t, "page")
		amount := unit.Bytes(rapid.Int64Range(1, int64(unit.TiB)).Draw(t, "amount"))
		n := pages.Count(amount, page)
		if unit.Bytes(n)*page < amount || unit.Bytes(n-1)*page >= amount {
			t.Fatalf("%d pages of %d for %d", n, page, amount)
		}
	})
}

func TestNUMAProperties(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		numa := rapid.IntRange(1, 8).Draw(r, "numa")
		amount := unit.Bytes(rapid.Int64Range(1, 4096).Draw(r, "pages")) * 2 * unit.MiB
		node := pages.Node{Type: "w", Memory: gib(1024), NUMANodes: numa, Pods: need(map[string]unit.Bytes{"2Mi": amount})}
		s := plan(t, pages.Input{Nodes: []pages.Node{node}}).Nodes[0].Sizes[0]
		have, want := s.Pages.Int(), pages.Count(amount, 2*unit.MiB)
		if have != s.PerNUMA.Int()*int64(numa) || have < want || have-want >= int64(numa) {
			r.Fatalf("%d pages on %d NUMA nodes for %d", have, numa, want)
		}
	})
}
