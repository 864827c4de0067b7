package health

import (
	"context"
	"reflect"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"plimsoll.dev/controller/cluster"
	"plimsoll.dev/release"
)

// Options of a controller.
type Options struct {
	Release release.Release
	Act     bool
	Storm   float64
	Resync  time.Duration
	Leader  cluster.Leadership
	Clock   *cluster.Clock
}

// patience with the API server in one pass.
const patience = 30 * time.Second

// Add a controller of MachineHealthChecks to a manager.
func Add(m manager.Manager, opt Options) error {
	api := &kube{Client: m.GetClient(), live: m.GetAPIReader(), clock: opt.Clock, leader: opt.Leader,
		events: m.GetEventRecorder("plimsoll-health")}
	k := &Keeper{API: api, Release: opt.Release, Act: opt.Act, Storm: opt.Storm, Resync: opt.Resync}
	r := &reconciler{keeper: k, client: m.GetClient()}
	checks, machines := cluster.Object(checkKind, "", ""), cluster.Object(machineKind, "", "")
	return builder.ControllerManagedBy(m).Named("machinehealthcheck").
		For(checks, builder.WithPredicates(predicate.Or[client.Object](predicate.GenerationChangedPredicate{},
			predicate.AnnotationChangedPredicate{}))).
		Watches(machines, handler.EnqueueRequestsFromMapFunc(r.checksOf)).
		Watches(&corev1.Node{}, handler.EnqueueRequestsFromMapFunc(r.allChecks), builder.WithPredicates(nodeChanges())).
		Complete(r)
}

// nodeChanges leaves out what a kubelet says again: its heartbeats.
func nodeChanges() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		a, before := e.ObjectOld.(*corev1.Node)
		b, now := e.ObjectNew.(*corev1.Node)
		return !before || !now || !reflect.DeepEqual(nodeOf(a), nodeOf(b))
	}}
}

// reconciler has the keeper look at a check when something of it changes, and again when the rules say.
type reconciler struct {
	keeper *Keeper
	client client.Client
	mu     sync.Mutex
	fails  map[types.NamespacedName]int
}

// Reconcile is what controller-runtime calls.
func (r *reconciler) Reconcile(ctx context.Context, q reconcile.Request) (reconcile.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	out, err := r.keeper.Reconcile(ctx, Ref{Namespace: q.Namespace, Name: q.Name})
	observe(q.NamespacedName, &out, err)
	if len(out.Done) > 0 || out.Held != "" {
		log.FromContext(ctx).Info("machines are due", "done", out.Done, "held", out.Held)
	}
	again := out.AtOnce && err == nil && len(out.Done) > 0
	after := r.pause(q.NamespacedName, err != nil || out.BackOff || out.AtOnce && !again)
	if again {
		after = time.Second
	}
	if err != nil {
		log.FromContext(ctx).Error(err, "nothing more is done in this pass", "again", after)
		return reconcile.Result{RequeueAfter: after}, nil
	}
	if out.After > 0 && (after == 0 || out.After < after) {
		after = out.After
	}
	return reconcile.Result{RequeueAfter: after}, nil
}

// pause grows from a second on as long as passes fail.
func (r *reconciler) pause(name types.NamespacedName, failed bool) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !failed {
		delete(r.fails, name)
		return 0
	}
	if r.fails == nil {
		r.fails = map[types.NamespacedName]int{}
	}
	r.fails[name]++
	return cluster.Pause(r.fails[name])
}

// checksOf are the checks of a machine's namespace. Which of them select it they say themselves.
func (r *reconciler) checksOf(ctx context.Context, o client.Object) []reconcile.Request {
	return r.checks(ctx, client.InNamespace(o.GetNamespace()))
}

func (r *reconciler) allChecks(ctx context.Context, _ client.Object) []reconcile.Request {
	return r.checks(ctx)
}

func (r *reconciler) checks(ctx context.Context, in ...client.ListOption) (out []reconcile.Request) {
	list := cluster.List(checkKind)
	if err := r.client.List(ctx, list, in...); err != nil {
		log.FromContext(ctx).Error(err, "the checks can't be listed")
	}
	for i := range list.Items {
		out = append(out, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])})
	}
	return out
}
