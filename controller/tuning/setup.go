package tuning

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"plimsoll.dev/controller/cluster"
	"plimsoll.dev/release"
)

// Options of a controller.
type Options struct {
	Release release.Release
	Act     bool
	// Namespace of the Tuned CRs and Profiles.
	Namespace string
	Leader    cluster.Leadership
	Clock     *cluster.Clock
}

// patience with the API server in one pass; a pass that is cut off is gone on with by the next.
const patience = time.Minute

// Since is the first release with Profile objects.
const Since release.Release = 4

// Watched is what a manager's cache needs to hold: of the namespace alone, and little of pods.
func Watched(namespace string) map[client.Object]cache.ByObject {
	here := cache.ByObject{Namespaces: map[string]cache.Config{namespace: {}}}
	return map[client.Object]cache.ByObject{ofKind("Tuned"): here, ofKind("Profile"): here,
		&corev1.Pod{}: {Transform: slim}}
}

// slim leaves of a pod what the choice reads.
func slim(o any) (any, error) {
	p, ok := o.(*corev1.Pod)
	if !ok {
		return o, nil
	}
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace, Name: p.Name, UID: p.UID, Labels: p.Labels,
		ResourceVersion: p.ResourceVersion}, Spec: corev1.PodSpec{NodeName: p.Spec.NodeName}}, nil
}

func ofKind(kind string) *unstructured.Unstructured {
	return cluster.Object(group.WithKind(kind), "", "")
}

// Add a controller of Profile objects to a manager.
func Add(m manager.Manager, opt Options) error {
	if opt.Release.Minor() < Since {
		return fmt.Errorf("before %s there are no Profile objects: TuneD chose by itself", Since)
	}
	api := &kube{Client: m.GetClient(), cached: m.GetCache(), live: m.GetAPIReader(), namespace: opt.Namespace,
		clock: opt.Clock, leader: opt.Leader, events: m.GetEventRecorder("plimsoll-tuning")}
	r := &reconciler{keeper: &Keeper{API: api, Release: opt.Release, Act: opt.Act}}
	changed := builder.WithPredicates(predicate.Or[client.Object](predicate.GenerationChangedPredicate{},
		predicate.AnnotationChangedPredicate{}))
	b := builder.ControllerManagedBy(m).Named("profile").
		Watches(ofKind("Tuned"), handler.EnqueueRequestsFromMapFunc(all), changed).
		Watches(ofKind("Profile"), handler.EnqueueRequestsFromMapFunc(all), changed).
		Watches(&corev1.Node{}, handler.EnqueueRequestsFromMapFunc(all), builder.WithPredicates(changes()))
	_, err := m.GetRESTMapper().RESTMapping(poolKind.GroupKind(), poolKind.Version)
	if err == nil {
		b = b.Watches(cluster.Object(poolKind, "", ""), handler.EnqueueRequestsFromMapFunc(all), changed)
	} else if !meta.IsNoMatchError(err) {
		return err
	}
	c, err := b.Build(r)
	api.cached = &podsLater{Reader: api.cached, watch: func() error { return watchPods(m, c) }}
	return err
}

// all Profiles are looked at together: one choice is made for all nodes.
func all(context.Context, client.Object) []reconcile.Request {
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Name: "all"}}}
}

// changes leaves out what no choice goes by, such as heartbeats.
func changes() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		if !maps.Equal(e.ObjectOld.GetLabels(), e.ObjectNew.GetLabels()) {
			return true
		}
		switch before := e.ObjectOld.(type) {
		case *corev1.Node:
			now, ok := e.ObjectNew.(*corev1.Node)
			return !ok || before.Spec.ProviderID != now.Spec.ProviderID
		case *corev1.Pod:
			now, ok := e.ObjectNew.(*corev1.Pod)
			return !ok || before.Spec.NodeName != now.Spec.NodeName
		}
		return true
	}}
}

// podsLater begins to watch pods when somebody asks for them: most clusters have no CR that does.
type podsLater struct {
	client.Reader
	once  sync.Once
	watch func() error
	err   error
}

// List is what [client.Reader] demands.
func (p *podsLater) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if _, ok := list.(*corev1.PodList); ok {
		if p.once.Do(func() { p.err = p.watch() }); p.err != nil {
			return p.err
		}
	}
	return p.Reader.List(ctx, list, opts...)
}

func watchPods(m manager.Manager, c controller.Controller) error {
	return c.Watch(source.Kind[client.Object](m.GetCache(), &corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(all),
		changes()))
}

// reconciler has the keeper look when something changes, and again while it is held or fails.
type reconciler struct {
	keeper *Keeper
	fails  int
}

// Reconcile is what controller-runtime calls, one pass at a time.
func (r *reconciler) Reconcile(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	out, err := r.keeper.Reconcile(ctx)
	if len(out.Done) > 0 || out.Held != "" || len(out.Blocked) > 0 {
		log.FromContext(ctx).Info("profiles differ", "done", len(out.Done), "held", out.Held, "blocked", out.Blocked)
	}
	if err == nil && !out.BackOff {
		r.fails = 0
		return reconcile.Result{}, nil
	}
	r.fails++
	after := cluster.Pause(r.fails)
	if err != nil && !errors.Is(err, context.Canceled) {
		log.FromContext(ctx).Error(err, "nothing more is done in this pass", "again", after)
	}
	return reconcile.Result{RequeueAfter: after}, nil
}
