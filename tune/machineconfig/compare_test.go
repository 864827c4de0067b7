package machineconfig

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/release"
)

func comparisonsOf(t *testing.T, text string, r release.Release) ([]Comparison, string) {
	t.Helper()
	a := Answer(split(t, text), nil, r)
	return a.Result.(Result).Comparisons, a.Verdict.Summary + "\n" + printed(a)
}

// A dump comes to what the operator rendered; it is in no pool, and that is no fault.
func TestCompareEqual(t *testing.T) {
	for _, r := range release.Documented() {
		a := Answer(split(t, dump), nil, r)
		got, text := comparisonsOf(t, dump, r)
		if len(got) != 1 || !got[0].Same || got[0].Added != nil || len(a.Findings) > 0 || !a.Verdict.OK {
			t.Errorf("%s: %+v %v", r, got, a.Findings)
		}
		for _, want := range []string{"; 1 of 1 pool is as the cluster has it\n", "Pool worker as the cluster has it\n" +
			"rendered-worker-0123456789abcdef0123456789abcdef, which the pool names, is what"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is not in\n%s", r, want, text)
			}
		}
		if strings.Contains(text, "In no pool") ||
			slices.Contains(a.Result.(Result).Pools[0].Order, "rendered-worker-0123456789abcdef0123456789abcdef") {
			t.Errorf("%s: the rendered one is taken for a MachineConfig of its own\n%s", r, text)
		}
	}
}

// What was changed since is told, and what nodes do to get it.
func TestCompareDifferent(t *testing.T) {
	text := strings.Replace(dump, "kernelArguments: [quiet], config", "kernelArguments: [quiet, nosmt], config", 1)
	text = strings.Replace(text, `"data:,made"`, `"data:,newer"`, 1)
	a := Answer(split(t, text), nil, release.Current)
	r := a.Result.(Result)
	if d := cmp.Diff([]string{"kernel arguments", "file /etc/kubernetes/kubelet.conf"},
		r.Comparisons[0].Differences); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"rendered"}, ids(a.Findings)); d != "" {
		t.Error(d)
	}
	if len(r.Reactions) != 1 || !r.Reactions[0].Reboot || r.Reactions[0].Refused != nil {
		t.Errorf("%+v", r.Reactions)
	}
	if out, err := json.Marshal(r); err != nil || !strings.Contains(string(out), `"differences":["kernel arguments",`) {
		t.Errorf("%s %v", out, err)
	}
}

// Links are what only installation applies: the nodes refuse it.
func TestCompareSections(t *testing.T) {
	text := strings.Replace(dump, "{name: 50-args", "{name: 50-args, annotations: {a: b}", 1)
	text = strings.Replace(text, "kernelArguments: [quiet], config: {ignition: {version: 2.2.0}}", "kernelArguments: "+
		"[quiet], config: {ignition: {version: 2.2.0}, storage: {links: [{path: /l, target: /x, filesystem: root}]}}", 1)
	r := Answer(split(t, text), nil, release.V44).Result.(Result)
	if d := cmp.Diff([]string{"links"}, r.Comparisons[0].Differences); d != "" || r.Reactions[0].Refused == nil {
		t.Errorf("%s %+v", d, r.Reactions)
	}
}

// A manifest that is to be applied is not in it yet, which is no fault.
func TestCompareAdded(t *testing.T) {
	text := dump + "---\n" + manifest("2.2.0",
		"path: /etc/x\nmode: 420\nfilesystem: root\ncontents: {source: \"data:,x\"}")
	a := Answer(split(t, text), nil, release.V44)
	c := a.Result.(Result).Comparisons[0]
	if !slices.Equal(c.Added, []string{"50-x"}) || !slices.Equal(c.Differences, []string{"file /etc/x"}) ||
		len(a.Findings) > 0 {
		t.Errorf("%+v %v", c, a.Findings)
	}
	if !strings.Contains(printed(a), "Not in rendered-worker-0123456789abcdef0123456789abcdef yet: 50-x.") {
		t.Error(printed(a))
	}
}

// Without a MachineConfig that went into it nothing can be compared.
func TestCompareMissing(t *testing.T) {
	_, rest, _ := strings.Cut(dump, "---\n")
	got, text := comparisonsOf(t, rest, release.V45)
	if len(got) != 1 || !slices.Equal(got[0].Missing, []string{"00-worker"}) || got[0].Differences != nil || got[0].Same ||
		strings.Contains(text, "as the cluster has it\nrendered-worker-0123456789abcdef0123456789abcdef, which") {
		t.Errorf("%+v\n%s", got, text)
	}
	if a := Answer(split(t, rest), nil, release.V45); a.Verdict.OK || !strings.Contains(a.Verdict.Problem,
		"00-worker went into rendered-worker-0123456789abcdef0123456789abcdef and is not given") {
		t.Errorf("%+v", a.Verdict)
	}
	if !strings.Contains(text, "is not compared: 00-worker went into it and is not among these") {
		t.Error(text)
	}
}

// FIPS of the first MachineConfig is ignored when pools are rendered up to 4.5, and
// counts in what was rendered; the image is the release's unless one asks for another.
func TestCompareFIPSAndImage(t *testing.T) {
	text := strings.Replace(dump, "fips: false", "fips: true", 1)
	text = strings.Replace(text, "{kernelArguments: [quiet], config", "{fips: true, kernelArguments: [quiet], config", 1)
	for _, r := range release.Documented() {
		if got, _ := comparisonsOf(t, text, r); len(got) != 1 || !got[0].Same {
			t.Errorf("%s: %+v", r, got)
		}
	}
	image := strings.Replace(dump, "{kernelArguments: [quiet], config",
		"{osImageURL: quay.io/mine, kernelArguments: [quiet], config", 1)
	if got, _ := comparisonsOf(t, image, release.Current); !slices.Equal(got[0].Differences,
		[]string{"operating system image"}) {
		t.Errorf("%+v", got)
	}
}
