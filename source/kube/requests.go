package kube

import (
	"slices"
	"strings"
)

// QoS classes of Kubernetes.
const (
	guaranteed = "Guaranteed"
	burstable  = "Burstable"
	bestEffort = "BestEffort"
)

// container is what counts of a container. The pod's own resources
// (spec.resources) have the same form.
type container struct {
	name             string
	requests, limits amounts
	sidecar          bool // an init container that is restarted always
}

// setDefaults makes requests of limits, as the API server does.
func (c *container) setDefaults() {
	for _, l := range c.limits {
		if _, ok := c.requests.get(l.name); !ok {
			c.requests = append(c.requests, l)
		}
	}
}

// asks are the containers with what they ask for, to keep.
func (p *podSpec) asks() []container {
	out := slices.Concat(p.inits, p.containers)
	for i, c := range out {
		out[i].requests, out[i].limits = slices.Clone(c.requests), slices.Clone(c.limits)
	}
	return out
}

func requestsOf(c *container) amounts { return c.requests }
func limitsOf(c *container) amounts   { return c.limits }

// sum is what the containers take together: all app containers and sidecars at
// once, or the largest of the init containers with the sidecars that were
// started before it, per resource the larger one.
func (p *podSpec) sum(out amounts, of func(*container) amounts) amounts {
	for i := range p.containers {
		out = out.plus(of(&p.containers[i]))
	}
	var sidecars, peak amounts
	for i := range p.inits {
		c := &p.inits[i]
		if c.sidecar {
			out = out.plus(of(c))
			sidecars = sidecars.plus(of(c))
			peak = peak.atLeast(sidecars)
			continue
		}
		var now amounts
		peak = peak.atLeast(now.plus(of(c)).plus(sidecars))
	}
	return out.atLeast(peak)
}

// podLevel says whether a resource can be set for the pod as a whole.
func podLevel(name string) bool {
	return name == resCPU || name == resMemory || strings.HasPrefix(name, resHugePage)
}

// setDefaults fills in the requests of the containers and of the pod. Those of
// the pod are, where it has limits, the containers' sum, else its limits.
func (p *podSpec) setDefaults() {
	for i := range p.containers {
		p.containers[i].setDefaults()
	}
	for i := range p.inits {
		p.inits[i].setDefaults()
	}
	p.limitPages()
	if len(p.level.limits) == 0 {
		return
	}
	for _, a := range p.sum(nil, requestsOf) {
		_, set := p.level.requests.get(a.name)
		if !set && podLevel(a.name) && !strings.HasPrefix(a.name, resHugePage) {
			p.level.requests = append(p.level.requests, a)
		}
	}
	for _, a := range p.level.limits {
		if _, set := p.level.requests.get(a.name); !set && podLevel(a.name) {
			p.level.requests = append(p.level.requests, a)
		}
	}
}

// limitPages limits the huge pages of a pod that has resources as a whole to what
// its containers may have, where it doesn't name them (pkg/apis/core/v1,
// defaultHugePagePodLimits).
func (p *podSpec) limitPages() {
	if len(p.level.requests)+len(p.level.limits) == 0 {
		return
	}
	for _, a := range p.sum(nil, limitsOf) {
		_, requested := p.level.requests.get(a.name)
		_, limited := p.level.limits.get(a.name)
		if strings.HasPrefix(a.name, resHugePage) && !requested && !limited {
			p.level.limits = append(p.level.limits, a)
		}
	}
}

// requests is what the scheduler counts for the pod, after setDefaults.
func (p *podSpec) requests(out amounts) amounts {
	out = p.sum(out, requestsOf)
	for _, a := range p.level.requests {
		if podLevel(a.name) {
			out = out.set(a.name, a.n)
		}
	}
	return out.plus(p.overhead)
}

// limit is the most that the pod can use of a resource; ok is false when a
// container or sidecar has no limit.
func (p *podSpec) limit(name string) (n int64, ok bool) {
	if n, ok = p.level.limits.get(name); !ok {
		if !p.allLimited(name) {
			return 0, false
		}
		n = p.sum(nil, limitsOf).of(name)
	}
	if n > 0 {
		n += p.overhead.of(name)
	}
	return n, true
}

func (p *podSpec) allLimited(name string) bool {
	for i := range p.containers {
		if _, ok := p.containers[i].limits.get(name); !ok {
			return false
		}
	}
	for i := range p.inits {
		if _, ok := p.inits[i].limits.get(name); !ok && p.inits[i].sidecar {
			return false
		}
	}
	return len(p.containers) > 0
}

// qosClass is the pod's QoS class, after setDefaults. Only CPU and memory
// decide, of the pod as a whole where they are set for it, else of every
// container.
func (p *podSpec) qosClass() string {
	q := qos{guaranteed: true}
	if p.hasLevel() {
		q.add(&p.level)
		// Without limits of its own the pod fails below: its requests have no equal.
		q.guaranteed = len(p.level.limits) == 0 || limited(&p.level)
	} else {
		for i := range p.containers {
			q.container(&p.containers[i])
		}
		for i := range p.inits {
			q.container(&p.inits[i])
		}
	}
	return q.class()
}

func (p *podSpec) hasLevel() bool {
	for _, list := range []amounts{p.level.requests, p.level.limits} {
		for _, a := range list {
			if podLevel(a.name) {
				return true
			}
		}
	}
	return false
}

// qos sums CPU and memory.
type qos struct {
	requests, limits [2]int64
	guaranteed       bool
}

func (q *qos) add(c *container) {
	for i, name := range []string{resCPU, resMemory} {
		q.requests[i] += c.requests.of(name)
		q.limits[i] += c.limits.of(name)
	}
}

func (q *qos) container(c *container) {
	q.add(c)
	q.guaranteed = q.guaranteed && limited(c)
}

// limited says whether both CPU and memory have a limit.
func limited(c *container) bool { return c.limits.of(resCPU) > 0 && c.limits.of(resMemory) > 0 }

func (q *qos) class() string {
	none := [2]int64{}
	switch {
	case q.requests == none && q.limits == none:
		return bestEffort
	case q.guaranteed && q.requests == q.limits:
		return guaranteed
	}
	return burstable
}
