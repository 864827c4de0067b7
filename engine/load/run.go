package load

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"plimsoll.dev/engine/apiserver"
	"plimsoll.dev/loadmodel"
)

// run is one run.
type run struct {
	client    *apiserver.Client
	discovery *apiserver.Discovery
	work      *loadmodel.Work
	opt       Options
	choices   map[kindKey]choice
	clock     *clock
	news      *news
	pods      *pods
	workloads *workloads
	planned   planned
	requests  chan struct{} // one token for each request under way
	began     time.Time
	churning  atomic.Bool

	mu      sync.Mutex
	kinds   map[kindKey]*KindCount
	calls   map[string][]time.Duration
	fromDue []time.Duration
	// createdAt is when each object was there, since the run began.
	createdAt []time.Duration
	failures  tally
	phases    []Phase
	items     int // that are done, without churn
	unchurned int
	filled    int // of these before churn
	firstAt   time.Time
	lastAt    time.Time
	heldBack  time.Duration // until then
	told      time.Time
	total     int
	reused    []string // namespaces that were there before
}

// Run creates all objects of the work, waits until they are ready, and cleans up as the options say,
// also when the context ends. The error is one that came before the first object was created; whatever
// comes later is in the result.
func Run(ctx context.Context, c *apiserver.Client, w *loadmodel.Work, opt Options) (result *Result, err error) {
	defer func() { err = Interrupted(err) }()
	opt.Concurrency = max(1, opt.Concurrency)
	r := newRun(c, w, opt)
	if err := r.choose(ctx); err != nil {
		return nil, err
	}
	replaced, err := r.existing(ctx)
	if err != nil {
		return nil, err
	}
	if r.opt.Cluster == (Cluster{}) {
		r.opt.Cluster = ClusterOf(ctx, c)
	}
	gate, err := r.syncServed()
	if err != nil {
		return nil, err
	}
	if gate != nil {
		defer gate.close()
	}
	added := FromServer(ctx, c, r.resources())
	watches, err := r.watches(ctx)
	if err != nil {
		return nil, err
	}
	failed := r.watching(ctx, watches, func(ctx context.Context) error { return r.act(ctx, replaced, gate) })
	took := time.Since(r.began)
	result = r.result(Interrupted(failed), took)
	result.Latencies = append(result.Latencies, added(context.WithoutCancel(ctx), result.Latencies)...)
	result.Prometheus = Metrics(context.WithoutCancel(ctx), opt.Prometheus, r.began, took)
	r.cleanUp(ctx, failed, result)
	return result, nil
}

func newRun(c *apiserver.Client, w *loadmodel.Work, opt Options) *run {
	n := &news{changed: make(chan struct{})}
	r := &run{client: c, discovery: c.Discover(), work: w, opt: opt, choices: map[kindKey]choice{}, news: n,
		pods: newPods(n), workloads: newWorkloads(n), requests: make(chan struct{}, opt.Concurrency),
		kinds: map[kindKey]*KindCount{}, calls: map[string][]time.Duration{}, total: w.Items()}
	var draw *rand.Rand
	if opt.Poisson {
		draw = rand.New(rand.NewPCG(opt.Seed, 0))
	}
	interval := time.Duration(0)
	if opt.Rate > 0 {
		interval = time.Duration(float64(time.Second) / opt.Rate)
	}
	r.clock = newClock(interval, draw)
	return r
}

// act does all that a run does to the cluster, but for taking it away.
func (r *run) act(ctx context.Context, replaced map[string]bool, gate *syncServer) error {
	if err := r.replace(ctx, replaced); err != nil {
		return err
	}
	if err := r.fill(ctx, r.all()); err != nil {
		return err
	}
	if err := r.settle(ctx); err != nil {
		return err
	}
	if gate != nil {
		if err := gate.passed(ctx, time.Duration(r.work.Sync.Timeout)); err != nil {
			return err
		}
	}
	return r.churn(ctx)
}

// all are the namespaces of the work.
func (r *run) all() []*loadmodel.Namespace {
	var out []*loadmodel.Namespace
	for i := range r.work.Namespaces {
		out = append(out, &r.work.Namespaces[i])
	}
	return out
}

