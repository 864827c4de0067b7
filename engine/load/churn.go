package load

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"plimsoll.dev/engine/apiserver"
	"plimsoll.dev/loadmodel"
)

// What churn deletes and makes anew.
const (
	// ChurnObjects are the items, each by itself.
	ChurnObjects = "objects"
	// ChurnNamespaces are the namespaces that the run has made, with all that is in them.
	ChurnNamespaces = "namespaces"
)

// Churn deletes and makes anew a share of what was made, in cycles.
type Churn struct {
	// Mode is ChurnObjects or ChurnNamespaces.
	Mode string `json:"mode"`
	// Share of the items or namespaces, above 0 to 1; 0 is no churn.
	Share  float64 `json:"share"`
	Cycles int     `json:"cycles"`
	// Delay between two cycles.
	Delay time.Duration `json:"delay"`
}

// slot is one item of the work.
type slot struct {
	namespace string
	batch     *loadmodel.Batch
	item      int
}

// churn goes through the cycles.
func (r *run) churn(ctx context.Context) error {
	if r.opt.Churn.Share <= 0 {
		return nil
	}
	r.churning.Store(true)
	from, items, err := time.Now(), 0, error(nil)
	if r.opt.Churn.Mode == ChurnNamespaces {
		items, err = cycles(ctx, r, r.made(), r.anew)
	} else {
		slots, unnamed, failed := r.slots()
		if r.unchurned = unnamed; failed != nil {
			return failed
		}
		items, err = cycles(ctx, r, slots, r.renew)
	}
	r.churning.Store(false)
	r.phase("churn", from, items)
	return err
}

// cycles take other ones each time, drawn from the seed; the next begins when all is ready again. They
// return how many were taken in all.
func cycles[T any](ctx context.Context, r *run, all []T, renew func(context.Context, []T) error) (int, error) {
	c := r.opt.Churn
	draw := rand.New(rand.NewPCG(r.opt.Seed, 1))
	n := min(len(all), max(1, int(c.Share*float64(len(all))+0.5)))
	for cycle := range c.Cycles {
		if cycle > 0 {
			if err := apiserver.Wait(ctx, time.Now().Add(c.Delay)); err != nil {
				return n * cycle, err
			}
		}
		taken := draw.Perm(len(all))[:n]
		slices.Sort(taken)
		var these []T
		for _, i := range taken {
			these = append(these, all[i])
		}
		if err := renew(ctx, these); err != nil {
			return n * cycle, err
		}
		if err := r.settle(ctx); err != nil {
			return n * cycle, err
		}
	}
	return n * c.Cycles, nil
}

// made are the namespaces that the run has made.
func (r *run) made() []*loadmodel.Namespace {
	return slices.DeleteFunc(r.all(), func(n *loadmodel.Namespace) bool { return slices.Contains(r.reused, n.Name) })
}

// anew deletes namespaces with all that is in them, waits until they are gone, and makes them again.
func (r *run) anew(ctx context.Context, these []*loadmodel.Namespace) error {
	names := map[string]bool{}
	for _, n := range these {
		names[n.Name] = true
		r.pods.leave(n.Name)
		r.planned.leave(n.Name)
	}
	_, err := r.takeAway(ctx, taking{selector: r.ofRun(), names: names, measured: true, bound: true})
	if err != nil {
		return err
	}
	r.clock.restart()
	return r.fill(ctx, these)
}

// renew deletes items and makes them again.
func (r *run) renew(ctx context.Context, these []slot) error {
	if err := r.each(ctx, these, r.remove); err != nil {
		return err
	}
	r.clock.restart()
	return r.each(ctx, these, func(ctx context.Context, s slot) error {
		return r.item(ctx, s.namespace, s.batch, s.item, time.Time{}, &counter{})
	})
}

