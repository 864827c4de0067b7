package machineconfig

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/pool"
)

// The names of document 001's table: its two sort before 99, and behind the
// operator's own.
func TestOrderOfDocument(t *testing.T) {
	names := []string{"99-worker-ssh", "51-add-static-route", "00-worker",
		"99-worker-baaa415e-7409-11ea-9cdc-02012c000005-registries", "01-worker-kubelet", "50-enable-rps",
		"01-worker-container-runtime"}
	var configs []openshift.MachineConfig
	for _, n := range names {
		configs = append(configs, config2(n, "/etc/"+n, "data:,x"))
	}
	slices.Sort(names)
	for _, r := range release.Documented() {
		if d := cmp.Diff(names, worker(r, configs...).Order); d != "" {
			t.Errorf("%s: %s", r, d)
		}
	}
}

// In a custom pool the worker's MachineConfigs come first today, whatever their
// names; up to 4.5 names alone count.
func TestOrderOfCustomPool(t *testing.T) {
	infra := config3("50-infra", "/etc/x", "data:,infra")
	infra.Metadata.Labels[openshift.LabelRole] = "infra"
	pools := []openshift.MachineConfigPool{{Metadata: openshift.ObjectMeta{Name: "infra"},
		Spec: openshift.MachineConfigPoolSpec{
			MachineConfigSelector: &openshift.LabelSelector{MatchExpressions: []v1alpha1.Requirement{
				{Key: openshift.LabelRole, Operator: "In", Values: []string{"worker", "infra"}},
			}}}}}
	for r, want := range map[release.Release]string{release.V44: "99-worker", release.Current: "50-infra"} {
		configs := []openshift.MachineConfig{infra, config3("99-worker", "/etc/x", "data:,worker")}
		if r == release.V44 {
			configs = []openshift.MachineConfig{config2("50-infra", "/etc/x", "data:,infra"),
				config2("99-worker", "/etc/x", "data:,worker")}
			configs[0].Metadata.Labels[openshift.LabelRole] = "infra"
		}
		p := Render(configs, pools, r).Pools[0]
		if p.Failure != "" || p.Files[0].From != want || len(p.Files[0].Shadows) != 1 {
			t.Errorf("%s: %+v", r, p)
		}
	}
}

// naive joins like a person: whole files, the last name wins.
func naive(configs []openshift.MachineConfig, workersFirst bool) map[string]string {
	out := map[string]string{}
	for len(configs) > 0 {
		first := 0
		for i, mc := range configs {
			key := func(mc openshift.MachineConfig) string {
				if workersFirst && mc.Metadata.Labels[openshift.LabelRole] == "worker" {
					return "0" + mc.Metadata.Name
				}
				return "1" + mc.Metadata.Name
			}
			if key(mc) < key(configs[first]) {
				first = i
			}
		}
		for _, f := range configs[first].Spec.Config["storage"].(map[string]any)["files"].([]any) {
			m := f.(map[string]any)
			out[m["path"].(string)] = configs[first].Metadata.Name
		}
		configs = slices.Delete(slices.Clone(configs), first, first+1)
	}
	return out
}

func TestRenderAgainstNaive(t *testing.T) {
	pools := []openshift.MachineConfigPool{{Metadata: openshift.ObjectMeta{Name: "all"},
		Spec: openshift.MachineConfigPoolSpec{
			MachineConfigSelector: &openshift.LabelSelector{
				MatchExpressions: []v1alpha1.Requirement{{Key: openshift.LabelRole, Operator: "Exists"}},
			}}}}
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom(release.Documented()).Draw(t, "release")
		var configs []openshift.MachineConfig
		for i, n := range rapid.Permutation([]string{"00-a", "01-b", "50-c", "50-d", "99-e", "x"}).Draw(t,
			"names")[:rapid.IntRange(1, 6).Draw(t, "n")] {
			var pairs []string
			for _, p := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"/a", "/b", "/c", "/d"}), 1, 3, rapid.ID).Draw(t,
				"paths") {
				pairs = append(pairs, p, fmt.Sprintf("data:,%d", i))
			}
			mc := config2(n, pairs...)
			if rapid.Bool().Draw(t, "three") && r == release.Current {
				mc = config3(n, pairs...)
			}
			mc.Metadata.Labels[openshift.LabelRole] = rapid.SampledFrom([]string{"worker", "infra"}).Draw(t, "role")
			configs = append(configs, mc)
		}
		p := Render(configs, pools, r).Pools[0]
		got := map[string]string{}
		for _, f := range p.Files {
			got[f.Path] = f.From
		}
		if d := cmp.Diff(naive(configs, r == release.Current), got); d != "" || p.Failure != "" {
			t.Fatalf("%s: %s%s", r, p.Failure, d)
		}
	})
}

