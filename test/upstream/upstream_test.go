// Package upstream compares with the types and libraries of Kubernetes and OpenShift:
// what is written must be read by them, and what is judged must be judged as they do.
// It is a module of its own, so that nothing else needs them, and holds tests only. The
// scheduler and the kubelet themselves are not here but in oracle.
//
//	go test -C test/upstream -run TestManifestsAreValid .
package upstream

import (
	"os"
	"reflect"
	"strings"
	"testing"

	_ "plimsoll.dev/internal/seed"
)

// record reads the lines of a file that another package's tests compare their tables with,
// but for comments. It stands here, because go test repeats no test for a change of a file
// outside of its module.
func record(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

// fieldsOf are the names of a type's fields in JSON, after a prefix.
func fieldsOf[T any](prefix string) []string {
	var out []string
	for f := range reflect.TypeFor[T]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		out = append(out, prefix+name)
	}
	return out
}
