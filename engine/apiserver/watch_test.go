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
