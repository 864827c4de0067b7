package routermeter

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"runtime"
	"runtime/debug"
	"time"

	"plimsoll.dev/bench"
	"plimsoll.dev/bench/network"
	"plimsoll.dev/engine/ends"
)

// sample is an order to the generator: one repetition of a cell.
type sample struct {
	Targets     []Target      `json:"targets"`
	Connections int           `json:"connections"`
	Close       bool          `json:"close"`
	Rate        float64       `json:"rate"` // requests a second; 0 waits for each answer
	Warmup      time.Duration `json:"warmup"`
	Duration    time.Duration `json:"duration"`
	TLS         uint16        `json:"tls"` // the version; 0 leaves it to the router
	Resume      bool          `json:"resume"`
	NewPaths    bool          `json:"newPaths"`
}

// result of a sample.
type result struct {
	Times        *bench.Histogram `json:"times"`
	Transactions float64          `json:"transactions"`
	Bytes        float64          `json:"bytes"`
	Handshakes   float64          `json:"handshakes"`
	Resumed      float64          `json:"resumed"`
	Failed       float64          `json:"failed"`
	Failure      string           `json:"failure"`
	// Silent are connections without a single answer, and Waiting requests that were due and not answered
	// when the sample ended.
	Silent  int          `json:"silent"`
	Waiting float64      `json:"waiting"`
	Before  network.Spin `json:"before"`
	After   network.Spin `json:"after"`
}

// collectAt is how much a heap grows before garbage is collected, in percent: handshakes leave much of it.
const collectAt = 800

// openPatience is how long connections may take to open before the sample begins without those that did not.
const openPatience = 2 * time.Second

// gate is where the loops wait for each other, until all have opened their connections.
type gate struct {
	ready    chan bool
	open     chan bool
	from, to time.Time
}

// measure a sample; begun is told when it begins.
func measure(s sample, begun func() error) (result, error) {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(collectAt))
	r := result{Times: &bench.Histogram{}, Before: ends.Work()}
	n := min(runtime.NumCPU(), s.Connections)
	ends.Spare(n)
	ended, all := make(chan error, n), []*generator{}
	door, patience := &gate{ready: make(chan bool, n), open: make(chan bool)}, time.Now().Add(openPatience)
	for i := range n {
		g := &generator{sample: s, gate: door, patience: patience, share: (s.Connections + n - 1 - i) / n,
			caches: tls.NewLRUClientSessionCache(2 * len(s.Targets)), first: i, step: n}
		all = append(all, g)
		go func() { ended <- g.run() }()
	}
	for range n {
		<-door.ready
	}
	errs := []error{begun()}
	door.from = time.Now().Add(s.Warmup)
	door.to = door.from.Add(s.Duration)
	close(door.open)
	for range n {
		errs = append(errs, <-ended)
	}
	for _, g := range all {
		g.add(&r)
	}
	r.After = ends.Work()
	return r, errors.Join(errs...)
}

// generator is a loop with its share of the connections.
type generator struct {
	sample
	*gate
	loop  *loop
	share int
	// tried are the lines that have opened their connections, or failed to; begun says that the sample has, and
	// patience when it does without the others.
	tried    int
	begun    bool
	patience time.Time
	caches   tls.ClientSessionCache
	// first and step are the numbers of the connections of this loop among all.
	first, step int
	lines       []*line
	// every is the time between two intended requests, next the intended time of the one that comes next, and
	// idle the lines that wait for one; of a constant rate.
	every time.Duration
	next  time.Time
	idle  []*line

	times                                       bench.Histogram
	count, bytes, handshakes, resumed, failures float64
	failure                                     string
	paths                                       int
}

func (g *generator) run() error {
	l, err := newLoop(g.due)
	if err != nil {
		g.ready <- false
		return err
	}
	g.loop = l
	return l.run(g.begin)
}

