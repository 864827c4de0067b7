package load

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// syncServer lets all pods begin at one moment and knows when all are done: a request of /start is
// held until as many have come as there are pods, then all are answered; requests of /stop are counted.
// (The server of the original answers at once, and can't be asked to stop.)
type syncServer struct {
	start, stop *gate
	http        *http.Server
	address     string
}

// gate is open when enough have come.
type gate struct {
	mu    sync.Mutex
	came  int
	want  int
	opens chan struct{}
}

func newGate(want int) *gate { return &gate{want: want, opens: make(chan struct{})} }

func (g *gate) arrive() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.came++; g.came == g.want {
		close(g.opens)
	}
}

// leave a gate that is closed: who comes again is counted again.
func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.came < g.want {
		g.came--
	}
}

// Wait until the gate is open; the error says how many have come.
func (g *gate) Wait(ctx context.Context, timeout time.Duration, path string) error {
	if timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, timeout)
		defer stop()
	}
	select {
	case <-g.opens:
		return nil
	case <-ctx.Done():
		g.mu.Lock()
		defer g.mu.Unlock()
		return fmt.Errorf("%d of %d pods have called %s of the sync server: %w", g.came, g.want, path, ctx.Err())
	}
}

// serve begins to answer at a host and port for so many pods.
func serve(host string, port, pods int) (*syncServer, error) {
	s := &syncServer{start: newGate(pods), stop: newGate(pods)}
	mux := http.NewServeMux()
	mux.HandleFunc("/start", func(w http.ResponseWriter, q *http.Request) {
		s.start.arrive()
		select {
		case <-s.start.opens:
			fmt.Fprintln(w, "start")
		case <-q.Context().Done():
			s.start.leave()
		}
	})
	mux.HandleFunc("/stop", func(w http.ResponseWriter, _ *http.Request) {
		s.stop.arrive()
		fmt.Fprintln(w, "stop")
	})
	listener, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return nil, err
	}
	s.address = listener.Addr().String()
	s.http = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.http.Serve(listener) }() // until it is closed
	return s, nil
}

func (s *syncServer) close() { _ = s.http.Close() }

// syncServed starts the server that the configuration asks for; nil where it asks for none.
func (r *run) syncServed() (*syncServer, error) {
	c := r.work.Sync
	if c == nil || !c.Server.Enabled {
		return nil, nil
	}
	port := c.Server.Port
	if port == 0 {
		port = defaultSyncPort
	}
	return serve(r.opt.SyncHost, port, r.work.Pods())
}

// defaultSyncPort is that of OCP table 5.7.
const defaultSyncPort = 9090

// passed waits until all pods have begun and ended.
func (s *syncServer) passed(ctx context.Context, timeout time.Duration) error {
	if err := s.start.Wait(ctx, timeout, "/start"); err != nil {
		return err
	}
	return s.stop.Wait(ctx, timeout, "/stop")
}
