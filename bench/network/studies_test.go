package network

import (
	"slices"
	"testing"

	"plimsoll.dev/facts"
)

// What documents 001 and 004 say in words, once more.
func TestStudies(t *testing.T) {
	want := map[string]string{
		"rps/other-node/best":         "59 % lower, 2.70x higher, the cluster without the change",
		"rps/external/best":           "35 % lower, -, the cluster without the change",
		"static-route/external/best":  "51 % lower, 1.52x higher, the cluster without the route, perhaps with RPS",
		"pod-network/pod/best":        "1.09x higher, 1.20x higher, podman to podman",
		"pod-network/pod/worst":       "1.50x higher, 1.80x lower, podman to podman",
		"pod-network/external/best":   "1.10x higher, the same, RHEL 8.2 in z/VM",
		"pod-network/external/worst":  "10.00x higher, 1.15x lower, RHEL 8.2 in z/VM",
		"pod-network/pod-intel/worst": "1.70x higher, -, podman to podman on the same machines",
	}
	var changes []string
	for _, s := range Studies(facts.Load(), "") {
		key := s.Change + "/" + s.Path + "/" + s.End
		if got := Says(s.Latency, true) + ", " + Says(s.Throughput, false) + ", " + s.Base; got != want[key] {
			t.Errorf("%s: %s, want %s", key, got, want[key])
		}
		delete(want, key)
		if !slices.Contains(changes, s.Change) {
			changes = append(changes, s.Change)
		}
	}
	if len(want) > 0 {
		t.Errorf("not there: %v", want)
	}
	if !slices.Equal(Changes(), changes) {
		t.Errorf("%v, facts have %v", Changes(), changes)
	}
}

// The best of latency is the least, of a rate the most.
func TestExtreme(t *testing.T) {
	c := Compare(of(RequestResponse, 50, reps(50, 1000, 1000)...), of(RequestResponse, 50, reps(50, 500, 500)...), 0.1)
	more := Compare(of(RequestResponse, 1, reps(1, 1000)...), of(RequestResponse, 1, reps(1, 2000)...), 0.1)
	c.Changes = append(c.Changes, more.Changes...)
	for _, x := range []struct {
		end     string
		latency bool
		want    float64
	}{{"best", true, 0.5}, {"worst", true, 2}, {"best", false, 2}, {"worst", false, 0.5}} {
		if got := c.extreme(x.end, x.latency); got < x.want*0.99 || got > x.want*1.01 {
			t.Errorf("%s %v: %v", x.end, x.latency, got)
		}
	}
	if got := (&Comparison{}).extreme("best", true); got != 0 {
		t.Error(got)
	}
}