func TestPoolsAndLabels(t *testing.T) {
	lonely := config3("50-lonely", "/x", "data:,")
	lonely.Metadata.Labels = nil
	infra := config3("50-infra", "/x", "data:,")
	infra.Metadata.Labels[openshift.LabelRole] = "infra"
	everything := openshift.MachineConfigPool{Metadata: openshift.ObjectMeta{Name: "everything"},
		Spec: openshift.MachineConfigPoolSpec{MachineConfigSelector: &openshift.LabelSelector{}}}
	r := Render([]openshift.MachineConfig{lonely, infra, config3("50-w", "/x", "data:,")},
		append(pool.Standard(release.Current), everything), release.Current)
	if d := cmp.Diff([]string{"50-infra", "50-lonely"}, r.Unclaimed); d != "" {
		t.Error(d)
	}
	for i, want := range []bool{true, false, true} { // an empty selector takes nothing
		if (r.Pools[i].Failure != "") != want {
			t.Errorf("pool %s: %q", r.Pools[i].Pool, r.Pools[i].Failure)
		}
	}
}

// Fields are merged today: a later MachineConfig without a mode leaves the mode,
// one without compression takes it away even if it has no content.
func TestFieldsAreMergedToday(t *testing.T) {
	first, second := config3("50-a", "/etc/x", "data:;base64,H4sIAAAAAAACAytITM5OTeECAEPgQS8HAAAA"),
		config3("60-b", "/etc/x", "data:,y")
	fileOf(first)["contents"].(map[string]any)["compression"] = "gzip"
	fileOf(first)["mode"] = int64(0o600)
	delete(fileOf(second), "mode")
	f := worker(release.Current, first, second).Files[0]
	if f.Mode != "0600" || f.ModeFrom != "50-a" || f.From != "60-b" || string(f.Content) != "y" ||
		!slices.Equal(f.Shadows, []string{"50-a"}) {
		t.Errorf("%+v", f)
	}
	fileOf(second)["mode"] = int64(0o640)
	delete(fileOf(second), "contents")
	f = worker(release.Current, first, second).Files[0]
	if f.Mode != "0640" || f.ModeFrom != "60-b" || f.From != "50-a" || string(f.Content) == "packed\n" ||
		len(f.Shadows) > 0 {
		t.Errorf("%+v", f)
	}
	old := []openshift.MachineConfig{config2("50-a", "/etc/x", "data:,x"), config2("60-b", "/etc/x", "data:,y")}
	fileOf(old[0])["mode"] = int64(0o600)
	delete(fileOf(old[1]), "mode")
	if f = worker(release.V45, old...).Files[0]; f.Mode != "0644" || string(f.Content) != "y" {
		t.Errorf("4.5 writes the last file whole: %+v", f)
	}
}

func fileOf(mc openshift.MachineConfig) map[string]any {
	return mc.Spec.Config["storage"].(map[string]any)["files"].([]any)[0].(map[string]any)
}

