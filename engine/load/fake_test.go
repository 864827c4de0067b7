package load

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"plimsoll.dev/engine/apiserver"
)

// fake is an API server with a kubelet: it keeps what is posted, and reports pods as ready after Start.
type fake struct {
	Start time.Duration
	// Stuck pods, by name, never start, for the reason.
	Stuck map[string]string
	// Answer may take the place of the answer to a POST; 0 answers as usual.
	Answer func(path, name string) int
	// Reason of that answer.
	Reason string
	// Idle controllers make no pods and report no status.
	Idle bool
	// Status that controllers report of a workload after Start, in place of one that says it is ready.
	Status func(kind, name string) map[string]any
	// Forbidden is a collection that may not be listed.
	Forbidden string
	// Refuse may take the place of the answer to any request; 0 answers as usual, hangUp not at all.
	Refuse func(method, path string) int
	// Linger is how long a namespace that is deleted is still there.
	Linger time.Duration
	// StandIns serves DeploymentConfigs.
	StandIns bool
	// Sticky refuses to delete.
	Sticky bool
	// Latency of each POST.
	Latency time.Duration

	mu      sync.Mutex
	version int
	objects map[string]map[string]any // by path
	watches []*follower
	history []change // change i has the version i + 1
	posts   []time.Time
}

// change of an object, as a watch tells it.
type change struct {
	key  string
	run  any
	text []byte
}

// follower is one who watches a collection.
type follower struct {
	path, run string
	changes   chan change
}

func (w *follower) tell(c change) {
	if within(w.path, c.key) && (w.run == "" || w.run == c.run) {
		w.changes <- c
	}
}

// within says whether an object is of a collection, of one namespace or of all.
func within(collection, key string) bool {
	at := strings.LastIndexByte(collection, '/')
	rest, all := strings.CutPrefix(key, collection[:at]+"/namespaces/")
	_, rest, _ = strings.Cut(rest, "/")
	return strings.HasPrefix(key, collection+"/") && strings.Count(key, "/") == strings.Count(collection, "/")+1 ||
		all && strings.HasPrefix(rest, collection[at+1:]+"/")
}

func start(t *testing.T, f *fake) *apiserver.Client {
	t.Helper()
	f.objects = map[string]map[string]any{}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	t.Cleanup(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, w := range f.watches {
			close(w.changes)
		}
		f.watches = nil
	})
	return apiserver.New(server.Client(), server.URL)
}

var served = map[string]string{
	"/api/v1": `pods Pod true, services Service true, configmaps ConfigMap true, secrets Secret true, ` +
		`namespaces Namespace false, serviceaccounts ServiceAccount true, ` +
		`replicationcontrollers ReplicationController true, persistentvolumeclaims PersistentVolumeClaim true`,
	"/apis/apps/v1": "deployments Deployment true, replicasets ReplicaSet true, statefulsets StatefulSet true, " +
		"daemonsets DaemonSet true",
	"/apis/batch/v1":              "jobs Job true, cronjobs CronJob true",
	"/apis/build.openshift.io/v1": "builds Build true",
	"/apis/example.com/v1":        "widgets Widget true",
}

// ready is a status that satisfies every kind of workload of one replica.
var ready = map[string]any{"observedGeneration": 1, "replicas": 1, "readyReplicas": 1, "updatedReplicas": 1,
	"availableReplicas": 1, "desiredNumberScheduled": 1, "updatedNumberScheduled": 1, "numberReady": 1,
	"phase": "Complete", "conditions": []any{map[string]any{"type": "Complete", "status": "True"}}}

// hangUp closes the connection without an answer.
const hangUp = -1

func (f *fake) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	path := q.URL.Path
	if f.Refuse != nil {
		switch code := f.Refuse(q.Method, path); code {
		case 0:
		case hangUp:
			panic(http.ErrAbortHandler)
		default:
			w.WriteHeader(code)
			return
		}
	}
	if list, ok := served[path]; ok {
		fmt.Fprint(w, resources(list))
		return
	}
	switch {
	case path == "/apis/apps.openshift.io/v1" && f.StandIns:
		fmt.Fprint(w, resources("deploymentconfigs DeploymentConfig true"))
	case path == f.Forbidden:
		w.WriteHeader(http.StatusForbidden)
	case path == "/apis":
		fmt.Fprint(w, `{"groups": [{"preferredVersion": {"groupVersion": "apps/v1"}}]}`)
	case path == "/version":
		fmt.Fprint(w, `{"gitVersion": "v1.36.3"}`)
	case path == "/api/v1/nodes":
		fmt.Fprint(w, `{"items": [{"status": {"nodeInfo": {"containerRuntimeVersion": "simulated://1"}}}, {}]}`)
	case q.Method == http.MethodPost:
		f.post(w, q)
	case q.Method == http.MethodDelete && f.Sticky:
		w.WriteHeader(http.StatusForbidden)
	case q.Method == http.MethodDelete:
		f.delete(path, runOf(q))
	case q.URL.Query().Get("watch") != "":
		f.watch(w, q)
	case strings.HasSuffix(path, "/serviceaccounts/default"):
		fmt.Fprint(w, "{}")
	default:
		f.get(w, path, runOf(q))
	}
}

