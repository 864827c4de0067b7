package load

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"plimsoll.dev/bench"
)

// count an object that was created, or refused with err.
func (r *run) count(key kindKey, err error, sinceDue time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := r.kinds[key]
	if k == nil {
		c := r.choices[key]
		k = &KindCount{APIVersion: key.apiVersion, Kind: key.kind, How: c.how, Into: c.into.Kind}
		r.kinds[key] = k
	}
	if err != nil {
		k.Failed++
		r.failures.add("refused", err.Error())
		return
	}
	k.Created++
	if k.How == skipped {
		return
	}
	now := time.Now()
	if r.firstAt.IsZero() {
		r.firstAt = now
	}
	if !r.churning.Load() {
		r.lastAt, r.heldBack = now, r.clock.stoodFor()
		r.filled++
	}
	r.fromDue = append(r.fromDue, sinceDue)
	r.createdAt = append(r.createdAt, now.Sub(r.began))
}

// called notes how long the server took to answer a request.
func (r *run) called(what string, took time.Duration) {
	r.mu.Lock()
	r.calls[what] = append(r.calls[what], took)
	r.mu.Unlock()
}

// result is what has come out so far.
func (r *run) result(failed error, took time.Duration) *Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := &Result{RunID: r.opt.RunID, Options: r.opt, Server: r.client.Server(), Began: r.began, Took: took,
		RateAsked: r.opt.Rate, First: r.firstAt, Last: r.lastAt, Filled: r.filled, HeldBack: r.heldBack,
		Unchurned: r.unchurned, Phases: r.phases, Cluster: r.opt.Cluster}
	out.Options.Cluster = Cluster{} // which the result has
	for key, k := range r.kinds {
		k.Waited, k.Ready = r.readyOf(key)
		out.Kinds = append(out.Kinds, *k)
	}
	slices.SortFunc(out.Kinds, func(a, b KindCount) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.APIVersion, b.APIVersion))
	})
	out.RateReached = out.rate()
	// Which no controller has made; what somebody else has deleted was there.
	missing := max(0, r.pods.expected+r.planned.count()-len(r.pods.byName)-len(r.pods.lost)-len(r.pods.finished))
	for _, p := range r.pods.all() {
		out.Pods++
		if p.isReady() {
			out.Ready++
		}
		if name := p.namespace + "/" + p.name; p.restarts > 0 {
			if out.Restarted++; out.Restart == "" || name < out.Restart {
				out.Restart = name
			}
		}
	}
	out.Pods += missing
	out.Latencies = r.latencies(missing)
	out.Course = r.course(took)
	if failed != nil {
		out.Failed = failed.Error()
		out.Failures = append(r.failures.list(), r.heldBy()...)
	}
	return out
}

// rate of objects a second, of which there are one less than moments; 0 is not known.
func (r *Result) rate() float64 {
	if span := r.Last.Sub(r.First); span > 0 {
		return float64(r.Filled-1) / span.Seconds()
	}
	return 0
}

// readyOf says whether a kind is waited for, and how many of it have become ready. Pods count here that
// were created by name.
func (r *run) readyOf(key kindKey) (waited bool, n int) {
	c := r.choices[key]
	if c.resource.Kind == "Pod" && c.resource.Group() == "" {
		for _, p := range r.pods.all() {
			n += one(p.batch != nil && p.isReady())
		}
		return true, n
	}
	return r.workloads.of(key)
}

// callTitles of what is measured by resource.
var callTitles = map[string]string{"create": "API call: create ", "delete": "API call: delete ",
	"gone": "Deleted until gone: "}

// latencies of requests and pods.
func (r *run) latencies(missing int) []Latency {
	var out []Latency
	add := func(id, title, clock string, values []time.Duration, censored int) {
		if len(values)+censored > 0 {
			out = append(out, Latency{id, title, clock, bench.Summarize(values, censored), values})
		}
	}
	r.pods.mu.Lock()
	defer r.pods.mu.Unlock()
	for _, phase := range []struct {
		id, title string
		at        func(*pod) time.Time
	}{
		{"pod/scheduled", "Pod due, until it was seen on a node", func(p *pod) time.Time { return p.scheduled }},
		{"pod/running", "Pod due, until its containers were seen running", func(p *pod) time.Time { return p.running }},
		{"pod/ready", "Pod due, until it was seen ready", func(p *pod) time.Time { return p.ready }},
	} {
		values, censored := r.spans(func(p *pod) (from, to time.Time) { return p.due, phase.at(p) })
		add(phase.id, phase.title, "own", values, censored+missing)
	}
	values, censored := r.spans(func(p *pod) (from, to time.Time) { return p.scheduled, p.running })
	add("pod/started", "Pod seen on a node, until its containers were seen running", "own", values, censored+missing)
	values, censored = r.spans(func(p *pod) (from, to time.Time) { return p.byServer.created, p.byServer.ready })
	add("pod/ready/server", "Pod created until ready, in whole seconds of the server", "server", values, censored+missing)
	ready, never := r.workloads.times()
	for _, c := range r.watched() {
		add("ready/"+c.resource.Name, c.resource.Kind+" due, until its status said that it is ready", "own",
			ready[c.resource.Name], never[c.resource.Name])
	}
	add("due/created", "Object due, until it was created", "own", r.fromDue, 0)
	ids := make([]string, 0, len(r.calls))
	for id := range r.calls {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		verb, resource, _ := strings.Cut(id, "/")
		add(id, callTitles[verb]+resource, "own", r.calls[id], 0)
	}
	return out
}

// spans between two moments of all pods, and the pods of which the second never came. What ran to
// its end was ready for a moment that nobody saw.
func (r *run) spans(of func(*pod) (from, to time.Time)) (values []time.Duration, censored int) {
	for _, p := range r.pods.all() {
		from, to := of(p)
		switch {
		case !to.IsZero() && !from.IsZero():
			values = append(values, to.Sub(from))
		case !p.done:
			censored++
		}
	}
	return values, censored
}
