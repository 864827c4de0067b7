package load

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// The status of each kind: what is ready, what has failed for good, what nobody has to wait for.
func TestRules(t *testing.T) {
	failure := `{"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "exceeded quota"}`
	for _, c := range []struct{ kind, object, want string }{
		{"apps/Deployment", `{"metadata": {"generation": 1}}`, "waits: 0 of 1 are available"}, // nobody has seen it
		{"apps/Deployment", `{"metadata": {"generation": 2}, "spec": {"replicas": 3}, "status": {"observedGeneration": 1,
			"updatedReplicas": 3, "availableReplicas": 3}}`, "waits: 3 of 3 are available"},
		{"apps/Deployment", `{"spec": {"replicas": 3}, "status": {"updatedReplicas": 2, "availableReplicas": 3}}`,
			"waits: 2 of 3 are available"},
		{"apps/Deployment", `{"spec": {"replicas": 3}, "status": {"updatedReplicas": 3, "availableReplicas": 3}}`, "ready"},
		{"apps/Deployment", `{"spec": {"replicas": 0}}`, "ready"},
		{"apps/Deployment", `{"status": {"conditions": [` + failure + `]}}`, "waits: FailedCreate exceeded quota"},
		{"apps/Deployment", `{"status": {"conditions": [{"type": "Progressing", "status": "False", "reason":
			"ProgressDeadlineExceeded", "message": "timed out"}, ` + failure + `]}}`,
			"failed: ProgressDeadlineExceeded timed out"},
		{"apps/Deployment", `{"spec": {"paused": true}}`, "idle"},
		{"apps/ReplicaSet", `{"status": {"readyReplicas": 1}}`, "ready"},
		{"apps/ReplicaSet", `{"status": {"conditions": [` + failure + `]}}`, "waits: FailedCreate exceeded quota"},
		{"/ReplicationController", `{"spec": {"replicas": 2}, "status": {"readyReplicas": 1}}`, "waits: 1 of 2 are ready"},
		{"apps/StatefulSet", `{"spec": {"replicas": 2}, "status": {"readyReplicas": 2, "updatedReplicas": 1}}`,
			"waits: 1 of 2 are ready"},
		{"apps/DaemonSet", `{"metadata": {"generation": 1}, "status": {}}`, "waits: 0 of 0 are ready"},
		{"apps/DaemonSet", `{"metadata": {"generation": 1}, "status": {"observedGeneration": 1}}`, "ready"}, // on no node
		{"apps/DaemonSet", `{"status": {"desiredNumberScheduled": 3, "updatedNumberScheduled": 3, "numberReady": 2}}`,
			"waits: 2 of 3 are ready"},
		{"batch/Job", `{"spec": {"completions": 4}, "status": {"succeeded": 3, "ready": 1}}`, "works: 3 of 4 are completed"},
		{"batch/Job", `{"status": {"conditions": [{"type": "Complete", "status": "True"}]}}`, "ready"},
		{"batch/Job", `{"status": {"conditions": [{"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded",
			"message": "limit"}]}}`, "failed: BackoffLimitExceeded limit"},
		{"batch/Job", `{"spec": {"suspend": true}}`, "idle"},
		{"apps.openshift.io/DeploymentConfig", `{"status": {"availableReplicas": 1, "updatedReplicas": 1}}`, "ready"},
		{"build.openshift.io/Build", `{"status": {"phase": "New"}}`, "waits: its phase is New"},
		{"build.openshift.io/Build", `{"status": {"phase": "Running"}}`, "works: its phase is Running"},
		{"build.openshift.io/Build", `{"status": {"phase": "Complete"}}`, "ready"},
		{"build.openshift.io/Build", `{"status": {"phase": "Failed", "reason": "OutOfMemoryKilled", "message": "killed"}}`,
			"failed: OutOfMemoryKilled killed"},
		{"/PersistentVolumeClaim", `{"status": {"phase": "Pending"}}`, "idle"},
		{"/PersistentVolumeClaim", `{"spec": {"storageClassName": "fast"}, "status": {"phase": "Pending"}}`,
			"waits: its phase is Pending"},
		{"/PersistentVolumeClaim", `{"status": {"phase": "Bound"}}`, "ready"},
		{"/PersistentVolumeClaim", `{"spec": {"storageClassName": "fast"}, "status": {"phase": "Lost"}}`,
			"failed: Lost its phase is Lost"},
		{"Ready", `{"status": {"phase": {"of": "another type"}}}`, "waits: no condition Ready is told"},
		{"Ready", `{"status": {"replicas": "two", "conditions": [{"type": "Ready", "status": "False", "reason": "Issuing",
			"message": "soon"}]}}`, "waits: Issuing Ready is False soon"},
		{"Ready", `{"status": {"conditions": [{"type": "Ready", "status": "True"}]}}`, "ready"},
	} {
		o, _ := read([]byte(c.object))
		o.bindsAtOnce = o.Spec.StorageClassName == "fast"
		of := rules[c.kind]
		if of == nil {
			of = condition(c.kind)
		}
		if got := of(o).String(); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.kind, c.object, got, c.want)
		}
	}
}

