package apiserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"
)

// A watch that the server has forgotten tells what went meanwhile, with the owners that it had.
func TestGoneWhileNobodyLooked(t *testing.T) {
	const a = `{"metadata": {"name": "a", "namespace": "n", "uid": "1", "ownerReferences": [{"kind": "Job"}]}}`
	const b = `{"metadata": {"name": "b", "namespace": "n", "uid": "2"}}`
	lists := []string{a + "," + b, b}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		switch {
		case q.URL.Query().Get("watch") == "":
			fmt.Fprintf(w, `{"metadata": {"resourceVersion": "5"}, "items": [%s]}`, lists[0])
			lists = lists[1:]
		case len(lists) == 1:
			fmt.Fprintln(w, `{"type": "ERROR", "object": {"code": 410}}`)
		default:
			<-q.Context().Done()
		}
	}))
	defer server.Close()
	ctx, end := context.WithTimeout(context.Background(), 20*time.Second)
	defer end()
	var told []string
	listed := 0
	err := New(server.Client(), server.URL).Watch(ctx, "/api/v1/pods", nil, func() {
		if listed++; listed == 2 {
			end()
		}
	}, func(e Event) {
		var o struct {
			Metadata struct {
				Name            string
				OwnerReferences []struct{ Kind string }
			}
		}
		if err := json.Unmarshal(e.Object, &o); err != nil {
			t.Error(err)
		}
		told = append(told, fmt.Sprint(e.Type, o.Metadata.Name, o.Metadata.OwnerReferences))
	})
	want := []string{"ADDEDa[{Job}]", "ADDEDb[]", "ADDEDb[]", "DELETEDa[{Job}]"}
	if err != nil || listed != 2 || !slices.Equal(told, want) {
		t.Errorf("%v, listed %d times, told %v, want %v", err, listed, told, want)
	}
}

// A watch that breaks off goes on where it was, without a list of all, also when nobody answers for a while.
func TestBrokenOff(t *testing.T) {
	ctx, end := context.WithTimeout(context.Background(), 20*time.Second)
	defer end()
	lists, from := 0, []string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Query().Get("watch") == "" {
			lists++
			fmt.Fprint(w, `{"metadata": {"resourceVersion": "5"}}`)
			return
		}
		switch from = append(from, q.URL.Query().Get("resourceVersion")); len(from) {
		case 1:
			fmt.Fprintln(w, `{"type": "ADDED", "object": {"metadata": {"uid": "1", "resourceVersion": "6"}}}`)
			fmt.Fprint(w, `{"type": "ADDED", "obj`)
			w.(http.Flusher).Flush()
		case 4:
			end()
			return
		}
		panic(http.ErrAbortHandler)
	}))
	defer server.Close()
	err := New(server.Client(), server.URL).Watch(ctx, "/api/v1/pods", nil, func() {}, func(Event) {})
	if want := []string{"5", "6", "6", "6"}; err != nil || lists != 1 || !slices.Equal(from, want) {
		t.Errorf("%v, %d lists, watched from %v, want %v", err, lists, from, want)
	}
}
