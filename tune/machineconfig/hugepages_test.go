package machineconfig

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/release"
	"plimsoll.dev/unit"
)

func TestHugePagesByArguments(t *testing.T) {
	for _, c := range []struct {
		pages map[string]int64
		usual unit.Bytes
		want  string
	}{
		{map[string]int64{"2Mi": 1024}, 0, "hugepagesz=2M hugepages=1024"},
		{map[string]int64{"1Gi": 4}, 0, "default_hugepagesz=1G hugepagesz=1G hugepages=4"},
		{map[string]int64{"2Mi": 512, "1Gi": 4}, 0, "hugepagesz=1G hugepages=4 hugepagesz=2M hugepages=512"},
		{map[string]int64{"1Mi": 64}, unit.MiB, "hugepagesz=1M hugepages=64"}, // s390x
		{map[string]int64{"2048Ki": 3, "2Mi": 4}, 0, "hugepagesz=2M hugepages=7"},
	} {
		mc, findings := Generate(settings(Settings{HugePages: &HugePages{Pages: c.pages, Usual: c.usual}}), release.Current)
		if got := strings.Join(mc.Spec.KernelArguments, " "); got != c.want || len(findings) > 0 || mc.Spec.Config != nil {
			t.Errorf("%v: %q %v", c.pages, got, findings)
		}
		objects := split(t, toYAML(t, mc))
		if found := Check(objects, release.Current); len(found) > 0 {
			t.Errorf("%v: %v", c.pages, found)
		}
	}
}

// Where NUMA nodes get different numbers, a unit for each does it: the kernel
// argument spreads pages evenly.
func TestHugePagesPerNode(t *testing.T) {
	mc, findings := Generate(settings(Settings{
		HugePages: &HugePages{PerNode: []NodePages{{Node: 0, Size: "2Mi", Count: 256}, {Node: 1, Size: "2Mi", Count: 1024}}},
	}), release.Current)
	p := worker(release.Current, mc)
	if len(findings) > 0 || p.Failure != "" || len(p.Units) != 2 || len(p.KernelArguments) != 0 {
		t.Fatalf("%v %+v", findings, p)
	}
	u := p.Units[1]
	want := `[Unit]
Description=1024 huge pages of 2Mi on NUMA node 1
Before=kubelet.service

[Service]
Type=oneshot
RemainAfterExit=true
ExecStart=/bin/sh -c 'echo 1024 > /sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages; read n < /sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages; [ "$$n" = 1024 ]'

[Install]
WantedBy=multi-user.target
`
	if d := cmp.Diff(want, u.Contents); d != "" || u.Name != "hugepages-2048kb-node1.service" || u.State != "enabled" {
		t.Errorf("%s %s: %s", u.Name, u.State, d)
	}
}

func TestHugePagesFindings(t *testing.T) {
	for _, c := range []struct {
		pages   HugePages
		release release.Release
		want    []string
	}{
		{HugePages{Pages: map[string]int64{"3Mi": 1}}, release.Current, []string{"settings"}},
		{HugePages{Pages: map[string]int64{"2Mi": 0}}, release.Current, []string{"settings"}},
		{HugePages{Pages: map[string]int64{"x": 1}}, release.Current, []string{"settings"}},
		{HugePages{Pages: map[string]int64{"2Mi": 1, "1Gi": 1}}, release.V45, []string{"hugePages"}},
		{HugePages{Pages: map[string]int64{"2Mi": 1, "1Gi": 1}}, release.Current, nil},
		{HugePages{Pages: map[string]int64{"2Mi": 8}, PerNode: []NodePages{{0, "2Mi", 6}}}, release.Current,
			[]string{"hugePages"}},
		{HugePages{PerNode: []NodePages{{0, "1Gi", 6}}}, release.Current, []string{"hugePages"}},
		{HugePages{PerNode: []NodePages{{-1, "2Mi", 6}}}, release.Current, []string{"settings"}},
		{HugePages{PerNode: []NodePages{{0, "2Mi", 6}, {0, "2048Ki", 6}}}, release.Current, []string{"settings"}},
	} {
		_, findings := Generate(settings(Settings{HugePages: &c.pages}), c.release)
		wellSaid(t, findings)
		if d := cmp.Diff(c.want, ids(findings)); d != "" {
			t.Errorf("%+v: %s", c.pages, d)
		}
	}
}