// meet the other loops, and begin: with a constant rate, loop i of n has every n-th request.
func (g *generator) meet() {
	g.ready <- true
	<-g.open
	g.begun = true
	now := time.Now()
	if g.Rate > 0 {
		g.every = time.Duration(float64(g.step) / g.Rate * 1e9)
		g.next = now.Add(g.every * time.Duration(g.first) / time.Duration(g.step))
		return
	}
	waiting := g.idle
	g.idle = nil
	for _, x := range waiting {
		x.began, x.ready = now, true
		x.task.resume()
	}
}

// begin all connections.
func (g *generator) begin() {
	for i := range g.share {
		x := &line{generator: g, route: (g.first + i*g.step) % len(g.Targets), in: incoming{buffer: make([]byte, bufferSize)}}
		g.lines = append(g.lines, x)
		g.loop.begin(func(t *task) { x.task = t; x.work() })
	}
}

// due hands requests that are due to lines that wait, and says when the next one is.
func (g *generator) due() time.Duration {
	now := time.Now()
	if !g.begun {
		if g.tried < g.share && now.Before(g.patience) {
			return 10 * time.Millisecond
		}
		g.meet()
	}
	if !now.Before(g.to) {
		return 0
	}
	if g.every == 0 {
		return min(g.to.Sub(now), time.Second/10)
	}
	for !g.next.After(now) && len(g.idle) > 0 {
		x := g.idle[0]
		g.idle = g.idle[1:]
		x.began, x.ready = g.next, true
		g.next = g.next.Add(g.every)
		x.task.resume()
	}
	if len(g.idle) == 0 { // an answer wakes the loop
		return min(g.to.Sub(now), time.Second/10)
	}
	return max(time.Microsecond, min(time.Until(g.next), g.to.Sub(now)))
}

// counts says whether what ends now is in the window.
func (g *generator) counts(now time.Time) bool { return g.begun && !now.Before(g.from) && now.Before(g.to) }

// done counts what was answered in the window.
func (g *generator) done(began, now time.Time) {
	if g.counts(now) {
		g.times.Add(now.Sub(began))
		g.count++
	}
}

// failed counts a request without an answer that is one.
func (g *generator) failed(err error) {
	if g.failure == "" {
		g.failure = err.Error()
	}
	if g.counts(time.Now()) {
		g.failures++
	}
}

// add what the loop has counted.
func (g *generator) add(r *result) {
	r.Times.Merge(&g.times)
	r.Transactions += g.count
	r.Bytes += g.bytes
	r.Handshakes += g.handshakes
	r.Resumed += g.resumed
	r.Failed += g.failures
	if r.Failure == "" {
		r.Failure = g.failure
	}
	for _, x := range g.lines {
		if x.answers == 0 && g.every == 0 { // with a rate, some may have had nothing to do
			r.Silent++
		}
	}
	if g.every > 0 && g.next.Before(g.to) {
		r.Waiting += float64(g.to.Sub(g.next) / g.every)
	}
}

// line is a connection, or one after another.
type line struct {
	*generator
	task    *task
	route   int
	began   time.Time
	ready   bool
	tried   bool
	answers int

	socket  *socket
	conn    net.Conn
	in      incoming
	request []byte
}

// patience after a failure, so that a router that refuses is not asked in a loop without end.
const patience = 10 * time.Millisecond

func (x *line) work() {
	for {
		err := x.turn()
		if errors.Is(err, errOver) {
			x.hangUp()
			return
		}
		if err != nil {
			x.failed(err)
			x.try()
			x.hangUp()
			x.began = time.Time{}
			if x.pause() != nil {
				return
			}
		}
	}
}

// pause lets some time pass.
func (x *line) pause() error {
	for until := time.Now().Add(patience); time.Now().Before(until); {
		x.loop.naps = append(x.loop.naps, nap{until, x.task})
		if err := x.task.wait(); err != nil {
			return err
		}
	}
	return nil
}

