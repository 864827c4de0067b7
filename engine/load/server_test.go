package load

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"plimsoll.dev/engine/apiserver"
)

// series of the server's histogram: a group, a resource, a version, and how many creations took at most 0.1 s.
func series(group, resource, version string, n int) string {
	labels := fmt.Sprintf(`group=%q,resource=%q,scope="resource",subresource="",verb="POST",version=%q`, group, resource,
		version)
	return fmt.Sprintf("%[1]s_bucket{%[2]s,le=\"0.1\"} %[3]d\n%[1]s_bucket{%[2]s,le=\"+Inf\"} %[3]d\n"+
		"%[1]s_sum{%[2]s} 1\n%[1]s_count{%[2]s} %[3]d\n", slowness, labels, n)
}

// fromServer are the server's own times between two answers of its /metrics.
func fromServer(t *testing.T, before, after string, of []apiserver.Resource) map[string]int {
	t.Helper()
	answers := []string{before, after}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if answers[0] == "" {
			w.WriteHeader(http.StatusForbidden)
		}
		fmt.Fprint(w, answers[0])
		answers = answers[1:]
	}))
	defer server.Close()
	ctx := context.Background()
	out := map[string]int{}
	added := FromServer(ctx, apiserver.New(server.Client(), server.URL), of)
	for _, l := range added(ctx, []Latency{{ID: "create/services"}, {ID: "create/namespaces"}}) {
		out[l.ID] = l.Summary.N
	}
	return out
}

// The server's times are of the groups that the run creates objects of, in all versions, and of one process.
func TestFromServer(t *testing.T) {
	const types = "# TYPE " + slowness + " histogram\n# TYPE " + began + " gauge\n"
	one, other := types+began+" 1.5e+09\n", types+began+" 1.6e+09\n"
	core, knative := series("", "services", "v1", 100), series("serving.knative.dev", "services", "v1", 7)
	later := series("", "services", "v1", 130) + series("", "services", "v2", 5) + series("", "namespaces", "v1", 3) +
		series("serving.knative.dev", "services", "v1", 1000)
	services := []apiserver.Resource{{APIVersion: "v1", Name: "services"}, {APIVersion: "v1", Name: "services"}}
	both := append(services, apiserver.Resource{APIVersion: "serving.knative.dev/v1", Name: "services"})
	for _, c := range []struct {
		what, before, after string
		of                  []apiserver.Resource
		want                map[string]int
	}{
		{"the core's", one + core + knative, one + later, services,
			map[string]int{"server/create/services": 35, "server/create/namespaces": 3}},
		{"both", one + core + knative, one + later, both,
			map[string]int{"server/create/services": 35 + 993, "server/create/namespaces": 3}},
		{"another process", one + core + knative, other + later, services, map[string]int{}},
		{"not told before", "", one + later, services, map[string]int{}},
	} {
		if got := fromServer(t, c.before, c.after, c.of); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

// transport answers requests in the program.
type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(q *http.Request) (*http.Response, error) { return t(q) }

// A server that never ends to tell of itself holds up nothing: what was made still has to be taken away.
func TestMetricsThatHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := apiserver.New(&http.Client{Transport: transport(func(q *http.Request) (*http.Response, error) {
			<-q.Context().Done()
			return nil, q.Context().Err()
		})}, "http://server")
		ctx, end := context.WithTimeout(context.Background(), time.Hour)
		defer end()
		from := time.Now()
		if serverTimes(ctx, c); time.Since(from) > time.Minute {
			t.Errorf("it took %s", time.Since(from))
		}
	})
}