func (s state) String() string {
	text := strings.TrimSpace(s.reason + " " + s.message)
	switch {
	case s.ready:
		return "ready"
	case s.failed:
		return "failed: " + text
	case s.idle:
		return "idle"
	case s.working:
		return "works: " + text
	}
	return "waits: " + text
}

// one object of each kind.
func kindsOf(kinds ...string) string {
	var out []string
	for i, k := range kinds {
		out = append(out, fmt.Sprintf("{num: 1, basename: k%d, templates: [{num: 1, file: %s.yaml}]}", i, k))
	}
	return "projects: [" + strings.Join(out, ", ") + "]"
}

// storage is a class that binds at once; stand-ins have a definition.
func (f *fake) has(path string, object string) {
	var o map[string]any
	if err := json.Unmarshal([]byte(object), &o); err != nil {
		panic(err)
	}
	f.objects[path] = o
}

func (f *fake) storage() {
	f.has("/apis/storage.k8s.io/v1/storageclasses/fast", `{"metadata": {"name": "fast"}, "provisioner": "p"}`)
}

// A run waits until all that it has created reports that it is ready, and measures that; kinds that report
// nothing are not waited for.
func TestWorkloads(t *testing.T) {
	f := &fake{Start: 150 * time.Millisecond}
	f.Status = func(kind, _ string) map[string]any {
		status := map[string]any{}
		for name, value := range ready {
			status[name] = value
		}
		if kind == "PersistentVolumeClaim" {
			status["phase"] = "Bound"
		}
		return status
	}
	c := start(t, f)
	f.storage()
	waited := []string{"Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "ReplicationController", "Job", "Build",
		"PersistentVolumeClaim"}
	r := made(t, c, kindsOf(append(waited, "CronJob", "Widget")...), quick)
	if r.Failed != "" || r.Took < 150*time.Millisecond || len(r.Kinds) != 10 {
		t.Errorf("%+v", r)
	}
	for _, k := range r.Kinds {
		if waits := slices.Contains(waited, k.Kind); k.Waited != waits || k.Ready != one(waits) {
			t.Errorf("%+v", k)
		}
	}
	for _, id := range []string{"deployments", "jobs", "daemonsets", "builds", "persistentvolumeclaims"} {
		s := latency(t, r, "ready/"+id).Summary
		if s.N != 1 || s.Censored != 0 || s.Min < 150*time.Millisecond {
			t.Errorf("%s: %+v", id, s)
		}
	}
}

