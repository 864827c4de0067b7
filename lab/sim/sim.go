package sim

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// Options of a simulator.
type Options struct {
	Behaviour Behaviour
	// LeaseEvery is how often each node renews its lease.
	LeaseEvery time.Duration
	// Truth takes a line of JSON for each pod that starts and each node that fails.
	Truth io.Writer
	// Logf tells what went wrong and is tried again.
	Logf func(format string, args ...any)
}

// workers write to the API at once; more only wait for each other there.
const workers = 16

// Sim is a simulator that runs.
type Sim struct {
	opt    Options
	client kubernetes.Interface
	queue  *queue
	truth  *truth

	mu    sync.Mutex
	pods  map[types.UID]*pod
	nodes map[string]*node
	ips   uint32
	// claims for which a volume has been, or is being, made.
	claims map[types.UID]bool
	// listed says that the nodes that there are have been seen.
	listed bool
}

// Start begins to play the kubelets of all nodes that the API has, or will have.
func Start(ctx context.Context, config *rest.Config, opt Options) (*Sim, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	s := &Sim{opt: opt, client: client, queue: newQueue(), truth: newTruth(opt.Truth), pods: map[types.UID]*pod{},
		nodes: map[string]*node{}, claims: map[types.UID]bool{}}
	for range workers {
		go s.queue.work(ctx)
	}
	go s.truth.flushing(ctx)
	go s.leases(ctx)
	core := client.CoreV1().RESTClient()
	nodes := cache.NewListWatchFromClient(core, "nodes", "", fields.Everything())
	go cache.NewReflector(nodes, &corev1.Node{}, s.nodeStore(ctx), 0).RunWithContext(ctx)
	bound := cache.NewListWatchFromClient(core, "pods", "", fields.OneTermNotEqualSelector("spec.nodeName", ""))
	go cache.NewReflector(bound, &corev1.Pod{}, s.podStore(ctx), 0).RunWithContext(ctx)
	claims := cache.NewListWatchFromClient(core, "persistentvolumeclaims", "", fields.Everything())
	go cache.NewReflector(claims, &corev1.PersistentVolumeClaim{}, s.claimStore(ctx), 0).RunWithContext(ctx)
	volumes := cache.NewListWatchFromClient(core, "persistentvolumes", "", fields.Everything())
	go cache.NewReflector(volumes, &corev1.PersistentVolume{}, s.volumeStore(ctx), 0).RunWithContext(ctx)
	return s, nil
}

// Close writes what of the truth is not written yet.
func (s *Sim) Close() error { return s.truth.flush() }

// try repeats what failed for a passing reason. A timeout says nothing about what was done,
// so whoever is repeated must take what is there already.
func (s *Sim) try(ctx context.Context, what string, act func() error) {
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		err := act()
		if err == nil || apierrors.IsNotFound(err) || errors.Is(err, context.Canceled) {
			return
		}
		if apierrors.IsInvalid(err) || apierrors.IsForbidden(err) || apierrors.IsBadRequest(err) {
			s.opt.Logf("%s: %v", what, err)
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// queue is a list of jobs without a bound, first in, first out.
type queue struct {
	mu    sync.Mutex
	more  *sync.Cond
	jobs  []func()
	ended bool
}

func newQueue() *queue {
	q := &queue{}
	q.more = sync.NewCond(&q.mu)
	return q
}

func (q *queue) push(job func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.jobs = append(q.jobs, job)
	q.more.Signal()
}

func (q *queue) work(ctx context.Context) {
	stop := context.AfterFunc(ctx, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.ended = true
		q.more.Broadcast()
	})
	defer stop()
	for {
		q.mu.Lock()
		for len(q.jobs) == 0 && !q.ended {
			q.more.Wait()
		}
		if q.ended {
			q.mu.Unlock()
			return
		}
		job := q.jobs[0]
		q.jobs[0] = nil
		q.jobs = q.jobs[1:]
		q.mu.Unlock()
		job()
	}
}

// store takes what a reflector sees; it keeps no objects.
// All but seen may be nil.
type store[T any] struct {
	seen func(*T)
	gone func(*T)
	// all is told of a list: what is not in it is gone, though no event said so.
	all func([]*T)
	// listed is told when a list has been seen.
	listed func()
}

func (s store[T]) Add(o any) error    { s.seen(o.(*T)); return nil }
func (s store[T]) Update(o any) error { s.seen(o.(*T)); return nil }
func (s store[T]) Delete(o any) error {
	if t, ok := o.(*T); ok && s.gone != nil {
		s.gone(t)
	}
	return nil
}
func (s store[T]) Resync() error { return nil }
func (s store[T]) Replace(list []any, _ string) error {
	typed := make([]*T, 0, len(list))
	for _, o := range list {
		typed = append(typed, o.(*T))
	}
	if s.all != nil {
		s.all(typed)
	}
	for _, t := range typed {
		s.seen(t)
	}
	if s.listed != nil {
		s.listed()
	}
	return nil
}
