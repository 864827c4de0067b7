package apiserver

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func answering(t *testing.T, answer http.HandlerFunc) *Client {
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return New(server.Client(), server.URL)
}

// A server that forgets the list again at once, each time with another token, is not asked without end.
func TestForgetsAgain(t *testing.T) {
	asked := 0
	c := answering(t, func(w http.ResponseWriter, q *http.Request) {
		asked++
		switch {
		case asked > 20:
			w.WriteHeader(http.StatusTeapot)
		case q.FormValue("continue") == "":
			fmt.Fprint(w, `{"metadata": {"continue": "a"}, "items": [{}]}`)
		default:
			w.WriteHeader(http.StatusGone)
			fmt.Fprintf(w, `{"metadata": {"continue": "%d"}}`, asked)
		}
	})
	pages := 0
	_, err := c.Pages(t.Context(), Request{Path: "/api/v1/pods"}, func(Page) error { pages++; return nil })
	if Code(err) != http.StatusGone || pages != 1 || asked != 3 {
		t.Errorf("%v after %d pages and %d requests", err, pages, asked)
	}
}

// A server that does not say how many are left has not one object.
func TestCountUntold(t *testing.T) {
	c := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"metadata": {"continue": "a"}, "items": [{}]}`)
	})
	if n, err := c.Count(t.Context(), "/api/v1/secrets"); err == nil {
		t.Errorf("%d objects", n)
	}
}

// A group that is named and then not known, or an answer that is none of an API server, says nothing of its kinds.
func TestNothingSaid(t *testing.T) {
	for _, known := range []int{http.StatusNotFound, http.StatusOK} {
		c := answering(t, func(w http.ResponseWriter, q *http.Request) {
			if q.URL.Path == "/apis" {
				fmt.Fprint(w, `{"groups": [{"name": "apps", "preferredVersion": {"groupVersion": "apps/v1"}}]}`)
				return
			}
			w.WriteHeader(known)
			fmt.Fprint(w, `{}`)
		})
		if _, there, err := c.Discover().FindIn(t.Context(), "apps", "Deployment"); there || err == nil {
			t.Errorf("%d: %v, %v", known, there, err)
		}
	}
}

// A server that takes a request and never answers it is given up, also by discovery.
func TestNeverAnswers(t *testing.T) {
	before := readCall
	readCall = 50 * time.Millisecond
	t.Cleanup(func() { readCall = before })
	c := answering(t, func(_ http.ResponseWriter, q *http.Request) { <-q.Context().Done() })
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Second)
	defer stop()
	if _, _, err := c.Discover().FindIn(ctx, "apps", "Deployment"); err == nil || ctx.Err() != nil {
		t.Errorf("%v", err)
	}
}

// The account that an address may hold is not shown.
func TestServerWithoutAccount(t *testing.T) {
	if at := New(nil, "https://me:secret@prod.example:6443/k8s").Server(); at != "https://prod.example:6443/k8s" ||
		strings.Contains(at, "secret") {
		t.Error(at)
	}
}
