package load

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"plimsoll.dev/engine/apiserver"
	"plimsoll.dev/loadmodel"
)

// known are the pods of a run in the namespace a, of which nothing was there before.
func known() *pods {
	p := newPods(&news{changed: make(chan struct{})})
	p.listed = true
	p.in("a")
	return p
}

// reports tells of a pod in the namespace a; more is the rest of its JSON.
func (p *pods) reports(kind, name, uid, meta, status string) {
	text := fmt.Sprintf(`{"metadata": {"namespace": "a", "name": %q, "uid": %q %s}, "status": %s}`, name, uid, meta,
		status)
	p.event(apiserver.Event{Type: kind, Object: json.RawMessage(text), Seen: time.Now()})
}

const ofJob = `, "ownerReferences": [{"kind": "Job"}]`

// A pod that has run to its end stays counted when its Job takes it away, until the run itself does.
func TestFinishedAndTakenAway(t *testing.T) {
	p := known()
	p.reports("ADDED", "j-1", "1", ofJob, `{"phase": "Succeeded"}`)
	p.reports("DELETED", "j-1", "1", ofJob, `{"phase": "Succeeded"}`)
	p.expect("a", "own", time.Now(), &counter{})
	p.reports("ADDED", "own", "2", "", `{"phase": "Succeeded"}`)
	p.reports("DELETED", "own", "2", "", `{"phase": "Succeeded"}`)
	if len(p.finished) != 2 || len(p.lost) != 0 || p.expected != 1 {
		t.Errorf("%d finished, %d lost, %d expected", len(p.finished), len(p.lost), p.expected)
	}
	p.drop("a", "own")
	if p.leave("a"); len(p.finished) != 0 || p.expected != 0 {
		t.Errorf("%d finished and %d expected of a namespace that was left", len(p.finished), p.expected)
	}
}

// A Job with a time to live takes its pod with it before the run has come to its end.
func TestJobThatTakesItselfAway(t *testing.T) {
	f := &fake{Start: time.Hour}
	c := start(t, f)
	time.AfterFunc(200*time.Millisecond, func() {
		const in = "/namespaces/k00/"
		f.mu.Lock()
		f.objects["/api/v1"+in+"pods/x-0"]["status"] = map[string]any{"phase": "Succeeded"}
		f.tell("MODIFIED", "/api/v1"+in+"pods/x-0")
		f.objects["/apis/batch/v1"+in+"jobs/x"]["status"] = ready
		f.tell("MODIFIED", "/apis/batch/v1"+in+"jobs/x")
		f.mu.Unlock()
		f.delete("/apis/batch/v1"+in+"jobs/x", "")
		f.delete("/api/v1"+in+"pods/x-0", "")
	})
	opt := quick
	opt.Patience = time.Second
	if r := made(t, c, kindsOf("Job"), opt); r.Failed != "" || r.Pods != 1 || r.Ready != 1 {
		t.Errorf("%q, %d of %d pods ready", r.Failed, r.Ready, r.Pods)
	}
}

// A name that a controller's pod has taken already is refused, and that pod still waited for.
func TestForgetsOnlyItsOwn(t *testing.T) {
	p := known()
	p.reports("ADDED", "web-0", "1", `, "ownerReferences": [{"kind": "StatefulSet"}]`, `{"phase": "Pending"}`)
	p.expect("a", "web-0", time.Now(), &counter{})
	p.forget("a", "web-0")
	if p.waiting != 1 || p.expected != 0 {
		t.Errorf("%d wait, %d expected", p.waiting, p.expected)
	}
}

// A pod that is ready once more was ready when it was so first, by the server's clock, too.
func TestReadyFirst(t *testing.T) {
	p := known()
	for _, at := range []string{"2026-11-28T10:00:00Z", "2026-11-28T10:05:00Z"} {
		p.reports("MODIFIED", "x", "1", "", `{"phase": "Running", "conditions": [{"type": "Ready", "status": "True",
			"lastTransitionTime": "`+at+`"}]}`)
	}
	if at := p.byName["a/x"].byServer.ready; at.Minute() != 0 {
		t.Errorf("ready at %v", at)
	}
}

// A pod that has crashed after it was ready is told, though it counts as ready.
func TestRestarted(t *testing.T) {
	p := known()
	for i, name := range []string{"b", "a", "c"} {
		p.reports("MODIFIED", name, name, "", fmt.Sprintf(`{"phase": "Running", "conditions": [{"type": "Ready",
			"status": "True"}], "containerStatuses": [{"restartCount": %d}, {"restartCount": 1}]}`, i))
		p.reports("DELETED", name, name, ofJob, "{}")
	}
	p.byName["a/d"] = &pod{namespace: "a", name: "d"}
	r := newRun(apiserver.New(nil, ""), &loadmodel.Work{}, Options{})
	r.pods = p
	one := r.result(nil, time.Second)
	both := Merge([]*Result{one, {}, one})
	if one.Restarted != 3 || one.Restart != "a/a" || both.Restarted != 6 || both.Restart != "a/a" {
		t.Errorf("%d such as %s, of two workers %d", one.Restarted, one.Restart, both.Restarted)
	}
	if f := one.Answer(nil, nil).Findings; len(f) != 1 || f[0].ID != "load.restarted" {
		t.Errorf("%+v", f)
	}
}

// A pod to which the server gives its name was due when it was sent, whether it is seen before the answer or after, and
// counts as any other.
func TestNamedByServer(t *testing.T) {
	p, due := known(), time.Now().Add(-time.Minute)
	batch := &counter{}
	const running = `{"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}`
	p.reports("ADDED", "x-1", "1", "", running)
	for _, name := range []string{"x-1", "x-2"} {
		p.named([]byte(`{"metadata": {"namespace": "a", "name": "`+name+`"}}`), due, batch)
	}
	if p.waiting != 1 || p.expected != 2 || batch.ready != 1 {
		t.Errorf("%d wait, %d expected, %d ready", p.waiting, p.expected, batch.ready)
	}
	p.reports("ADDED", "x-2", "2", "", running)
	for name, k := range p.byName {
		if took := k.ready.Sub(k.due); took < time.Minute {
			t.Errorf("%s was ready after %s", name, took)
		}
	}
	if p.waiting != 0 || batch.ready != 2 || len(p.byName) != 2 {
		t.Errorf("%d wait, %d of %d ready", p.waiting, batch.ready, len(p.byName))
	}
}
