package load

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"

	"plimsoll.dev/engine/apiserver"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/loadmodel"
)

var claims = apiserver.Resource{APIVersion: "v1", Kind: "PersistentVolumeClaim", Name: "persistentvolumeclaims",
	Namespaced: true}

// longestClean is how long clean-up goes on though nothing goes, or no answer comes. What a large run has made may
// take far longer to go.
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
		if c.resource.Name == "statefulsets" { // whose claims stay when it goes
			known = append(known, claims)
		}
	}
	_, err := r.takeAway(ctx, taking{selector: r.ofRun(), of: known})
	result.CleanTook = time.Since(from)
	result.Cleaned = err == nil
	if err != nil {
		result.Left = append(result.Left, Interrupted(err).Error())
	}
}

// Outliving is a context for clean-up: it goes on when the run's has ended, until abandon ends.
func Outliving(ctx, abandon context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
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
	// bound ends the wait as stuck does.
	bound bool
}

// Gone is what was taken away: namespaces with all in them, and objects in others or in none.
type Gone struct{ Namespaces, Objects int }

// removal is what is being taken away.
type removal struct {
	*run
	taking
	began time.Time
	// since has when namespaces were deleted, gone all paths that were, unknown the resources that can't be listed.
	since map[string]time.Time
	gone  map[string]bool
	// last is the path of something that is still there.
	last    string
	unknown map[string]bool
	out     Gone
	// rest says what is left, and moved since when it says that.
	rest  string
	moved time.Time
}

// holds is the error of what is left where nothing has gone for too long, or nil.
func (m *removal) holds(left int, rest string) error {
	if rest != m.rest || m.moved.IsZero() {
		m.rest, m.moved = rest, time.Now()
	}
	if time.Since(m.moved) < longestClean {
		return nil
	}
	return m.stillThere(left, fmt.Errorf("nothing has gone for %s", longestClean))
}

func (m *removal) stillThere(left int, why error) error {
	return fmt.Errorf("%s still there, such as %s: %w", words.Count(left, "object is", "objects are"), m.last, why)
}

// takeAway deletes namespaces and objects and waits until all is gone. What may not be listed is not known to be gone,
// which is an error when the rest is.
func (r *run) takeAway(ctx context.Context, t taking) (Gone, error) {
	m := &removal{run: r, taking: t, began: time.Now(), since: map[string]time.Time{}, gone: map[string]bool{},
		unknown: map[string]bool{}}
	for {
		left, rest, err := m.sweep(ctx)
		if err == nil && left > 0 {
			err = m.holds(left, rest)
		}
		switch {
		case err != nil:
			return m.out, err
		case left == 0 && len(m.unknown) > 0:
			return m.out, fmt.Errorf("not known whether anything is left of %s, which this account may not list",
				words.Some(slices.Sorted(maps.Keys(m.unknown)), 8))
		case left == 0:
			return m.out, nil
		}
		if t.bound {
			if err := r.stuck(m.began, m.last, nil); err != nil {
				return m.out, err
			}
		}
		r.tell("taking away", left)
		pause := time.Since(m.began) / 4
		if t.measured { // to some percent
			pause = time.Since(m.began) / 20
		}
		if err := apiserver.Wait(ctx, time.Now().Add(min(max(pause, 20*time.Millisecond), 2*time.Second))); err != nil {
			return m.out, m.stillThere(left, err)
		}
	}
}

// sweep deletes what is still there and says how much it was, and what the server says of the rest.
func (m *removal) sweep(ctx context.Context) (left int, rest string, err error) {
	found, err := m.listNamespaces(ctx, m.again, m.selector)
	if err != nil {
		return 0, "", err
	}
	maps.DeleteFunc(found, func(name string, _ there) bool { return m.names != nil && !m.names[name] })
	for name, at := range m.since {
		if _, is := found[name]; !is {
			m.called("gone/namespaces", time.Since(at))
			m.went()
			delete(m.since, name)
		}
	}
	for name, n := range found {
		path := namespaces.Path("") + "/" + name
		m.note(path, &m.out.Namespaces)
		if n.going {
			continue
		}
		sent := time.Now()
		if err := m.delete(ctx, path); err != nil {
			return 0, "", err
		}
		if m.measured {
			m.called("delete/namespaces", time.Since(sent))
			m.since[name] = sent
		}
	}
	left = len(found)
	for _, resource := range m.of {
		n, err := m.deleteAll(ctx, resource, found)
		if err != nil {
			return 0, "", err
		}
		left += n
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		rest += found[name].remains
	}
	return left, fmt.Sprint(left, rest), nil
}

// note that something is there, and count it once.
func (m *removal) note(path string, count *int) {
	m.last = path
	if !m.gone[path] {
		m.gone[path] = true
		*count++
	}
}

