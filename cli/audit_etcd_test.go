package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/source/prom"
)

// day is what a member tells in a day, up to a moment.
func day(until time.Time) string {
	var out strings.Builder
	for i := range 24 * 60 {
		at := until.Unix() - int64(60*(24*60-1-i))
		fmt.Fprintf(&out, "etcd_mvcc_db_total_size_in_bytes{pod=\"etcd-a\"} 1e+09 %d\n", at)
		for le, n := range map[string]int{"0.008": 900, "0.016": 1000, "+Inf": 1000} {
			fmt.Fprintf(&out, "etcd_disk_wal_fsync_duration_seconds_bucket{pod=\"etcd-a\",le=%q} %d %d\n", le, i*n, at)
		}
	}
	return out.String()
}

// thanos answers as a Prometheus does, over TLS and to whom it knows, from a store.
func thanos(t *testing.T, text string) *httptest.Server {
	t.Helper()
	store := prom.NewStore()
	if err := store.Read(strings.NewReader(text), ""); err != nil {
		t.Fatal(err)
	}
	moment := func(q *http.Request, name string) time.Time {
		f, _ := strconv.ParseFloat(q.FormValue(name), 64)
		return time.UnixMilli(int64(f * 1000))
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Header.Get("Authorization") != "Bearer secret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		result, kind := []any{}, "vector"
		if strings.HasSuffix(q.URL.Path, "query_range") {
			kind = "matrix"
			step, _ := strconv.ParseFloat(q.FormValue("step"), 64)
			list, _ := store.Range(q.Context(), q.FormValue("query"), moment(q, "start"), moment(q, "end"),
				time.Duration(step*float64(time.Second)))
			for _, s := range list {
				var points []any
				for _, p := range s.Points {
					points = append(points, []any{float64(p.At.UnixMilli()) / 1000, fmt.Sprint(p.Value)})
				}
				result = append(result, map[string]any{"metric": s.Labels, "values": points})
			}
		} else {
			list, _ := store.Query(q.Context(), q.FormValue("query"), moment(q, "time"))
			for _, s := range list {
				result = append(result, map[string]any{"metric": s.Labels, "value": []any{1, fmt.Sprint(s.Value)}})
			}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"status": "success",
			"data": map[string]any{"resultType": kind, "result": result}})
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // who does not know the authority goes away
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

// A Prometheus whose certificate is by an authority of its own is asked with a token, and tells what the file does.
func TestAuditEtcdPrometheus(t *testing.T) {
	now := time.Now().Truncate(time.Minute)
	text := day(now)
	server, dir := thanos(t, text), t.TempDir()
	file := func(name string, text []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	ca := file("ca", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	token, metrics := file("token", []byte("secret\n")), file("metrics", []byte(text))
	a := &app{Streams: Streams{Err: &bytes.Buffer{}}}
	live := etcdFlags{server: prometheusFlags{url: server.URL, token: token, ca: ca}}
	got, err := live.measured(context.Background(), a, "")
	if err != nil || got.Unread != "" || len(got.Members) != 1 || len(got.Members[0].Fsync.P99) < 280 {
		t.Fatalf("%+v, %v", got, err)
	}
	saved := etcdFlags{metrics: []string{metrics}}
	want, err := saved.measured(context.Background(), a, "")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want.Members[0].Size, got.Members[0].Size); d != "" {
		t.Error(d)
	}
	// Without the authority or the token nobody is asked, which is not that all is fine.
	for _, flags := range []prometheusFlags{{url: server.URL, token: token}, {url: server.URL, ca: ca}} {
		none, err := (&etcdFlags{server: flags}).measured(context.Background(), a, "")
		if err != nil || none.Unread == "" || len(none.Members) > 0 {
			t.Errorf("%+v, %v", none, err)
		}
	}
}
