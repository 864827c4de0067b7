package workers

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"plimsoll.dev/engine/apiserver"
	"plimsoll.dev/engine/load"
	"plimsoll.dev/loadmodel"
	"plimsoll.dev/source/clusterloader"
)

// server keeps what is posted, and says what a test says of the Job and its pods.
type server struct {
	mu           sync.Mutex
	objects      map[string]json.RawMessage
	status, pods string
	// away is how many requests of the Job and of config maps are not answered.
	away int
}

func (s *server) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := q.URL.Path
	kinds := map[string]string{"/api/v1": "namespaces Namespace, serviceaccounts ServiceAccount, configmaps ConfigMap",
		"/apis/rbac.authorization.k8s.io/v1": "roles Role, rolebindings RoleBinding, clusterroles ClusterRole, " +
			"clusterrolebindings ClusterRoleBinding", "/apis/batch/v1": "jobs Job", "/apis": ""}
	list, discovery := kinds[path]
	if q.Method != http.MethodPost && s.away > 0 && (strings.Contains(path, "/jobs/") || strings.HasSuffix(path, "maps")) {
		if s.away--; s.away%2 == 0 {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	switch {
	case discovery:
		var out []string
		for _, k := range strings.Split(list, ", ") {
			name, kind, _ := strings.Cut(k, " ")
			out = append(out, fmt.Sprintf(`{"name": %q, "kind": %q, "namespaced": %v}`, name, kind,
				kind != "Namespace" && !strings.HasPrefix(kind, "Cluster")))
		}
		fmt.Fprintf(w, `{"resources": [%s]}`, strings.Join(out, ","))
	case q.Method == http.MethodPost:
		text, _ := io.ReadAll(q.Body)
		var o struct{ Metadata struct{ Name string } }
		_ = json.Unmarshal(text, &o)
		s.objects[path+"/"+o.Metadata.Name] = text
	case q.Method == http.MethodDelete:
		maps.DeleteFunc(s.objects, func(key string, _ json.RawMessage) bool {
			name := strings.TrimPrefix(path, "/api/v1")
			return key == path || name != path && strings.Contains(key, name+"/")
		})
	case strings.HasSuffix(path, "/pods"):
		fmt.Fprint(w, s.pods)
	case s.objects[path] != nil && strings.Contains(path, "/jobs/"):
		fmt.Fprint(w, s.status)
	case s.objects[path] != nil:
		_, _ = w.Write(s.objects[path])
	case strings.HasSuffix(path, "/configmaps"):
		items := []json.RawMessage{}
		for key, o := range s.objects {
			if strings.HasPrefix(key, path+"/result-") {
				items = append(items, o)
			}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"items": items})
	case strings.HasSuffix(path, "/namespaces"):
		fmt.Fprint(w, `{"items": []}`)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func begin(t *testing.T, s *server) *apiserver.Client {
	s.objects = map[string]json.RawMessage{}
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return apiserver.New(h.Client(), h.URL)
}

func task(n int) *Task {
	return &Task{Workers: n, Load: load.Options{RunID: "r", Patience: time.Millisecond, Cleanup: "auto"}}
}

// Workers that can't run end the load with the reason, and nothing of them is left.
func TestWorkersThatCannotRun(t *testing.T) {
	for want, s := range map[string]*server{
		"ErrImagePull (load-0: no such image)": {status: `{"status": {}}`, pods: `{"items": [
			{"metadata": {"name": "load-0"}, "status": {"containerStatuses": [
			{"state": {"waiting": {"reason": "ErrImagePull", "message": "no such image"}}}]}}]}`},
		"Failed (load-1: no rights)": {status: `{"status": {"failed": 1}}`, pods: `{"items": [
			{"metadata": {"name": "load-1"}, "status": {"phase": "Failed", "containerStatuses": [
			{"state": {"terminated": {"exitCode": 2, "message": "no rights"}}}]}}]}`},
		"0 of 3 workers have pods": {status: `{"status": {}}`, pods: `{"items": []}`},
	} {
		c := begin(t, s)
		result, err := Run(t.Context(), c, c, task(3), false, Options{Image: "i"}, func(Progress) {})
		if err != nil || !strings.Contains(result.Failed, want) || !result.Cleaned {
			t.Errorf("%v, %+v; want %q", err, result, want)
		}
		if len(s.objects) > 0 {
			t.Errorf("left: %v", s.objects)
		}
	}
}

// Patience 0 waits for workers as long as the run goes on.
func TestPatience(t *testing.T) {
	s := &server{status: `{"status": {}}`, pods: `{"items": []}`}
	c := begin(t, s)
	tk := task(3)
	tk.Load.Patience = 0
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	result, err := Run(ctx, c, c, tk, false, Options{Image: "i"}, func(Progress) {})
	if err != nil || !strings.Contains(result.Failed, context.DeadlineExceeded.Error()) || result.Workers != 3 {
		t.Errorf("%v, %+v", err, result)
	}
}

// A server that is away for a while ends neither the wait for workers nor the collection of their results.
func TestWorkersWhileServerIsAway(t *testing.T) {
	s := &server{status: `{"status": {"succeeded": 1}}`, away: 3}
	c := begin(t, s)
	if err := leave(t.Context(), c, "r", Place{Namespace: Namespace("r")}, &load.Result{Pods: 7}); err != nil {
		t.Fatal(err)
	}
	result, err := Run(t.Context(), c, c, task(1), true, Options{Image: "i"}, func(Progress) {})
	if err != nil || result.Failed != "" || result.Pods != 7 || !result.Cleaned || s.away > 0 || len(s.objects) > 0 {
		t.Errorf("%v, %+v, left %v", err, result, s.objects)
	}
}

// A failure is told with the index of its worker, also where others have left no result.
func TestFailureOfWorker(t *testing.T) {
	s := &server{status: `{"status": {"failed": 1}}`, pods: `{"items": []}`}
	c := begin(t, s)
	failed := &load.Result{Failed: "it broke"}
	if err := leave(t.Context(), c, "r", Place{Namespace: Namespace("r"), Index: 2}, failed); err != nil {
		t.Fatal(err)
	}
	co := &coordination{home: c, task: task(3), namespace: Namespace("r")}
	if r := co.collect(t.Context(), nil); r.Failed != "worker 2: it broke" {
		t.Errorf("%q", r.Failed)
	}
}

// A result of several megabytes comes in parts, and is the same; one of which a part is missing is none yet.
func TestLargeResults(t *testing.T) {
	s := &server{}
	c := begin(t, s)
	rng := rand.New(rand.NewPCG(1, 2))
	times := make([]time.Duration, 400_000)
	for i := range times {
		times[i] = time.Duration(rng.Int64N(1e12))
	}
	in := &load.Result{Pods: 7, Latencies: []load.Latency{{ID: "pod/ready", Times: times}}}
	at := Place{Namespace: "n", Job: "load", Index: 2}
	if err := leave(t.Context(), c, "r", at, in); err != nil {
		t.Fatal(err)
	}
	parts, err := left(t.Context(), c, "n")
	if err != nil || parts[2] < 2 {
		t.Fatalf("%v, %v", parts, err)
	}
	for name, o := range s.objects {
		if len(o) > 3<<20/2 {
			t.Errorf("%s has %d bytes", name, len(o))
		}
	}
	out, err := take(t.Context(), c, "n", 2, parts[2])
	if err != nil || out.Pods != 7 || len(out.Latencies[0].Times) != len(times) || out.Latencies[0].Times[9] != times[9] {
		t.Errorf("%v", err)
	}
	delete(s.objects, configMaps.Path("n")+"/"+resultName(2, 1))
	if parts, err := left(t.Context(), c, "n"); err != nil || len(parts) != 0 {
		t.Errorf("%v, %v", parts, err)
	}
}

// The shares of the workers are together what was asked for, and a worker with more to do has more of the rate.
func TestShare(t *testing.T) {
	tk := task(3)
	tk.Load.Rate, tk.Load.Queue, tk.Load.Concurrency = 100, 10, 16
	rate, queue := 0.0, 0
	all := &loadmodel.Work{}
	for i := range 7 {
		all.Namespaces = append(all.Namespaces, loadmodel.Namespace{Batches: []loadmodel.Batch{{Count: 10 + i/6*20}}})
	}
	for i, want := range []float64{100 * 5. / 9, 100 * 2. / 9, 100 * 2. / 9} {
		opt := tk.share(i, all.Shard(i, 3), all)
		if math.Abs(opt.Rate-want) > 1e-9 {
			t.Errorf("worker %d: %v, want %v", i, opt.Rate, want)
		}
		rate, queue = rate+opt.Rate, queue+opt.Queue
		if opt.Concurrency != 16 || opt.Cleanup != "never" || opt.Seed != uint64(i) {
			t.Errorf("%+v", opt)
		}
	}
	if rate < 99.99 || rate > 100.01 || queue < 10 || queue > 12 {
		t.Errorf("rate %v, queue %d", rate, queue)
	}
}

// A configuration that no ConfigMap holds is refused before anything is created.
func TestTooLarge(t *testing.T) {
	s := &server{}
	c := begin(t, s)
	tk := task(1)
	tk.Configuration = loadmodel.Bundle{Text: make([]byte, 4<<20)}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range tk.Configuration.Text {
		tk.Configuration.Text[i] = byte(rng.Int())
	}
	_, err := Run(t.Context(), c, c, tk, false, Options{Image: "i"}, func(Progress) {})
	if err == nil || !strings.Contains(err.Error(), "a ConfigMap holds 1 MiB") || len(s.objects) > 0 {
		t.Errorf("%v, %d objects", err, len(s.objects))
	}
}

// Whoever binds roles needs the right to bind these, and no others.
func TestBinds(t *testing.T) {
	const text = "projects: [{num: 2, basename: a, users: [{num: 2, role: view, basename: u}, " +
		"{num: 1, role: admin, basename: v}]}]"
	work, problems := clusterloader.Expand("c.yaml", []byte(text), nil, loadmodel.Options{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	rules, err := Binds(work)
	got, _ := json.Marshal(rules)
	const want = `[{"apiGroups":["rbac.authorization.k8s.io"],"resources":["clusterroles"],"verbs":["bind"],` +
		`"resourceNames":["admin","view"]}]`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	if body, _ := json.Marshal(rules[0].Body()); !strings.Contains(string(body), `"resourceNames":["admin","view"]`) {
		t.Errorf("%s", body)
	}
}

// Rights: those of what is created, and to delete only where something is.
func TestRules(t *testing.T) {
	pods := apiserver.Resource{APIVersion: "v1", Name: "pods"}
	routes := apiserver.Resource{APIVersion: "route.openshift.io/v1", Name: "routes"}
	if text := fmt.Sprint(Rules([]apiserver.Resource{pods}, false)); strings.Contains(text, "delete") ||
		!strings.Contains(text, "[pods] [create get list watch]") {
		t.Error(text)
	}
	roles := apiserver.Resource{APIVersion: "rbac.authorization.k8s.io/v1", Name: "roles"}
	text := fmt.Sprint(Rules([]apiserver.Resource{routes, roles}, true))
	for _, want := range []string{"[namespaces] [create delete get list]", "[routes] [create delete get list watch]",
		"[customresourcedefinitions] [get]", "[roles] [create delete escalate get list watch]"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s: want %s", text, want)
		}
	}
}
