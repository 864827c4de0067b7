//go:build linux

package netmeter

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"plimsoll.dev/bench/measure"
	"plimsoll.dev/bench/network"
	"plimsoll.dev/engine/ends"
	"plimsoll.dev/internal/need"
	"plimsoll.dev/unit"
)

func spaces(t *testing.T) {
	t.Helper()
	need.Right(t, Spaces(), "run as root, or by unshare -Ur")
}

func parse(t *testing.T, names ...string) (cells []network.Cell) {
	t.Helper()
	for _, name := range names {
		c, err := network.ParseCell(name)
		if err != nil {
			t.Fatal(err)
		}
		cells = append(cells, c)
	}
	return cells
}

var short = network.Parameters{Repetitions: 2, Duration: 120 * time.Millisecond, Warmup: 30 * time.Millisecond}

// Each place is built, all patterns run there, and the figures keep the laws that they must.
func TestPlaces(t *testing.T) {
	spaces(t)
	for _, name := range network.Places() {
		t.Run(name, func(t *testing.T) {
			place, err := network.Place(name, network.Switches{MTU: 1400, Offloads: true})
			if err != nil {
				t.Fatal(err)
			}
			p := short
			p.Cells = parse(t, "rr-200x1000-1", "rr-1x30000-7", "crr-200x1000-3", "stream-200x1000-2", "stream-3000x0-1")
			one := unit.CPUSetOf(slices.Collect(ends.Allowed().All())[0])
			run, err := Run(t.Context(), Options{Parameters: p, Place: place, ClientCPUs: one, ServerCPUs: one})
			if err != nil {
				t.Fatal(err)
			}
			judge(t, run, one.String())
			for _, h := range run.Ends.Hops {
				wire := name != "workers" || strings.HasPrefix(h.Name, "worker") && strings.HasSuffix(h.Name, " eth0")
				if wire != (h.MTU == 1400) || !wire && h.MTU != 1350 || !slices.Contains(h.Offloads, "tso") {
					t.Errorf("%+v", h)
				}
			}
			if len(run.Ends.Hops) != len(place.Devices()) {
				t.Errorf("%d hops", len(run.Ends.Hops))
			}
		})
	}
}

// judge a run by what holds of any.
func judge(t *testing.T, run *network.Run, pinned string) {
	t.Helper()
	for _, m := range run.Cells {
		if len(m.Repetitions) != 2 {
			t.Fatalf("%s: %d repetitions", m.Name(), len(m.Repetitions))
		}
		for _, r := range m.Repetitions {
			waiting, ok := m.Sampled().Little(r)
			n := float64(m.Connections)
			// What began in the window may end after it; where others have the CPU, what began before it takes long, too.
			late := 0.1 + r.Latency.Max.Seconds()/r.Seconds
			early := r.Disturbed() == "" && waiting < n*(1-late)
			if ok != m.Waits() || ok && (early || waiting > n*(1+late)) {
				t.Errorf("%s: %v connections wait", m.Name(), waiting)
			}
			if r.Throughput() <= 0 || r.Client.Busy() <= 0 || r.Server.Busy() <= 0 || r.Machine.Busy() <= 0 ||
				r.Before == nil || r.Before.CPU <= 0 {
				t.Errorf("%s: %+v", m.Name(), r)
			}
			if ok && float64(r.Histogram.N()) != r.Transactions {
				t.Errorf("%s: %d times of %v transactions", m.Name(), r.Histogram.N(), r.Transactions)
			}
		}
	}
	for _, end := range []network.End{run.Ends.Client, run.Ends.Server} {
		if end.Pinned != pinned || end.Kernel == "" || end.Congestion == "" {
			t.Errorf("%+v", end)
		}
	}
}

