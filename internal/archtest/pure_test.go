package archtest

import (
	"fmt"
	"go/ast"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// ban is a package that pure packages don't import.
type ban struct {
	packages string // patterns for under
	except   string
	reason   string
}

var bans = []ban{
	{"os/... io/ioutil syscall golang.org/x/sys/...", "",
		"files, processes and the environment are read by adapters (source, sink), which pass values in; " +
			"so the core gives the same answer everywhere"},
	{"net/...", "net/netip net/url",
		"the core opens no connection; addresses are values of net/netip"},
	{"log/...", "",
		"the core returns findings and errors; who prints them is the caller's choice"},
	{"crypto/rand", "",
		"the same scenario must give the same bytes; a random seed is an argument"},
	{"k8s.io/client-go/...", "",
		"a live cluster is read by source/kube; the core sees api documents only"},
	{"k8s.io/kubernetes/...", "",
		"it is not made to be imported and would bring half of Kubernetes along; " +
			"what behaviour is needed is written here and tested against it"},
}

// banOf returns the ban on an import path.
func banOf(name string) (ban, bool) {
	i := slices.IndexFunc(bans, func(b ban) bool { return under(name, b.packages) && !under(name, b.except) })
	if i < 0 {
		return ban{}, false
	}
	return bans[i], true
}

// callBan names functions of a package that pure packages don't use.
type callBan struct {
	names  string // the functions, separated by blanks
	others bool   // the names are the allowed ones, all others are banned
	reason string
}

const (
	clockReason  = "the clock is an argument, so that a result can be repeated and tested"
	randomReason = "the global generator can't be seeded by the caller; take a *rand.Rand as an argument"
	randomOwn    = "New NewSource NewZipf NewPCG NewChaCha8 Rand Source Source64 Zipf PCG ChaCha8"
)

var callBans = map[string]callBan{
	"time":         {names: "Now Since Until Sleep After AfterFunc Tick NewTimer NewTicker", reason: clockReason},
	"math/rand":    {names: randomOwn, others: true, reason: randomReason},
	"math/rand/v2": {names: randomOwn, others: true, reason: randomReason},
}

func (b callBan) on(function string) bool {
	return slices.Contains(strings.Fields(b.names), function) != b.others
}

func TestPure(t *testing.T)        { demand(t, impure(t, repo)) }
func TestPureCanFail(t *testing.T) { planted(t, "pure", impure) }

// impure finds what the core and the vocabulary, and the helpers that they
// import, may not use. Their tests may: golden files are files.
func impure(t *testing.T, root fs.FS) []string {
	tr := load(t, root)
	packages := tr.packages()
	via := pulledIn(packages)
	var out []string
	for _, dir := range slices.Sorted(maps.Keys(via)) {
		who := dir
		if via[dir] != "" {
			who += " (which " + via[dir] + " imports)"
		}
		for _, f := range packages[dir] {
			if !f.isTest() {
				out = append(out, bannedImports(tr, f, who)...)
				out = append(out, bannedCalls(tr, f, who)...)
			}
		}
	}
	return out
}

// pulledIn maps each package that has to be pure to the pure package that
// imports it; to nothing for those that are pure by their layer.
func pulledIn(packages map[string][]goFile) map[string]string {
	via := map[string]string{}
	var queue []string
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		if i := layerOf(dir); i >= 0 && (strings.HasPrefix(layers[i].name, "core") || layers[i].name == "vocabulary") {
			via[dir] = ""
			queue = append(queue, dir)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, f := range packages[queue[0]] {
			if f.isTest() {
				continue
			}
			for name := range f.imports() {
				dir, ours := strings.CutPrefix(name, module+"/")
				if _, seen := via[dir]; ours && !seen && layerOf(dir) > layerOf(queue[0]) {
					via[dir] = queue[0]
					queue = append(queue, dir)
				}
			}
		}
	}
	return via
}

func bannedImports(tr tree, f goFile, who string) []string {
	var out []string
	imports := f.imports()
	for _, name := range slices.Sorted(maps.Keys(imports)) {
		if b, banned := banOf(name); banned {
			out = append(out, fmt.Sprintf("%s: %s imports %s: %s", tr.line(imports[name]), who, name, b.reason))
		}
	}
	return out
}

func bannedCalls(tr tree, f goFile, who string) []string {
	bans := localNames(f)
	var out []string
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		pkg, ok := sel.X.(*ast.Ident)
		if !ok || pkg.Obj != nil { // a variable that has the package's name
			return true
		}
		if b, ok := bans[pkg.Name]; ok && b.on(sel.Sel.Name) {
			out = append(out, fmt.Sprintf("%s: %s uses %s.%s: %s", tr.line(sel.Pos()), who, pkg.Name, sel.Sel.Name, b.reason))
		}
		return true
	})
	return out
}

// localNames maps the names by which the file knows packages with banned
// functions to their bans.
func localNames(f goFile) map[string]callBan {
	out := map[string]callBan{}
	for _, spec := range f.syntax.Imports {
		importPath := strings.Trim(spec.Path.Value, `"`)
		b, ok := callBans[importPath]
		if !ok {
			continue
		}
		name := path.Base(strings.TrimSuffix(importPath, "/v2"))
		if spec.Name != nil {
			name = spec.Name.Name
		}
		out[name] = b
	}
	return out
}
