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

// What Prometheus documents: vectors, scalars, errors; and what is none of it.
func TestQuery(t *testing.T) {
	for _, c := range []struct {
		code   int
		answer string
		want   string // the samples, or a part of the error
	}{
		{200, `{"status": "success", "data": {"resultType": "vector", "result": [` +
			`{"metric": {"verb": "POST"}, "value": [1435781451.781, "0.25"]},` +
			`{"metric": {"verb": "GET"}, "value": [1435781451.781, "0.02342115027829309"]},` +
			`{"metric": {"verb": "LIST"}, "value": [1435781451.781, "NaN"]},` +
			`{"metric": {"verb": "PUT"}, "value": [1435781451.781, "+Inf"]}]}}`,
			"[{map[verb:GET] 0.02342115027829309} {map[verb:POST] 0.25}]"},
		{200, `{"status": "success", "data": {"resultType": "vector", "result": []}}`, "[]"},
		{200, `{"status": "success", "data": {"resultType": "scalar", "result": [1435781451.781, "7"]}}`, "[{map[] 7}]"},
		{400, `{"status": "error", "errorType": "bad_data", "error": "parse error at char 3"}`, "parse error at char 3"},
		{200, `{"status": "success", "data": {"resultType": "matrix", "result": []}}`, "answers a matrix"},
		{200, `{"status": "success", "data": {"resultType": "vector", "result": [{"value": [1, "x"]}]}}`, "Prometheus: "},
		{403, "Forbidden", "what answers 403 Forbidden is no Prometheus"},
		{200, "<html>", "is no Prometheus"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			if q.Method != http.MethodPost || q.URL.Path != "/sub/api/v1/query" || q.FormValue("query") != "up" ||
				q.FormValue("time") != "1435781451.781" || q.Header.Get("Authorization") != "Bearer secret" {
				t.Errorf("%s %s %v", q.Method, q.URL, q.Form)
			}
			w.WriteHeader(c.code)
			fmt.Fprint(w, c.answer)
		}))
		client, err := New(server.Client(), server.URL+"/sub/", "secret")
		if err != nil {
			t.Fatal(err)
		}
		got, err := client.Query(context.Background(), "up", time.UnixMilli(1435781451781))
		server.Close()
		if text := fmt.Sprint(got); err != nil && !strings.Contains(err.Error(), c.want) || err == nil && text != c.want {
			t.Errorf("%s: %s, %v", c.answer, text, err)
		}
	}
}

// A token does not go where a server redirects to.
func TestRedirect(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		t.Errorf("the token is %q elsewhere", q.Header.Get("Authorization"))
	}))
	defer other.Close()
	server := httptest.NewTLSServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	client, err := New(server.Client(), server.URL, "secret")
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Query(context.Background(), "up", time.Now())
	if err == nil || !strings.Contains(err.Error(), "what answers 307 Temporary Redirect is no Prometheus") {
		t.Error(err)
	}
}

// A token stays on this machine, or goes encrypted.
func TestNew(t *testing.T) {
	for base, good := range map[string]bool{"http://127.0.0.1:9090": true, "http://localhost:9090": true,
		"https://thanos.example": true, "http://thanos.example": false, "thanos.example": false, "ftp://x": false,
		"": false, "http://127.0.0.1.example": false} {
		if _, err := New(http.DefaultClient, base, "secret"); (err == nil) != good {
			t.Errorf("%s: %v", base, err)
		}
	}
	if _, err := New(http.DefaultClient, "http://thanos.example", ""); err != nil {
		t.Error(err)
	}
}