func TestWhatIgnitionDoesNotKnow(t *testing.T) {
	a, b, c := config2("00-a", "/a", "data:,"), config2("50-b", "/b", "data:,"), config2("99-c", "/c", "data:,")
	a.Spec.FIPS, a.Spec.KernelArguments = true, []string{"a=1", "quiet"}
	b.Spec.KernelType, b.Spec.KernelArguments, b.Spec.OSImageURL = "realtime", []string{"b"}, "quay.io/x"
	c.Spec.KernelType, c.Spec.Extensions, c.Spec.KernelArguments = "default", []string{"usbguard"}, []string{"quiet"}
	old, now := worker(release.V44, c, a, b), worker(release.Current, c, a, b)
	if old.FIPS || !slices.Equal(old.FIPSIgnored, []string{"00-a"}) || old.OSImageURL.Text != "" || old.Extensions != nil {
		t.Errorf("4.4: %+v", old)
	}
	if !now.FIPS || !slices.Equal(now.FIPSFrom, []string{"00-a"}) || now.OSImageURL != (Sourced{"quay.io/x", "50-b"}) ||
		now.Extensions[0] != (Sourced{"usbguard", "99-c"}) {
		t.Errorf("today: %+v", now)
	}
	for _, p := range []PoolConfig{old, now} {
		want := []Sourced{{"a=1", "00-a"}, {"quiet", "00-a"}, {"b", "50-b"}, {"quiet", "99-c"}}
		if d := cmp.Diff(want, p.KernelArguments); d != "" || p.KernelType != (Sourced{"realtime", "50-b"}) {
			t.Errorf("%+v %s", p.KernelType, d)
		}
	}
	c.Spec.Extensions = []string{"kernel-devel"}
	if p := worker(release.Current, b, c); !strings.Contains(p.Failure, "kernel-devel") {
		t.Errorf("%+v", p)
	}
	b.Metadata.Annotations = map[string]string{generatedBy: "x"}
	if p := worker(release.Current, b); p.OSImageURL.Text != "" {
		t.Error("the image of the operator's own MachineConfig counts")
	}
}

// One bad MachineConfig keeps the whole pool from being rendered.
func TestOneBadStopsThePool(t *testing.T) {
	bad := config3("50-bad", "relative", "data:,")
	p := worker(release.Current, config3("40-good", "/x", "data:,"), bad)
	if !strings.Contains(p.Failure, "50-bad") || p.Files != nil {
		t.Errorf("%+v", p)
	}
	empty := config3("50-e", "/x", "data:,")
	delete(fileOf(empty), "contents")
	if p := worker(release.Current, empty); !strings.Contains(p.Failure, "/x has no source") {
		t.Errorf("%+v", p)
	}
	fileOf(empty)["overwrite"] = false
	if p := worker(release.Current, empty); p.Failure != "" || p.Files[0].Size != 0 {
		t.Errorf("%+v", p)
	}
	// Up to 4.5 the first MachineConfig gives the version.
	args := openshift.MachineConfig{Metadata: named("00-args", "worker"),
		Spec: openshift.MachineConfigSpec{KernelArguments: []string{"x"}}}
	for _, r := range []release.Release{release.V44, release.V45} {
		if p := worker(r, args, config2("00-worker", "/x", "data:,")); !strings.Contains(p.Failure, "no version") {
			t.Errorf("%s: %+v", r, p)
		}
	}
	if p := worker(release.Current, args, config2("00-worker", "/x", "data:,")); p.Failure != "" {
		t.Errorf("%+v", p)
	}
}

func BenchmarkRender(b *testing.B) {
	var configs []openshift.MachineConfig
	for i := range 50 {
		var pairs []string
		for j := range 40 {
			pairs = append(pairs, fmt.Sprintf("/etc/x/%d", (i*7+j)%200),
				EncodeDataURL([]byte(strings.Repeat("key = value # text\n", 50))))
		}
		configs = append(configs, config3(fmt.Sprintf("%02d-x", i), pairs...))
	}
	b.ReportAllocs()
	for b.Loop() {
		if p := worker(release.Current, configs...); p.Failure != "" || len(p.Files) != 200 {
			b.Fatal(p.Failure, len(p.Files))
		}
	}
}
