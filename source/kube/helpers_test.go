package kube

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"plimsoll.dev/api/v1alpha1"
)

// files makes a file system of names and texts.
func mapFS(pairs ...string) fstest.MapFS {
	out := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return out
}

// manifests reads one YAML text.
func manifests(t *testing.T, text string) *v1alpha1.Inventory {
	t.Helper()
	inv, err := ReadManifests(mapFS("a.yaml", text), []string{"a.yaml"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return inv
}

// snapshot reads a text as a snapshot.
func snapshot(t *testing.T, text string) *v1alpha1.Inventory {
	t.Helper()
	inv, err := ReadSnapshot(strings.NewReader(text), "s.json", Options{})
	if err != nil {
		t.Fatal(err)
	}
	return inv
}

// lines writes pod types for people who compare them, one a line.
func lines(inv *v1alpha1.Inventory) []string {
	var out []string
	for _, p := range inv.PodTypes {
		out = append(out, line(p))
	}
	return out
}

func line(p v1alpha1.PodType) string {
	s := fmt.Sprintf("%s x%d %s cpu=%s mem=%s", p.Name, p.Replicas, p.QOSClass, p.CPU, p.Memory)
	add := func(when bool, format string, args ...any) {
		if when {
			s += fmt.Sprintf(" "+format, args...)
		}
	}
	add(p.DaemonSet, "daemonSet")
	add(p.CPULimit != nil, "cpuLimit=%v", p.CPULimit)
	add(p.MemoryLimit != nil, "memLimit=%v", p.MemoryLimit)
	add(p.EphemeralStorage > 0, "disk=%s", p.EphemeralStorage)
	add(p.Storage > 0, "storage=%s", p.Storage)
	for _, k := range slices.Sorted(maps.Keys(p.HugePages)) {
		add(true, "pages-%s=%s", k, p.HugePages[k])
	}
	for _, k := range slices.Sorted(maps.Keys(p.Devices)) {
		add(true, "%s=%d", k, p.Devices[k])
	}
	add(p.Containers != 1, "containers=%d", p.Containers)
	add(p.MaxPerNode > 0, "perNode=%d", p.MaxPerNode)
	for _, k := range slices.Sorted(maps.Keys(p.NodeSelector)) {
		add(true, "on:%s=%s", k, p.NodeSelector[k])
	}
	add(p.Held, "held")
	for _, x := range p.Tolerations {
		add(true, "tolerates:%s%s%s:%s", x.Key, map[string]string{"Equal": "="}[x.Operator], x.Value, x.Effect)
	}
	return s
}

// skips writes what was skipped, one a line.
func skips(inv *v1alpha1.Inventory) []string {
	var out []string
	for _, s := range inv.Skipped {
		line := s.Place + ": " + s.What + ": " + s.Why
		if s.Count > 0 {
			line += fmt.Sprintf(" (%d)", s.Count)
		}
		out = append(out, line)
	}
	return out
}