func runOf(q *http.Request) string {
	return strings.TrimPrefix(q.URL.Query().Get("labelSelector"), RunLabel+"=")
}

func resources(list string) string {
	var out []string
	for _, r := range strings.Split(list, ", ") {
		var name, kind, namespaced string
		fmt.Sscan(r, &name, &kind, &namespaced)
		out = append(out, fmt.Sprintf(`{"name": %q, "kind": %q, "namespaced": %s, "verbs": ["list", "delete"]}`,
			name, kind, namespaced))
	}
	return `{"resources": [` + strings.Join(out, ", ") + "]}"
}

func (f *fake) post(w http.ResponseWriter, q *http.Request) {
	time.Sleep(f.Latency)
	text, _ := io.ReadAll(q.Body)
	var o map[string]any
	if json.Unmarshal(text, &o) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	meta := o["metadata"].(map[string]any)
	name, _ := meta["name"].(string)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.Answer != nil {
		if code := f.Answer(q.URL.Path, name); code != 0 {
			w.WriteHeader(code)
			fmt.Fprintf(w, `{"message": "%s is refused: exceeded quota", "reason": %q}`, name, f.Reason)
			return
		}
	}
	key := q.URL.Path + "/" + name
	if f.objects[key] != nil {
		w.WriteHeader(http.StatusConflict)
		fmt.Fprint(w, `{"message": "it exists"}`)
		return
	}
	f.posts = append(f.posts, time.Now())
	meta["creationTimestamp"] = time.Now().UTC().Truncate(time.Second).Format(time.RFC3339)
	meta["uid"], meta["generation"] = fmt.Sprint(len(f.posts)), 1
	f.objects[key] = o
	w.WriteHeader(http.StatusCreated)
	json.NewEncoder(w).Encode(o)
	switch o["kind"] {
	case "Pod":
		f.pod(key, name)
		return
	case "Deployment", "ReplicaSet", "ReplicationController", "StatefulSet", "DaemonSet", "Job":
		if f.Idle {
			break
		}
		_, namespace, _ := strings.Cut(q.URL.Path, "/namespaces/")
		namespace, _, _ = strings.Cut(namespace, "/")
		pods := "/api/v1/namespaces/" + namespace + "/pods"
		f.claims("/api/v1/namespaces/"+namespace+"/persistentvolumeclaims/", name, namespace, o)
		for i := range number(o["spec"].(map[string]any)["replicas"], 1) {
			child := fmt.Sprintf("%s-%d", name, i)
			f.objects[pods+"/"+child] = map[string]any{"kind": "Pod", "metadata": map[string]any{"name": child,
				"namespace": namespace, "ownerReferences": []any{map[string]any{"kind": o["kind"]}},
				"uid": meta["uid"].(string) + "-" + child, "creationTimestamp": meta["creationTimestamp"]}}
			f.pod(pods+"/"+child, child)
		}
	}
	f.tell("ADDED", key)
	f.report(key, o["kind"].(string), name)
}

// claims of a StatefulSet's first pod, which nothing takes away with it.
func (f *fake) claims(path, name, namespace string, o map[string]any) {
	templates, _ := o["spec"].(map[string]any)["volumeClaimTemplates"].([]any)
	for _, t := range templates {
		meta := maps.Clone(t.(map[string]any)["metadata"].(map[string]any))
		claim := fmt.Sprintf("%s-%s-0", meta["name"], name)
		meta["name"], meta["namespace"], meta["uid"] = claim, namespace, claim
		f.objects[path+claim] = map[string]any{"kind": "PersistentVolumeClaim", "metadata": meta}
		f.tell("ADDED", path+claim)
	}
}

// report the status of an object, after a while.
func (f *fake) report(key, kind, name string) {
	if f.Idle {
		return
	}
	status := maps.Clone(ready)
	if f.Status != nil {
		status = f.Status(kind, name)
	} else if spec, _ := f.objects[key]["spec"].(map[string]any); spec["replicas"] != nil {
		status["updatedReplicas"], status["availableReplicas"] = spec["replicas"], spec["replicas"]
	}
	time.AfterFunc(f.Start, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if o := f.objects[key]; o != nil && status != nil {
			o["status"] = status
			f.tell("MODIFIED", key)
		}
	})
}