// deleteAll deletes the objects of a resource that the selector takes, but for those in namespaces that
// go as a whole, and says how many there were. Who may not list them everywhere may do so in the namespaces
// that the run has reused.
func (m *removal) deleteAll(ctx context.Context, of apiserver.Resource, going map[string]there) (int, error) {
	n, err := m.deleteIn(ctx, of, "", going)
	if apiserver.Code(err) != http.StatusForbidden {
		return n, err
	}
	if !of.Namespaced || len(m.reused) == 0 {
		m.unknown[of.Name] = true
		return 0, nil
	}
	for _, namespace := range m.reused {
		in, err := m.deleteIn(ctx, of, namespace, going)
		switch {
		case apiserver.Code(err) == http.StatusForbidden:
			m.unknown[of.Name+" in "+namespace] = true
		case err != nil:
			return n, err
		}
		n += in
	}
	return n, nil
}

// deleteIn deletes those of one namespace, or of all. What the server does not have, or does not list, is nothing.
func (m *removal) deleteIn(ctx context.Context, of apiserver.Resource, namespace string,
	going map[string]there) (int, error) {
	text, err := m.again(ctx, apiserver.Request{Method: http.MethodGet, Path: of.Path(namespace),
		Accept: apiserver.AsMetadata, Query: url.Values{"labelSelector": {m.selector}}})
	if code := apiserver.Code(err); code == http.StatusNotFound || code == http.StatusMethodNotAllowed {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	var list struct {
		Items []struct {
			Metadata struct {
				Name, Namespace   string
				DeletionTimestamp *time.Time
			}
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
		path := of.Path(item.Metadata.Namespace) + "/" + url.PathEscape(item.Metadata.Name)
		m.note(path, &m.out.Objects)
		if item.Metadata.DeletionTimestamp != nil {
			continue
		}
		if err := m.delete(ctx, path); err != nil {
			return n, fmt.Errorf("%s: %w", path, err)
		}
	}
	return n, nil
}

// again is a request of clean-up.
func (r *run) again(ctx context.Context, q apiserver.Request) ([]byte, error) {
	return Again(ctx, r.client, q)
}

// Again sends a request until it is answered for good, as Persist does.
func Again(ctx context.Context, c *apiserver.Client, q apiserver.Request) (answer []byte, err error) {
	err = Persist(ctx, func(ctx context.Context) error {
		answer, err = c.Do(ctx, q)
		return err
	})
	return answer, err
}

// Persist does what asks a server until it is answered for good, which a server that is away, restarts or is busy does
// later. It gives up with the context, or after as long as a run cleans up; the error is then the last one.
func Persist(ctx context.Context, do func(context.Context) error) error {
	ctx, stop := context.WithTimeout(ctx, longestClean)
	defer stop()
	for try := 0; ; try++ {
		call, end := context.WithTimeout(ctx, longestCall)
		err := do(call)
		end()
		if err == nil || apiserver.Final(apiserver.Code(err)) || ctx.Err() != nil ||
			apiserver.Wait(ctx, time.Now().Add(apiserver.BackOff(err, min(try, attempts-1)))) != nil {
			return err
		}
	}
}

// CheckRun says whether a text can be a run's ID; an empty one would select what carries no ID.
func CheckRun(id string) error {
	if id == "" {
		return errors.New("give the RUN that its report names, such as 20261128-101500-00042")
	}
	if len(validation.IsValidLabelValue(id)) > 0 {
		return fmt.Errorf("%q is not the ID of a run, such as 20261128-101500-00042", id)
	}
	return nil
}

// Destroy takes away what a run has made, whoever made it: its namespaces, and whatever else carries
// its label.
func Destroy(ctx context.Context, c *apiserver.Client, runID string) (Gone, error) {
	if err := CheckRun(runID); err != nil {
		return Gone{}, err
	}
	r := &run{client: c, work: &loadmodel.Work{}, opt: Options{RunID: runID}}
	var all []apiserver.Resource
	err := Persist(ctx, func(ctx context.Context) (err error) {
		all, err = c.Discover().All(ctx)
		return err
	})
	if err != nil {
		return Gone{}, err
	}
	all = slices.DeleteFunc(all, func(r apiserver.Resource) bool { return r.Name == "namespaces" })
	slices.SortFunc(all, func(a, b apiserver.Resource) int { // owners before what they would make anew
		return cmp.Compare(owns(b), owns(a))
	})
	return r.takeAway(ctx, taking{selector: r.ofRun(), of: all})
}

// owns is 1 for kinds that make others.
func owns(r apiserver.Resource) int {
	if r.Name == "pods" || r.Name == "replicasets" {
		return 0
	}
	return 1
}
