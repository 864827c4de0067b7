package routermeter

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"plimsoll.dev/bench"
	"plimsoll.dev/bench/measure"
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
	// Wait is how long connections may take to open before the sample begins without those that did not, and how long
	// answers are waited for when its window is over: those that take longest would be left out otherwise.
	Wait time.Duration `json:"wait"`
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
	// Silent are connections without a single answer, and Waiting requests that were due and not sent
	// when the sample ended.
	Silent  int          `json:"silent"`
	Waiting float64      `json:"waiting"`
	Before  measure.Spin `json:"before"`
	After   measure.Spin `json:"after"`
}

// collectAt is how much a heap grows before garbage is collected, in percent: handshakes leave much of it.
const collectAt = 800

// gate is where the loops wait for each other, until all have opened their connections.
type gate struct {
	ready    chan bool
	open     chan bool
	from, to time.Time
}

// generate a sample; begun is told when it begins.
func generate(s sample, begun func() error) (result, error) {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(collectAt))
	r := result{Times: &bench.Histogram{}, Before: ends.Work()}
	n := min(runtime.NumCPU(), s.Connections)
	ends.Spare(n)
	ended, all := make(chan error, n), []*generator{}
	door, patience := &gate{ready: make(chan bool, n), open: make(chan bool)}, time.Now().Add(s.Wait)
	for i := range n {
		g := &generator{sample: s, gate: door, patience: patience, share: (s.Connections + n - 1 - i) / n,
			caches: tls.NewLRUClientSessionCache(2 * len(s.Targets)), first: i, step: n,
			paths: time.Now().UnixMicro()}
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
	// busy are the lines whose request has no answer yet.
	tried    int
	busy     int
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
	// paths is the last number of a path; one sample begins behind the other.
	paths int64
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
		x := &line{generator: g, in: incoming{buffer: make([]byte, bufferSize)}}
		x.route = (g.first + i*g.step) * len(g.Targets) / g.Connections // all over the routes, be they more or fewer
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
		if g.busy == 0 {
			return 0
		}
		if !now.Before(g.to.Add(g.Wait)) {
			g.unanswered()
			return 0
		}
		return 10 * time.Millisecond
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
func (g *generator) counts(now time.Time) bool {
	return g.begun && !now.Before(g.from) && now.Before(g.to)
}

// done counts a request that was meant in the window.
func (g *generator) done(began, now time.Time) {
	if g.counts(began) {
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

// unanswered requests of connections that are not silent have failed.
func (g *generator) unanswered() {
	for _, x := range g.lines {
		if x.asking && !x.silent() {
			g.failures++
			g.failure = cmp.Or(g.failure, fmt.Sprintf("no answer from %s %v after the sample", g.Targets[x.route].Host, g.Wait))
		}
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
		if x.silent() {
			r.Silent++
		}
	}
	if g.every > 0 && g.next.Before(g.to) {
		r.Waiting += float64(g.to.Sub(g.next) / g.every)
	}
}
