package network

import (
	"slices"
	"testing"

	"plimsoll.dev/bench/measure"
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
		if got := measure.Says(s.Latency, true) + ", " + measure.Says(s.Throughput, false) + ", " + s.Base; got != want[key] {
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
