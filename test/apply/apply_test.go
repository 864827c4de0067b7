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
	"slices"
	"testing"
	"time"

	"plimsoll.dev/engine/tuned"
	"plimsoll.dev/internal/need"
)

// patience is how long TuneD may take for one thing.
const patience = time.Minute

// apply applies a profile once and demands that the node is what it was, however
// that went.
func apply(t *testing.T, n tree, opt tuned.Options) *tuned.Result {
	t.Helper()
	need.Program(t, "/usr/sbin/tuned", "/usr/bin/tuned")
	opt.Root, opt.Once, opt.Timeout = n.dir, true, patience
	before := listing(t, n.dir)
	ctx, stop := context.WithTimeout(context.Background(), 2*patience)
	defer stop()
	r, err := tuned.Apply(ctx, opt, nil)
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

func TestFirst(t *testing.T) {
	n := newNode(t, metal)
	r := apply(t, n, tuned.Options{Profile: "openshift-node"})
	for _, l := range r.Log {
		t.Log(l.Level, l.Text)
	}
	for _, v := range r.Values {
		b, a := "-", "-"
		if v.Before != nil {
			b = *v.Before
		}
		if v.After != nil {
			a = *v.After
		}
		t.Log(v.State, v.Section, v.Option, v.Device, v.Want, b, a, v.Place.File, v.Place.Line, v.Note)
	}
	for _, o := range r.Others {
		t.Log("other", o.Path)
	}
	for _, f := range r.Findings() {
		t.Log(f.Severity, f.Message)
	}
	t.Log(r.Answer().Verdict)
}
