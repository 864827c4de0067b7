package kube

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// rolePrefix begins the labels that give nodes their roles; they have no value.
const rolePrefix = "node-role.kubernetes.io/"

// affinity reads what the pod demands of its node and its neighbours. What it
// merely prefers never keeps it from a node and isn't read.
func (r *reader) affinity(v value) {
	const demand = "requiredDuringSchedulingIgnoredDuringExecution"
	for k, f := range v.fields() {
		switch string(k) {
		case "nodeAffinity":
			r.nodeAffinity(f.get(demand, "nodeSelectorTerms"))
		case "podAffinity":
			for range f.get(demand).elems() {
				r.pod.note("required pod affinity")
			}
		case "podAntiAffinity":
			for term := range f.get(demand).elems() {
				r.antiAffinity(term)
			}
		}
	}
}

// nodeAffinity turns a single term of single values into node selectors. The
// terms are alternatives, so several of them can't be written as selectors.
func (r *reader) nodeAffinity(terms value) {
	n := 0
	var only value
	for term := range terms.elems() {
		only = term
		n++
	}
	if n > 1 {
		r.pod.note(fmt.Sprintf("required node affinity with %d alternatives", n))
		return
	}
	for field := range only.get(fieldsOfNode).elems() {
		// The controller of daemon sets binds each pod to its node in this way.
		if r.pod.owner.kind != kindDaemonSet {
			r.pod.note("required node affinity by field")
		}
		for name := range field.get("values").elems() {
			r.pod.target = r.word(name.bytes())
		}
	}
	for e := range only.get("matchExpressions").elems() {
		r.nodeExpression(e)
	}
}

func (r *reader) nodeExpression(e value) {
	key, operator := r.word(e.get("key").bytes()), e.get("operator").text()
	values := textsOf(e.get("values"))
	_, taken := labelOf(r.pod.selector, key)
	switch {
	case taken && operator == "Exists":
	case !taken && operator == "In" && len(values) == 1:
		r.pod.selector = append(r.pod.selector, label{key, values[0]})
	case !taken && operator == "Exists" && strings.HasPrefix(key, rolePrefix):
		r.pod.selector = append(r.pod.selector, label{key, ""})
	default:
		r.pod.note("required node affinity " + strings.TrimSpace(key+" "+operator+" "+strings.Join(values, ",")))
	}
}

// antiAffinity reads one term. Only "none of my own kind on my node" can be
// counted: as one pod per node.
func (r *reader) antiAffinity(term value) {
	topology := term.get("topologyKey").text()
	if topology == labelHostname && r.ownNamespace(term) && r.matches(term.get("labelSelector")) {
		r.pod.alone = true
		return
	}
	r.pod.note("required pod anti-affinity by " + topology)
}

// ownNamespace says whether an affinity term speaks of the pod's own namespace.
func (r *reader) ownNamespace(term value) bool {
	if s := term.get("namespaceSelector"); s.kind() != nothing {
		// An empty selector takes all namespaces; of others we don't know the labels.
		for range s.fields() {
			return false
		}
		return true
	}
	named := false
	for n := range term.get("namespaces").elems() {
		named = true
		if bytes.Equal(n.bytes(), r.pod.namespace) {
			return true
		}
	}
	return !named
}

// matches says whether a label selector takes the pod's own labels. No selector
// takes nothing, an empty one everything.
func (r *reader) matches(selector value) bool {
	if selector.kind() != mapping {
		return false
	}
	for k, v := range selector.get("matchLabels").fields() {
		if own, ok := r.pod.label(string(k)); !ok || own != v.text() {
			return false
		}
	}
	for e := range selector.get("matchExpressions").elems() {
		if !r.matchesExpression(e) {
			return false
		}
	}
	return true
}

func (r *reader) matchesExpression(e value) bool {
	own, has := r.pod.label(e.get("key").text())
	values := textsOf(e.get("values"))
	switch e.get("operator").text() {
	case "In":
		return has && slices.Contains(values, own)
	case "NotIn":
		return !has || !slices.Contains(values, own)
	case "Exists":
		return has
	case "DoesNotExist":
		return !has
	}
	return false
}

// spread notes the spread constraints that can keep a pod off a node.
func (r *reader) spread(v value) {
	for c := range v.elems() {
		if !c.get("whenUnsatisfiable").is("ScheduleAnyway") {
			r.pod.note("spread constraint by " + c.get("topologyKey").text())
		}
	}
}
