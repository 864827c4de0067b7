// Package apply tests what happens to a node with the real TuneD: profiles are
// chosen, written, applied, verified and taken back on simulated nodes, and at the
// end each node is byte for byte what it was. It holds tests only, and changes no
// machine that it runs on.
//
// It needs TuneD, and a kernel that lets it make user namespaces.
//
//	go test ./test/apply -v
package apply

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"plimsoll.dev/engine/apply"
	"plimsoll.dev/internal/need"
)

// patience is how long TuneD may take for one thing.
const patience = 2 * time.Minute

// applied applies a profile once and demands that the node is what it was, however
// that went.
func applied(t *testing.T, n tree, opt apply.Options) *apply.Result {
	t.Helper()
	need.Program(t, "/usr/sbin/tuned", "/usr/bin/tuned")
	opt.Root, opt.Once, opt.Timeout = n.dir, true, patience
	before := listing(t, n.dir)
	ctx, stop := context.WithTimeout(context.Background(), 2*patience)
	defer stop()
	r, err := apply.Apply(ctx, opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	same(t, before, listing(t, n.dir))
	if !r.Restored || r.HashBefore != r.HashAfter {
		t.Error("the result doesn't say that the node is what it was")
	}
	return r
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// set is a directory of profiles, by their names.
func set(t *testing.T, profiles map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range profiles {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path, "tuned.conf"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// value is what became of an option, of the device where one is named.
func value(t *testing.T, r *apply.Result, option, device string) apply.Value {
	t.Helper()
	for _, v := range r.Values {
		if v.Option == option && v.Device == device {
			return v
		}
	}
	t.Fatalf("nothing is told of %s %s: %+v", option, device, r.Values)
	return apply.Value{}
}

// ids are the findings' rules, each once, sorted.
func ids(r *apply.Result) []string {
	out := map[string]bool{}
	for _, f := range r.Findings() {
		out[f.ID] = true
	}
	return sorted(out)
}