// What fails for good ends the run at once; what only hangs ends it when patience does. Both tell why.
func TestWorkloadsFail(t *testing.T) {
	conditions := func(kind, reason string) func(string, string) map[string]any {
		return func(string, string) map[string]any {
			return map[string]any{"conditions": []any{map[string]any{"type": kind, "reason": reason, "message": "so it is",
				"status": map[bool]string{true: "False", false: "True"}[kind == "Progressing"]}}}
		}
	}
	for _, c := range []struct {
		kind, want string
		status     func(string, string) map[string]any
		patience   time.Duration
	}{
		{"Job", "a workload has failed: BackoffLimitExceeded (Job k00/x: so it is)",
			conditions("Failed", "BackoffLimitExceeded"), time.Hour},
		{"Deployment", "a workload has failed: ProgressDeadlineExceeded (Deployment k00/x: so it is)",
			conditions("Progressing", "ProgressDeadlineExceeded"), time.Hour},
		{"ReplicaSet", "nothing became ready for 150ms: FailedCreate (ReplicaSet k00/x: so it is)",
			conditions("ReplicaFailure", "FailedCreate"), 150 * time.Millisecond},
		{"PersistentVolumeClaim", "nothing became ready for 150ms: not ready (PersistentVolumeClaim k00/x: its phase is ",
			func(string, string) map[string]any { return map[string]any{"phase": "Pending"} }, 150 * time.Millisecond},
	} {
		f := &fake{Start: time.Millisecond, Status: c.status}
		client := start(t, f)
		f.storage()
		opt := quick
		opt.Patience, opt.Timeout = c.patience, time.Hour
		r := made(t, client, kindsOf(c.kind), opt)
		if !strings.HasPrefix(r.Failed, c.want) || len(r.Failures) == 0 || r.Kinds[0].Ready != 0 || !r.Cleaned {
			t.Errorf("%+v", r)
		}
		for _, l := range r.Latencies {
			if strings.HasPrefix(l.ID, "ready/") && l.Summary.Censored != 1 {
				t.Errorf("%+v", l)
			}
		}
	}
}

// A failure ends a run that is still creating.
func TestFailsEarly(t *testing.T) {
	f := &fake{Start: time.Millisecond, Status: func(string, string) map[string]any {
		return map[string]any{"conditions": []any{map[string]any{"type": "Failed", "status": "True", "reason": "Deadline"}}}
	}}
	opt := quick
	opt.Rate = 100
	r := made(t, start(t, f), "projects: [{num: 1, basename: a, templates: [{num: 1, file: Job.yaml}], "+
		"pods: [{num: 1000, basename: p, file: default}]}]", opt)
	if !strings.Contains(r.Failed, "Deadline (Job a0/x: )") || r.Took > 5*time.Second || !r.Cleaned {
		t.Errorf("%s after %v", r.Failed, r.Took)
	}
}

// Nothing is waited for that nothing acts on: stand-ins of OpenShift's kinds, claims that wait for a pod or
// have no class, suspended Jobs, kinds that were told not to be.
func TestIdle(t *testing.T) {
	f := &fake{Idle: true}
	c := start(t, f)
	f.has("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/builds.build.openshift.io", "{}")
	f.has("/apis/storage.k8s.io/v1/storageclasses/fast",
		`{"metadata": {"name": "fast"}, "provisioner": "p", "volumeBindingMode": "WaitForFirstConsumer"}`)
	opt := quick
	opt.WaitFor = []WaitFor{{"DaemonSet", "none"}}
	r := made(t, c, kindsOf("Build", "PersistentVolumeClaim", "DaemonSet", "suspended"), opt)
	if r.Failed != "" || r.Took > time.Second {
		t.Errorf("%+v", r)
	}
	for _, k := range r.Kinds {
		if k.Ready != 0 || k.Waited {
			t.Errorf("%+v", k)
		}
	}
}

