package load

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Churn deletes a share of the items and makes it anew, and all is ready in the end.
func TestChurn(t *testing.T) {
	f := &fake{Start: 5 * time.Millisecond}
	opt := quick
	opt.Churn = Churn{Share: 0.25, Cycles: 3}
	r := made(t, start(t, f), "projects: [{num: 2, basename: a, pods: [{num: 20, basename: p, file: default}], "+
		"services: [{num: 4, basename: s}]}]", opt)
	pods, gone := latency(t, r, "pod/ready").Summary, latency(t, r, "delete/pods").Summary
	services := latency(t, r, "gone/services").Summary
	if r.Failed != "" || gone.N+services.N != 3*12 || pods.N != 40+gone.N || pods.Censored > 0 || r.Ready != r.Pods {
		t.Errorf("%+v: %d pods, %d deleted, %d services", r, pods.N, gone.N, services.N)
	}
	if left := f.left(); len(left) != 2+40+8 {
		t.Errorf("%d objects are there", len(left))
	}
}

// Churn of namespaces deletes a share of them with all that is in them, measures that until they are gone, and
// makes them anew; those that were there before stay.
func TestChurnNamespaces(t *testing.T) {
	f := &fake{Start: 5 * time.Millisecond, Linger: 200 * time.Millisecond}
	c := start(t, f)
	f.has("/api/v1/namespaces/mine", `{"metadata": {"name": "mine"}, "kind": "Namespace"}`)
	f.has("/api/v1/namespaces/mine/pods/p", `{"metadata": {"name": "p"}}`)
	opt := quick
	opt.Rate = 2000
	opt.Churn = Churn{Mode: ChurnNamespaces, Share: 0.5, Cycles: 2, Delay: 10 * time.Millisecond}
	r := made(t, c, "projects: [{num: 4, basename: a, pods: [{num: 10, basename: p, file: default}], templates: "+
		"[{num: 1, file: web.yaml}]}, {num: 1, basename: mine, ifexists: reuse, pods: [{num: 1, basename: q, "+
		"file: default}]}]", opt)
	gone, ready := latency(t, r, "gone/namespaces").Summary, latency(t, r, "pod/ready").Summary
	if gone.N != 4 || gone.Min < 200*time.Millisecond || gone.Max > 400*time.Millisecond {
		t.Errorf("%+v", gone)
	}
	if due := latency(t, r, "due/created").Summary; due.Max > 180*time.Millisecond {
		t.Errorf("what was deleted was due %v before it was made anew", due.Max)
	}
	if r.Failed != "" || ready.N != 4*13+1+4*13 || ready.Censored > 0 || r.Pods != ready.N || r.Ready != r.Pods {
		t.Errorf("%+v", r)
	}
	if n := latency(t, r, "ready/deployments").Summary; n.N != 8 || n.Censored > 0 {
		t.Errorf("%+v", n)
	}
	if left := f.left(); len(left) != 4*(1+10+1+1+3)+3 || len(r.Phases) != 5 || r.Phases[4].Items != 4 {
		t.Errorf("%d objects are there, %+v", len(left), r.Phases)
	}
	opt.Churn.Cycles = 1
	_, err := Run(context.Background(), c, workOf(t, "projects: [{num: 1, basename: mine, ifexists: reuse}]"), opt)
	if err == nil || !strings.Contains(err.Error(), "all of them are there already") {
		t.Error(err)
	}
}

// What stays when it is deleted ends churn after patience, and is named with what holds it.
func TestChurnOfWhatStays(t *testing.T) {
	f := &fake{Start: time.Millisecond}
	c := start(t, f)
	f.Refuse = func(method, path string) int {
		if method == http.MethodDelete && path == "/api/v1/namespaces/a0/services/s1" {
			return http.StatusOK
		}
		return 0
	}
	opt := quick
	opt.Cleanup, opt.Patience = "never", 200*time.Millisecond
	opt.Churn = Churn{Share: 1, Cycles: 1}
	r := made(t, c, "projects: [{num: 1, basename: a, templates: [{num: 1, file: held.yaml}]}]", opt)
	if !strings.HasPrefix(r.Failed, "/api/v1/namespaces/a0/services/s1 was deleted ") ||
		!strings.HasSuffix(r.Failed, "0ms ago and is still there: the finalizer a/b holds it") {
		t.Error(r.Failed)
	}
	opt.RunID, opt.Churn.Mode = "next", ChurnNamespaces
	f.Linger = time.Minute
	r = made(t, c, "projects: [{num: 1, basename: b, services: [{num: 1, basename: s}]}]", opt)
	if !strings.Contains(r.Failed, "/api/v1/namespaces/b0 was deleted ") {
		t.Error(r.Failed)
	}
}

