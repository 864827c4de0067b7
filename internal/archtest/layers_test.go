package archtest

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
)

// layer is a set of packages that may import their own layer and those below.
type layer struct {
	name     string
	packages string // patterns for under
	reason   string // why nothing below may import it
}

// layers stand from top to bottom. The first one that matches a directory is
// its layer, so exceptions stand above the rule.
var layers = []layer{
	{"command", "cmd/... tools/... oracle/... facts/gen schema/gen test/...",
		"a command is where a program ends; nothing can build on it"},
	{"shell", "cli/... internal/webui/... web/... docs/...",
		"flags, pages and exit codes belong to one way of using the program; the rest must work without them"},
	{"adapter", "source/... sink/... engine/... controller/... lab/...",
		"adapters do the I/O; what is below must be usable, and testable, without any"},
	{"core: report", "report/...",
		"an answer knows no page; it must be complete before anyone draws it"},
	{"core: plan", "plan/... audit/...",
		"plan asks all other questions; what it asks can't wait for its answer"},
	{"core: place", "place/...",
		"placing takes machines and pods as they are; who decided on them is above"},
	{"core: tune", "tune/... loadmodel/... bench/...",
		"settings are judged without a placement; a placement asks what they mean"},
	{"core: pack", "pack/...",
		"packing knows vectors and prices only, so that its proof can be checked alone"},
	{"core: part", "node/... part/... object/... selector/... podres/... template/...",
		"nodes, pods and manifests are what everything above is about"},
	{"helper", "internal/...",
		"the vocabulary is read first by newcomers and stands alone"},
	{"vocabulary", "api/... limit release topo unit facts derive derive/derivetest schema examples/...", ""},
}

// layerOf is the index of the directory's layer, -1 when none claims it.
func layerOf(dir string) int {
	return slices.IndexFunc(layers, func(l layer) bool { return under(dir, l.packages) })
}

func TestLayers(t *testing.T)        { demand(t, upward(t, repo)) }
func TestLayersCanFail(t *testing.T) { planted(t, "layers", upward) }

// upward finds imports that point upwards, and packages without a layer. Tests
// may import what they like: a test of the core may read a file.
func upward(t *testing.T, root fs.FS) []string {
	tr := load(t, root)
	var out []string
	packages := tr.packages()
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		from := layerOf(dir)
		if from < 0 {
			out = append(out, fmt.Sprintf("%s: belongs to no layer; name it in the layers of internal/archtest", dir))
			continue
		}
		for _, f := range packages[dir] {
			if f.isTest() {
				continue
			}
			out = append(out, upwardImports(tr, f, from)...)
		}
	}
	return out
}

func upwardImports(tr tree, f goFile, from int) []string {
	var out []string
	imports := f.imports()
	for _, name := range slices.Sorted(maps.Keys(imports)) {
		dir, ours := strings.CutPrefix(name, module+"/")
		if to := layerOf(dir); ours && to >= 0 && to < from {
			out = append(out, fmt.Sprintf("%s: %s (%s) imports %s (%s): %s",
				tr.line(imports[name]), f.dir(), layers[from].name, dir, layers[to].name, layers[to].reason))
		}
	}
	return out
}
