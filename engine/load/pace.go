package load

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"
)

// clock says when the next request is due. Requests that are late don't move those behind them: a
// server that hesitates is then seen in the times from when they were due.
type clock struct {
	mu       sync.Mutex
	next     time.Time
	interval time.Duration
	draw     *rand.Rand // nil keeps the interval equal
	// takers ask for requests, of which held hold themselves back; still is since when all do, stood for how
	// long they have.
	takers, held int
	still        time.Time
	stood        time.Duration
}

func newClock(interval time.Duration, draw *rand.Rand) *clock {
	return &clock{interval: interval, draw: draw}
}

// due is when the next request is to be sent; the first at once, and without an interval each.
func (c *clock) due(now time.Time) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.interval <= 0 {
		return now
	}
	if c.next.IsZero() {
		c.next = now
	}
	due := c.next
	step := c.interval
	if c.draw != nil {
		step = time.Duration(c.draw.ExpFloat64() * float64(c.interval))
	}
	c.next = due.Add(step)
	return due
}

// change the number of those who take requests, and of those of them who hold back. While all do the clock
// stands still: what the run does not send by its own rule is not late. Requests that were late before are as
// late behind it, and those that were not due yet stay.
func (c *clock) change(takers, held int, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	stands := c.takers > 0 && c.held == c.takers
	c.takers, c.held = c.takers+takers, c.held+held
	switch will := c.takers > 0 && c.held == c.takers; {
	case will && !stands:
		c.still = now
	case stands && !will && !c.next.IsZero():
		from := c.still
		if c.next.After(from) {
			from = c.next
		}
		if late := now.Sub(from); late > 0 {
			c.next = c.next.Add(late)
			c.stood += late
		}
	}
}

// stoodFor is how long the clock stood still while a request was due.
func (c *clock) stoodFor() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stood
}

// restart the clock: the next is due when it is asked for, and not when those before it would have had it.
func (c *clock) restart() {
	c.mu.Lock()
	c.next = time.Time{}
	c.mu.Unlock()
}

// errInterrupted says in words what context.Canceled does in others.
var errInterrupted = errors.New("it was interrupted")

// Interrupted is an error for people: where it is only that a context was cancelled, that it was interrupted.
func Interrupted(err error) error {
	if errors.Is(err, context.Canceled) {
		return errInterrupted
	}
	return err
}
