package apply

import (
	"os/exec"
	"testing"

	"plimsoll.dev/engine/apply"
	"plimsoll.dev/internal/need"
)

// BenchmarkApplyAndRollBack is the whole of it: a worker's profile with its parents
// on a simulated node. Of it, apply-ms is from the start of TuneD to the proof, and
// rollback-ms from the order to stop to the end of TuneD.
func BenchmarkApplyAndRollBack(b *testing.B) {
	need.Program(b, "/usr/sbin/tuned", "/usr/bin/tuned")
	n := newNode(b, metal)
	var applying, back float64
	for b.Loop() {
		r, err := apply.Apply(b.Context(), apply.Options{Profile: "openshift-node", Root: n.dir, Once: true}, nil)
		if err != nil || !r.OK() {
			b.Fatalf("%v, %+v", err, r)
		}
		applying, back = applying+r.ApplySeconds, back+r.RollbackSeconds
	}
	b.ReportMetric(1000*applying/float64(b.N), "apply-ms/op")
	b.ReportMetric(1000*back/float64(b.N), "rollback-ms/op")
}

// BenchmarkTuneDVersion is the peer: TuneD's interpreter and modules alone, without
// a profile.
func BenchmarkTuneDVersion(b *testing.B) {
	path := need.Program(b, "/usr/sbin/tuned", "/usr/bin/tuned")
	for b.Loop() {
		if err := exec.Command(path, "--version").Run(); err != nil {
			b.Fatal(err)
		}
	}
}
