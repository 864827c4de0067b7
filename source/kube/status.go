package kube

import (
	"slices"
	"strings"
)

// status reads whether the pod is done, and what it holds while it is resized.
func (r *reader) status(v value) {
	p := &r.pod
	for k, f := range v.fields() {
		switch string(k) {
		case "nominatedNodeName":
			if p.node == "" && f.kind() == scalar && !f.is("") {
				p.lack("that preemption has made room for the pod on node " + f.text() + ", which the scheduler tries first")
			}
		case "phase":
			p.finished = f.is("Succeeded") || f.is("Failed")
		case "containerStatuses":
			r.resized(f, p.containers, false, v)
		case "initContainerStatuses":
			r.resized(f, p.inits, true, v)
		case "resources":
			if p.hasLevel() {
				p.level.resize(r.amounts(f.get("requests"), nil), r.amounts(v.get("allocatedResources"), nil), infeasible(v))
			}
		}
	}
}

// infeasible says whether the node can never give what a resize asks for.
func infeasible(status value) bool {
	for c := range status.get("conditions").elems() {
		if c.get("type").is("PodResizePending") {
			return c.get("reason").is("Infeasible")
		}
	}
	return false
}

// resized takes what containers hold and were given into account. Init containers
// that end can't be resized.
func (r *reader) resized(statuses value, list []container, init bool, status value) {
	for s := range statuses.elems() {
		held := s.get("resources")
		i := slices.IndexFunc(list, func(c container) bool { return s.get("name").is(c.name) })
		if held.kind() != mapping || i < 0 || init && !list[i].sidecar {
			continue
		}
		list[i].resize(r.amounts(held.get("requests"), nil), r.amounts(s.get("allocatedResources"), nil), infeasible(status))
	}
}

// resize makes the requests the largest of what is asked for, held and given; what
// is asked for doesn't count where the node can never give it
// (component-helpers, resource.PodRequests). Limits follow: the class of a pod stays.
func (c *container) resize(held, given amounts, infeasible bool) {
	most := held.atLeast(given)
	if !infeasible {
		most = most.atLeast(c.requests)
	}
	c.requests = append(c.requests[:0], most...)
	for i, l := range c.limits {
		c.limits[i].n = max(l.n, c.requests.of(l.name))
	}
}

// notTried says why kube-scheduler does not try the pod; empty when it does.
func (p *podSpec) notTried() string {
	switch {
	case p.node != "":
		return ""
	case p.scheduler != "" && p.scheduler != "default-scheduler":
		return "the scheduler " + p.scheduler + " decides about it, whose rules are not known here"
	case len(p.gates) > 0:
		return "SchedulingGated: Scheduling is blocked due to non-empty scheduling gates (" +
			strings.Join(p.gates, ", ") + ")"
	}
	return ""
}
