package live_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/engine/apiserver"
	"plimsoll.dev/source/kube"
	"plimsoll.dev/source/live"
	"plimsoll.dev/source/live/fake"
)

// pods are made when they are asked for: eight of an owner each, and five owners in a namespace.
type pods int

func (p pods) Len() int { return int(p) }

func (p pods) Item(i int) json.RawMessage {
	return fmt.Appendf(nil, `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "app-%06[1]d",
"ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "set-%05[2]d", "controller": true}],
"namespace": "team-%04[5]d", "labels": {"app": "app-%05[2]d"}, "managedFields": [%[4]s]},
"spec": {"nodeName": "node-%04[3]d", "containers": [{"name": "c", "image": "registry.example/app:1", "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}}}]},
"status": {"phase": "Running"}}`, i, i/8, i%2000, managed, i/40)
}

// managed is as long as what managers of fields make of a pod.
var managed = strings.TrimSuffix(strings.Repeat(
	`{"manager": "kubelet", "fieldsType": "FieldsV1", "fieldsV1": {"f:a": {}}},`, 20), ",")

func serve(t testing.TB, s *fake.Server) *apiserver.Client {
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return apiserver.New(http.DefaultClient, server.URL)
}

// cluster is a server with so many pods and nothing else.
func cluster(t testing.TB, n int) *fake.Server {
	s, err := fake.New(strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	s.Has["pods"] = pods(n)
	return s
}

// names are those of the pods that were written, and what was seen.
func names(t *testing.T, s *fake.Server) (out []string, seen v1alpha1.Seen, err error) {
	var text bytes.Buffer
	err = live.Reader{Client: serve(t, s)}.Write(t.Context(), &text)
	lines := bytes.Split(bytes.TrimSpace(text.Bytes()), []byte("\n"))
	if err == nil {
		if err := json.Unmarshal(lines[len(lines)-1], &seen); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range regexp.MustCompile(`"name":"(app-\d+)"`).FindAllSubmatch(text.Bytes(), -1) {
		out = append(out, string(m[1]))
	}
	return out, seen, err
}

// TestPages: whatever happens between the pages, each object comes once; what is missing is said.
func TestPages(t *testing.T) {
	all := make([]string, 1300)
	for i := range all {
		all[i] = fmt.Sprintf("app-%06d", i)
	}
	for name, c := range map[string]struct {
		set   func(*fake.Server)
		want  []string
		later int
		lost  string
	}{
		"as it is":  {set: func(*fake.Server) {}, want: all},
		"busy":      {set: func(s *fake.Server) { s.Busy.Store(3) }, want: all},
		"forgotten": {set: func(s *fake.Server) { s.Forgets["pods"] = false }, want: all, later: 1},
		"no token": {set: func(s *fake.Server) { s.Forgets["pods"] = true }, want: all[:500],
			lost: "only the first 500 seen"},
		"forbidden":  {set: func(s *fake.Server) { s.Denied["pods"] = true }, lost: "not seen: pods is forbidden"},
		"not counts": {set: func(s *fake.Server) { s.Denied["/metrics"] = true }, want: all},
	} {
		t.Run(name, func(t *testing.T) {
			s := cluster(t, len(all))
			c.set(s)
			got, seen, err := names(t, s)
			lost := ""
			if len(seen.NotSeen) > 0 {
				lost = seen.NotSeen[0].Why
			}
			if err != nil || !slices.Equal(got, c.want) || len(seen.Later) != c.later || !strings.HasPrefix(lost, c.lost) ||
				(lost == "") != (c.lost == "") {
				t.Errorf("%v, %d pods, later %v, not seen %v", err, len(got), seen.Later, seen.NotSeen)
			}
		})
	}
}

// TestCounts: secrets are counted and never read, with or without the server's metrics.
func TestCounts(t *testing.T) {
	for _, denied := range []bool{false, true} {
		s := cluster(t, 1)
		s.Has["secrets"] = pods(1234)
		s.Denied["/metrics"] = denied
		got, seen, err := names(t, s)
		if err != nil || len(got) != 1 || seen.Counts["Secret"] != 1234 {
			t.Errorf("%v, %d objects, %v", err, len(got), seen.Counts)
		}
	}
}

// TestRights: who may not read is told the rights that suffice for all that is read: a plan's, or an audit's.
func TestRights(t *testing.T) {
	for want, only := range map[string]func(live.Kind) bool{"rbac audit": nil,
		"rbac plan": func(k live.Kind) bool { return !k.Audit }} {
		s := cluster(t, 1)
		s.Denied["pods"] = true
		var text bytes.Buffer
		err := live.Reader{Client: serve(t, s), Only: only}.Write(t.Context(), &text)
		if said := `"plimsoll ` + want + `\" prints`; err != nil || !strings.Contains(text.String(), said[1:]) {
			t.Errorf("%v: %q is missing in %s", err, said, text.String())
		}
	}
}

// TestNameless: the words of a refusal hold names, which a snapshot without names leaves out.
func TestNameless(t *testing.T) {
	s := cluster(t, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path == "/api/v1/pods" {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"message": "User \"acme\" cannot list: RBAC: clusterrole \"acme-view\" not found"}`)
			return
		}
		s.ServeHTTP(w, q)
	}))
	defer server.Close()
	for _, nameless := range []bool{false, true} {
		var text bytes.Buffer
		r := live.Reader{Client: apiserver.New(http.DefaultClient, server.URL), Nameless: nameless}
		if err := r.Write(t.Context(), &text); err != nil || !strings.Contains(text.String(), `"pods","why":"not seen: `) ||
			strings.Contains(text.String(), "acme") == nameless {
			t.Errorf("%v: %s", err, &text)
		}
	}
}

// TestAway: a cluster that can't be asked is an error, and not an empty one.
func TestAway(t *testing.T) {
	client := apiserver.New(http.DefaultClient, "http://127.0.0.1:1")
	if err := (live.Reader{Client: client}).Write(t.Context(), io.Discard); err == nil {
		t.Error("a server that is not there has been read")
	}
}

// TestProgress: how much there is is known with the first page.
func TestProgress(t *testing.T) {
	var told []string
	r := live.Reader{Client: serve(t, cluster(t, 1300)), Progress: func(resource string, done, total int64) {
		if resource == "pods" {
			told = append(told, fmt.Sprint(done, total))
		}
	}}
	if err := r.Write(t.Context(), io.Discard); err != nil {
		t.Fatal(err)
	}
	if want := []string{"500 1300", "1000 1300", "1300 1300"}; !slices.Equal(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
}

// reads is the address of a server that the test binary reads in place of its tests.
const reads = "PLIMSOLL_TEST_READS"

func TestMain(m *testing.M) {
	address := os.Getenv(reads)
	if address == "" {
		os.Exit(m.Run())
	}
	out, in := io.Pipe()
	go func() {
		in.CloseWithError(live.Reader{Client: apiserver.New(http.DefaultClient, address)}.Write(context.Background(), in))
	}()
	found, err := kube.ReadSnapshot(out, "cluster", kube.Options{})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	text, _ := os.ReadFile("/proc/self/status")
	n := 0
	for _, p := range found.PodTypes {
		n += p.Replicas
	}
	fmt.Printf("%d pods\n%s", n, text)
}

// TestMemory: what is read is not held. The peak is the program's, while this one makes the pods.
func TestMemory(t *testing.T) {
	const most = 400 // MiB
	n := 30_000
	if os.Getenv("PLIMSOLL_LONG") != "" {
		n = 150_000
	}
	server := httptest.NewServer(cluster(t, n))
	defer server.Close()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), reads+"="+server.URL)
	text, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	peak := 0
	if m := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(text); m != nil {
		fmt.Sscan(string(m[1]), &peak)
	}
	t.Logf("%d pods, at most %d MiB, %v of processor time", n, peak/1024,
		c.ProcessState.UserTime()+c.ProcessState.SystemTime())
	if !bytes.HasPrefix(text, fmt.Appendf(nil, "%d pods\n", n)) || peak/1024 > most*n/150_000+60 {
		t.Errorf("peak %d MiB: %.60s", peak/1024, text)
	}
}
