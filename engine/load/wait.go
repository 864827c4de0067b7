package load

import (
	"context"
	"slices"
	"time"
)

// notReady is the reason of what does not say why it waits.
const notReady = "not ready"

// until waits for a condition that pods and workloads bring about. It ends with an error when a workload
// fails for good, when for as long as patience nothing becomes ready though nothing is at work, when the
// timeout is over, or with the context.
func (r *run) until(ctx context.Context, timeout time.Duration, holds func() bool) error {
	began := time.Now()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	last := began
	for {
		r.news.mu.Lock()
		ok, working, changed := holds(), r.workloads.working > 0, r.news.changed
		if r.news.lastReady.After(last) {
			last = r.news.lastReady
		}
		r.news.mu.Unlock()
		if failed := r.workloads.broken(); failed != nil || ok {
			return failed
		}
		if working { // such as the pods of a Job
			last = time.Now()
		}
		switch {
		case timeout > 0 && time.Since(began) > timeout:
			return &held{"not all became ready within " + timeout.String(), r.heldBy()}
		case r.opt.Patience > 0 && time.Since(last) > r.opt.Patience:
			return &held{"nothing became ready for " + r.opt.Patience.String(), r.heldBy()}
		}
		r.tell("waiting", 0)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		case <-tick.C:
		}
	}
}

// heldBy says what keeps pods and workloads waiting: those first that give a reason, the most frequent
// before others.
func (r *run) heldBy() []Failure {
	all := append(r.pods.held(), r.workloads.held()...)
	slices.SortStableFunc(all, func(a, b Failure) int {
		switch {
		case (a.Reason == notReady) == (b.Reason == notReady):
			return 0
		case a.Reason == notReady:
			return 1
		}
		return -1
	})
	return all
}

// held is a wait that ended without what it waited for.
type held struct {
	what string
	by   []Failure
}

func (h *held) Error() string {
	if len(h.by) == 0 {
		return h.what
	}
	return h.what + ": " + h.by[0].Reason + " (" + h.by[0].Example + ")"
}
