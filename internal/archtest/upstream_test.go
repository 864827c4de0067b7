package archtest

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"testing"
)

const (
	// heavy are libraries whose packages bring a hundred others along, and light those
	// of them that the program needs itself.
	heavy = "k8s.io/... github.com/openshift/..."
	light = "k8s.io/apimachinery/pkg/api/resource k8s.io/apimachinery/pkg/util/validation"
	// access is how a kubeconfig is read, which one package does for all.
	access     = "k8s.io/client-go/rest k8s.io/client-go/tools/clientcmd/..."
	accessedBy = "engine/apiserver"
)

func TestUpstream(t *testing.T)        { demand(t, weighed(t, repo)) }
func TestUpstreamCanFail(t *testing.T) { planted(t, "upstream", weighed) }

// weighed finds heavy imports in the module of the root, of tests too: who compares
// with Kubernetes or OpenShift does so in a module of its own, so that the others are
// built and tested without them.
func weighed(t *testing.T, root fs.FS) []string {
	tr := load(t, root)
	others := map[string]bool{} // directories of other modules
	walk(t, root, func(name string) {
		if path.Base(name) == "go.mod" && name != "go.mod" {
			others[path.Dir(name)] = true
		}
	})
	var out []string
	for _, f := range tr.files {
		if slices.ContainsFunc(slices.Collect(maps.Keys(others)),
			func(dir string) bool { return under(f.dir(), dir+"/...") }) {
			continue
		}
		imports := f.imports()
		for _, name := range slices.Sorted(maps.Keys(imports)) {
			if under(name, heavy) && !under(name, light) && !(f.dir() == accessedBy && under(name, access)) {
				out = append(out, fmt.Sprintf("%s: %s imports %s; compare with it in test/upstream", tr.line(imports[name]),
					f.dir(), name))
			}
		}
	}
	return out
}
