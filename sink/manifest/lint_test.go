package manifest

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/sink/manifest/manifesttest"
	"plimsoll.dev/tune/check"
)

// forClusters are the manifests that a running cluster is given, filled in.
func forClusters(files []File) []File {
	var out []File
	for _, f := range manifests(files) {
		if !strings.HasPrefix(f.Path, installDir) {
			out = append(out, File{Path: f.Path, Content: []byte(manifesttest.FilledIn(string(f.Content)))})
		}
	}
	return out
}

// lint is what "plimsoll tune check" says to files, worse than a remark.
func lint(t *testing.T, of string, files []File) []string {
	t.Helper()
	r, err := release.Parse(of)
	must(t, err)
	if len(files) == 0 {
		return nil // which is a finding of its own
	}
	in := check.Input{Release: r}
	for _, f := range files {
		objects, problems := object.Split(f.Path, f.Content)
		in.Objects, in.Problems = append(in.Objects, objects...), append(in.Problems, problems...)
	}
	var out []string
	for _, f := range check.Run(in).Findings {
		// The tests draw up to 500 pods a node, of which releases before 4.3 had 250 tested.
		if f.Severity != v1alpha1.Info && (r >= release.V43 || f.ID != "kubelet.podsAboveTested") {
			at := cmp.Or(f.Place, &v1alpha1.Place{})
			out = append(out, fmt.Sprintf("%s:%d: %s: %s (%s)", at.File, at.Line, f.ID, f.Message, f.Remedy))
		}
	}
	return out
}

// TestLintAgrees: "plimsoll tune check" finds nothing wrong with what is written,
// each file beside the pools, and all together.
func TestLintAgrees(t *testing.T) {
	for name, in := range cases() {
		files := forClusters(mustRender(t, in))
		isPool := func(f File) bool { return strings.HasPrefix(f.Path, "machineconfigpool-") }
		pools := slices.DeleteFunc(slices.Clone(files), func(f File) bool { return !isPool(f) })
		for _, f := range files {
			if isPool(f) {
				continue
			}
			for _, what := range lint(t, in.Platform.Release, append(slices.Clone(pools), f)) {
				t.Errorf("%s/%s", name, what)
			}
		}
		for _, what := range lint(t, in.Platform.Release, files) {
			t.Errorf("%s, together: %s", name, what)
		}
	}
}

// TestLintAgreesInEveryRelease: the same for what a plan can be given in other
// releases.
func TestLintAgreesInEveryRelease(t *testing.T) {
	for _, rel := range []release.Release{1, 2, 3, 4, 5, 6, 8, 11, 14, 15, release.Newest} {
		for name, in := range cases() {
			in.Platform.Release = rel.String()
			in.Decisions.Network.Type = ""
			in.Decisions.Network.IPsec = false
			for _, what := range lint(t, in.Platform.Release, forClusters(mustRender(t, in))) {
				t.Errorf("%s in %v: %s", name, rel, what)
			}
		}
	}
}

// TestLintCatches: files that are spoilt don't pass, so that agreeing means something.
func TestLintCatches(t *testing.T) {
	for _, c := range []struct{ file, from, to, want string }{
		{"machinehealthcheck-worker.yaml", "maxUnhealthy: 40%", "maxUnhealthy: 1%", "health.floorZero"},
		{"machinehealthcheck-infra.yaml", "# plimsoll:ignore health.burst", "#", "health.burst"},
		{"cluster-monitoring-config.yaml", "telemeterClient:", "telemetryClient:", "monitoring.unknownKey"},
		{"kubeletconfig-worker.yaml", "maxPods: 500", "maxPods: -1", "kubelet.kubeletStops"},
	} {
		files := forClusters(mustRender(t, awsInfra()))
		i := slices.IndexFunc(files, func(f File) bool { return path.Base(f.Path) == c.file })
		if i < 0 || !strings.Contains(string(files[i].Content), c.from) {
			t.Errorf("%s: no %q", c.file, c.from)
			continue
		}
		files[i].Content = []byte(strings.Replace(string(files[i].Content), c.from, c.to, 1))
		if got := strings.Join(lint(t, "4.4", files), "\n"); !strings.Contains(got, c.want) {
			t.Errorf("%s: want %s, got: %s", c.file, c.want, got)
		}
	}
}
