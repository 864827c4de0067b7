package load

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"plimsoll.dev/engine/apiserver"
)

// pod is what is known of one pod of the run.
type pod struct {
	namespace, name, uid string
	batch                *counter // of the batch that created it by name; nil for those of controllers
	// due is when its creation was due, or when it was seen first if a controller made it.
	due time.Time
	// scheduled, running and ready are when they were seen.
	scheduled, running, ready time.Time
	// byServer are its creation and when it was ready first, by the server's clock, in whole seconds.
	byServer struct{ created, ready time.Time }
	labels   map[string]string
	done     bool   // it ran to its end
	restarts int    // of its containers
	trouble  string // why it waits
	message  string
}

// counter of the pods of a batch. Each of them that is queued has a place in the queue until it is expected.
type counter struct {
	created, ready int
	queued         bool
}

// news is that something has changed, of pods or of workloads, and the lock of both.
type news struct {
	mu        sync.Mutex
	changed   chan struct{} // is closed at each change
	lastReady time.Time
	lastGone  time.Time // when the last of what was deleted had gone
}

// tell who waits. The caller has locked.
func (n *news) tell() {
	close(n.changed)
	n.changed = make(chan struct{})
}

// pods are all pods of the run's namespaces.
type pods struct {
	*news
	namespaces map[string]bool
	byName     map[string]*pod // namespace/name, of those that are there
	past       []*pod          // those that are gone
	expected   int             // pods that were created by name and not removed by the run
	// others are the UIDs of pods that nobody counts: they were there when the run began, or it deletes them.
	others map[string]bool
	// lost are pods without a controller that somebody else has deleted, by namespace/name, until there is one
	// of that name again.
	lost map[string]*pod
	// finished are pods that ran to their end before somebody took them away, as a Job with a time to live does,
	// by namespace/name.
	finished map[string]*pod
	listed   bool // those are known that were there before
	ready    int
	waiting  int // known and not ready
	places   int // in the queue that are given to what is not known yet
}

func newPods(n *news) *pods {
	return &pods{news: n, namespaces: map[string]bool{}, byName: map[string]*pod{},
		others: map[string]bool{}, lost: map[string]*pod{}, finished: map[string]*pod{}}
}

// follow watches all pods until the context ends; listed is told when those are known that were there before.
func (p *pods) follow(ctx context.Context, c *apiserver.Client, listed func()) error {
	resource := apiserver.Resource{APIVersion: "v1", Name: "pods"}
	known := func() {
		p.mu.Lock()
		p.listed = true
		p.mu.Unlock()
		listed()
	}
	return c.Watch(ctx, resource.Path(""), nil, known, p.event)
}

// in counts the pods of a namespace from now on.
func (p *pods) in(namespace string) {
	p.mu.Lock()
	p.namespaces[namespace] = true
	p.mu.Unlock()
}

// expect a pod that is about to be created by name.
func (p *pods) expect(namespace, name string, due time.Time, batch *counter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.places -= one(batch.queued)
	if p.byName[namespace+"/"+name] == nil {
		p.byName[namespace+"/"+name] = &pod{namespace: namespace, due: due, batch: batch}
		p.waiting++
		p.expected++
		batch.created++
	}
}

// place says whether there is one in a queue, and gives it. The caller has locked.
func (p *pods) place(queue int) bool {
	free := p.waiting+p.places < queue
	p.places += one(free)
	return free
}

// giveBack a place in the queue of what makes no pod by name.
func (p *pods) giveBack() {
	p.mu.Lock()
	p.places--
	p.mu.Unlock()
}

// named expects a pod to which the server gave its name, as it answered. It may have been seen before.
func (p *pods) named(answer []byte, due time.Time, batch *counter) {
	var s seen
	if json.Unmarshal(answer, &s) != nil || s.Metadata.Name == "" {
		return
	}
	key := s.Metadata.Namespace + "/" + s.Metadata.Name
	p.mu.Lock()
	defer p.mu.Unlock()
	k := cmp.Or(p.byName[key], p.lost[key], p.finished[key])
	if k == nil {
		k = &pod{namespace: s.Metadata.Namespace}
		p.byName[key] = k
		p.waiting++
	}
	k.due, k.batch = due, batch
	p.expected++
	batch.created++
	batch.ready += one(k.isReady())
}

// drop a pod that the run is about to delete.
func (p *pods) drop(namespace, name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if k := p.byName[namespace+"/"+name]; k != nil {
		p.give(namespace+"/"+name, k)
	}
	p.unexpect(namespace + "/" + name)
}

// unexpect a pod that somebody has taken away: the run would have deleted it now. The caller has locked.
func (p *pods) unexpect(key string) {
	for _, gone := range []map[string]*pod{p.lost, p.finished} {
		if k := gone[key]; k != nil {
			delete(gone, key)
			p.expected -= one(k.batch != nil)
		}
	}
}

// leave a namespace that the run is about to delete, with all pods in it.
func (p *pods) leave(namespace string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, k := range p.byName {
		if k.namespace == namespace {
			p.give(key, k)
		}
	}
	for _, gone := range []map[string]*pod{p.lost, p.finished} {
		for key, k := range gone {
			if k.namespace == namespace {
				p.unexpect(key)
			}
		}
	}
}

// give a pod up; what is told of it from now on is no news.
func (p *pods) give(key string, k *pod) {
	if k.batch != nil {
		p.expected--
	}
	p.others[k.uid] = true
	p.remove(key, k)
}

// remove what is gone from those that are there.
func (p *pods) remove(key string, k *pod) {
	delete(p.byName, key)
	p.past, p.lastGone = append(p.past, k), time.Now()
	if k.isReady() {
		p.ready--
	} else {
		p.waiting--
	}
}

