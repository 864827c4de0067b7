package main

import (
	"context"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// fault is what befalls a client of the API server.
type fault string

// The faults. Leases are spared by none of them but for conflicts, which would be a lease that another one holds.
const (
	none      fault = ""
	away      fault = "the API server is away"
	frozen    fault = "the API server is frozen"
	cut       fault = "watches are closed each half second"
	conflicts fault = "each second write conflicts"
	busy      fault = "each second request is too many"
	lost      fault = "answers to writes are lost"
	ahead     fault = "the clock is ten minutes ahead"
	behind    fault = "the clock is ten minutes behind"
	// These befall the client itself.
	isStopped fault = "it is stopped for a while"
	isKilled  fault = "it is killed"
)

// faulty stands between one client and the API server.
type faulty struct {
	*httptest.Server
	proxy *httputil.ReverseProxy
	// deletes is told of each machine before the request goes on.
	deletes func(machine string)

	mu    sync.Mutex
	fault fault
	over  context.Context // ends with the fault
	end   context.CancelFunc
	asked int
	met   map[fault]int // the requests, watches or answers that a fault changed
}

// newFaulty is one without a fault, until the test's end.
func newFaulty(t *testing.T, to *rest.Config, deletes func(string)) *faulty {
	t.Helper()
	transport, err := rest.TransportFor(&rest.Config{Host: to.Host,
		// The client's own account goes on.
		TLSClientConfig: rest.TLSClientConfig{CAFile: to.CAFile, CAData: to.CAData, Insecure: to.Insecure}})
	if err != nil {
		t.Fatal(err)
	}
	server, err := url.Parse(to.Host)
	if err != nil {
		t.Fatal(err)
	}
	f := &faulty{deletes: deletes, met: map[fault]int{}}
	f.over, f.end = context.WithCancel(t.Context())
	f.proxy = &httputil.ReverseProxy{Transport: transport, FlushInterval: -1, ModifyResponse: f.answered,
		Rewrite:      func(r *httputil.ProxyRequest) { r.SetURL(server) },
		ErrorLog:     log.New(io.Discard, "", 0),
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }}
	f.Server = httptest.NewUnstartedServer(f)
	f.Config.ErrorLog = log.New(io.Discard, "", 0)
	f.StartTLS() // else no token is sent
	t.Cleanup(func() { f.CloseClientConnections(); f.Close() })
	return f
}

// set another fault.
func (f *faulty) set(to fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.end()
	f.fault = to
	f.over, f.end = context.WithCancel(context.Background())
}

func (f *faulty) now() (of fault, over context.Context, second bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	return f.fault, f.over, f.asked%2 == 0
}

// meets counts.
func (f *faulty) meets(of fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.met[of]++
}

// meetings are how often a fault has changed something.
func (f *faulty) meetings(of fault) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.met[of]
}

// ServeHTTP is what [http.Handler] demands.
func (f *faulty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	of, over, second := f.now()
	write := r.Method != http.MethodGet && !strings.Contains(r.URL.Path, "/leases/")
	switch {
	case of == away:
		f.meets(of)
		panic(http.ErrAbortHandler)
	case of == frozen:
		f.meets(of)
		select {
		case <-over.Done():
		case <-r.Context().Done():
		}
		panic(http.ErrAbortHandler)
	case of == conflicts && write && second:
		f.meets(of)
		refuse(w, http.StatusConflict, "Conflict")
		return
	case of == busy && second:
		f.meets(of)
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusTooManyRequests, "TooManyRequests")
		return
	}
	if r.Method == http.MethodDelete && strings.Contains(r.URL.Path, "/machines/") {
		f.deletes(path.Base(r.URL.Path))
	}
	if of == lost && write {
		f.proxy.ServeHTTP(httptest.NewRecorder(), r)
		f.meets(of)
		panic(http.ErrAbortHandler)
	}
	if r.URL.Query().Has("watch") {
		f.watched(w, r, of, over)
		return
	}
	f.proxy.ServeHTTP(w, r)
}

// watched goes on until another fault begins or this one ends.
func (f *faulty) watched(w http.ResponseWriter, r *http.Request, of fault, over context.Context) {
	ctx, end := context.WithCancel(r.Context())
	defer end()
	defer context.AfterFunc(over, end)()
	if of == cut {
		defer time.AfterFunc(500*time.Millisecond, func() { f.meets(of); end() }).Stop()
	}
	f.proxy.ServeHTTP(w, r.WithContext(ctx))
}

// answered puts the clock of the answer.
func (f *faulty) answered(r *http.Response) error {
	f.mu.Lock()
	of := f.fault
	f.mu.Unlock()
	by := map[fault]time.Duration{ahead: -10 * time.Minute, behind: 10 * time.Minute}[of]
	if by != 0 {
		f.meets(of)
		r.Header.Set("Date", time.Now().Add(by).UTC().Format(http.TimeFormat))
	}
	return nil
}

// config of a client that meets the faults.
func (f *faulty) config() *rest.Config {
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: f.Certificate().Raw})
	return &rest.Config{Host: f.URL, TLSClientConfig: rest.TLSClientConfig{CAData: ca}}
}

func refuse(w http.ResponseWriter, code int, reason string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"`+reason+`"}`)
}
