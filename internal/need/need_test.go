package need

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// recorder stands in for a test and remembers how it ended.
type recorder struct {
	testing.TB
	end string
}

func (r *recorder) Helper() {}
func (r *recorder) Skipf(format string, args ...any) {
	r.end = "skip: " + fmt.Sprintf(format, args...)
	runtime.Goexit()
}
func (r *recorder) Fatalf(format string, args ...any) {
	r.end = "fatal: " + fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// ending runs f as a test does, in a goroutine that may be ended.
func ending(f func(testing.TB)) string {
	r, done := &recorder{}, make(chan struct{})
	go func() {
		defer close(done)
		f(r)
	}()
	<-done
	return r.end
}

func TestPolicy(t *testing.T) {
	noProgram := func(tb testing.TB) { Program(tb, "no-such-program-anywhere") }
	noFile := func(tb testing.TB) { File(tb, "no/such/file", "run npm ci") }
	for _, ci := range []string{"", "true"} {
		t.Setenv("CI", ci)
		want := map[string]string{"": "skip: SKIPPED", "true": "fatal: NEEDED"}[ci]
		if got := ending(noProgram); !strings.HasPrefix(got, want) || !strings.Contains(got, "no-such-program-anywhere") {
			t.Errorf("CI=%q, program: %q", ci, got)
		}
		if got := ending(noFile); !strings.HasPrefix(got, want) || !strings.Contains(got, "run npm ci") {
			t.Errorf("CI=%q, file: %q", ci, got)
		}
	}
}

func TestFound(t *testing.T) {
	if got := File(t, "need.go", "write it"); got != "need.go" {
		t.Errorf("File: %q", got)
	}
	if got := Program(t, "no-such-program-anywhere", "go"); !strings.Contains(got, "go") {
		t.Errorf("Program: %q", got)
	}
}