// "Scalability and performance" 13.3, with a priority that ties with nothing.
func TestHugePagesProfile(t *testing.T) {
	cr, findings := HugePagesProfile{Name: "hugepages", Label: "hugepages", Count: 1024}.Tuned(release.V44)
	wellSaid(t, findings)
	if len(findings) != 1 || findings[0].Severity != v1alpha1.Info ||
		!strings.Contains(findings[0].Remedy, "oc label node NODE hugepages=") {
		t.Error(findings)
	}
	want := "[main]\nsummary=Configuration for hugepages\ninclude=openshift-node\n\n[vm]\ntransparent_hugepages=never\n" +
		"\n[sysctl]\nvm.nr_hugepages=1024\n"
	r := cr.Spec.Recommend[0]
	if *cr.Spec.Profile[0].Data != want || *cr.Spec.Profile[0].Name != "node-hugepages" ||
		*r.Profile != "node-hugepages" || *r.Priority != 20 || *r.Match[0].Label != "hugepages" || r.Match[0].Value != nil {
		t.Errorf("%+v", cr.Spec)
	}
	for priority, want := range map[int64][]string{30: {"hugePagesPriority"}, 40: {"hugePagesPriority"},
		50: {"hugePagesPriority"}, 10: {"lateHugePages"}, -1: {"settings"}} {
		_, findings := HugePagesProfile{Name: "hugepages", Label: "hugepages", Count: 1024,
			Priority: priority}.Tuned(release.V44)
		wellSaid(t, findings)
		if !slices.Equal(ids(findings), want) {
			t.Errorf("priority %d: %v", priority, findings)
		}
	}
	// 4.3 has a profile of priority 20, for nodes with pods of Elasticsearch.
	for of, want := range map[release.Release]int64{release.V43: 19, release.V44: 20, release.V45: 20,
		release.Current: 20} {
		cr, findings := HugePagesProfile{Name: "hugepages", Label: "hugepages", Count: 1}.Tuned(of)
		if got := *cr.Spec.Recommend[0].Priority; got != want || len(findings) != 1 {
			t.Errorf("%v: priority %d, %v", of, got, findings)
		}
	}
	if _, findings := (HugePagesProfile{Name: "a", Label: "a", Count: 1,
		Priority: 20}).Tuned(release.V43); len(findings) != 1 || findings[0].ID != "machineConfig.hugePagesPriority" {
		t.Error(findings)
	}
	if _, findings := (HugePagesProfile{}).Tuned(release.V44); len(findings) != 3 {
		t.Errorf("%v", findings)
	}
}

// The kernel's own reading, as its parameters are documented.
func TestBootPages(t *testing.T) {
	for args, want := range map[string][]string{
		"hugepagesz=1G hugepages=4 hugepagesz=2M hugepages=512": nil,
		"default_hugepagesz=1G hugepagesz=1G hugepages=4":       nil,
		"default_hugepagesz=1G hugepages=4":                     nil,
		"hugepagesz=2M hugepages=0:256,1:512":                   nil,
		"hugepagesz=2m hugepages=1":                             nil,
		"quiet hugepages=4 hugepagesz=1G": {"stands before any hugepagesz",
			"has no count behind it"},
		"hugepages=4": {"stands before any hugepagesz"},
		"hugepagesz=1G hugepagesz=2M hugepages=4":                                {"hugepagesz=1G has no count"},
		"hugepagesz=1G hugepages=4 hugepages=8":                                  {"second count"},
		"hugepagesz=1G hugepages=4 hugepagesz=1G hugepages=8":                    {"second time", "follows no size"},
		"hugepagesz=3M hugepages=4":                                              {"names no size", "follows no size"},
		"hugepagesz=1Gi hugepages=4":                                             nil,
		"hugepagesz=x hugepages=4":                                               {"names no size", "follows no size"},
		"hugepagesz=2M hugepages=many":                                           {"no number of pages"},
		"hugepagesz=2M hugepages=0":                                              {"no number of pages"},
		"hugepagesz=99999999999999999999 hugepages=1":                            {"names no size", "follows no size"},
		"default_hugepagesz=2M hugepagesz=1G hugepages=2 hugepages=2 hugepages=": {"second count", "second count"},
	} {
		var got []string
		bootPages(strings.Fields(args), func(_ int, what, _ string) { got = append(got, what) })
		if len(got) != len(want) {
			t.Errorf("%s: %q", args, got)
			continue
		}
		for i, w := range want {
			if !strings.Contains(got[i], w) {
				t.Errorf("%s: %q does not say %q", args, got[i], w)
			}
		}
	}
}
