package load

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"plimsoll.dev/engine/prometheus"
)

// fakePrometheus answers what is in an expression; other expressions have no series.
func fakePrometheus(t *testing.T, answers map[string]string) (*prometheus.Client, func() []string) {
	t.Helper()
	var mu sync.Mutex
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, q.FormValue("query"))
		for part, answer := range answers {
			if strings.Contains(q.FormValue("query"), part) {
				fmt.Fprint(w, answer)
				return
			}
		}
		fmt.Fprint(w, vector())
	}))
	t.Cleanup(server.Close)
	c, err := prometheus.New(server.Client(), server.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	return c, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return asked
	}
}

// vector of labels and values in turn.
func vector(list ...string) string {
	var out []string
	for i := 0; i < len(list); i += 2 {
		out = append(out, fmt.Sprintf(`{"metric": %s, "value": [1, %q]}`, list[i], list[i+1]))
	}
	return `{"status": "success", "data": {"resultType": "vector", "result": [` + strings.Join(out, ", ") + `]}}`
}

// What Prometheus saw stands in the answer with its service levels; what it did not see is never 0, and
// nothing of it ends the run.
func TestPrometheus(t *testing.T) {
	c, asked := fakePrometheus(t, map[string]string{
		"apiserver_request_sli": vector(`{"verb": "POST", "scope": "resource"}`, "1.5",
			`{"verb": "LIST", "scope": "cluster"}`, "1.5", `{"verb": "GET", "scope": "resource"}`, "NaN"),
		"wal_fsync":                         vector(`{"instance": "m1"}`, "0.004", `{"instance": "m2"}`, "0.0304"),
		"process_resident_memory_bytes":     vector(`{"job": "etcd", "instance": "m1"}`, "1073741824"),
		"etcd_mvcc_db_total_size_in_bytes[": `{"status": "error", "error": "too many samples"}`,
	})
	opt := quick
	opt.Prometheus = c
	r := made(t, start(t, &fake{Start: time.Millisecond}), twoProjects, opt)
	a := r.Answer(nil, nil)
	rows := map[string]string{}
	table := a.Parts[len(a.Parts)-1].Tables[0]
	for _, row := range table.Rows {
		rows[row[0].Text+"/"+row[1].Text] = strings.TrimSpace(row[2].Text + " " + row[3].Text + " " + row[4].Text)
	}
	for name, want := range map[string]string{
		"API server, p99 of calls/POST resource": "1.5s 1s kubernetes/community sig-scalability/slos",
		"API server, p99 of calls/LIST cluster":  "1.5s 30s kubernetes/community sig-scalability/slos",
		"etcd, p99 of writing the log/m1":        "4ms 10ms etcd docs Frequently asked questions",
		"etcd, p99 of writing the log/m2":        "30.4ms 10ms etcd docs Frequently asked questions",
		"etcd, p99 of committing/":               "not seen",
		"etcd, database at most/":                "not seen  Prometheus: too many samples",
		"CPU on average/":                        "not seen",
		"Memory at most/etcd m1":                 "1 GiB",
	} {
		if rows[name] != want {
			t.Errorf("%s is %q, want %q", name, rows[name], want)
		}
	}
	if len(rows) != 8 {
		t.Errorf("%v", rows)
	}
	found := 0
	for _, f := range a.Findings {
		if strings.HasPrefix(f.ID, "load.prometheus[") {
			found++
		}
	}
	if found != 2 || !a.Verdict.OK {
		t.Errorf("%d findings, %+v", found, a.Verdict)
	}
	window := fmt.Sprintf("[%dms]", r.Took.Milliseconds())
	for _, q := range asked() {
		if !strings.Contains(q, window) || strings.Contains(q, "$W") {
			t.Errorf("%s does not ask for %s", q, window)
		}
	}
}
