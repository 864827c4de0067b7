package load

import (
	"encoding/json"
	"fmt"
	"io"
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
	// Idle controllers make no pods.
	Idle bool
	// Latency of each POST.
	Latency time.Duration

	mu      sync.Mutex
	version int
	objects map[string]map[string]any // by path
	watches []chan []byte
	history [][]byte // event i has the version i + 1
	posts   []time.Time
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
			close(w)
		}
		f.watches = nil
	})
	return apiserver.New(server.Client(), server.URL)
}

var served = map[string]string{
	"/api/v1": `pods Pod true, services Service true, configmaps ConfigMap true, secrets Secret true, ` +
		`namespaces Namespace false, serviceaccounts ServiceAccount true`,
	"/apis/apps/v1": "deployments Deployment true",
}

func (f *fake) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	path := q.URL.Path
	if list, ok := served[path]; ok {
		fmt.Fprint(w, resources(list))
		return
	}
	switch {
	case path == "/apis":
		fmt.Fprint(w, `{"groups": [{"preferredVersion": {"groupVersion": "apps/v1"}}]}`)
	case path == "/version":
		fmt.Fprint(w, `{"gitVersion": "v1.36.3"}`)
	case path == "/api/v1/nodes":
		fmt.Fprint(w, `{"items": [{"status": {"nodeInfo": {"containerRuntimeVersion": "simulated://1"}}}, {}]}`)
	case q.Method == http.MethodPost:
		f.post(w, q)
	case q.Method == http.MethodDelete:
		f.delete(path, strings.TrimPrefix(q.URL.Query().Get("labelSelector"), RunLabel+"="))
	case q.URL.Query().Get("watch") != "":
		f.watch(w, q)
	case strings.HasSuffix(path, "/serviceaccounts/default"):
		fmt.Fprint(w, "{}")
	default:
		f.get(w, path, strings.TrimPrefix(q.URL.Query().Get("labelSelector"), RunLabel+"="))
	}
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
			fmt.Fprintf(w, `{"message": "%s is refused: exceeded quota"}`, name)
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
	meta["uid"] = fmt.Sprint(len(f.posts))
	f.objects[key] = o
	w.WriteHeader(http.StatusCreated)
	fmt.Fprint(w, "{}")
	switch o["kind"] {
	case "Pod":
		f.pod(key, name)
	case "Deployment":
		if f.Idle {
			return
		}
		pods := strings.Replace(strings.Replace(q.URL.Path, "/apis/apps", "/api", 1), "deployments", "pods", 1)
		for i := range number(o["spec"].(map[string]any)["replicas"], 1) {
			child := fmt.Sprintf("%s-%d", name, i)
			namespace := strings.Split(pods, "/")[4]
			f.objects[pods+"/"+child] = map[string]any{"kind": "Pod", "metadata": map[string]any{"name": child,
				"namespace": namespace, "uid": child, "creationTimestamp": meta["creationTimestamp"]}}
			f.pod(pods+"/"+child, child)
		}
	}
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
	text = append(text, '\n')
	f.history = append(f.history, text)
	for _, w := range f.watches {
		w <- text
	}
}

func (f *fake) watch(w http.ResponseWriter, q *http.Request) {
	events := make(chan []byte, 100_000)
	from, _ := strconv.Atoi(q.URL.Query().Get("resourceVersion"))
	f.mu.Lock()
	for _, text := range f.history[from:] {
		events <- text
	}
	f.watches = append(f.watches, events)
	f.mu.Unlock()
	w.WriteHeader(http.StatusOK)
	w.(http.Flusher).Flush()
	for {
		select {
		case <-q.Context().Done():
			return
		case text, ok := <-events:
			if !ok {
				return
			}
			w.Write(text)
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
	known := strings.HasSuffix(path, "/namespaces") || strings.HasSuffix(path, "/pods")
	if !known {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	items := []any{}
	for key, o := range f.objects {
		within := strings.HasPrefix(key, path+"/") && strings.Count(key, "/") == strings.Count(path, "/")+1
		if (within || path == "/api/v1/pods" && strings.Contains(key, "/pods/")) && ofRun(o, run) {
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
		if key == path || inside || collected {
			if strings.Contains(key, "/pods/") {
				f.tell("DELETED", key)
			}
			delete(f.objects, key)
		}
	}
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
