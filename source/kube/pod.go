package kube

import (
	"slices"
	"strings"
)

// pod is what counts of a pod or of a controller's pod template.
type pod struct {
	podSpec
	name, generate, namespace []byte // good until the object is read
	created                   []byte // creationTimestamp, likewise
	owner                     ref    // the controller that owns it
	labels                    []label
	static                    bool // a mirror of a static pod
	finished, terminating     bool
}

// ref names an object of a namespace.
type ref struct{ kind, name string }

func (p *pod) reset() {
	p.podSpec.reset()
	*p = pod{podSpec: p.podSpec, labels: p.labels[:0]}
}

func (p *pod) label(key string) (string, bool) { return labelOf(p.labels, key) }

// metadata reads a pod's or a pod template's metadata.
func (r *reader) metadata(v value) {
	p := &r.pod
	for k, f := range v.fields() {
		switch string(k) {
		case "name":
			p.name = f.bytes()
		case "generateName":
			p.generate = f.bytes()
		case "namespace":
			p.namespace = f.bytes()
		case "labels":
			p.labels = r.labels(f, p.labels)
		case "creationTimestamp":
			p.created = f.bytes()
		case "deletionTimestamp":
			p.terminating = f.kind() == scalar
		case "annotations":
			for k := range f.fields() {
				p.static = p.static || string(k) == "kubernetes.io/config.mirror"
			}
		case "ownerReferences":
			p.owner = r.controller(f)
		}
	}
}

// controller is the owner reference that is marked as the controller.
func (r *reader) controller(v value) ref {
	for item := range v.elems() {
		var o ref
		controls := false
		for k, f := range item.fields() {
			switch string(k) {
			case "kind":
				o.kind = r.word(f.bytes())
			case "name":
				o.name = r.word(f.bytes())
			case "controller":
				controls = f.is("true")
			}
		}
		if controls {
			return o
		}
	}
	return ref{}
}

// topOwner is the controller that people know the pod by: the Deployment above
// a ReplicaSet, the DeploymentConfig above a ReplicationController, the CronJob
// above a Job. Their names are kept in the labels, or within the name.
func (p *pod) topOwner() ref {
	o := p.owner
	switch o.kind {
	case "ReplicaSet":
		for _, key := range []string{"pod-template-hash", "rollouts-pod-template-hash"} {
			if hash, ok := p.label(key); ok {
				if name, ok := strings.CutSuffix(o.name, "-"+hash); ok {
					return ref{kindDeployment, name}
				}
			}
		}
	case "ReplicationController":
		if name, ok := p.label("deploymentconfig"); ok {
			return ref{"DeploymentConfig", name}
		}
	case "Job":
		if name, ok := cutNumber(o.name, 8); ok {
			return ref{"CronJob", name}
		}
	case "", kindNode: // static pods belong to their node
		return ref{kindPod, p.stem()}
	}
	return o
}

// stem is the part of a bare pod's name that its like have in common.
func (p *pod) stem() string {
	if len(p.generate) > 0 {
		return strings.TrimRight(string(p.generate), "-.")
	}
	name := string(p.name)
	if p.static {
		return strings.TrimSuffix(name, "-"+p.node)
	}
	if stem, ok := cutNumber(name, 1); ok {
		return stem
	}
	return name
}

// cutNumber cuts a dash and a number of at least so many digits off a name.
func cutNumber(name string, digits int) (string, bool) {
	stem := strings.TrimRight(name, "0123456789")
	if len(name)-len(stem) < digits || !strings.HasSuffix(stem, "-") || len(stem) < 2 {
		return name, false
	}
	return stem[:len(stem)-1], true
}

// perPod are labels that differ between the pods of one controller, or between
// its revisions; no service selects a whole workload by them.
var perPod = map[string]bool{
	"pod-template-hash": true, "rollouts-pod-template-hash": true, "controller-revision-hash": true,
	"pod-template-generation": true, "statefulset.kubernetes.io/pod-name": true, "apps.kubernetes.io/pod-index": true,
	"controller-uid": true, "job-name": true, "batch.kubernetes.io/controller-uid": true,
	"batch.kubernetes.io/job-name": true, "batch.kubernetes.io/job-completion-index": true, "deployment": true,
}

// appendShape appends to key all that makes the pods of one type equal.
func (p *pod) appendShape(key []byte, requests amounts) []byte {
	requests.sort()
	for _, a := range requests {
		key = appendAmount(key, a.name, a.n, true)
	}
	for _, name := range []string{resCPU, resMemory} {
		n, ok := p.limit(name)
		key = appendAmount(key, "", n, ok)
	}
	key = append(appendText(appendText(appendText(key, p.notTried()), p.runtime), p.os), flag(p.terminating))
	key = append(key, p.qosClass()[1], flag(p.alone || p.hasHostPort), byte(len(p.containers)), byte(p.sidecars()), '\n')
	if p.split() {
		key = p.appendContainers(key)
	}
	key = appendAmount(key, "", p.ephemeral, true)
	start := len(key)
	key = p.mention(p.rules.appendKey(key, p.hostNetwork, p.owner.kind == kindDaemonSet), start)
	for _, list := range [][]label{p.selector, p.own} {
		sortLabels(list)
		for _, l := range list {
			key = appendText(appendText(key, l.key), l.value)
		}
		key = append(key, '\n')
	}
	for _, t := range p.all {
		key = appendText(appendText(appendText(appendText(key, t.Key), t.Operator), t.Value), t.Effect)
	}
	return key
}

// split says whether the sums alone don't say what the pod asks for.
func (p *podSpec) split() bool {
	return len(p.containers)+len(p.inits) > 1 || p.hasLevel() || len(p.overhead) > 0 || p.runtime != "" ||
		slices.ContainsFunc(p.containers, asksForNone)
}

// asksForNone says whether a container requests 0 of something, which is not the
// same as not to name it: its limit would be the request.
func asksForNone(c container) bool {
	return slices.ContainsFunc(c.requests, func(a amount) bool { return a.n == 0 })
}

// appendContainers appends what each container asks for, and the pod as a whole.
func (p *podSpec) appendContainers(key []byte) []byte {
	for _, list := range [][]container{p.inits, p.containers} {
		for i := range list {
			key = list[i].appendKey(key)
		}
		key = append(key, '\n')
	}
	p.overhead.sort()
	return p.overhead.appendKey(p.level.appendKey(key))
}

func (c *container) appendKey(key []byte) []byte {
	c.requests.sort()
	c.limits.sort()
	return c.limits.appendKey(c.requests.appendKey(append(key, flag(c.sidecar))))
}

func (a amounts) appendKey(key []byte) []byte {
	for _, x := range a {
		key = appendAmount(key, x.name, x.n, true)
	}
	return append(key, ';')
}

func (p *podSpec) sidecars() int {
	n := 0
	for i := range p.inits {
		if p.inits[i].sidecar {
			n++
		}
	}
	return n
}