// pod tells the watches of a pod, and later that it is ready.
func (f *fake) pod(key, name string) {
	f.tell("ADDED", key)
	if reason := f.Stuck[name]; reason != "" {
		f.objects[key]["status"] = map[string]any{"phase": "Pending", "containerStatuses": []any{
			map[string]any{"state": map[string]any{"waiting": map[string]any{"reason": reason, "message": "no such image"}}}}}
		f.tell("MODIFIED", key)
		return
	}
	time.AfterFunc(f.Start, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if o := f.objects[key]; o != nil {
			o["spec"] = map[string]any{"nodeName": "n"}
			o["status"] = map[string]any{"phase": "Running", "conditions": []any{map[string]any{"type": "Ready",
				"status": "True", "lastTransitionTime": time.Now().UTC().Format(time.RFC3339)}}}
			f.tell("MODIFIED", key)
		}
	})
}

func (f *fake) tell(kind, key string) {
	f.version++
	f.objects[key]["metadata"].(map[string]any)["resourceVersion"] = fmt.Sprint(f.version)
	text, _ := json.Marshal(map[string]any{"type": kind, "object": f.objects[key]})
	labels, _ := f.objects[key]["metadata"].(map[string]any)["labels"].(map[string]any)
	c := change{key, labels[RunLabel], append(text, '\n')}
	f.history = append(f.history, c)
	for _, w := range f.watches {
		w.tell(c)
	}
}

func (f *fake) watch(w http.ResponseWriter, q *http.Request) {
	to := &follower{q.URL.Path, runOf(q), make(chan change, 100_000)}
	from, _ := strconv.Atoi(q.URL.Query().Get("resourceVersion"))
	f.mu.Lock()
	for _, c := range f.history[from:] {
		to.tell(c)
	}
	f.watches = append(f.watches, to)
	f.mu.Unlock()
	w.WriteHeader(http.StatusOK)
	w.(http.Flusher).Flush()
	for {
		select {
		case <-q.Context().Done():
			return
		case c, ok := <-to.changes:
			if !ok {
				return
			}
			w.Write(c.text)
			w.(http.Flusher).Flush()
		}
	}
}

func (f *fake) get(w http.ResponseWriter, path, run string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if o := f.objects[path]; o != nil {
		json.NewEncoder(w).Encode(o)
		return
	}
	if path == "/api/v1/events" {
		fmt.Fprint(w, `{"items": [{"message": "exceeded quota", "involvedObject": {"kind": "ReplicaSet", "namespace": "a0", `+
			`"name": "web"}}, {"message": "of others", "involvedObject": {"namespace": "other"}}]}`)
		return
	}
	if last := path[strings.LastIndexByte(path, '/')+1:]; !strings.HasSuffix(last, "s") {
		w.WriteHeader(http.StatusNotFound) // it is no collection
		return
	}
	items := []any{}
	for key, o := range f.objects {
		if within(path, key) && ofRun(o, run) {
			items = append(items, o)
		}
	}
	json.NewEncoder(w).Encode(map[string]any{"metadata": map[string]any{"resourceVersion": fmt.Sprint(f.version)},
		"items": items})
}

func ofRun(o map[string]any, run string) bool {
	labels, _ := o["metadata"].(map[string]any)["labels"].(map[string]any)
	return run == "" || labels[RunLabel] == run
}

// delete an object, a namespace with all in it, or the objects of a run in a collection.
func (f *fake) delete(path, run string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	name := path[strings.LastIndexByte(path, '/')+1:]
	for key, o := range f.objects {
		inside := strings.Contains(path, "/api/v1/namespaces/") && strings.Count(path, "/") == 4 &&
			strings.Contains(key, "/namespaces/"+name+"/")
		collected := run != "" && strings.HasPrefix(key, path+"/") && ofRun(o, run)
		switch {
		case key == path && o["kind"] == "Namespace" && f.Linger > 0:
			f.linger(key, o)
		case key == path || inside || collected:
			f.tell("MODIFIED", key) // as a kubelet does, once more
			f.tell("DELETED", key)
			delete(f.objects, key)
		}
	}
}

// linger until a namespace is gone.
func (f *fake) linger(key string, o map[string]any) {
	meta := o["metadata"].(map[string]any)
	if meta["deletionTimestamp"] != nil {
		return
	}
	meta["deletionTimestamp"] = time.Now().UTC().Format(time.RFC3339)
	time.AfterFunc(f.Linger, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.tell("DELETED", key)
		delete(f.objects, key)
	})
}

// left are the objects that are there, without the server's own.
func (f *fake) left() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []string
	for key := range f.objects {
		out = append(out, key)
	}
	return out
}
