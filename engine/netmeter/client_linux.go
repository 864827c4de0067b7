package netmeter

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll.dev/bench"
	"plimsoll.dev/bench/measure"
	"plimsoll.dev/bench/network"
	"plimsoll.dev/engine/ends"
)

// client measures against a server.
type client struct {
	*talk
	conn   net.Conn
	server netip.AddrPort
	there  hello
	here   hello
}

// connect to the server and learn what it is.
func connect(ctx context.Context, address string) (*client, error) {
	dialer := net.Dialer{Timeout: patience}
	dialer.SetMultipathTCP(false)
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("no server answers: %w (start one there with 'plimsoll bench network server')", err)
	}
	c := &client{talk: newTalk(conn, conn), conn: conn, server: conn.RemoteAddr().(*net.TCPAddr).AddrPort(),
		here: whoAmI(conn.RemoteAddr())}
	conn.SetDeadline(time.Now().Add(patience))
	if _, err = conn.Write([]byte{controlByte}); err == nil {
		var answer message
		answer, err = c.ask(message{Hello: &hello{Version: protocolVersion}})
		if _, nonsense := errors.AsType[*json.SyntaxError](err); nonsense || err == nil && answer.Hello == nil {
			err = fmt.Errorf("what answers at %s is no server of this program", address)
		} else if err == nil {
			c.there = *answer.Hello
		}
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return c, nil
}

// measure one sample.
func (c *client) measure(s sample) (measure.Repetition, error) {
	if err := room(s.Cell.Connections); err != nil {
		return measure.Repetition{}, err
	}
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // what a sample leaves is little, and a pause is not the network's
	before := ends.Work()
	c.conn.SetDeadline(time.Now().Add(s.Warmup + s.Duration + 3*patience))
	if _, err := c.ask(message{Arm: &s}); err != nil {
		return measure.Repetition{}, err
	}
	m, err := newMeter(s, c.server)
	if err != nil {
		return measure.Repetition{}, err
	}
	defer m.close()
	m.start()
	here, there, err := c.window(m)
	if err != nil {
		m.failed.Store(true)
	}
	<-m.ended
	if m.err != nil {
		err = m.err
	}
	if err != nil {
		return measure.Repetition{}, err
	}
	after := ends.Work()
	return c.repetition(m, here, *there, before, after), nil
}

// window takes the accounts of both ends at the begin and the end of what is counted.
func (c *client) window(m *meter) (here used, there *used, err error) {
	if err = m.wait(m.from); err == nil {
		_, err = c.ask(message{Begin: true})
	}
	if err != nil {
		return here, nil, err
	}
	before, began := look(), time.Now()
	if err = m.wait(m.to); err != nil {
		return here, nil, err
	}
	here = look().since(before)
	here.Seconds = time.Since(began).Seconds()
	answer, err := c.ask(message{End: true})
	if err == nil && answer.Used == nil {
		err = errors.New("the server does not say what it used")
	}
	return here, answer.Used, err
}

