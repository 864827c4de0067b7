package workers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"plimsoll.dev/engine/apiserver"
	"plimsoll.dev/engine/load"
	"plimsoll.dev/loadmodel"
)

// Progress of the workers.
type Progress struct{ Ready, Done, Workers int }

// coordination is one run of all workers.
type coordination struct {
	home, target *apiserver.Client
	task         *Task
	opt          Options
	namespace    string
	told         func(Progress)
}

const (
	// poll is how often the Job is looked at.
	poll = time.Second
	// longestEnd is how long workers that are told to end are waited for.
	longestEnd = (grace + 30) * time.Second
	// longestCollect is how long the results are asked for, and the workers ended, in all.
	longestCollect = 10 * time.Minute
)

// Run starts the workers at home, waits for their results, and takes away the workers, and what they have made where
// the options of the load ask for it. The error is one that came before a worker began; whatever comes later is in the
// result. When the context ends the workers are ended, and what they have made is taken away.
func Run(ctx context.Context, home, target *apiserver.Client, task *Task, cleanup bool, opt Options,
	told func(Progress)) (*load.Result, error) {
	c := &coordination{home: home, target: target, task: task, opt: opt, namespace: Namespace(task.Load.RunID), told: told}
	fromServer := load.FromServer(ctx, target, opt.Resources)
	err := c.start(ctx)
	var failed error
	if err == nil {
		failed = load.Interrupted(c.await(ctx))
	}
	outlives, stop := load.Outliving(ctx, task.Load.Abandon)
	defer stop()
	after, end := context.WithTimeout(outlives, longestCollect)
	defer end()
	result := &load.Result{}
	if err == nil {
		result = c.collect(after, failed)
		result.Latencies = append(result.Latencies, fromServer(after, result.Latencies)...)
		result.Prometheus = load.Metrics(after, task.Load.Prometheus, result.Began, result.Took)
	}
	result.RunID, result.Server = task.Load.RunID, target.Server()
	result.Options, result.Workers = task.Load, task.Workers
	result.Options.Cluster = load.Cluster{} // which the result has
	if err := c.end(after); err != nil {
		result.Left = append(result.Left, "the workers: "+load.Interrupted(err).Error())
	}
	if task.Load.Cleanup == "always" || task.Load.Cleanup != "never" && (cleanup || err != nil || result.Failed != "") {
		from := time.Now()
		if _, err := load.Destroy(outlives, target, task.Load.RunID); err != nil {
			result.Left = append(result.Left, load.Interrupted(err).Error())
		}
		result.Cleaned, result.CleanTook = len(result.Left) == 0, time.Since(from)
	}
	return result, err
}

// start creates what runs the workers, the Job at last.
func (c *coordination) start(ctx context.Context) error {
	home, target, err := Manifests(c.task, c.opt)
	if err != nil {
		return err
	}
	if err := create(ctx, c.target, target); err != nil {
		return err
	}
	return create(ctx, c.home, home)
}

func create(ctx context.Context, client *apiserver.Client, objects []loadmodel.Object) error {
	resources := client.Discover()
	for _, o := range objects {
		r, found, err := resources.Find(ctx, o.APIVersion, o.Kind)
		if err == nil && !found {
			err = errors.New("the API server has no such kind")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", says(o), err)
		}
		body, err := json.Marshal(o.Body)
		if err != nil {
			return err
		}
		namespace, _ := o.Body["metadata"].(map[string]any)["namespace"].(string)
		if err := send(ctx, client, r.Path(namespace), body); err != nil {
			return fmt.Errorf("%s: %w", says(o), err)
		}
	}
	return nil
}

// await the results of all workers. The error says why there are not all.
func (c *coordination) await(ctx context.Context) error {
	changed, last := time.Now(), Progress{}
	for {
		s, err := statusOf(ctx, c.home, c.namespace, job)
		if err != nil {
			return err
		}
		parts, err := left(ctx, c.home, c.namespace)
		if err != nil {
			return err
		}
		now := Progress{Ready: s.Ready, Done: len(parts), Workers: c.task.Workers}
		if c.told(now); now != last {
			changed, last = time.Now(), now
		}
		begun, patience := s.Ready+s.Succeeded+s.Failed >= c.task.Workers, c.task.Load.Patience
		switch {
		case len(parts) >= c.task.Workers:
			return nil
		case s.Failed > 0 || s.Succeeded >= c.task.Workers || !begun && patience > 0 && time.Since(changed) > patience:
			return c.trouble(ctx)
		}
		if err := apiserver.Wait(ctx, time.Now().Add(poll)); err != nil {
			return err
		}
	}
}

// trouble says why workers did not begin, or ended without a result.
func (c *coordination) trouble(ctx context.Context) error {
	found, pods, err := load.Troubles(ctx, c.home, c.namespace, "batch.kubernetes.io/job-name="+job)
	switch {
	case err != nil:
		return err
	case len(found) > 0:
		return fmt.Errorf("workers can't run: %s (%s)", found[0].Reason, found[0].Example)
	}
	return fmt.Errorf("%d of %d workers have pods, and not all are ready", pods, c.task.Workers)
}

// collect the results that are there.
func (c *coordination) collect(ctx context.Context, failed error) *load.Result {
	parts, err := left(ctx, c.home, c.namespace)
	var results []*load.Result
	for worker := range c.task.Workers {
		if n := parts[worker]; n > 0 && err == nil {
			var r *load.Result
			if r, err = take(ctx, c.home, c.namespace, worker, n); err == nil {
				if r.Failed != "" {
					r.Failed = fmt.Sprintf("worker %d: %s", worker, r.Failed)
				}
				results = append(results, r)
			}
		}
	}
	out := load.Merge(results)
	if failed = errors.Join(failed, err); failed != nil {
		out.Failed = failed.Error()
	}
	return out
}

// end the workers, and take away all that ran them.
func (c *coordination) end(ctx context.Context) error {
	waiting, stop := context.WithTimeout(ctx, longestEnd)
	defer stop()
	path := jobs.Path(c.namespace) + "/" + job
	err := load.Delete(ctx, c.home, path, "Foreground")
	for err == nil { // what they have under way would come after clean-up
		if _, err = statusOf(waiting, c.home, c.namespace, job); err == nil {
			err = apiserver.Wait(waiting, time.Now().Add(100*time.Millisecond))
		}
	}
	if apiserver.Code(err) == http.StatusNotFound || errors.Is(err, context.DeadlineExceeded) {
		err = nil
	}
	roles := apiserver.Resource{APIVersion: "rbac.authorization.k8s.io/v1", Name: "clusterroles"}
	bindings := apiserver.Resource{APIVersion: "rbac.authorization.k8s.io/v1", Name: "clusterrolebindings"}
	namespaces := apiserver.Resource{APIVersion: "v1", Name: "namespaces"}
	return errors.Join(err, load.Delete(ctx, c.target, bindings.Path("")+"/"+c.namespace, "Background"),
		load.Delete(ctx, c.target, roles.Path("")+"/"+c.namespace, "Background"),
		load.Delete(ctx, c.home, namespaces.Path("")+"/"+c.namespace, "Background"))
}
