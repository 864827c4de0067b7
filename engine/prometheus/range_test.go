package prometheus

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// The course of an expression is asked by a form; points that are no numbers are left out, and series of such alone.
func TestRange(t *testing.T) {
	for answer, want := range map[string]string{
		`{"status": "success", "data": {"resultType": "matrix", "result": [` +
			`{"metric": {"instance": "b"}, "values": [[1435781430.781, "1"], [1435781445.781, "NaN"]]},` +
			`{"metric": {"instance": "c"}, "values": [[1435781430.781, "+Inf"]]},` +
			`{"metric": {"instance": "a"}, "values": [[1435781430.5, "0.02342115027829309"]]}]}}`: "a 1435781430500 " +
			"0.02342115027829309, b 1435781430781 1",
		`{"status": "success", "data": {"resultType": "vector", "result": []}}`:        "answers a vector",
		`{"status": "success", "data": {"resultType": "matrix", "result": {}}}`:        "Prometheus: json",
		`{"status": "error", "error": "exceeded maximum resolution of 11,000 points"}`: "exceeded maximum resolution",
		`<html>`: "is no Prometheus",
		`{"status": "success", "data": {"resultType": "matrix", "result": [{"values": [[1]]}]}}`: "Prometheus: ",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			if q.Method != http.MethodPost || q.URL.Path != "/api/v1/query_range" || q.FormValue("query") != "up" ||
				q.FormValue("start") != "1435781430.781" || q.FormValue("end") != "1435781460.781" ||
				q.FormValue("step") != "15.000" {
				t.Errorf("%s %s %v", q.Method, q.URL, q.Form)
			}
			fmt.Fprint(w, answer)
		}))
		client, err := New(server.Client(), server.URL, "")
		if err != nil {
			t.Fatal(err)
		}
		from := time.UnixMilli(1435781430781)
		got, err := client.Range(context.Background(), "up", from, from.Add(30*time.Second), 15*time.Second)
		server.Close()
		var told []string
		for _, s := range got {
			for _, p := range s.Points {
				told = append(told, fmt.Sprint(s.Labels["instance"], " ", p.At.UnixMilli(), " ", p.Value))
			}
		}
		text := strings.Join(told, ", ")
		if err == nil && text != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s, %v", answer, text, err)
		}
	}
}