// repetition of what the loops have counted and the ends have used.
func (c *client) repetition(m *meter, here, there used, before, after measure.Spin) measure.Repetition {
	r := measure.Repetition{Seconds: m.sample.Duration.Seconds(), Histogram: &bench.Histogram{}, Before: &before,
		After: &after, Retransmits: here.Retransmits, Drops: here.Drops}
	for _, w := range m.workers {
		r.Histogram.Merge(&w.times)
		r.Transactions += float64(w.transactions)
		r.Bytes += float64(w.bytes)
	}
	cell := m.sample.Cell
	switch {
	case cell.Waits():
		r.Bytes = r.Transactions * float64(cell.Bytes())
		r.Latency = r.Histogram.Summary()
	case cell.Response == 0:
		r.Bytes = float64(there.Bytes) * r.Seconds / there.Seconds
		fallthrough
	default:
		r.Histogram = nil
		r.Transactions = r.Bytes / float64(cell.Bytes())
	}
	client, server := scaled(here.CPU, r.Seconds/here.Seconds), scaled(there.CPU, r.Seconds/there.Seconds)
	machine := scaled(here.Machine, r.Seconds/here.Seconds)
	r.Client, r.Server, r.Machine = &client, &server, &machine
	if c.there.Boot == c.here.Boot {
		both := measure.CPU{User: client.User + server.User, System: client.System + server.System}
		if c.here.countsApart(both, machine) { // each did one half of what the packets of both took
			client.SoftIRQ, server.SoftIRQ = machine.SoftIRQ/2, machine.SoftIRQ/2
		}
	} else {
		other := scaled(there.Machine, r.Seconds/there.Seconds)
		r.ServerMachine = &other
		if c.here.countsApart(client, machine) {
			client.SoftIRQ = machine.SoftIRQ
		}
		if c.there.countsApart(server, other) {
			server.SoftIRQ = other.SoftIRQ
		}
	}
	if !c.together() {
		r.Retransmits += there.Retransmits
		r.Drops += there.Drops
	}
	c.here.End.Congestion, c.there.End.Congestion = m.workers[0].congestion, there.Congestion
	return r
}

// together says whether both ends are in one network namespace, whose counters they share.
func (c *client) together() bool { return c.there.Space == c.here.Space && c.there.Boot == c.here.Boot }

func scaled(c measure.CPU, by float64) measure.CPU {
	return measure.CPU{User: c.User * by, System: c.System * by, SoftIRQ: c.SoftIRQ * by, Steal: c.Steal * by}
}

// meter is the client's side of a sample.
type meter struct {
	sample   sample
	from, to time.Time
	workers  []*worker
	// failed says that a loop has, which ends all; ended is closed when they have ended, with err.
	failed atomic.Bool
	ended  chan struct{}
	err    error
}

// cpus are those that this process may use at a time, by its affinity and the limit of its control group, of which
// Go's scheduler knows at its start: more loops than that would be throttled in the midst of a transaction.
var cpus = runtime.GOMAXPROCS(0)

// newMeter prepares one loop for each CPU that the process may use, each with its share of the connections.
func newMeter(s sample, server netip.AddrPort) (*meter, error) {
	now := time.Now()
	m := &meter{sample: s, ended: make(chan struct{}), from: now.Add(s.Warmup), to: now.Add(s.Warmup + s.Duration)}
	n := min(cpus, s.Cell.Connections)
	conns := &table{}
	for i := range n {
		w := &worker{meter: m, server: server, share: (s.Cell.Connections + n - 1 - i) / n}
		l, err := newLoop(w, conns)
		if err != nil {
			m.close()
			return nil, err
		}
		w.loop = l
		m.workers = append(m.workers, w)
	}
	ends.Spare(n)
	return m, nil
}

// start all loops.
func (m *meter) start() {
	errs := make([]error, len(m.workers))
	var all sync.WaitGroup
	for i, w := range m.workers {
		all.Go(func() { errs[i] = w.run() })
	}
	go func() {
		all.Wait()
		m.err = errors.Join(errs...)
		close(m.ended)
	}()
}

// wait until a time; an error is that the loops have ended before it.
func (m *meter) wait(until time.Time) error {
	select {
	case <-time.After(time.Until(until)):
	case <-m.ended:
		if time.Now().Before(until) {
			return cmp.Or(m.err, errors.New("the connections ended before their time"))
		}
	}
	return nil
}

func (m *meter) close() {
	for _, w := range m.workers {
		unix.Close(w.loop.epoll)
	}
}

// worker is a loop of the client.
type worker struct {
	meter  *meter
	server netip.AddrPort
	loop   *loop
	share  int
	live   int
	err    error

	// congestion control of the first connection.
	congestion string

	times               bench.Histogram
	transactions, bytes int64
	open                map[*conn]bool
}

