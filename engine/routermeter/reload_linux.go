package routermeter

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"plimsoll.dev/bench/router"
	"plimsoll.dev/engine/ends"
	"plimsoll.dev/tune/haproxy"
)

// Reload counts the processes that reloads leave, case by case. What was started for it is gone afterwards.
func Reload(ctx context.Context, o ReloadOptions) (*router.Reloads, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	program, err := haproxyProgram(o.Program)
	if err != nil {
		return nil, err
	}
	certificate, err := Certificate(router.ECDSA, "backend.example.com")
	if err != nil {
		return nil, err
	}
	backEnd, at, err := begin(ctx, ends.Spot{}, errand{Serve: &serve{Page: 1000, Certificate: certificate}})
	if err != nil {
		return nil, err
	}
	defer backEnd.Stop()
	out := &router.Reloads{RunID: time.Now().UTC().Format("20060102-150405"), Setup: o.Setup}
	for i, c := range o.Setup.Cases() {
		x := &reloading{ReloadOptions: o, c: &c, before: i * o.Setup.Reloads, plain: at.Plain, authority: certificate}
		if err := x.all(ctx, program); err != nil {
			return nil, err
		}
		out.HAProxy = x.proxy.version
		out.Cases = append(out.Cases, c)
	}
	return out, nil
}

// reloading is a case under way.
type reloading struct {
	ReloadOptions
	c                *router.ReloadCase
	before           int
	plain, authority string
	proxy            *proxy
	conns            []net.Conn
	living           atomic.Int64
}

func (x *reloading) all(ctx context.Context, program string) (err error) {
	s := router.Default()
	s.Routes, s.Key = x.Setup.Routes, router.ECDSA
	s.HardStop, s.Tunnel = milliseconds(x.c.HardStop), milliseconds(x.c.Tunnel)
	address := func(string) string { return x.plain }
	if x.proxy, err = newProxy(ctx, program, s, ends.Spot{}, address, x.authority); err != nil {
		return err
	}
	defer x.proxy.close()
	defer func() {
		for _, c := range x.conns {
			c.Close()
		}
	}()
	if err := x.proxy.start(ctx); err != nil {
		return err
	}
	for n := range x.Setup.Reloads {
		if x.Progress != nil {
			x.Progress(x.before+n, x.c.Name)
		}
		if err := x.step(ctx); err != nil {
			return fmt.Errorf("%s: %w", x.c.Name, err)
		}
	}
	return nil
}

// milliseconds is a time as HAProxy takes it; empty is none.
func milliseconds(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return fmt.Sprintf("%dms", d.Milliseconds())
}

// step opens connections, reloads, lets an interval pass, and counts.
func (x *reloading) step(ctx context.Context) error {
	for range x.Setup.Connections {
		if err := x.open(ctx); err != nil {
			return err
		}
	}
	began := time.Now()
	if err := x.proxy.start(ctx); err != nil {
		return err
	}
	s := router.Step{Took: time.Since(began), Opened: len(x.conns)}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(began.Add(x.Setup.Interval))):
	}
	s.Connections = int(x.living.Load())
	for _, c := range append(x.proxy.living(), x.proxy.newest) {
		s.Processes++
		s.Memory += memory(c.pid)
	}
	x.c.Steps = append(x.c.Steps, s)
	return nil
}

// open a WebSocket on one of the plain routes.
func (x *reloading) open(ctx context.Context) error {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", x.proxy.layout.HTTP)
	if err != nil {
		return err
	}
	c.SetDeadline(time.Now().Add(patienceStart))
	host := haproxy.Host(1, 1+len(x.conns)%x.Setup.Routes)
	x.conns = append(x.conns, c)
	if _, err := fmt.Fprintf(c, "GET /socket HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %s\r\n\r\n", host, socketKey); err != nil {
		return err
	}
	r := bufio.NewReader(c)
	for line := "-"; line != "\r\n"; {
		if line, err = r.ReadString('\n'); err != nil {
			return fmt.Errorf("%s does not become a WebSocket: %w", host, err)
		}
		if strings.HasPrefix(line, "HTTP/") && !strings.Contains(line, " 101 ") {
			return fmt.Errorf("%s does not become a WebSocket: %s", host, strings.TrimSpace(line))
		}
	}
	c.SetDeadline(time.Time{})
	x.living.Add(1)
	go func() {
		defer x.living.Add(-1)
		io.Copy(io.Discard, r)
	}()
	if x.c.Active {
		go func() {
			for range time.Tick(min(x.Setup.Interval, x.Setup.Tunnel) / 4) {
				if _, err := c.Write([]byte("x")); err != nil {
					return
				}
			}
		}()
	}
	return nil
}

// memory of a process in bytes, its part of what it shares; 0 where that can't be read.
func memory(pid int) float64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	for line := range bytes.Lines(text) {
		if f := bytes.Fields(line); len(f) > 1 && string(f[0]) == "Pss:" {
			n, _ := strconv.ParseFloat(string(f[1]), 64)
			return n * 1024
		}
	}
	return 0
}