// A namespace that is to be replaced is waited for until it is gone, and an interrupt of churn leaves nothing.
func TestLingering(t *testing.T) {
	f := &fake{Start: time.Millisecond, Linger: 150 * time.Millisecond}
	c := start(t, f)
	f.has("/api/v1/namespaces/a0",
		`{"metadata": {"name": "a0", "labels": {"plimsoll.dev/run": "old"}}, "kind": "Namespace"}`)
	const text = "projects: [{num: 1, basename: a, ifexists: delete, pods: [{num: 2, basename: p, file: default}]}]"
	if r := made(t, c, text, quick); r.Failed != "" || r.Took < 150*time.Millisecond || r.Ready != 2 {
		t.Errorf("%+v", r)
	}
	opt := quick
	opt.RunID, opt.Churn = "next", Churn{Mode: ChurnNamespaces, Share: 1, Cycles: 1000}
	ctx, stop := context.WithTimeout(context.Background(), 600*time.Millisecond)
	defer stop()
	if r, err := Run(ctx, c, workOf(t, text), opt); err != nil || r.Failed == "" || !r.Cleaned || len(f.left()) > 0 {
		t.Errorf("%v, %+v, left %v", err, r, f.left())
	}
}

// Items whose names the server makes are left alone, which is told.
func TestChurnUnnamed(t *testing.T) {
	f := &fake{Start: time.Millisecond}
	opt := quick
	opt.Churn = Churn{Share: 1, Cycles: 2}
	r := made(t, start(t, f), "projects: [{num: 1, basename: a, pods: [{num: 3, basename: p, file: default}], "+
		"templates: [{num: 1, file: generated.yaml}]}]", opt)
	found := r.Answer(nil, nil).Findings
	if r.Failed != "" || len(f.posts) != 1+3+1+2*3 || len(found) != 1 ||
		!strings.HasPrefix(found[0].Message, "churn left 1 item alone") {
		t.Errorf("%s: %d requests, %+v", r.Failed, len(f.posts), found)
	}
}

// Of stand-ins nobody makes pods: churn doesn't take any off those that others are to make.
func TestChurnStandIns(t *testing.T) {
	f := &fake{StandIns: true}
	c := start(t, f)
	f.has("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/deploymentconfigs.apps.openshift.io", "{}")
	w := workOf(t, "projects: [{num: 1, basename: a, templates: [{num: 1, file: dc.yaml}]}]")
	r := newRun(c, w, quick)
	if err := r.choose(t.Context()); err != nil || r.choices[kindKey{"apps.openshift.io/v1", "DeploymentConfig"}].how !=
		standIn {
		t.Fatalf("%v, %+v", err, r.choices)
	}
	one := slot{"a0", &w.Namespaces[0].Batches[0], 0}
	if err := r.renew(t.Context(), []slot{one}); err != nil || r.planned.count() != 0 {
		t.Errorf("%v, %d pods are to come", err, r.planned.count())
	}
}

// A pod that somebody else deletes is counted once, and named where it is waited for.
func TestDeletedByOthers(t *testing.T) {
	f := &fake{Start: 20 * time.Millisecond, Stuck: map[string]string{"p3": "CrashLoopBackOff"}}
	c := start(t, f)
	opt := quick
	opt.Patience = 400 * time.Millisecond
	time.AfterFunc(200*time.Millisecond, func() { f.delete("/api/v1/namespaces/a0/pods/p1", "") })
	r := made(t, c, "projects: [{num: 1, basename: a, pods: [{num: 20, basename: p, file: default}]}]", opt)
	reasons := fmt.Sprint(r.Failures)
	if r.Pods != 20 || r.Ready != 19 || latency(t, r, "pod/ready").Summary.N != 20 ||
		!strings.Contains(reasons, "a0/p1: it was deleted, and not by this run") {
		t.Errorf("%d of %d, %s", r.Ready, r.Pods, reasons)
	}
}