func (w *worker) run() error {
	w.open = map[*conn]bool{}
	for range w.share {
		if w.begin(&conn{cell: w.meter.sample.Cell}); w.err != nil {
			break
		}
	}
	err := w.loop.run()
	for c := range w.open {
		unix.Close(c.fd)
	}
	w.fail(err)
	return w.err
}

// begin a connection and its first transaction.
func (w *worker) begin(c *conn) {
	c.fd, c.began = -1, time.Now()
	fd, connecting, err := dial(w.server, w.meter.sample)
	if err != nil {
		w.fail(err)
		return
	}
	c.fd, c.connecting = fd, connecting
	w.turn(c)
	if c.cell.Pattern == network.Stream {
		c.out = endless
		if c.cell.Response > 0 {
			c.in, c.out = endless, 1
		}
	}
	if !w.open[c] {
		w.open[c] = true
		w.live++
	}
	if err := w.loop.add(c, unix.EPOLLIN|unix.EPOLLOUT); err != nil {
		w.fail(err)
	}
}

// turn begins a transaction.
func (w *worker) turn(c *conn) { c.out, c.in = c.cell.Request, c.cell.Response }

func (w *worker) fail(err error) {
	if w.err == nil && err != nil {
		w.err = err
		w.meter.failed.Store(true)
	}
}

func (w *worker) due() time.Duration {
	now := time.Now()
	switch {
	case w.meter.failed.Load() || w.live == 0:
		return 0
	case !w.meter.sample.Cell.Waits():
		return w.meter.to.Sub(now)
	case now.After(w.meter.to.Add(patience)):
		w.fail(fmt.Errorf("%d of %d connections got no answer for %v", w.live, w.share, patience))
		return 0
	}
	return time.Second / 4
}

func (w *worker) accept(*loop) {}

// connected begins the first transaction of a connection that stays: to open it is no part of it.
func (w *worker) connected(c *conn) {
	if w.congestion == "" {
		w.congestion = congestion(c.fd)
	}
	if c.cell.Pattern == network.Connect {
		return
	}
	c.began = time.Now()
	if w.share == 1 && c.cell.Pattern == network.RequestResponse {
		w.loop.single = c
	}
}

func (w *worker) received(c *conn, data []byte) bool {
	if c.cell.Pattern == network.Stream {
		w.bytes += int64(len(data)) * w.counts(time.Now())
		return true
	}
	if c.in -= len(data); c.in > 0 || c.cell.Pattern == network.Connect {
		return true
	}
	if !w.done(c) {
		w.live--
		delete(w.open, c)
		w.loop.forget(c)
		unix.Close(c.fd)
		return false
	}
	w.turn(c)
	return w.loop.write(c)
}

// done counts a transaction, and says whether there is time for another. It counts where it began: the one that
// takes longest would be left out otherwise, since it has not ended when the window does.
func (w *worker) done(c *conn) bool {
	now := time.Now()
	if w.counts(c.began) > 0 {
		w.times.Add(now.Sub(c.began))
		w.transactions++
	}
	c.began = now
	return now.Before(w.meter.to) && !w.meter.failed.Load()
}

// counts is 1 for what is done in the window.
func (w *worker) counts(now time.Time) int64 {
	if now.Before(w.meter.from) || !now.Before(w.meter.to) {
		return 0
	}
	return 1
}

func (w *worker) sent(*conn) bool { return true }

func (w *worker) stale(*conn, time.Time) bool { return false }

// ended by the server: that is the end of a transaction that has a connection of its own, and else a fault.
func (w *worker) ended(c *conn, err error) {
	again := false
	switch {
	case err == nil && c.cell.Pattern == network.Connect && c.in == 0:
		again = w.done(c)
	case time.Now().Before(w.meter.to):
		if err == nil {
			err = errors.New("the server closed it")
		}
		w.fail(fmt.Errorf("a connection to %s ended: %w", w.server, err))
	}
	if again {
		w.begin(c)
		return
	}
	w.live--
	delete(w.open, c)
}
