package load

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"plimsoll.dev/engine/apiserver"
)

// workloads are the objects of the run whose status says when they are ready. Objects are told apart by
// their UID: one that is made anew under the same name is another one.
type workloads struct {
	*news
	byUID   map[string]*workload
	failed  tally // for good
	waiting int
	working int
	// bindAtOnce are the storage classes that do.
	bindAtOnce map[string]bool
}

// workload is one object.
type workload struct {
	// key is the kind that was asked for, resource that which was created.
	key      kindKey
	resource string
	name     string // "Deployment shop/web"
	// due is when its creation was due; what was not created by this run has none and is not waited for.
	due, ready time.Time
	gone       bool
	state      state
}

func newWorkloads(n *news) *workloads { return &workloads{news: n, byUID: map[string]*workload{}} }

func (k *workload) waits() bool {
	return !k.due.IsZero() && k.ready.IsZero() && !k.gone && !k.state.idle && !k.state.failed
}

// change a workload, and count those that wait. The caller has locked.
func (w *workloads) change(uid string, do func(*workload)) {
	k := w.byUID[uid]
	if k == nil {
		k = &workload{}
		w.byUID[uid] = k
	}
	waited, worked := k.waits(), k.waits() && k.state.working
	do(k)
	w.waiting += one(k.waits()) - one(waited)
	w.working += one(k.waits() && k.state.working) - one(worked)
	w.tell()
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// expect a workload that was created, as the server answered. Its status may have come before.
func (w *workloads) expect(answer []byte, key kindKey, of apiserver.Resource, due time.Time) {
	o, ok := read(answer)
	if !ok {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.change(o.Metadata.UID, func(k *workload) {
		k.key, k.resource, k.due = key, of.Name, due
		k.name = of.Kind + " " + strings.TrimPrefix(o.Metadata.Namespace+"/"+o.Metadata.Name, "/")
		if k.state.failed {
			w.failed.add(k.state.reason, k.name+": "+k.state.message)
		}
	})
}

// read an object. Custom kinds may have fields of these names that are something else.
func read(text []byte) (*reported, bool) {
	o := &reported{}
	var other *json.UnmarshalTypeError
	err := json.Unmarshal(text, o)
	return o, (err == nil || errors.As(err, &other)) && o.Metadata.UID != ""
}

func (w *workloads) event(e apiserver.Event, of rule) {
	o, ok := read(e.Object)
	if !ok {
		return
	}
	o.bindsAtOnce = w.bindAtOnce[o.Spec.StorageClassName]
	w.mu.Lock()
	defer w.mu.Unlock()
	w.change(o.Metadata.UID, func(k *workload) {
		if e.Type == "DELETED" || o.Metadata.DeletionTimestamp != nil {
			k.gone = true
			return
		}
		failed := k.state.failed
		k.state = of(o)
		switch {
		case k.state.ready && k.ready.IsZero():
			k.ready, w.lastReady = e.Seen, e.Seen
		case k.state.failed && !failed && !k.due.IsZero():
			w.failed.add(k.state.reason, k.name+": "+k.state.message)
		}
	})
}

// broken is the error of workloads that have failed for good, or nil.
func (w *workloads) broken() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if by := w.failed.list(); len(by) > 0 {
		return &held{"a workload has failed", by}
	}
	return nil
}

// held says what keeps workloads waiting, or made them fail, the most frequent first.
func (w *workloads) held() []Failure {
	w.mu.Lock()
	defer w.mu.Unlock()
	var found tally
	for _, k := range w.byUID {
		if k.waits() {
			found.add(cmp.Or(k.state.reason, notReady), k.name+": "+k.state.message)
		}
	}
	return append(w.failed.list(), found.list()...)
}

// times by resource from when workloads were due until they were ready, and the numbers of those that
// never were. The caller has locked, or nobody else is there.
func (w *workloads) times() (values map[string][]time.Duration, never map[string]int) {
	values, never = map[string][]time.Duration{}, map[string]int{}
	for _, k := range w.byUID {
		switch {
		case k.due.IsZero():
		case !k.ready.IsZero():
			values[k.resource] = append(values[k.resource], k.ready.Sub(k.due))
		case !k.state.idle:
			never[k.resource]++
		}
	}
	return values, never
}

// of a kind: whether any of it is waited for, and how many have become ready. The caller has locked, or
// nobody else is there.
func (w *workloads) of(key kindKey) (waited bool, ready int) {
	for _, k := range w.byUID {
		if k.key == key && !k.due.IsZero() {
			waited = waited || !k.ready.IsZero() || !k.state.idle
			ready += one(!k.ready.IsZero())
		}
	}
	return waited, ready
}

// rule of a kind that was chosen, or nil where it is not waited for.
func (r *run) rule(c choice) rule {
	i := slices.IndexFunc(r.opt.WaitFor, func(w WaitFor) bool { return w.Kind == c.resource.Kind })
	switch group := c.resource.Group(); {
	case c.how == skipped:
		return nil
	case i >= 0 && r.opt.WaitFor[i].Condition == "none":
		return nil
	case i >= 0:
		return condition(r.opt.WaitFor[i].Condition)
	case c.how == standIn: // nothing acts on those
		return nil
	default:
		return rules[group+"/"+c.resource.Kind]
	}
}

// unknownWaits are kinds that are to be waited for and that the work does not make.
func (r *run) unknownWaits() error {
	for _, w := range r.opt.WaitFor {
		found := false
		for _, c := range r.choices {
			found = found || c.resource.Kind == w.Kind
		}
		if !found {
			return fmt.Errorf("nothing of the kind %s is created that could be waited for", w.Kind)
		}
	}
	return nil
}

// watched are the choices of kinds that are waited for, one for each resource.
func (r *run) watched() []choice {
	byName := map[string]choice{}
	for _, c := range r.choices {
		if r.rule(c) != nil {
			byName[c.resource.Name+"."+c.resource.APIVersion] = c
		}
	}
	var out []choice
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		out = append(out, byName[name])
	}
	return out
}
