package cluster

import (
	"net/http"
	"sync/atomic"
	"time"
)

// MostSkew is how far this machine's clock may be from the API server's for a controller that goes by times.
const MostSkew = 5 * time.Second

// Clock knows how far this machine's clock is ahead of the API server's, by the Date of its answers.
type Clock struct{ skew atomic.Int64 }

// Skew is how far this machine's clock was ahead at the last answer.
func (c *Clock) Skew() time.Duration { return time.Duration(c.skew.Load()) }

// Transport takes note of each answer's Date.
func (c *Clock) Transport(next http.RoundTripper) http.RoundTripper { return noting{c, next} }

type noting struct {
	clock *Clock
	next  http.RoundTripper
}

// WrappedRoundTripper lets client-go reach what is below.
func (n noting) WrappedRoundTripper() http.RoundTripper { return n.next }

// RoundTrip is what [http.RoundTripper] demands.
func (n noting) RoundTrip(r *http.Request) (*http.Response, error) {
	asked := time.Now()
	answer, err := n.next.RoundTrip(r)
	if err != nil {
		return answer, err
	}
	if at, bad := http.ParseTime(answer.Header.Get("Date")); bad == nil {
		n.clock.skew.Store(int64(skewOf(at, asked, time.Now())))
	}
	return answer, nil
}

// skewOf is how far a clock is ahead of a Date, which is cut to the second, that came between two times.
func skewOf(date, asked, answered time.Time) time.Duration {
	switch {
	case asked.After(date.Add(time.Second)):
		return asked.Sub(date.Add(time.Second))
	case answered.Before(date):
		return answered.Sub(date)
	}
	return 0
}
