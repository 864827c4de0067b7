package load

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"plimsoll.dev/engine/apiserver"
	"plimsoll.dev/loadmodel"
)

// longestClean is how long a run cleans up after itself.
const longestClean = 10 * time.Minute

// cleanUp takes away what the run has made, where the options or a failure ask for it. It goes on
// when the run's context has ended.
func (r *run) cleanUp(ctx context.Context, failed error, result *Result) {
	switch {
	case r.opt.Cleanup == "never":
		return
	case r.opt.Cleanup != "always" && failed == nil && !r.work.Cleanup:
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), longestClean)
	defer stop()
	from := time.Now()
	r.tell("cleaning up")
	err := r.clean(ctx)
	result.CleanTook = time.Since(from)
	result.Cleaned = err == nil
	if err != nil {
		result.Left = append(result.Left, err.Error())
	}
}

// clean deletes the namespaces of the run, and in those that it took its objects, and waits until all
// is gone. What a request that was cut off may have made carries the label, too.
func (r *run) clean(ctx context.Context) error {
	selector := RunLabel + "=" + r.opt.RunID
	made, err := r.listNamespaces(ctx, selector)
	if err != nil {
		return err
	}
	for name := range made {
		if err := r.delete(ctx, namespaces.Path("")+"/"+name, nil); err != nil {
			return err
		}
	}
	for _, name := range r.reused {
		if err := r.cleanReused(ctx, name, url.Values{"labelSelector": {selector}}); err != nil {
			return err
		}
	}
	return r.gone(ctx, selector, func(string) bool { return true })
}

// cleanReused deletes the objects of the run in a namespace that was there before it.
func (r *run) cleanReused(ctx context.Context, namespace string, query url.Values) error {
	background := url.Values{"propagationPolicy": {"Background"}, "labelSelector": query["labelSelector"]}
	for _, c := range r.choices {
		if c.how == skipped {
			continue
		}
		if err := r.delete(ctx, c.resource.Path(namespace), background); err != nil {
			return fmt.Errorf("%s in %s: %w", c.resource.Name, namespace, err)
		}
	}
	return nil
}

// Destroy takes away what a run has made, whoever made it: its namespaces. It returns how many there were.
func Destroy(ctx context.Context, c *apiserver.Client, runID string) (int, error) {
	r := &run{client: c, work: &loadmodel.Work{}, opt: Options{RunID: runID}}
	made, err := r.listNamespaces(ctx, RunLabel+"="+runID)
	if err != nil {
		return 0, err
	}
	return len(made), r.clean(ctx)
}