// forget a pod that could not be created. Where a controller has made one of that name, that stays.
func (p *pods) forget(namespace, name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if k := p.byName[namespace+"/"+name]; k != nil && !k.isReady() && k.batch != nil {
		delete(p.byName, namespace+"/"+name)
		p.waiting--
		p.expected--
		k.batch.created--
	}
}

// seen is a pod as a kubelet reports it.
type seen struct {
	Metadata struct {
		Name, Namespace   string
		UID               string
		Labels            map[string]string
		OwnerReferences   []struct{ Kind string }
		CreationTimestamp time.Time
		DeletionTimestamp *time.Time
	}
	Spec   struct{ NodeName string }
	Status struct {
		Phase, Reason, Message string
		Conditions             []struct {
			Type, Status, Reason, Message string
			LastTransitionTime            time.Time
		}
		ContainerStatuses []struct {
			State struct {
				Waiting    *struct{ Reason, Message string }
				Terminated *struct {
					Reason, Message string
					ExitCode        int
				}
			}
			RestartCount int
		}
	}
}

func (p *pods) event(e apiserver.Event) {
	var s seen
	if err := json.Unmarshal(e.Object, &s); err != nil {
		return
	}
	key := s.Metadata.Namespace + "/" + s.Metadata.Name
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.listed {
		p.others[s.Metadata.UID] = true
	}
	if p.others[s.Metadata.UID] && e.Type == "DELETED" {
		delete(p.others, s.Metadata.UID)
		p.lastGone = e.Seen
		return
	}
	if p.others[s.Metadata.UID] || !p.namespaces[s.Metadata.Namespace] {
		return
	}
	known := p.byName[key]
	switch going := e.Type == "DELETED" || s.Metadata.DeletionTimestamp != nil; {
	case known != nil && known.uid != "" && known.uid != s.Metadata.UID: // one of the same name that is gone
		return
	case going && (known == nil || known.uid == ""):
		return
	case going:
		p.remove(key, known)
		switch {
		case known.done:
			p.finished[key] = known
		case len(s.Metadata.OwnerReferences) == 0: // nobody makes another
			p.lost[key] = known
		}
		return
	}
	if known == nil {
		known = &pod{namespace: s.Metadata.Namespace, due: e.Seen}
		p.byName[key] = known
		p.waiting++
		delete(p.lost, key)
	}
	known.uid = s.Metadata.UID
	was := known.isReady()
	known.take(&s, e.Seen)
	if !was && known.isReady() {
		p.ready++
		p.waiting--
		p.lastReady = e.Seen
		if known.batch != nil {
			known.batch.ready++
		}
	}
	p.tell()
}

func (k *pod) isReady() bool { return !k.ready.IsZero() || k.done }

// take what a report says that was not known.
func (k *pod) take(s *seen, now time.Time) {
	first := func(t *time.Time, holds bool) {
		if holds && t.IsZero() {
			*t = now
		}
	}
	first(&k.scheduled, s.Spec.NodeName != "")
	first(&k.running, s.Status.Phase == "Running")
	k.byServer.created, k.labels = s.Metadata.CreationTimestamp, s.Metadata.Labels
	k.name, k.trouble, k.message = s.Metadata.Name, "", ""
	for _, c := range s.Status.Conditions {
		switch {
		case c.Type == "PodScheduled" && c.Reason == "Unschedulable":
			k.trouble, k.message = c.Reason, c.Message
		case c.Type == "Ready" && c.Status == "True":
			k.byServer.ready = cmp.Or(k.byServer.ready, c.LastTransitionTime) // it may be so again later
			first(&k.ready, true)
		}
	}
	failed := s.Status.Phase == "Failed"
	ofJob := slices.ContainsFunc(s.Metadata.OwnerReferences, func(o struct{ Kind string }) bool { return o.Kind == "Job" })
	k.done = k.done || s.Status.Phase == "Succeeded" || failed && ofJob // whose Job makes another, or fails
	if failed {
		k.trouble, k.message = cmp.Or(s.Status.Reason, "Failed"), s.Status.Message
	}
	restarts := 0
	for _, c := range s.Status.ContainerStatuses {
		restarts += c.RestartCount
		if w := c.State.Waiting; w != nil && slices.Contains(troubles, w.Reason) {
			k.trouble, k.message = w.Reason, w.Message
		}
		if ended := c.State.Terminated; ended != nil && k.trouble != "" {
			k.message = cmp.Or(k.message, ended.Message)
		}
	}
	k.restarts = max(k.restarts, restarts)
}

// troubles are reasons of waiting containers that don't pass by themselves.
var troubles = []string{"CrashLoopBackOff", "ImagePullBackOff", "ErrImagePull", "InvalidImageName", "ErrImageNeverPull",
	"CreateContainerConfigError", "CreateContainerError", "RunContainerError"}

// all pods of the run, those that are gone too. The caller has locked, or nobody else is there.
func (p *pods) all() []*pod { return slices.AppendSeq(slices.Clone(p.past), maps.Values(p.byName)) }

// behind are the pods that are not ready, and those of them that have no node.
func (p *pods) behind() (waiting, unscheduled int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range p.byName {
		if !k.isReady() && k.scheduled.IsZero() {
			unscheduled++
		}
	}
	return p.waiting, unscheduled
}

// held says what keeps pods waiting, the most frequent first.
func (p *pods) held() []Failure {
	p.mu.Lock()
	defer p.mu.Unlock()
	var found tally
	for key, k := range p.byName {
		if !k.isReady() {
			found.add(cmp.Or(k.trouble, notReady), key+": "+cmp.Or(k.message, "no reason is told"))
		}
	}
	for key := range p.lost {
		found.add("deleted", key+": it was deleted, and not by this run")
	}
	return found.list()
}
