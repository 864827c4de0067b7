package load

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
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
	var known []apiserver.Resource
	for _, c := range r.choices {
		if c.how != skipped && (len(r.reused) > 0 || !c.resource.Namespaced) {
			known = append(known, c.resource)
		}
	}
	err := r.takeAway(ctx, taking{selector: r.ofRun(), of: known})
	result.CleanTook = time.Since(from)
	result.Cleaned = err == nil
	if err != nil {
		result.Left = append(result.Left, Interrupted(err).Error())
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

// ofRun selects what the run has made; also what a request that was cut off may have made has the label.
func (r *run) ofRun() string { return RunLabel + "=" + r.opt.RunID }

// taking says what is taken away.
type taking struct {
	// selector of labels; empty takes all.
	selector string
	// names of namespaces; nil takes all that the selector does.
	names map[string]bool
	// of are resources whose objects that the selector takes go, too, wherever they are.
	of []apiserver.Resource
	// measured asks for the times until the namespaces are gone, which are looked at more often then.
	measured bool
}

// takeAway deletes namespaces and objects and waits until all is gone.
func (r *run) takeAway(ctx context.Context, t taking) error {
	began, since := time.Now(), map[string]time.Time{}
	for {
		left, err := r.sweep(ctx, t, since)
		if err != nil || left == 0 {
			return err
		}
		r.tell("taking away", left)
		rest := time.Since(began) / 4
		if t.measured { // to some percent
			rest = time.Since(began) / 20
		}
		if err := Wait(ctx, time.Now().Add(min(max(rest, 20*time.Millisecond), 2*time.Second))); err != nil {
			return err
		}
	}
}

// sweep deletes what is still there and says how much it was; since has when namespaces were deleted.
func (r *run) sweep(ctx context.Context, t taking, since map[string]time.Time) (left int, err error) {
	found, err := r.listNamespaces(ctx, t.selector)
	if err != nil {
		return 0, err
	}
	maps.DeleteFunc(found, func(name string, _ there) bool { return t.names != nil && !t.names[name] })
	for name, at := range since {
		if _, is := found[name]; !is {
			r.called("gone/namespaces", time.Since(at))
			delete(since, name)
		}
	}
	for name, n := range found {
		if n.going {
			continue
		}
		sent := time.Now()
		if err := r.delete(ctx, namespaces.Path("")+"/"+name); err != nil {
			return 0, err
		}
		if t.measured {
			r.called("delete/namespaces", time.Since(sent))
			since[name] = sent
		}
	}
	left = len(found)
	for _, resource := range t.of {
		n, err := r.deleteAll(ctx, resource, t.selector, found)
		if err != nil {
			return 0, err
		}
		left += n
	}
	return left, nil
}

// deleteAll deletes the objects of a resource that a selector takes, but for those in namespaces that
// go as a whole, and says how many there were.
func (r *run) deleteAll(ctx context.Context, of apiserver.Resource, selector string,
	going map[string]there) (int, error) {
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
	made, err := r.listNamespaces(ctx, r.ofRun())
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
	return len(made), r.takeAway(ctx, taking{selector: r.ofRun(), of: all})
}

// owns is 1 for kinds that make others.
func owns(r apiserver.Resource) int {
	if r.Name == "pods" || r.Name == "replicasets" {
		return 0
	}
	return 1
}
