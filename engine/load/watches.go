package load

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"plimsoll.dev/engine/apiserver"
)

// watch of a resource. The error is one of its first list.
type watch struct {
	of     string
	follow func(ctx context.Context, listed func()) error
}

// watches that the run needs: of all pods, and of the workloads that it makes.
func (r *run) watches(ctx context.Context) ([]watch, error) {
	out := []watch{{"pods", func(ctx context.Context, listed func()) error {
		return r.pods.follow(ctx, r.client, listed)
	}}}
	ofRun := url.Values{"labelSelector": {r.ofRun()}}
	for _, c := range r.watched() {
		of, path := r.rule(c), c.resource.Path("")
		if c.resource.Name == "persistentvolumeclaims" && r.workloads.bindAtOnce == nil {
			if err := r.storageClasses(ctx); err != nil {
				return nil, err
			}
		}
		out = append(out, watch{c.resource.Name, func(ctx context.Context, listed func()) error {
			return r.client.Watch(ctx, path, ofRun, listed, func(e apiserver.Event) { r.workloads.event(e, of) })
		}})
	}
	return out, nil
}

// storageClasses learns which of them make a volume as soon as it is claimed.
func (r *run) storageClasses(ctx context.Context) error {
	classes := apiserver.Resource{APIVersion: "storage.k8s.io/v1", Name: "storageclasses"}
	text, err := r.client.Do(ctx, apiserver.Request{Method: http.MethodGet, Path: classes.Path("")})
	if code := apiserver.Code(err); err != nil && code != http.StatusForbidden && code != http.StatusNotFound {
		return err
	}
	r.workloads.bindAtOnce = map[string]bool{}
	if err != nil {
		return nil // then no claim is waited for
	}
	var list struct {
		Items []struct {
			Metadata                       struct{ Name string }
			Provisioner, VolumeBindingMode string
		}
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	for _, c := range list.Items {
		r.workloads.bindAtOnce[c.Metadata.Name] = c.VolumeBindingMode != "WaitForFirstConsumer" &&
			!strings.HasSuffix(c.Provisioner, "/no-provisioner")
	}
	return nil
}

// watching does something while the watches go on, when all have begun. One that can't begin ends it before.
func (r *run) watching(ctx context.Context, watches []watch, do func(context.Context) error) error {
	outer := ctx
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	following, stop := context.WithCancel(context.WithoutCancel(ctx))
	var all sync.WaitGroup
	begun := make(chan struct{}, len(watches))
	for _, w := range watches {
		var once sync.Once // a watch may list anew
		listed := func() { once.Do(func() { begun <- struct{}{} }) }
		all.Go(func() {
			if err := w.follow(following, listed); err != nil && following.Err() == nil {
				end(fmt.Errorf("%s can't be watched: %w", w.of, err))
			}
		})
	}
	for range watches {
		select {
		case <-begun:
		case <-ctx.Done(): // the first list of a large or slow cluster takes its time
		}
	}
	r.began = time.Now()
	failed := context.Cause(ctx)
	if failed == nil {
		failed = do(ctx)
	}
	stop()
	all.Wait()
	if outer.Err() == nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return failed
}
