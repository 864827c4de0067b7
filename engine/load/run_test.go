package load

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plimsoll.dev/engine/apiserver"
	"plimsoll.dev/loadmodel"
	"plimsoll.dev/source/clusterloader"
)

// kindFiles are files with one object of a kind, and its apiVersion.
var kindFiles = map[string]string{"Deployment.yaml": "apps/v1", "ReplicaSet.yaml": "apps/v1",
	"StatefulSet.yaml": "apps/v1", "DaemonSet.yaml": "apps/v1", "ReplicationController.yaml": "v1", "Job.yaml": "batch/v1",
	"CronJob.yaml": "batch/v1", "PersistentVolumeClaim.yaml": "v1", "Build.yaml": "build.openshift.io/v1",
	"Widget.yaml": "example.com/v1"}

func workOf(t *testing.T, text string) *loadmodel.Work {
	t.Helper()
	files := map[string]string{"web.yaml": "kind: Template\napiVersion: v1\nmetadata: {name: t}\nparameters: " +
		"[{name: IDENTIFIER}]\nobjects: [{kind: Deployment, apiVersion: apps/v1, metadata: {name: 'web${IDENTIFIER}'}, " +
		"spec: {replicas: 3, template: {}}}, {kind: Service, apiVersion: v1, metadata: {name: 'web${IDENTIFIER}'}}]\n",
		"dc.yaml": "kind: DeploymentConfig\napiVersion: v1\nmetadata: {name: d}\nspec: {replicas: 2, selector: {a: b}, " +
			"template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}\n",
		"generated.yaml": "kind: Job\napiVersion: batch/v1\nmetadata: {generateName: x-}\nspec: {template: {}}\n",
		"claims.yaml": "kind: StatefulSet\napiVersion: apps/v1\nmetadata: {name: s}\nspec: {replicas: 1, " +
			"volumeClaimTemplates: [{metadata: {name: d}}]}\n",
		"held.yaml":      "kind: Service\napiVersion: v1\nmetadata: {name: s1, finalizers: [a/b, foregroundDeletion]}\n",
		"suspended.yaml": "kind: Job\napiVersion: batch/v1\nmetadata: {name: x}\nspec: {suspend: true, completions: 3}\n"}
	for file, apiVersion := range kindFiles {
		kind := strings.TrimSuffix(file, ".yaml")
		files[file] = "kind: " + kind + "\napiVersion: " + apiVersion +
			"\nmetadata: {name: x}\nspec: {storageClassName: fast}\n"
	}
	open := func(_, name string) ([]byte, error) {
		if text, ok := files[name]; ok {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	}
	w, problems := clusterloader.Expand("test.yaml", []byte(text), open, loadmodel.Options{Seed: 1})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return w
}

var quick = Options{RunID: "test", Concurrency: 8, Timeout: 20 * time.Second, Patience: 10 * time.Second}

func made(t *testing.T, c *apiserver.Client, text string, opt Options) *Result {
	t.Helper()
	result, err := Run(context.Background(), c, workOf(t, text), opt)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func latency(t *testing.T, r *Result, id string) Latency {
	t.Helper()
	for _, l := range r.Latencies {
		if l.ID == id {
			return l
		}
	}
	t.Fatalf("no latency %s in %+v", id, r.Latencies)
	return Latency{}
}

const twoProjects = `
projects:
- num: 2
  basename: a
  tuning: slow
  pods: [{num: 20, basename: p, file: default}]
  templates: [{num: 3, file: web.yaml}]
tuningsets: [{name: slow, pods: {stepping: {stepsize: 5, pause: 20ms}, rate_limit: {delay: 2}}}]
`

// All that a configuration asks for is created and waited for; what controllers make is waited for, too.
func TestRun(t *testing.T) {
	f := &fake{Start: 50 * time.Millisecond}
	r := made(t, start(t, f), twoProjects, quick)
	if r.Failed != "" || r.Pods != 2*(20+3*3) || r.Ready != r.Pods || r.Cleaned {
		t.Errorf("%+v", r)
	}
	kinds := map[string]int{}
	for _, k := range r.Kinds {
		kinds[k.Kind+" "+k.How] += k.Created
	}
	if kinds["Pod native"] != 40 || kinds["Deployment native"] != 6 || kinds["Service native"] != 6 {
		t.Errorf("%v", kinds)
	}
	ready := latency(t, r, "pod/ready").Summary
	if ready.N != 58 || ready.Censored != 0 || ready.Mean < 45*time.Millisecond {
		t.Errorf("%+v", ready)
	}
	// Four steps of five pods in each project, of which each waits for its pods and pauses.
	if r.Took < 2*4*(50+20)*time.Millisecond {
		t.Errorf("it took %v", r.Took)
	}
}

// Clean-up takes away what the run has made, and nothing else, also where it took a namespace.
func TestCleanUp(t *testing.T) {
	f := &fake{Start: time.Millisecond}
	c := start(t, f)
	for _, path := range []string{"/api/v1/namespaces/a0", "/api/v1/namespaces/a0/pods/mine", "/api/v1/namespaces/other"} {
		f.objects[path] = map[string]any{"metadata": map[string]any{"name": path[strings.LastIndexByte(path, '/')+1:]}}
	}
	opt := quick
	opt.Cleanup = "always"
	r := made(t, c, "projects: [{num: 1, basename: a0, ifexists: reuse, pods: [{num: 3, basename: p, file: default}]}, "+
		"{num: 1, basename: b, pods: [{num: 3, basename: p, file: default}]}]", opt)
	if left := f.left(); !r.Cleaned || len(left) != 3 || f.objects["/api/v1/namespaces/a0/pods/mine"] == nil {
		t.Errorf("%+v, left: %v", r, left)
	}
	f.Sticky = true // what can't be taken away is in the verdict
	opt.RunID = "sticky"
	r = made(t, c, "projects: [{num: 1, basename: c, pods: [{num: 3, basename: p, file: default}]}]", opt)
	if v := r.Answer(nil, nil).Verdict; r.Failed != "" || v.OK || !strings.HasPrefix(v.Problem, "not all could be taken") {
		t.Errorf("%+v", v)
	}
}

// What stands in the way is told before anything is created.
func TestRefusedBefore(t *testing.T) {
	for text, want := range map[string]string{
		"projects: [{num: 1, basename: a}]": "there is a namespace a0 already",
		"projects: [{num: 1, basename: a, ifexists: delete}]": "ifexists: delete would delete a0, which no run has made " +
			"(--force deletes it)",
		"projects: [{num: 1, basename: b, templates: [{num: 1, file: dc.yaml}]}]": "has no DeploymentConfig of " +
			"apps.openshift.io/v1",
	} {
		f := &fake{}
		c := start(t, f)
		f.objects["/api/v1/namespaces/a0"] = map[string]any{"metadata": map[string]any{"name": "a0"}}
		_, err := Run(context.Background(), c, workOf(t, text), quick)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
		if len(f.posts) > 0 {
			t.Errorf("%s: %d objects were created", text, len(f.posts))
		}
	}
}

func TestConverted(t *testing.T) {
	f := &fake{Start: time.Millisecond}
	opt := quick
	opt.Missing = "convert"
	r := made(t, start(t, f), "projects: [{num: 1, basename: a, templates: [{num: 1, file: dc.yaml}]}]", opt)
	want := KindCount{APIVersion: "apps.openshift.io/v1", Kind: "DeploymentConfig", How: "converted", Into: "Deployment",
		Created: 1, Waited: true, Ready: 1}
	if len(r.Kinds) != 1 || r.Kinds[0] != want || r.Ready != 2 {
		t.Errorf("%+v", r)
	}
}

// Pods that never start are in the verdict and in the quantiles, with the reason; what the server refuses
// ends the run with its words; both are cleaned up.
func TestFailures(t *testing.T) {
	const text = "projects: [{num: 1, basename: a, pods: [{num: 50, basename: p, file: default}]}]"
	f := &fake{Start: time.Millisecond, Stuck: map[string]string{"p7": "ImagePullBackOff"}}
	opt := quick
	opt.Patience = 200 * time.Millisecond
	r := made(t, start(t, f), text, opt)
	ready := latency(t, r, "pod/ready").Summary
	if !strings.Contains(r.Failed, "ImagePullBackOff (a0/p7: no such image)") || r.Ready != 49 || ready.Censored != 1 ||
		ready.N != 50 || !r.Cleaned || len(f.left()) > 0 {
		t.Errorf("%+v, left %v", r, f.left())
	}
	f = &fake{Answer: func(_, name string) int {
		if name == "p20" {
			return http.StatusForbidden
		}
		return 0
	}}
	r = made(t, start(t, f), text, quick)
	if !strings.Contains(r.Failed, "p20 is refused: exceeded quota") || !r.Cleaned || len(f.left()) > 0 {
		t.Errorf("%+v, left %v", r, f.left())
	}
}

// Pods that a controller can't make are missed, and its events say why.
func TestFailedCreate(t *testing.T) {
	f := &fake{Idle: true}
	opt := quick
	opt.Patience = 200 * time.Millisecond
	r := made(t, start(t, f), "projects: [{num: 1, basename: a, templates: [{num: 1, file: web.yaml}]}]", opt)
	if !strings.Contains(r.Failed, "FailedCreate (ReplicaSet a0/web: exceeded quota)") || r.Pods != 3 || r.Ready != 0 ||
		r.Failures[0].Reason != "FailedCreate" || latency(t, r, "pod/ready").Summary.Censored != 3 {
		t.Errorf("%+v", r)
	}
}

// A server that is busy is asked again; one that fails for good ends the run.
func TestBusyServer(t *testing.T) {
	tries := map[string]int{}
	f := &fake{Start: time.Millisecond, Answer: func(_, name string) int {
		if tries[name]++; tries[name] == 1 && strings.HasPrefix(name, "p") {
			return http.StatusTooManyRequests
		}
		return 0
	}}
	r := made(t, start(t, f), "projects: [{num: 1, basename: a, pods: [{num: 9, basename: p, file: default}]}]", quick)
	if r.Failed != "" || r.Ready != 9 {
		t.Errorf("%+v", r)
	}
}

// A quota that is counted by others at the same time is asked again.
func TestOutdatedQuota(t *testing.T) {
	tries := 0
	f := &fake{Start: time.Millisecond, Reason: "Conflict", Answer: func(_, name string) int {
		if strings.HasPrefix(name, "p") && tries < 3 {
			tries++
			return http.StatusConflict
		}
		return 0
	}}
	r := made(t, start(t, f), "projects: [{num: 1, basename: a, pods: [{num: 9, basename: p, file: default}]}]", quick)
	if r.Failed != "" || r.Ready != 9 {
		t.Errorf("%+v", r)
	}
}

// An interrupt at any moment leaves nothing of the run, and what was there before.
func TestInterrupts(t *testing.T) {
	for i := range 30 {
		f := &fake{Start: 5 * time.Millisecond, Latency: time.Millisecond}
		c := start(t, f)
		f.objects["/api/v1/namespaces/other"] = map[string]any{"metadata": map[string]any{"name": "other"}}
		ctx, stop := context.WithCancel(context.Background())
		time.AfterFunc(time.Duration(i*3)*time.Millisecond, stop)
		r, err := Run(ctx, c, workOf(t, twoProjects), quick)
		stop()
		if left := f.left(); len(left) != 1 || err == nil && (r.Failed != "it was interrupted" || !r.Cleaned) {
			t.Errorf("after %d ms: %v, %+v, left %v", i*3, err, r, left)
		}
	}
}

// What a slow answer delays is measured from when it was due: one request at a time, each of 20 ms, of
// which one is due each 2.5 ms.
func TestSlowServer(t *testing.T) {
	f := &fake{Start: time.Millisecond, Latency: 20 * time.Millisecond}
	opt := quick
	opt.Rate, opt.Concurrency = 400, 1
	r := made(t, start(t, f), "projects: [{num: 1, basename: a, pods: [{num: 40, basename: p, file: default}]}]", opt)
	call, due := latency(t, r, "create/pods").Summary, latency(t, r, "due/created").Summary
	if call.Min < 20*time.Millisecond || due.Max < 40*(20-2.5)*time.Millisecond || due.Max < 3*call.P50.Value {
		t.Errorf("a call takes %v, from due %v", call.P50, due.Max)
	}
	if r.RateReached > 50 {
		t.Errorf("%.1f objects a second are reached", r.RateReached)
	}
}

// Requests are due at equal times, whatever is late; drawn ones have the same mean.
func TestClock(t *testing.T) {
	at := time.Unix(0, 0)
	c := newClock(2*time.Millisecond, nil)
	for i := range 5 {
		late := at.Add(time.Duration(i*i) * time.Millisecond)
		if got := c.due(late); got != at.Add(time.Duration(2*i)*time.Millisecond) {
			t.Errorf("request %d is due after %v", i, got.Sub(at))
		}
	}
	const n = 100_000
	c = newClock(time.Millisecond, rand.New(rand.NewPCG(1, 1)))
	for range n {
		c.due(at)
	}
	if mean := c.due(at).Sub(at) / n; mean < 990*time.Microsecond || mean > 1010*time.Microsecond {
		t.Errorf("drawn requests are %v apart", mean)
	}
	c = newClock(0, nil)
	if now := at.Add(time.Hour); c.due(now) != now {
		t.Error("without a pace a request is not due at once")
	}
}

// Sync waits for the pods that its selectors take; where none does, or one never gets there, it says so.
func TestSync(t *testing.T) {
	const pods = "projects: [{num: 2, basename: a, pods: [{num: 3, basename: p, file: default, sync: {running: true, " +
		"selectors: {%s}, timeout: 300ms}}]}]"
	f := &fake{Start: 30 * time.Millisecond}
	if r := made(t, start(t, f), fmt.Sprintf(pods, "purpose: test"), quick); r.Failed != "" {
		t.Error(r.Failed)
	}
	f = &fake{Start: time.Millisecond}
	if r := made(t, start(t, f), fmt.Sprintf(pods, "purpose: other"), quick); !strings.Contains(r.Failed, "until 0 pods") {
		t.Error(r.Failed)
	}
	f = &fake{Start: time.Millisecond}
	r := made(t, start(t, f), "projects: [{num: 1, basename: a, pods: [{num: 2, basename: p, file: default}]}]\n"+
		"sync: {succeeded: true, selectors: {purpose: test}, timeout: 200ms}", quick)
	if !strings.Contains(r.Failed, "until 2 pods that map[purpose:test] selects have succeeded") || !r.Cleaned {
		t.Error(r.Failed)
	}
}

// The sync server holds every pod at /start until all have come, and the run until all have called /stop.
func TestSyncServer(t *testing.T) {
	s, err := serve("127.0.0.1", 0, 3)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	call := func(path string) {
		answer, err := http.Get("http://" + s.address + path)
		if err == nil {
			err = answer.Body.Close()
		}
		if err != nil {
			t.Error(err)
		}
	}
	hasty := http.Client{Timeout: 50 * time.Millisecond} // comes again later
	if answer, err := hasty.Get("http://" + s.address + "/start"); err == nil {
		answer.Body.Close()
		t.Error("one of three is not held")
	}
	for came := 1; came > 0; time.Sleep(time.Millisecond) {
		s.start.mu.Lock()
		came = s.start.came
		s.start.mu.Unlock()
	}
	var released atomic.Int32
	var all sync.WaitGroup
	pod := func() { call("/start"); released.Add(1); call("/stop") }
	all.Go(pod)
	all.Go(pod)
	for came := 0; came < 2; time.Sleep(time.Millisecond) {
		s.start.mu.Lock()
		came = s.start.came
		s.start.mu.Unlock()
	}
	err = s.passed(context.Background(), 100*time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), "2 of 3 pods have called /start") || released.Load() != 0 {
		t.Errorf("%v, %d released", err, released.Load())
	}
	all.Go(pod)
	if err := s.passed(context.Background(), 10*time.Second); err != nil {
		t.Error(err)
	}
	all.Wait()
	f := &fake{Start: time.Millisecond}
	w := workOf(t, "projects: [{num: 1, basename: a, pods: [{num: 2, basename: p, file: default}]}]\n"+
		"sync: {server: {enabled: true}, timeout: 100ms}")
	w.Sync.Server.Port = free(t)
	r, err := Run(context.Background(), start(t, f), w, quick)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(r.Failed, "0 of 2 pods have called /start") || !r.Cleaned {
		t.Errorf("%+v", r)
	}
}

// free is a port that nobody listens at.
func free(t *testing.T) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// No more pods than the queue takes wait to be ready while others are created.
func TestQueue(t *testing.T) {
	f := &fake{Start: 30 * time.Millisecond}
	opt := quick
	opt.Queue = 4
	most := 0
	opt.Progress = func(p Progress) { most = max(most, p.Waiting) }
	r := made(t, start(t, f), "projects: [{num: 1, basename: a, pods: [{num: 40, basename: p, file: default}]}]", opt)
	if r.Failed != "" || most > 4 || r.Took < 300*time.Millisecond {
		t.Errorf("%d waited, %+v", most, r)
	}
}

// The queue is one for all projects that are filled at once, and takes as many requests at once as pods.
func TestQueueOfMany(t *testing.T) {
	f := &fake{Start: 5 * time.Millisecond, Latency: 10 * time.Millisecond}
	most, under, atOnce := 0, atomic.Int32{}, int32(0)
	f.Refuse = func(method, path string) int {
		if method == http.MethodPost && strings.HasSuffix(path, "/pods") {
			under.Add(1)
		}
		return 0
	}
	f.Answer = func(path, _ string) int {
		n := one(strings.HasSuffix(path, "/pods"))
		if n > 0 {
			atOnce = max(atOnce, under.Load())
			under.Add(-1)
		}
		for _, o := range f.objects {
			n += one(o["kind"] == "Pod" && o["status"] == nil)
		}
		most = max(most, n)
		return 0
	}
	opt := quick
	opt.Queue = 4
	r := made(t, start(t, f), "threads: 8\nprojects: [{num: 8, basename: a, pods: [{num: 20, basename: p, "+
		"file: default}], templates: [{num: 1, file: held.yaml}]}]", opt)
	if r.Failed != "" || most > 4 || atOnce != 4 {
		t.Errorf("%d waited, of %d requests at once, %q", most, atOnce, r.Failed)
	}
}

// Beside the count it is told what waits, and for what, and what is left to take away.
func TestProgressSays(t *testing.T) {
	for want, p := range map[string]Progress{"": {Phase: "creating", Done: 3}, "1 pod waits": {Waiting: 1},
		"1,200 pods wait, 30 for a node": {Waiting: 1200, Unscheduled: 30},
		"taking away: 7 left":            {Phase: "taking away", Left: 7}} {
		if got := p.Says(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Done and Total are both items, of however many objects each.
func TestProgressCountsItems(t *testing.T) {
	var last Progress
	opt := quick
	opt.Progress = func(p Progress) { last = p }
	made(t, start(t, &fake{Start: 300 * time.Millisecond}),
		"projects: [{num: 1, basename: a, templates: [{num: 5, file: web.yaml}]}]", opt)
	if last.Done != 5 || last.Total != 5 {
		t.Errorf("%+v", last)
	}
}