// fill fills namespaces, Threads of them at once.
func (r *run) fill(ctx context.Context, these []*loadmodel.Namespace) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	next := make(chan *loadmodel.Namespace)
	go func() {
		defer close(next)
		for _, n := range these {
			select {
			case next <- n:
			case <-ctx.Done():
				return
			}
		}
	}()
	var all sync.WaitGroup
	for range r.work.Threads {
		all.Go(func() {
			for n := range next {
				if err := r.namespace(ctx, n); err != nil {
					stop(err)
					return
				}
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// namespace makes one namespace and fills it, batch after batch.
func (r *run) namespace(ctx context.Context, n *loadmodel.Namespace) error {
	r.clock.change(1, 0, time.Now())
	defer func() { r.clock.change(-1, 0, time.Now()) }()
	if err := r.makeNamespace(ctx, n); err != nil {
		return err
	}
	for i := range n.Batches {
		if err := r.batch(ctx, n.Name, &n.Batches[i]); err != nil {
			return err
		}
	}
	return nil
}

// batch creates the items of a batch at its pace. Within a step, items are created at once, as many
// as Options.Concurrency says; where the configuration has a delay, they begin that much apart.
func (r *run) batch(ctx context.Context, namespace string, b *loadmodel.Batch) error {
	from := time.Now()
	ready := &counter{queued: r.opt.Queue > 0 && b.Pods}
	delay, rest := b.Pace.Delay, b.Pace.Pause
	if r.opt.Rate > 0 {
		delay, rest = 0, 0
	}
	pace := newClock(delay, nil)
	pace.change(1, 0, from)
	step := b.Pace.Step
	if step <= 0 {
		step = b.Count
	}
	for done := 0; done < b.Count; done += step {
		if err := r.step(ctx, namespace, b, pace, ready, done, min(done+step, b.Count)); err != nil {
			return err
		}
		err := r.holding(pace, func() error { return r.stepped(ctx, namespace, b, ready, rest) })
		if err != nil {
			return err
		}
	}
	r.phase(b.Title, from, b.Count)
	return r.holding(pace, func() error { return r.synced(ctx, b.Sync, namespace) })
}

// stepped waits until the pods of a step are ready, and rests.
func (r *run) stepped(ctx context.Context, namespace string, b *loadmodel.Batch, ready *counter,
	rest time.Duration) error {
	if b.Pace.Step > 0 && b.Pods {
		all := func() bool { return ready.ready >= ready.created }
		if err := r.until(ctx, b.Pace.Timeout, all); err != nil {
			return fmt.Errorf("%s in %s: %w", b.Title, namespace, err)
		}
	}
	return apiserver.Wait(ctx, time.Now().Add(rest))
}

// holding does something for which nothing is created in the meantime, whatever the pace says.
func (r *run) holding(pace *clock, do func() error) error {
	pace.change(0, 1, time.Now())
	r.clock.change(0, 1, time.Now())
	defer func() {
		pace.change(0, -1, time.Now())
		r.clock.change(0, -1, time.Now())
	}()
	return do()
}

// step creates the items from one to another.
func (r *run) step(ctx context.Context, namespace string, b *loadmodel.Batch, pace *clock, ready *counter,
	from, to int) error {
	var all sync.WaitGroup
	defer all.Wait()
	var failed error
	var mu sync.Mutex
	for i := from; i < to; i++ {
		if err := r.room(ctx, pace); err != nil {
			return err
		}
		var due time.Time // when it is sent
		if pace.interval > 0 {
			due = pace.due(time.Now())
		}
		if err := apiserver.Wait(ctx, due); err != nil {
			return err
		}
		select {
		case r.requests <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		all.Go(func() {
			defer func() { <-r.requests }()
			if r.opt.Queue > 0 && !b.Pods {
				defer r.pods.giveBack()
			}
			if err := r.item(ctx, namespace, b, i, due, ready); err != nil {
				mu.Lock()
				failed = err
				mu.Unlock()
			}
		})
		mu.Lock()
		err := failed
		mu.Unlock()
		if err != nil {
			return err
		}
	}
	if b.Pace.Step <= 0 {
		all.Wait()
		return failed
	}
	return r.holding(pace, func() error { all.Wait(); return failed })
}

// room waits until fewer pods wait, or are about to, than the queue takes, and takes a place.
func (r *run) room(ctx context.Context, pace *clock) error {
	if r.opt.Queue <= 0 {
		return nil
	}
	return r.holding(pace, func() error {
		return r.until(ctx, 0, func() bool { return r.pods.place(r.opt.Queue) })
	})
}

// item creates objects that were due by the configuration's delay, or are when they are sent.
func (r *run) item(ctx context.Context, namespace string, b *loadmodel.Batch, i int, due time.Time,
	ready *counter) error {
	objects, err := b.Item(i)
	if err != nil {
		return err
	}
	for _, o := range objects {
		if err := r.create(ctx, namespace, o, due, ready); err != nil {
			return err
		}
	}
	if !r.churning.Load() {
		r.mu.Lock()
		r.items++
		r.mu.Unlock()
	}
	r.tell("creating", 0)
	return r.rejected()
}

// errRejected says that an object was refused for good.
var errRejected = errors.New("the API server refuses what is created")

// rejected ends the run at the first object that is refused, or fails.
func (r *run) rejected() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if list := r.failures.list(); len(list) > 0 {
		return fmt.Errorf("%w: %s", errRejected, list[0].Example)
	}
	return r.workloads.broken()
}

// settle waits until all pods and workloads are ready, and the pods that sync asks for.
func (r *run) settle(ctx context.Context) error {
	from := time.Now()
	err := r.until(ctx, r.opt.Timeout, func() bool {
		return r.pods.ready+len(r.pods.finished) >= r.pods.expected+r.planned.count() && r.pods.waiting == 0 &&
			r.workloads.waiting == 0
	})
	r.phase("all ready", from, 0)
	if err != nil {
		return r.withWarnings(ctx, err)
	}
	return r.synced(ctx, r.work.Sync, "")
}

// phase notes when a part of the run was; those of the cycles of churn are one.
func (r *run) phase(title string, from time.Time, items int) {
	if r.churning.Load() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Since(r.began)
	at := slices.IndexFunc(r.phases, func(p Phase) bool { return p.Title == title })
	if at >= 0 {
		r.phases[at].To, r.phases[at].Items = now, r.phases[at].Items+items
		return
	}
	r.phases = append(r.phases, Phase{Title: title, From: from.Sub(r.began), To: now, Items: items})
}

// tell the progress, at most ten times a second.
func (r *run) tell(phase string, left int) {
	if r.opt.Progress == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.told) < 100*time.Millisecond {
		return
	}
	r.told = time.Now()
	waiting, unscheduled := r.pods.behind()
	r.opt.Progress(Progress{Phase: phase, Done: r.items, Total: r.total, Waiting: waiting, Unscheduled: unscheduled,
		Left: left})
}