// The loopback device needs no rights, and the congestion control is the one that was asked for.
func TestLoopback(t *testing.T) {
	p := short
	p.Cells = parse(t, "rr-1x1-2")
	run, err := Run(t.Context(), Options{Parameters: p, Congestion: "reno"})
	if err != nil {
		t.Fatal(err)
	}
	judge(t, run, "")
	if c, s := run.Ends.Client.Congestion, run.Ends.Server.Congestion; c != "reno" || s != "reno" {
		t.Errorf("congestion control %s of the client, %s of the server", c, s)
	}
}

// Switches change what they say: read back from the kernel, and the route that it takes.
func TestSwitches(t *testing.T) {
	spaces(t)
	for static, by := range map[string]string{"": "10.99.1.2", "out": "10.99.3.2", "both": "10.99.3.2"} {
		place, err := network.Place("external", network.Switches{MTU: 9000, RPS: "1", StaticRoute: static})
		if err != nil {
			t.Fatal(err)
		}
		w, err := Build(t.Context(), place)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(w.Close)
		hops, err := w.Hops()
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hops {
			if h.MTU != 9000 || slices.Contains(h.Offloads, "tso") || slices.Contains(h.Offloads, "gso") || h.RPS != "1" {
				t.Errorf("%+v", h)
			}
		}
		gateway := func(space, to string) (via string) {
			err := w.inside(space, func() error {
				r, err := netlink.RouteGet(net.ParseIP(to))
				if err == nil {
					via = r[0].Gw.String()
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
			return via
		}
		home := map[bool]string{false: "10.99.2.1", true: "10.99.3.1"}[static == "both"]
		if out, back := gateway("worker", place.Address.String()), gateway("server", "10.99.0.2"); out != by || back != home {
			t.Errorf("static route %q: out by %s, back by %s", static, out, back)
		}
	}
}

// fake is a server whose answers take a time that is known.
func fake(t *testing.T, wait func(n int64) time.Duration, used string) netip.AddrPort {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	answers := atomic.Int64{}
	serve := func(c net.Conn) {
		defer c.Close()
		r, first := bufio.NewReader(c), []byte{0}
		if _, err := io.ReadFull(r, first); err != nil {
			return
		}
		for first[0] == controlByte {
			var m map[string]any
			if json.NewDecoder(io.LimitReader(r, 1<<20)).Decode(&m) != nil {
				return
			}
			answer := `{}`
			if m["hello"] != nil {
				answer = `{"hello":{"version":1}}`
			} else if m["end"] != nil {
				answer = used
			}
			if _, err := io.WriteString(c, answer+"\n"); err != nil {
				return
			}
		}
		for {
			d := wait(answers.Add(1))
			if d < 0 {
				return
			}
			time.Sleep(d)
			c.Write([]byte{1})
			if _, err := io.ReadFull(r, first); err != nil {
				return
			}
		}
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serve(c)
		}
	}()
	return netip.MustParseAddrPort(l.Addr().String())
}

const usedNothing = `{"used":{"seconds":1}}`

func against(t *testing.T, server netip.AddrPort, cell string, warmup time.Duration) (measure.Repetition, error) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(stop)
	c, err := connect(ctx, server.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.conn.Close() })
	return c.measure(sample{Cell: parse(t, cell)[0], Warmup: warmup, Duration: 300 * time.Millisecond})
}

// A delay that is known is measured, on one connection and on several.
func TestKnownDelay(t *testing.T) {
	for _, cell := range []string{"rr-1x1-1", "rr-1x1-8"} {
		at := fake(t, func(int64) time.Duration { return 5 * time.Millisecond }, usedNothing)
		r, err := against(t, at, cell, 0)
		if err != nil {
			t.Fatal(err)
		}
		if min, p50 := r.Latency.Min, r.Latency.P50.Value; min < 5*time.Millisecond || p50 > 7*time.Millisecond {
			t.Errorf("%s: from %v, median %v", cell, min, p50)
		}
	}
}

