//go:build linux

package netmeter

import (
	"context"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll.dev/bench/network"
	"plimsoll.dev/engine/ends"
	"plimsoll.dev/unit"
)

// A message is bounded, and how many there are is not: a long run has thousands.
func TestManyMessages(t *testing.T) {
	in, out := net.Pipe()
	go func() {
		sender := newTalk(in, in)
		for range 2 * maxMessage / 1000 {
			_ = sender.out.Encode(message{Fault: strings.Repeat("x", 1000)})
		}
		_ = sender.out.Encode(message{Fault: strings.Repeat("x", 2*maxMessage)})
		in.Close()
	}()
	reader := newTalk(out, out)
	var m message
	for i := range 2 * maxMessage / 1000 {
		if err := reader.receive(&m); err != nil {
			t.Fatalf("message %d: %v", i, err)
		}
	}
	if err := reader.receive(&m); err == nil || !strings.Contains(err.Error(), "more than a message") {
		t.Errorf("one without an end: %v", err)
	}
}

// A server that is gone ends a sample at once, however long that was to be.
func TestServerGone(t *testing.T) {
	for _, cell := range []string{"rr-1x1-1", "crr-1x1-3", "stream-1x1000-2"} {
		ctx, kill := context.WithCancel(t.Context())
		s, err := StartServer(ctx, Spot{}, "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		c, err := StartClient(t.Context(), Spot{}, s.Address)
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(200*time.Millisecond, kill)
		began := time.Now()
		_, err = c.Measure(parse(t, cell)[0], network.Parameters{Duration: 30 * time.Second}, "")
		if took := time.Since(began); err == nil || took > 15*time.Second {
			t.Errorf("%s: %v after %v", cell, err, took)
		}
		c.Close()
		s.Close()
	}
}

// A client that is gone without closing its connections, as a host without power is, keeps nobody out: also where the
// server has one CPU, whose loop reads of one connection alone.
func TestForsaken(t *testing.T) {
	one := unit.CPUSetOf(slices.Collect(ends.Allowed().All())[0])
	s, err := StartServer(t.Context(), Spot{CPUs: one}, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	c, err := connect(t.Context(), s.Address)
	if err != nil {
		t.Fatal(err)
	}
	cell := parse(t, "rr-1x1-1")[0]
	if _, err := c.ask(message{Arm: &sample{Cell: cell, Duration: 20 * time.Hour}}); err == nil {
		t.Error("a sample of 20 hours is measured")
	}
	if _, err := c.ask(message{Arm: &sample{Cell: cell, Duration: time.Hour}}); err != nil {
		t.Fatal(err)
	}
	data, err := net.Dial("tcp", s.Address)
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	data.Write([]byte{dataByte})
	if _, err := io.ReadFull(data, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	c.conn.Close()
	data.SetReadDeadline(time.Now().Add(5 * time.Second))
	if _, err := data.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the connection of a session that is over: %v", err)
	}
	p := short
	p.Cells = []network.Cell{cell}
	if _, err := Run(t.Context(), Options{Parameters: p, Server: s.Address}); err != nil {
		t.Error(err)
	}
}

// Connections that say nothing are closed, and keep no client from being served.
func TestSilent(t *testing.T) {
	defer func(p time.Duration) { patience = p }(patience)
	patience = 2 * time.Second
	ctx, stop := context.WithCancel(t.Context())
	at, over := make(chan string), make(chan error)
	go func() { over <- Serve(ctx, "127.0.0.1:0", func(address string) { at <- address }) }()
	defer func() { stop(); <-over }()
	address := <-at
	for _, begin := range []string{"", "C"} {
		silent, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer silent.Close()
		io.WriteString(silent, begin)
		time.Sleep(50 * time.Millisecond)
		c, err := connect(t.Context(), address)
		if err != nil {
			t.Fatalf("beside one that says %q: %v", begin, err)
		}
		c.conn.Close()
		silent.SetReadDeadline(time.Now().Add(10 * time.Second))
		if _, err := silent.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("one that says %q: %v", begin, err)
		}
	}
}

// Loops are as many as CPUs may be used at a time: beyond the limit of its control group an end would be throttled,
// and Go's scheduler has that limit at its start.
func TestLimitedCPUs(t *testing.T) {
	t.Setenv("GOMAXPROCS", "1")
	s, err := StartServer(t.Context(), Spot{}, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	c, err := StartClient(t.Context(), Spot{}, s.Address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if c.Ends.Client.CPUs != 1 || c.Ends.Server.CPUs != 1 {
		t.Errorf("%+v", c.Ends)
	}
}
