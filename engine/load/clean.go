package load

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
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
	ctx, stop := Outliving(ctx, r.opt.Abandon)
	defer stop()
	from := time.Now()
	r.tell("cleaning up")
	var known []apiserver.Resource
	for _, c := range r.choices {
		if c.how != skipped && (len(r.reused) > 0 || !c.resource.Namespaced) {
			known = append(known, c.resource)
		}
	}
	err := r.clean(ctx, known)
	result.CleanTook = time.Since(from)
	result.Cleaned = err == nil
	if err != nil {
		result.Left = append(result.Left, err.Error())
	}
}

// Outliving is a context for clean-up: it goes on when the run's has ended, until abandon ends.
func Outliving(ctx, abandon context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), longestClean)
	if abandon != nil {
		context.AfterFunc(abandon, stop)
	}
	return ctx, stop
}

// clean deletes the namespaces of the run, and its objects of some resources wherever they are, and
// waits until all is gone. What a request that was cut off may have made carries the label, too.
func (r *run) clean(ctx context.Context, of []apiserver.Resource) error {
	selector := RunLabel + "=" + r.opt.RunID
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		made, err := r.listNamespaces(ctx, selector)
		if err != nil {
			return err
		}
		left := len(made)
		for name := range made {
			if err := r.delete(ctx, namespaces.Path("")+"/"+name); err != nil {
				return err
			}
		}
		for _, resource := range of {
			n, err := r.deleteAll(ctx, resource, selector, made)
			if err != nil {
				return err
			}
			left += n
		}
		if left == 0 {
			return nil
		}
		if err := wait(ctx, time.Now().Add(pause)); err != nil {
			return err
		}
	}
}

// deleteAll deletes the objects of a resource that a selector takes, but for those in namespaces that
// go as a whole, and says how many there were.
func (r *run) deleteAll(ctx context.Context, of apiserver.Resource, selector string,
	going map[string]map[string]string) (int, error) {
	text, err := r.client.Do(ctx, apiserver.Request{Method: http.MethodGet, Path: of.Path(""),
		Query: url.Values{"labelSelector": {selector}}})
	if code := apiserver.Code(err); code == http.StatusNotFound || code == http.StatusMethodNotAllowed ||
		code == http.StatusForbidden {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	var list struct {
		Items []struct {
			Metadata struct{ Name, Namespace string }
		}
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return 0, err
	}
	n := 0
	for _, item := range list.Items {
		if _, goes := going[item.Metadata.Namespace]; goes {
			continue
		}
		n++
		if err := r.delete(ctx, of.Path(item.Metadata.Namespace)+"/"+url.PathEscape(item.Metadata.Name)); err != nil {
			return n, err
		}
	}
	return n, nil
}

// Destroy takes away what a run has made, whoever made it: its namespaces, and whatever else carries
// its label. It returns how many namespaces there were.
func Destroy(ctx context.Context, c *apiserver.Client, runID string) (int, error) {
	r := &run{client: c, work: &loadmodel.Work{}, opt: Options{RunID: runID}}
	made, err := r.listNamespaces(ctx, RunLabel+"="+runID)
	if err != nil {
		return 0, err
	}
	all, err := c.Discover().All(ctx)
	if err != nil {
		return 0, err
	}
	all = slices.DeleteFunc(all, func(r apiserver.Resource) bool { return r.Name == "namespaces" })
	slices.SortFunc(all, func(a, b apiserver.Resource) int { // owners before what they would make anew
		return cmp.Compare(owns(b), owns(a))
	})
	return len(made), r.clean(ctx, all)
}

// owns is 1 for kinds that make others.
func owns(r apiserver.Resource) int {
	if r.Name == "pods" || r.Name == "replicasets" {
		return 0
	}
	return 1
}
