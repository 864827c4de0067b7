package netjobs

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"plimsoll.dev/bench/network"
	"plimsoll.dev/engine/apiserver"
)

// cluster plays an API server whose Jobs have pods at once.
type cluster struct {
	mu     sync.Mutex
	bodies map[string]map[string]any
	calls  []string
	// refuse is a path that is forbidden; phases are those of the pods by end; log is what the client prints.
	refuse string
	phases map[string]string
	log    string
}

func (s *cluster) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := q.URL.Path
	name := path[strings.LastIndex(path, "/")+1:]
	if q.Method != http.MethodGet {
		s.calls = append(s.calls, q.Method+" "+name)
	}
	switch {
	case s.refuse != "" && strings.HasSuffix(path, s.refuse):
		w.WriteHeader(http.StatusForbidden)
	case q.Method == http.MethodPost:
		text, _ := io.ReadAll(q.Body)
		body := map[string]any{}
		_ = json.Unmarshal(text, &body)
		s.bodies[body["kind"].(string)+" "+body["metadata"].(map[string]any)["name"].(string)] = body
	case q.Method == http.MethodDelete:
		clear(s.bodies)
	case name == "pods":
		end := strings.TrimPrefix(q.URL.Query().Get("labelSelector"), "app.kubernetes.io/component=")
		items := []string{}
		if s.bodies["Job "+end] != nil && s.phases[end] != "" {
			items = append(items, fmt.Sprintf(`{"metadata": {"name": "%s-x"}, "spec": {"nodeName": "of-%s"}, "status":
				{"phase": %q, "podIP": "10.0.0.9", "conditions": [{"type": "Ready", "status": "True"}]}}`, end, end,
				s.phases[end]))
		}
		fmt.Fprintf(w, `{"items": [%s]}`, strings.Join(items, ","))
	case name == "log":
		fmt.Fprint(w, s.log)
	case strings.Contains(path, "/jobs/") && s.phases[name] == "Failed":
		fmt.Fprint(w, `{"status": {"conditions": [{"type": "Failed", "status": "True", "reason": "BackoffLimit"}]}}`)
	case strings.Contains(path, "/jobs/"):
		fmt.Fprint(w, `{}`)
	case strings.Contains(path, "/services/"):
		fmt.Fprint(w, `{"spec": {"clusterIP": "172.30.0.7"}}`)
	case s.bodies["Namespace "+name] != nil:
		fmt.Fprint(w, `{}`)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func begin(t *testing.T, s *cluster) *apiserver.Client {
	s.bodies = map[string]map[string]any{}
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return apiserver.New(h.Client(), h.URL)
}

func printed(t *testing.T) string {
	run := &network.Run{Tool: "plimsoll", Cells: []network.Measured{{Cell: network.Matrix()[0]}}}
	text, err := json.Marshal(run.Answer())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var some = Options{RunID: "r", Image: "x/y:1", Between: "across-zones", CPUs: 2, Parameters: network.Quick(),
	Patience: time.Millisecond}

func good() map[string]string { return map[string]string{"server": "Running", "client": "Succeeded"} }

// The objects come in their order, the client knows the server's address, and nothing is left.
func TestRun(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Options)
		calls  string
		at     string
		place  string
	}{
		"pods": {func(*Options) {}, "POST namespaces|POST jobs|POST services|POST jobs|DELETE plimsoll-bench-r",
			"10.0.0.9:5209", "a pod of node of-client and node of-server (pod network)"},
		"service": {func(o *Options) { o.Service, o.HostNetwork = true, true },
			"POST namespaces|POST jobs|POST services|POST jobs|DELETE plimsoll-bench-r", "172.30.0.7:5209",
			"a pod of node of-client and node of-server (host network, through a Service)"},
		"external": {func(o *Options) { o.External = "192.0.2.7:5209" },
			"POST namespaces|POST jobs|DELETE plimsoll-bench-r", "192.0.2.7:5209",
			"a pod of node of-client and 192.0.2.7:5209 (pod network)"},
	} {
		o, args := some, []any{}
		c.change(&o)
		s := &cluster{phases: good(), log: printed(t)}
		run, err := Run(t.Context(), begin(t, s), o, func(what string) {
			if what == "the client" {
				s.mu.Lock()
				pod := dig(s.bodies["Job client"], "spec", "template", "spec", "containers").([]any)[0]
				args = pod.(map[string]any)["args"].([]any)
				s.mu.Unlock()
			}
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := strings.Join(s.calls, "|"); got != c.calls || run.Place != c.place || run.RunID != "r" {
			t.Errorf("%s: %s, %q", name, got, run.Place)
		}
		i := slices.Index(args, any("--server"))
		if i < 0 || args[i+1] != c.at || !slices.Contains(args, any("rr-200x1000-50")) {
			t.Errorf("%s: %v", name, args)
		}
	}
}

func dig(in map[string]any, path ...string) any {
	var at any = in
	for _, name := range path {
		at = at.(map[string]any)[name]
	}
	return at
}

// Whatever goes wrong is told, and what was made is taken away.
func TestFaults(t *testing.T) {
	for want, s := range map[string]*cluster{
		"Namespace plimsoll-bench-r: the API server answers 403": {refuse: "/namespaces"},
		"Job server: the API server answers 403":                 {refuse: "/jobs"},
		"the server has no pod after 1ms":                        {phases: map[string]string{}},
		"the client has trouble: Failed": {
			phases: map[string]string{"server": "Running", "client": "Failed"}},
		"printed no result: \"no server answers\"": {phases: good(), log: "no server answers"},
		"the client's log":                         {phases: good(), refuse: "/log"},
	} {
		client := begin(t, s)
		_, err := Run(t.Context(), client, some, func(string) {})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
		if len(s.bodies) > 0 || s.refuse == "/namespaces" && len(s.calls) != 1 {
			t.Errorf("%s: %d objects are left after %v", want, len(s.bodies), s.calls)
		}
	}
}

func TestInterrupted(t *testing.T) {
	s := &cluster{phases: map[string]string{"server": "Running", "client": "Running"}}
	ctx, stop := context.WithCancel(t.Context())
	_, err := Run(ctx, begin(t, s), some, func(what string) {
		if what == "the client" {
			stop()
		}
	})
	if err == nil || len(s.bodies) > 0 || s.calls[len(s.calls)-1] != "DELETE plimsoll-bench-r" {
		t.Errorf("%v, %v", err, s.calls)
	}
}

// Where the pods are is what was asked for, and by name where nobody is there to ask for an address.
func TestPlaces(t *testing.T) {
	for between, want := range map[string]string{
		"same-node":    "podAffinity kubernetes.io/hostname",
		"same-zone":    "podAffinity topology.kubernetes.io/zone, podAntiAffinity kubernetes.io/hostname",
		"across-zones": "podAntiAffinity topology.kubernetes.io/zone",
		"nodes":        "node a",
	} {
		o := some
		if o.Between = between; between == "nodes" {
			o.ClientNode, o.ServerNode = "a", "b"
		}
		if wrong := o.Check(); len(wrong) > 0 {
			t.Error(wrong)
		}
		objects := Manifests(o)
		pod := dig(objects[len(objects)-1].Body, "spec", "template", "spec").(map[string]any)
		if got := affinity(pod); got != want {
			t.Errorf("%s: %s", between, got)
		}
		if text := fmt.Sprint(pod); !strings.Contains(text, "server.plimsoll-bench-r.svc:5209") {
			t.Errorf("%s: %s", between, text)
		}
	}
}

func affinity(pod map[string]any) string {
	const required = "requiredDuringSchedulingIgnoredDuringExecution"
	var out []string
	for _, kind := range []string{"podAffinity", "podAntiAffinity"} {
		if a, ok := pod["affinity"].(map[string]any)[kind].(map[string]any); ok {
			out = append(out, kind+" "+a[required].([]any)[0].(map[string]any)["topologyKey"].(string))
		}
	}
	if a, ok := pod["affinity"].(map[string]any)["nodeAffinity"]; ok {
		term := dig(a.(map[string]any), required, "nodeSelectorTerms").([]any)[0].(map[string]any)
		out = append(out, "node "+fmt.Sprint(term["matchFields"].([]any)[0].(map[string]any)["values"].([]any)[0]))
	}
	return strings.Join(out, ", ")
}

func TestCheck(t *testing.T) {
	for name, o := range map[string]Options{
		"image":    {Between: "same-node", CPUs: 1},
		"cpus":     {Between: "same-node", Image: "x"},
		"between":  {Between: "x", Image: "x", CPUs: 1},
		"nodes":    {Between: "nodes", Image: "x", CPUs: 1, ClientNode: "a"},
		"beside":   {Between: "same-node", Image: "x", CPUs: 1, ClientNode: "a"},
		"service":  {Between: "same-node", Image: "x", CPUs: 1, External: "x:1", Service: true},
		"loopback": {Between: "same-node", Image: "x", CPUs: 1, HostNetwork: true},
	} {
		if wrong := o.Check(); len(wrong) != 1 {
			t.Errorf("%s: %v", name, wrong)
		}
	}
}