// A custom kind is waited for by a condition, if asked for; patience ends that, too.
func TestWaitFor(t *testing.T) {
	f := &fake{Start: 100 * time.Millisecond}
	f.Status = func(string, string) map[string]any {
		return map[string]any{"phase": 3, "conditions": []any{map[string]any{"type": "Ready", "status": "True"}}}
	}
	opt := quick
	opt.WaitFor = []WaitFor{{"Widget", "Ready"}}
	r := made(t, start(t, f), kindsOf("Widget"), opt)
	if r.Failed != "" || r.Kinds[0].Ready != 1 || latency(t, r, "ready/widgets").Summary.Min < 100*time.Millisecond {
		t.Errorf("%+v", r)
	}
	opt.Patience, f = 100*time.Millisecond, &fake{Idle: true}
	r = made(t, start(t, f), kindsOf("Widget"), opt)
	if !strings.Contains(r.Failed, "not ready (Widget k00/x: no condition Ready is told)") {
		t.Errorf("%+v", r)
	}
	opt.WaitFor = []WaitFor{{"Job", "none"}}
	if r = made(t, start(t, f), kindsOf("Job"), opt); r.Failed != "" || r.Pods != 0 {
		t.Errorf("a Job that is not waited for: %q, %d pods", r.Failed, r.Pods)
	}
	opt.WaitFor = []WaitFor{{"Gadget", "Ready"}}
	_, err := Run(context.Background(), start(t, &fake{}), workOf(t, kindsOf("Widget")), opt)
	if err == nil || !strings.Contains(err.Error(), "nothing of the kind Gadget is created") {
		t.Error(err)
	}
	for text, want := range map[string]WaitFor{"Job=none": {"Job", "none"}, "Job": {}, "=Ready": {}, "a=b=c": {}} {
		if got, err := ParseWaitFor(text); got != want || (err == nil) != (want.Kind != "") {
			t.Errorf("%s is %+v, %v", text, got, err)
		}
	}
}

// A Job whose pods run longer than patience is at work; one whose pod failed makes another.
func TestLongJob(t *testing.T) {
	f := &fake{Start: time.Millisecond, Status: func(string, string) map[string]any {
		return map[string]any{"ready": 1}
	}}
	c := start(t, f)
	opt := quick
	opt.Patience = 150 * time.Millisecond
	time.AfterFunc(500*time.Millisecond, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		const job = "/apis/batch/v1/namespaces/k00/jobs/x"
		f.objects[job]["status"] = ready
		f.tell("MODIFIED", job)
	})
	r := made(t, c, kindsOf("Job"), opt)
	if r.Failed != "" || r.Took < 450*time.Millisecond {
		t.Errorf("%+v", r)
	}
	p, s := &pod{}, seen{}
	s.Status.Phase = "Failed"
	s.Metadata.OwnerReferences = []struct{ Kind string }{{"Job"}}
	if p.take(&s, time.Now()); !p.isReady() {
		t.Error("a run waits for a pod that its Job has replaced")
	}
}

// A server that does not let its workloads or pods be listed ends the run before anything is made or replaced.
func TestUnwatched(t *testing.T) {
	for of, path := range map[string]string{"pods": "/api/v1/pods", "deployments": "/apis/apps/v1/deployments"} {
		touched := ""
		f := &fake{Start: time.Millisecond, Forbidden: path, Refuse: func(method, path string) int {
			if method != http.MethodGet {
				touched = method + " " + path
			}
			return 0
		}}
		c := start(t, f)
		f.objects["/api/v1/namespaces/k00"] = map[string]any{"metadata": map[string]any{"name": "k00",
			"labels": map[string]any{RunLabel: "other"}}}
		r := made(t, c, strings.Replace(kindsOf("Deployment"), "num: 1", "ifexists: delete, num: 1", 1), quick)
		if !strings.Contains(r.Failed, of+" can't be watched: ") || !r.Cleaned || len(f.left()) != 1 || touched != "" {
			t.Errorf("%s: %s, left %v, %s", of, r.Failed, f.left(), touched)
		}
	}
}
