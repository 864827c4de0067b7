package load

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// reusing is a run in a project that is somebody else's, with objects of three kinds.
const reusing = "projects: [{num: 1, basename: mine, ifexists: reuse, pods: [{num: 2, basename: p, file: default}], " +
	"services: [{num: 2, basename: s}]}]"

// mine is a namespace that was there before.
func mine(t *testing.T, f *fake) {
	t.Helper()
	f.has("/api/v1/namespaces/mine", `{"metadata": {"name": "mine"}, "kind": "Namespace"}`)
}

// Who may list objects only in some namespaces looks there; what can't be listed there, either, is not said to be gone.
func TestCleanUpWithoutRights(t *testing.T) {
	f := &fake{Start: time.Millisecond, Forbidden: "/api/v1/services"}
	c := start(t, f)
	mine(t, f)
	opt := quick
	opt.Cleanup = "always"
	if r := made(t, c, reusing, opt); !r.Cleaned || len(f.left()) != 1 {
		t.Errorf("cleaned %v, %v; left %v", r.Cleaned, r.Left, f.left())
	}
	f.Refuse = func(method, path string) int {
		if method == http.MethodGet && path == "/api/v1/namespaces/mine/services" {
			return http.StatusForbidden
		}
		return 0
	}
	r := made(t, c, reusing, opt)
	left := strings.Join(r.Left, "")
	if r.Cleaned || len(f.left()) != 3 || !strings.Contains(left, "services in mine, which this account") {
		t.Errorf("cleaned %v, %v; left %v", r.Cleaned, r.Left, f.left())
	}
	if _, err := Destroy(t.Context(), c, "test"); err == nil || !strings.Contains(err.Error(), "left of services") {
		t.Error(err)
	}
}

// A configuration can't hide a namespace from clean-up.
func TestOwnLabel(t *testing.T) {
	f := &fake{Start: time.Millisecond}
	opt := quick
	opt.Cleanup = "always"
	r := made(t, start(t, f), "projects: [{num: 1, basename: a, labels: {plimsoll.dev/run: other}}]", opt)
	if left := f.left(); len(left) > 0 {
		t.Errorf("%+v, left %v", r, left)
	}
}

// The claims of a StatefulSet stay when it goes; they carry the run's label, and go too.
func TestClaimsOfStatefulSet(t *testing.T) {
	f := &fake{Start: time.Millisecond}
	c := start(t, f)
	mine(t, f)
	opt := quick
	opt.Cleanup = "always"
	r := made(t, c, "projects: [{num: 1, basename: mine, ifexists: reuse, templates: [{num: 1, file: claims.yaml}]}]", opt)
	if left := strings.Join(f.left(), " "); !r.Cleaned || strings.Contains(left, "claims") {
		t.Errorf("%+v, left %v", r, left)
	}
}

// A server that is away for a while, or busy, is asked again until all is gone.
func TestCleanUpWhileServerIsAway(t *testing.T) {
	var asked atomic.Int32
	f := &fake{Start: time.Millisecond}
	c := start(t, f)
	mine(t, f)
	f.Refuse = func(method, path string) int {
		switch {
		case method == http.MethodDelete && asked.Add(1) < 3:
			return http.StatusServiceUnavailable
		case method == http.MethodGet && strings.HasSuffix(path, "/serviceaccounts/default") && asked.Add(1) == 1:
			return http.StatusTooManyRequests
		case method == http.MethodDelete && asked.Add(1) < 6:
			return hangUp
		}
		return 0
	}
	opt := quick
	opt.Cleanup = "always"
	if r := made(t, c, reusing, opt); r.Failed != "" || !r.Cleaned || len(f.left()) != 1 {
		t.Errorf("%+v, left %v", r, f.left())
	}
}

// Destroy says what it took away; no run is one without a name.
func TestDestroy(t *testing.T) {
	f := &fake{Start: time.Millisecond}
	c := start(t, f)
	mine(t, f)
	made(t, c, reusing, quick)
	made(t, c, "projects: [{num: 2, basename: a, pods: [{num: 2, basename: p, file: default}]}]", quick)
	gone, err := Destroy(t.Context(), c, "test")
	if err != nil || gone != (Gone{2, 4}) || len(f.left()) != 1 {
		t.Errorf("%+v, %v; left %v", gone, err, f.left())
	}
	for _, id := range []string{"", "a,b", "a b"} {
		if _, err := Destroy(t.Context(), c, id); err == nil {
			t.Errorf("%q is no run", id)
		}
	}
	ctx, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer stop()
	f.Refuse = func(string, string) int { return http.StatusServiceUnavailable }
	if _, err := Destroy(ctx, c, "test"); err == nil || !strings.Contains(err.Error(), "503") {
		t.Error(err)
	}
}

// An interrupt ends a run that still waits for the first list.
func TestInterruptedFirstList(t *testing.T) {
	f := &fake{}
	c := start(t, f)
	end := make(chan struct{})
	t.Cleanup(func() { close(end) })
	f.Refuse = func(_, path string) int {
		if path == "/api/v1/pods" {
			<-end
		}
		return 0
	}
	ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	began := time.Now()
	r, err := Run(ctx, c, workOf(t, "projects: [{num: 1, basename: a}]"), quick)
	if err != nil || r.Failed == "" || !r.Cleaned || len(f.posts) > 0 || time.Since(began) > 5*time.Second {
		t.Errorf("%v after %v, %+v", err, time.Since(began), r)
	}
}
