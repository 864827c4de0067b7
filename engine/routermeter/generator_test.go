//go:build linux

package routermeter

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plimsoll.dev/bench/router"
)

// alone starts back ends in this process, for a generator without a router between them.
func alone(t *testing.T) (plain, secure string) {
	t.Helper()
	certificate, err := Certificate(router.ECDSA)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	at, ended := make(chan [2]string), make(chan error)
	go func() {
		ended <- back(ctx, serve{Page: 3000, Certificate: certificate}, func(p, s string) { at <- [2]string{p, s} })
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	got := <-at
	return got[0], got[1]
}

func one(t *testing.T, s sample) result {
	t.Helper()
	r, err := generate(s, func() error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var brief = sample{Connections: 6, Warmup: 20 * time.Millisecond, Duration: 100 * time.Millisecond,
	TLS: tls.VersionTLS13, Resume: true, Wait: usualWait}

// Pages come whole, on connections that stay and on others, with and without TLS, resumed and not.
func TestGenerator(t *testing.T) {
	plain, secure := alone(t)
	for _, tt := range []struct {
		name        string
		tls, close  bool
		resume      bool
		version     uint16
		least, most float64 // handshakes of a request
	}{
		{"plain", false, false, false, 0, 0, 0}, {"plain, close", false, true, false, 0, 0, 0},
		{"TLS", true, false, true, tls.VersionTLS13, 0, 0}, {"TLS, close", true, true, true, tls.VersionTLS13, 0.7, 1.5},
		{"TLS 1.2, close", true, true, true, tls.VersionTLS12, 0.7, 1.5},
		{"TLS, close, no resumption", true, true, false, tls.VersionTLS13, 0.7, 1.5},
	} {
		s := brief
		s.Close, s.Resume, s.TLS, s.NewPaths = tt.close, tt.resume, tt.version, tt.close
		for i := range 3 {
			s.Targets = append(s.Targets, Target{plain, fmt.Sprintf("h%d.example.com", i), "/", tt.tls})
			if tt.tls {
				s.Targets[i].Address = secure
			}
		}
		r := one(t, s)
		each := r.Bytes / max(1, r.Transactions)
		if r.Transactions < 10 || r.Failed > 0 || r.Silent > 0 || each < 3000 || each > 3600 ||
			r.Times.N() != int64(r.Transactions) {
			t.Errorf("%s: %+v", tt.name, r)
		}
		share := r.Handshakes / r.Transactions
		if share < tt.least || share > tt.most || tt.close && tt.resume != (r.Resumed > r.Handshakes/2) {
			t.Errorf("%s: %v of %v handshakes resumed, %v requests", tt.name, r.Resumed, r.Handshakes, r.Transactions)
		}
	}
}

// stalling serves pages, and stands still once for a time.
func stalling(t *testing.T, after int64, still time.Duration) string {
	var n atomic.Int64
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if n.Add(1) == after {
			time.Sleep(still)
		}
		w.Write([]byte("x"))
	})}
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
	return l.Addr().String()
}

// Where requests are meant at times, those that a standstill delays are late from when they were meant. A
// generator that waits for answers sees one of them only.
func TestIntended(t *testing.T) {
	s := brief
	s.Connections, s.Warmup, s.Duration = 1, 0, 400*time.Millisecond
	for _, rate := range []float64{0, 1000} {
		s.Rate = rate
		s.Targets = []Target{{Address: stalling(t, 100, 150*time.Millisecond), Host: "h", Path: "/"}}
		r := one(t, s)
		p90 := r.Times.Summary().P90.Value
		if rate == 0 && p90 > 50*time.Millisecond || rate > 0 && p90 < 80*time.Millisecond {
			t.Errorf("at %v a second p90 is %v of %v", rate, p90, r.Transactions)
		}
		if rate > 0 && (r.Transactions > 410 || r.Transactions+r.Waiting < 390) {
			t.Errorf("%v requests, %v waiting", r.Transactions, r.Waiting)
		}
	}
}

// A rate that is more than there can be is not kept, and says so; at a low one, connections without work are no fault.
func TestRates(t *testing.T) {
	s := brief
	s.Connections, s.Rate = 1, 500_000
	plain, _ := alone(t)
	s.Targets = []Target{{Address: plain, Host: "h", Path: "/"}}
	if r := one(t, s); r.Waiting < 1000 {
		t.Errorf("%+v", r)
	}
	s.Connections, s.Rate, s.Duration = 50, 100, 150*time.Millisecond
	if r := one(t, s); r.Waiting > 6 || r.Silent > 0 || r.Transactions+r.Waiting < 12 || r.Transactions > 17 {
		t.Errorf("%+v", r)
	}
}