// slots are all items that can be named, and the number of others: those whose names the server makes can't be
// deleted one by one.
func (r *run) slots() (named []slot, unnamed int, err error) {
	for i := range r.work.Namespaces {
		n := &r.work.Namespaces[i]
		for j := range n.Batches {
			b := &n.Batches[j]
			objects, err := b.Item(0) // names of the others are made in the same way
			if err != nil {
				return nil, 0, err
			}
			if slices.ContainsFunc(objects, func(o loadmodel.Object) bool { return o.Name == "" }) {
				unnamed += b.Count
				continue
			}
			for k := range b.Count {
				named = append(named, slot{n.Name, b, k})
			}
		}
	}
	return named, unnamed, nil
}

// each does something with the slots, as many at once as requests may be under way.
func (r *run) each(ctx context.Context, these []slot, do func(context.Context, slot) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var running sync.WaitGroup
	for _, s := range these {
		select {
		case r.requests <- struct{}{}:
		case <-ctx.Done():
			running.Wait()
			return context.Cause(ctx)
		}
		running.Go(func() {
			defer func() { <-r.requests }()
			if err := do(ctx, s); err != nil {
				stop(err)
			}
		})
	}
	running.Wait()
	return context.Cause(ctx)
}

// remove deletes the objects of an item and waits until they are gone.
func (r *run) remove(ctx context.Context, s slot) error {
	objects, err := s.batch.Item(s.item)
	if err != nil {
		return err
	}
	for _, o := range slices.Backward(objects) {
		c := r.choices[kindKey{o.APIVersion, o.Kind}]
		if c.how == skipped || o.Name == "" {
			continue
		}
		if c.how == converted {
			o = c.into.Object(o)
		}
		if r.rule(c) != nil {
			r.planned.drop(s.namespace, o)
		}
		if err := r.removeOne(ctx, c.resource, s.namespace, o); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) removeOne(ctx context.Context, resource apiserver.Resource, namespace string, o loadmodel.Object) error {
	path := resource.Path(namespace) + "/" + o.Name
	began := time.Now()
	if o.Kind == "Pod" {
		r.pods.drop(namespace, o.Name)
	}
	if err := r.delete(ctx, path); err != nil {
		return err
	}
	r.called("delete/"+resource.Name, time.Since(began))
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		text, err := r.client.Do(ctx, apiserver.Request{Method: http.MethodGet, Path: path})
		switch code := apiserver.Code(err); {
		case code == http.StatusNotFound:
			r.called("gone/"+resource.Name, time.Since(began))
			r.went()
			return nil
		case err != nil && apiserver.Final(code):
			return err
		}
		if err := r.stuck(began, path, text); err != nil {
			return err
		}
		if err := apiserver.Wait(ctx, time.Now().Add(pause)); err != nil {
			return err
		}
	}
}

// went notes that something which was deleted is gone.
func (r *run) went() {
	r.news.mu.Lock()
	r.news.lastGone = time.Now()
	r.news.mu.Unlock()
}

// stuck is the error of what was deleted and is still there though nothing else has gone for as long as patience, or
// for longer than the timeout, or nil. The object, where it is known, says which finalizers hold it.
func (r *run) stuck(began time.Time, path string, object []byte) error {
	r.news.mu.Lock()
	last := r.news.lastGone
	r.news.mu.Unlock()
	if last.Before(began) {
		last = began
	}
	if (r.opt.Timeout <= 0 || time.Since(began) < r.opt.Timeout) &&
		(r.opt.Patience <= 0 || time.Since(last) < r.opt.Patience) {
		return nil
	}
	err := fmt.Errorf("%s was deleted %s ago and is still there", path, time.Since(began).Round(time.Second/10))
	var o struct{ Metadata struct{ Finalizers []string } }
	if json.Unmarshal(object, &o) == nil {
		held := slices.DeleteFunc(o.Metadata.Finalizers, func(f string) bool { return f == "foregroundDeletion" })
		if len(held) > 0 { // beside what every deletion in the foreground has
			err = fmt.Errorf("%w: the finalizer %s holds it", err, strings.Join(held, ", "))
		}
	}
	return err
}