// What is slow at the begin belongs to the warm-up, and counts nowhere.
func TestWarmup(t *testing.T) {
	at := fake(t, func(n int64) time.Duration {
		if n == 1 {
			return 80 * time.Millisecond
		}
		return time.Millisecond
	}, usedNothing)
	r, err := against(t, at, "rr-1x1-1", 150*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if r.Latency.Max >= 80*time.Millisecond || r.Seconds != 0.3 || r.Transactions > 300 {
		t.Errorf("%+v", r)
	}
}

// A transaction that outlasts the window counts with all of its time.
func TestStall(t *testing.T) {
	at := fake(t, func(n int64) time.Duration {
		if n == 5 {
			return 400 * time.Millisecond
		}
		return 10 * time.Millisecond
	}, usedNothing)
	r, err := against(t, at, "rr-1x1-1", 0)
	if err != nil {
		t.Fatal(err)
	}
	if r.Latency.Max < 400*time.Millisecond || r.Histogram.N() != int64(r.Transactions) {
		t.Errorf("%+v", r.Latency)
	}
}

// What ends early, answers nonsense or never answers is told, and never a figure.
func TestFaults(t *testing.T) {
	defer func(p time.Duration) { patience = p }(patience)
	patience = time.Second
	closed := func(n int64) time.Duration {
		if n > 20 {
			return -1
		}
		return time.Millisecond
	}
	for name, c := range map[string]struct {
		server netip.AddrPort
		want   string
	}{
		"closes":  {fake(t, closed, usedNothing), "the server closed it"},
		"silent":  {fake(t, func(int64) time.Duration { return time.Hour }, usedNothing), "got no answer for 1s"},
		"no used": {fake(t, func(int64) time.Duration { return 0 }, `{}`), "does not say what it used"},
		"fault": {fake(t, func(int64) time.Duration { return 0 }, `{"fault":"out of order"}`),
			"the server: out of order"},
	} {
		for _, cell := range []string{"rr-1x1-1", "rr-1x1-2"} { // of which the first waits in the kernel
			if _, err := against(t, c.server, cell, 0); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %s: %v", name, cell, err)
			}
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()
	l.Close()
	if _, err := connect(t.Context(), at); err == nil || !strings.Contains(err.Error(), "bench network server") {
		t.Errorf("nobody listens: %v", err)
	}
	web := httptest.NewServer(http.NotFoundHandler())
	defer web.Close()
	if _, err := connect(t.Context(), web.Listener.Addr().String()); err == nil ||
		!strings.Contains(err.Error(), "is no server of this program") {
		t.Errorf("a web server: %v", err)
	}
}

// A second client is refused while the first one measures, and served after it.
func TestOneClient(t *testing.T) {
	s, err := StartServer(t.Context(), Spot{}, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	first, err := StartClient(t.Context(), Spot{}, s.Address)
	if err != nil {
		t.Fatal(err)
	}
	_, err = StartClient(t.Context(), Spot{}, s.Address)
	if err == nil || !strings.Contains(err.Error(), "somebody else") {
		t.Errorf("%v", err)
	}
	first.Close()
	for range 50 {
		second, again := StartClient(t.Context(), Spot{}, s.Address)
		if err = again; err == nil {
			second.Close()
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Error(err)
}

// A server that anybody may reach is none that garbage ends.
func TestGarbage(t *testing.T) {
	s, err := StartServer(t.Context(), Spot{}, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	huge := `C{"arm":{"cell":{"pattern":"rr","connections":1000000000,"request":-1}}}`
	deep := "C" + strings.Repeat("[", 1<<21)
	for _, text := range []string{"GET / HTTP/1.1\r\n\r\n", "D", "C", "C{", "C{}\n", "Cnull", huge, deep} {
		c, err := net.Dial("tcp", s.Address)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(c, text)
		c.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
		io.ReadAll(c)
		c.Close()
	}
	p := short
	p.Cells = parse(t, "rr-1x1-1")
	if _, err := Run(t.Context(), Options{Parameters: p, Server: s.Address}); err != nil {
		t.Error(err)
	}
}
