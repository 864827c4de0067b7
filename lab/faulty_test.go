package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// Each fault befalls what it is about and nothing else, and only that is counted.
func TestFaults(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("watch") {
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}
	}))
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	var on atomic.Int32
	f := newFaulty(t, &rest.Config{Host: server.URL, TLSClientConfig: rest.TLSClientConfig{Insecure: true}},
		func(string) { on.Add(1) })
	for of, want := range map[fault]string{
		none:      "writes map[200:10], 10 of them go on; reads map[200:11]; a watch lasts; clock +0; met 0",
		away:      "writes map[away:10], 0 of them go on; reads map[away:11]; a watch is away; clock +0; met 22",
		frozen:    "writes map[frozen:10], 0 of them go on; reads map[frozen:11]; a watch is frozen; clock +0; met 22",
		cut:       "writes map[200:10], 10 of them go on; reads map[200:11]; a watch ends; clock +0; met 1",
		conflicts: "writes map[200:5 409:5], 5 of them go on; reads map[200:11]; a watch lasts; clock +0; met 5",
		busy:      "writes map[200:5 429:5], 5 of them go on; reads map[200:6 429:5]; a watch is 429; clock +0; met 11",
		lost:      "writes map[away:10], 10 of them go on; reads map[200:11]; a watch lasts; clock +0; met 10",
		ahead:     "writes map[200:10], 10 of them go on; reads map[200:11]; a watch lasts; clock -10; met 22",
		behind:    "writes map[200:10], 10 of them go on; reads map[200:11]; a watch lasts; clock +10; met 22",
	} {
		f.set(of)
		on.Store(0)
		p := probe{f: f, of: of}
		writes, reads := map[string]int{}, map[string]int{}
		for i := range 10 {
			writes[p.asks(http.MethodDelete, fmt.Sprint("/x/machines/", i))]++
		}
		for i := range 11 {
			reads[p.asks(http.MethodGet, fmt.Sprint("/x/machines/", i))]++
		}
		got := fmt.Sprintf("writes %v, %d of them go on; reads %v; a watch %s; clock %+d; met %d", writes, on.Load(), reads,
			p.watch(), p.clock, f.meetings(of))
		if got != want {
			t.Errorf("%s:\n%s\nwant\n%s", of, got, want)
		}
	}
}

// probe is a client that says what became of its requests.
type probe struct {
	f     *faulty
	of    fault
	clock int // the minutes that the last answer's Date was ahead
}

// bounded is a minute, or a tenth of a second from when a request was frozen: until then it may be slow.
func (p *probe) bounded() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	if before := p.f.meetings(frozen); p.of == frozen {
		go func() {
			for p.f.meetings(frozen) == before && ctx.Err() == nil {
				time.Sleep(time.Millisecond)
			}
			time.AfterFunc(100*time.Millisecond, cancel)
		}()
	}
	return ctx, cancel
}

// answer to a request.
func (p *probe) answer(ctx context.Context, method, path string) (*http.Response, string) {
	r, err := http.NewRequestWithContext(ctx, method, p.f.URL+path, nil)
	if err != nil {
		return nil, err.Error()
	}
	answer, err := p.f.Client().Do(r)
	switch {
	case errors.Is(err, context.Canceled):
		return nil, "frozen"
	case err != nil:
		return nil, "away"
	}
	if at, err := http.ParseTime(answer.Header.Get("Date")); err == nil {
		p.clock = int(time.Until(at).Round(time.Minute).Minutes())
	}
	return answer, fmt.Sprint(answer.StatusCode)
}

func (p *probe) asks(method, path string) string {
	ctx, cancel := p.bounded()
	defer cancel()
	answer, what := p.answer(ctx, method, path)
	if answer != nil {
		_ = answer.Body.Close()
	}
	return what
}

// watch says what becomes of one within a second, or of one that is to end within ten.
func (p *probe) watch() string {
	patience := time.Second
	if p.of == cut {
		patience *= 10
	}
	ctx, cancel := p.bounded()
	defer cancel()
	answer, what := p.answer(ctx, http.MethodGet, "/x/machines?watch=true")
	if answer == nil || what != "200" {
		return "is " + what
	}
	defer time.AfterFunc(patience, cancel).Stop()
	if _, _ = io.Copy(io.Discard, answer.Body); ctx.Err() != nil {
		return "lasts"
	}
	return "ends"
}

// A machine that nobody has seen ill must not be deleted, whether it was seen at all or not; one that is gone may be
// deleted again, since an answer may have been lost.
func TestDeletesJudged(t *testing.T) {
	t.Parallel()
	h := &healing{there: map[string]bool{"ill": true, "well": true, "too": true}, gone: map[string]bool{"gone": true},
		ill: map[string]time.Time{"ill": time.Now().Add(-time.Hour)}}
	for name, want := range map[string]int{"well": 1, "unseen": 1, "gone": 0} {
		h.wrong = nil
		if h.deletes(name); len(h.wrong) != want {
			t.Errorf("%s: %v", name, h.wrong)
		}
	}
}
