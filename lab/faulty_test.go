package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
)

// Each fault befalls what it is about: of a hundred writes one after the other the half, or all.
func TestFaults(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	asked := 0
	f := newFaulty(t, &rest.Config{Host: server.URL, TLSClientConfig: rest.TLSClientConfig{Insecure: true}},
		func(string) { asked++ })
	for of, want := range map[fault]string{none: "map[200:100]", conflicts: "map[200:50 409:50]",
		busy: "map[200:50 429:50]", away: "map[-1:100]", lost: "map[-1:100]", ahead: "map[200:100]"} {
		f.set(of)
		got := map[int]int{}
		for i := range 100 {
			r, err := http.NewRequest(http.MethodDelete, f.URL+"/x/machines/"+fmt.Sprint(i), strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			answer, err := f.Client().Do(r)
			if err != nil {
				got[-1]++
				continue
			}
			got[answer.StatusCode]++
			_ = answer.Body.Close()
		}
		if text := fmt.Sprint(got); text != want {
			t.Errorf("%s: %s, not %s", of, text, want)
		}
	}
	if asked != 100+50+50+100+100 {
		t.Errorf("%d deletions went on", asked)
	}
}