// Failures are counted, and do not end the sample; a connection that is closed after an answer is opened again.
func TestFailures(t *testing.T) {
	for text, want := range map[string]string{
		"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n": "h answers 503",
		"": "closed the connection without an answer",
		"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n": "",
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				http.ReadRequest(bufio.NewReader(c))
				c.Write([]byte(text))
				c.Close()
			}
		}()
		s := brief
		s.Targets = []Target{{Address: l.Addr().String(), Host: "h", Path: "/"}}
		r := one(t, s)
		l.Close()
		if want == "" && (r.Failed > 0 || r.Transactions < 5) || want != "" && (r.Failed < 1 || !strings.Contains(r.Failure,
			want)) {
			t.Errorf("%q: %+v", text, r)
		}
	}
	s := brief
	s.Targets = []Target{{Address: "127.0.0.1:1", Host: "h", Path: "/"}}
	if r := one(t, s); r.Failed < 1 || !strings.Contains(r.Failure, "refused") || r.Silent != s.Connections {
		t.Errorf("%+v", r)
	}
}

// slowly accepts connections.
type slowly struct{ net.Listener }

func (l slowly) Accept() (net.Conn, error) {
	time.Sleep(60 * time.Millisecond)
	return l.Listener.Accept()
}

// A sample begins when all connections are open, which their warm-up needs no time for.
func TestOpening(t *testing.T) {
	certificate, err := Certificate(router.ECDSA)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair([]byte(certificate), []byte(certificate))
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	page := func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("x")) }
	server := &http.Server{Handler: http.HandlerFunc(page)}
	go server.Serve(tls.NewListener(slowly{l}, &tls.Config{Certificates: []tls.Certificate{pair}}))
	t.Cleanup(func() { server.Close() })
	s := brief
	s.Warmup, s.Targets = 0, []Target{{Address: l.Addr().String(), Host: "h", Path: "/", TLS: true}}
	if r := one(t, s); r.Handshakes > 0 || r.Silent > 0 || r.Transactions < 20 {
		t.Errorf("%+v", r)
	}
}

// hanging answers so many requests, and none after them.
func hanging(t *testing.T, answered int64) string {
	var n atomic.Int64
	over := make(chan bool)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if n.Add(1) > answered {
			<-over
		}
		w.Write([]byte("x"))
	}))
	t.Cleanup(func() {
		close(over)
		s.Close()
	})
	return s.Listener.Addr().String()
}

// A request that never has an answer is a failure: with a rate too, and on a connection that had answers before.
func TestUnanswered(t *testing.T) {
	for _, rate := range []float64{0, 100} {
		s := brief
		s.Rate, s.Wait = rate, 300*time.Millisecond
		s.Targets = []Target{{Address: hanging(t, 5), Host: "h", Path: "/"}}
		if r := one(t, s); r.Failed < 1 || !strings.Contains(r.Failure, "no answer from h") ||
			r.Failed+float64(r.Silent) > float64(s.Connections) {
			t.Errorf("at %v a second: %+v", rate, r)
		}
	}
}

// A new path is one that HAProxy's cache of look-ups can't have, which does not see what follows a question mark.
func TestNewPaths(t *testing.T) {
	var mu sync.Mutex
	seen, asked := map[string]bool{}, 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen[r.URL.Path] = true
		if asked++; !strings.HasPrefix(r.URL.Path, "/page/") || r.URL.RawQuery != "a=b" {
			t.Errorf("asked for %s", r.URL)
		}
		w.Write([]byte("x"))
	}))
	t.Cleanup(server.Close)
	s := brief
	s.NewPaths, s.Targets = true, []Target{{Address: server.Listener.Addr().String(), Host: "h", Path: "/page?a=b"}}
	one(t, s)
	one(t, s)
	mu.Lock()
	defer mu.Unlock()
	if len(seen) < asked || asked < 20 {
		t.Errorf("%d requests for %d paths", asked, len(seen))
	}
}

// Connections are spread over all routes, where these are more too: the last of them cost a router the most.
func TestSpread(t *testing.T) {
	var mu sync.Mutex
	asked := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked[r.Host]++
		w.Write([]byte("x"))
	}))
	t.Cleanup(server.Close)
	s := brief
	for i := range 5 * s.Connections {
		s.Targets = append(s.Targets,
			Target{Address: server.Listener.Addr().String(), Host: fmt.Sprint("h", i), Path: "/"})
	}
	for _, s.Close = range []bool{false, true} {
		clear(asked)
		one(t, s)
		mu.Lock()
		_, first := asked["h0"]
		_, last := asked["h25"]
		want := map[bool]int{false: s.Connections, true: 2 * s.Connections}[s.Close]
		if len(asked) < want || !first || !last {
			t.Errorf("close %v: %v", s.Close, asked)
		}
		mu.Unlock()
	}
}
