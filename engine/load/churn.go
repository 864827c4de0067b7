package load

import (
	"context"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"plimsoll.dev/engine/apiserver"
	"plimsoll.dev/loadmodel"
)

// Churn deletes and makes anew a share of all items, in cycles.
type Churn struct {
	// Share of the items, above 0 to 1; 0 is no churn.
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

// churn goes through the cycles. Each takes other items, drawn from the seed; the next begins when all
// is ready again.
func (r *run) churn(ctx context.Context) error {
	c := r.opt.Churn
	if c.Share <= 0 {
		return nil
	}
	all := r.slots()
	draw := rand.New(rand.NewPCG(r.opt.Seed, 1))
	n := min(len(all), max(1, int(c.Share*float64(len(all))+0.5)))
	from := time.Now()
	for cycle := range c.Cycles {
		if cycle > 0 {
			if err := wait(ctx, time.Now().Add(c.Delay)); err != nil {
				return err
			}
		}
		taken := draw.Perm(len(all))[:n]
		slices.Sort(taken)
		if err := r.each(ctx, all, taken, r.remove); err != nil {
			return err
		}
		if err := r.each(ctx, all, taken, func(ctx context.Context, s slot) error {
			return r.item(ctx, s.namespace, s.batch, s.item, &counter{})
		}); err != nil {
			return err
		}
		if err := r.settle(ctx); err != nil {
			return err
		}
	}
	r.phase("churn", from, n*c.Cycles)
	return nil
}

// slots are all items that can be named; those whose names the server makes can't be deleted one by one.
func (r *run) slots() []slot {
	var out []slot
	for i := range r.work.Namespaces {
		n := &r.work.Namespaces[i]
		for j := range n.Batches {
			for k := range n.Batches[j].Count {
				out = append(out, slot{n.Name, &n.Batches[j], k})
			}
		}
	}
	return out
}

// each does something with the slots taken, as many at once as requests may be under way.
func (r *run) each(ctx context.Context, all []slot, taken []int, do func(context.Context, slot) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var running sync.WaitGroup
	for _, i := range taken {
		select {
		case r.requests <- struct{}{}:
		case <-ctx.Done():
			running.Wait()
			return context.Cause(ctx)
		}
		running.Go(func() {
			defer func() { <-r.requests }()
			if err := do(ctx, all[i]); err != nil {
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
	r.planned.drop(o)
	if err := r.delete(ctx, path); err != nil {
		return err
	}
	r.called("delete/"+resource.Name, time.Since(began))
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		_, err := r.client.Do(ctx, apiserver.Request{Method: http.MethodGet, Path: path})
		switch {
		case apiserver.Code(err) == http.StatusNotFound:
			r.called("gone/"+resource.Name, time.Since(began))
			return nil
		case err != nil && ctx.Err() == nil && apiserver.Code(err) == 0:
			return err
		}
		if err := wait(ctx, time.Now().Add(pause)); err != nil {
			return err
		}
	}
}