// turn is one request: on a connection that stays open, or with one of its own.
func (x *line) turn() error {
	if !x.Close && x.conn == nil { // to open it is no part of the request
		if err := x.open(); err != nil {
			return err
		}
	}
	if err := x.intended(); err != nil {
		return err
	}
	if x.Close {
		if err := x.open(); err != nil {
			return err
		}
	}
	m, err := x.ask()
	if err != nil {
		return err
	}
	if m.status < 200 || m.status > 399 {
		return fmt.Errorf("%s answers %d", x.Targets[x.route].Host, m.status)
	}
	if x.Close {
		if err := x.end(); err != nil {
			return err
		}
		x.route = (x.route + x.Connections) % len(x.Targets)
	}
	now := time.Now()
	x.done(x.began, now)
	x.began = now
	x.answers++
	if !x.Close && m.close {
		x.hangUp()
	}
	return nil
}

// try tells once that the connection is open, or could not be opened.
func (x *line) try() {
	if !x.tried {
		x.tried = true
		x.generator.tried++
	}
}

// intended waits for the request's time, and takes it.
func (x *line) intended() error {
	x.try()
	if x.begun && x.every == 0 {
		if x.began.IsZero() {
			x.began = time.Now()
		}
		return nil
	}
	if x.begun && !x.next.After(time.Now()) && len(x.idle) == 0 { // it is late already: its time counts from when it was due
		x.began, x.next = x.next, x.next.Add(x.every)
		return nil
	}
	for x.idle, x.ready = append(x.idle, x), false; !x.ready; {
		if err := x.task.wait(); err != nil {
			return err
		}
	}
	return nil
}

// open a connection to the route.
func (x *line) open() error {
	to := x.Targets[x.route]
	at, err := netip.ParseAddrPort(to.Address)
	if err != nil {
		return err
	}
	if x.socket, err = x.task.dial(at); err != nil {
		return err
	}
	x.conn = x.socket
	if to.TLS {
		// Who the router is does not matter here, and to find out would be the generator's time.
		c := tls.Client(x.socket, &tls.Config{ServerName: to.name(), InsecureSkipVerify: true, MinVersion: x.TLS,
			MaxVersion: x.TLS, CurvePreferences: []tls.CurveID{tls.X25519, tls.CurveP256}, ClientSessionCache: x.cache()})
		if err := c.Handshake(); err != nil {
			return err
		}
		if x.counts(time.Now()) {
			x.handshakes++
			if c.ConnectionState().DidResume {
				x.resumed++
			}
		}
		x.conn = c
	}
	x.in.from = x.conn
	if !x.Close {
		x.began = time.Now()
	}
	return nil
}

func (x *line) cache() tls.ClientSessionCache {
	if x.Resume {
		return x.caches
	}
	return nil
}

// ask sends the request, and waits for the answer.
func (x *line) ask() (message, error) {
	to := x.Targets[x.route]
	path := to.Path
	if x.NewPaths {
		x.paths++
		path = fmt.Sprintf("%s?%d-%d", path, x.first, x.paths)
	}
	b := append(append(append(x.request[:0], "GET "...), path...), " HTTP/1.1\r\nHost: "...)
	b = append(append(b, to.Host...), "\r\n"...)
	if x.Close {
		b = append(b, "Connection: close\r\n"...)
	}
	x.request = append(b, "\r\n"...)
	if _, err := x.conn.Write(x.request); err != nil {
		return message{}, err
	}
	before := x.in.bytes
	m, err := x.in.read()
	if x.counts(time.Now()) {
		x.bytes += float64(x.in.bytes - before)
	}
	if err == io.EOF {
		err = fmt.Errorf("%s closed the connection without an answer", to.Host)
	}
	return m, err
}

// end waits until the router has closed the connection.
func (x *line) end() error {
	n, err := x.conn.Read(x.in.buffer)
	if errors.Is(err, errOver) {
		return err
	}
	if n > 0 {
		return fmt.Errorf("%s goes on after its answer", x.Targets[x.route].Host)
	}
	x.hangUp()
	return nil
}

func (x *line) hangUp() {
	if x.socket != nil {
		x.socket.Close()
	}
	x.socket, x.conn = nil, nil
}
