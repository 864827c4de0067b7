package kube

import (
	"maps"
	"math"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/unit"
)

// workload reads a controller: so many pods made of a template.
func (r *reader) workload(o *object, replicas, template value) {
	r.pod.reset()
	r.pod.namespace = o.meta.get("namespace").bytes()
	count := r.count(replicas, 1)
	if o.group() == "apps" {
		r.strict(o.spec, o.kind+" spec")
	}
	r.podTemplate(ref{o.kind, o.name()}, template)
	if o.kind == kindDeployment || o.kind == "DeploymentConfig" {
		r.objects.Deployments++
		r.space(o.namespace()).deployments++
	}
	for t := range o.spec.get("volumeClaimTemplates").elems() {
		r.pod.ephemeral += r.storage(t)
	}
	r.controllers[id{o.namespace(), ref{o.kind, o.name()}}] = selects(o)
	r.addController(o, count)
}

// podTemplate reads a pod template for the controller owner.
func (r *reader) podTemplate(owner ref, template value) {
	// The controller's own name, namespace and owner are not the template's.
	r.pod.owner = owner
	r.strict(template, "template")
	r.pod.labels = r.labels(template.get("metadata", "labels"), r.pod.labels)
	r.spec(template.get("spec"))
}

// job reads a job: as many pods as run at once.
func (r *reader) job(o *object, spec value) {
	r.pod.reset()
	r.pod.namespace = o.meta.get("namespace").bytes()
	r.strict(o.spec, o.kind+" spec")
	r.strict(spec, "Job spec")
	count := r.count(spec.get("parallelism"), 1)
	if c := spec.get("completions"); c.kind() != nothing {
		count = min(count, r.count(c, count))
	}
	if spec.get("suspend").is("true") || o.spec.get("suspend").is("true") {
		r.skip(o.place(), o.title(), "it is suspended")
		return
	}
	r.podTemplate(ref{o.kind, o.name()}, spec.get("template"))
	r.addController(o, count)
}

func (r *reader) cronJob(o *object) { r.job(o, o.spec.get("jobTemplate", "spec")) }

// addController records count pods of the pod template that was just read.
func (r *reader) addController(o *object, count int) {
	if !r.complete(o) {
		return
	}
	g := r.newGroup(o, ref{o.kind, o.name()}, r.appendShapeKey(nil))
	g.parent = r.controller(o.meta.get("ownerReferences"))
	g.name = o.name()
	g.count = count
	g.claims = append(g.claims, r.pod.claims...)
	r.groups = append(r.groups, g)
}

// complete says whether the pod that was just read can be counted, and lists it
// when not.
func (r *reader) complete(o *object) bool {
	switch {
	case r.pod.open != "":
		r.lack(o.place(), o.title(), "a number is "+r.pod.open+", which nothing fills in; render the template first")
		return false
	case len(r.pod.containers) == 0:
		r.skip(o.place(), o.title(), "it has no containers; is it a patch of another object?")
		return false
	}
	return true
}

// addPod records the pod that was just read.
func (r *reader) addPod(o *object) {
	p := &r.pod
	if p.finished {
		r.skip(o.place(), "finished pods", "they hold nothing any more")
		return
	}
	if p.terminating && p.node == "" {
		r.skip(o.place(), "pods that are deleted before they have a node", "the scheduler leaves them alone")
		return
	}
	if !r.complete(o) {
		return
	}
	r.livePods = true
	owner := p.topOwner()
	key, shape := r.podKey(owner)
	g := r.index[string(key)]
	if g == nil || !r.live {
		g = r.newGroup(o, owner, key[shape:])
		g.isPod, g.static, g.parent, g.name = true, p.static, p.owner, string(p.name)
		r.groups = append(r.groups, g)
		r.index[string(key)] = g
	}
	g.count++
	switch {
	case r.live && p.node != "":
		g.nodes = append(g.nodes, p.node)
		for _, claim := range p.claims {
			g.mounts = append(g.mounts, mount{p.node, claim})
		}
	case r.live && (g.base.Spec == nil || g.base.Spec.NotTried == ""):
		w := waiting{created: string(p.created), place: o.place()}
		if g.base.DaemonSet {
			w.target = p.target
		}
		g.waiting = append(g.waiting, w)
	}
	g.claims = append(g.claims, p.claims...)
	for _, n := range p.notes {
		g.notes = noted(g.notes, n)
	}
}

// podKey is equal for pods that are counted together; from offset shape on it is
// equal for all pods that ask for the same.
func (r *reader) podKey(owner ref) (key []byte, shape int) {
	p := &r.pod
	key = appendText(r.key[:0], string(p.namespace))
	key = append(appendText(appendText(key, owner.kind), owner.name), flag(p.static))
	waits := r.live && p.node == ""
	sortLabels(p.labels)
	for _, l := range p.labels {
		if !perPod[l.key] || waits {
			key = appendText(appendText(key, l.key), l.value)
		}
	}
	key = append(appendText(key, p.owner.name), flag(waits))
	if waits {
		for _, list := range [][]string{p.images, p.pulled, p.claims} {
			for _, s := range list {
				key = appendText(key, s)
			}
		}
	}
	key = append(key, '\n')
	shape = len(key)
	r.key = r.appendShapeKey(key)
	return r.key, shape
}

func (r *reader) appendShapeKey(key []byte) []byte {
	r.sum = r.pod.requests(r.sum[:0])
	return r.pod.appendShape(key, r.sum)
}

// group is a number of equal pods with the same labels.
type group struct {
	namespace string
	owner     ref    // what the pods are known by
	parent    ref    // the controller of the pod or of the owner
	name      string // of the first pod, or of the owner
	place     place
	count     int
	base      v1alpha1.PodType // what all of them ask for
	shape     string           // equal for equal bases
	labels    []label
	own       []label // of the first pod: those that differ from pod to pod
	waiting   []waiting
	mounts    []mount // of pods that run
	// images of the first pod's containers and image volumes
	images, pulled []string
	asks           []container // of manifests: what each container asks for
	isPod          bool        // made of pods, not of a controller
	static         bool
	nodes          []string // of a snapshot's pods, one a pod
	claims         []string // that are mounted
	notes          []note
	class          string // priorityClassName
	runtime        string // runtimeClassName, where nobody has looked it up yet
	os             string // os.name
	ranked         bool   // the priority is stated
	budgets        []string
	more           int // owners beside the one named, when types were put together
}

// newGroup makes a group, with no pods yet, of the pod that was just read.
func (r *reader) newGroup(o *object, owner ref, shape []byte) *group {
	p := &r.pod
	g := &group{namespace: r.word(p.namespace), owner: owner, place: o.place(), base: r.podType(), shape: string(shape),
		class: p.rules.class, ranked: p.rules.ranked, os: p.os}
	g.base.DaemonSet = owner.kind == kindDaemonSet
	for _, l := range p.labels {
		if perPod[l.key] {
			g.own = append(g.own, l)
		} else {
			g.labels = append(g.labels, l)
		}
	}
	g.notes = append(g.notes, p.notes...)
	if !r.live {
		g.asks = p.asks()
	}
	if !r.live && len(p.overhead) == 0 {
		g.runtime = p.runtime
	}
	g.images, g.pulled = slices.Clone(p.images), slices.Clone(p.pulled)
	return g
}

// podType is the pod that was just read in the scenario's terms; its requests
// are in r.sum.
func (r *reader) podType() v1alpha1.PodType {
	p := &r.pod
	t := v1alpha1.PodType{
		Namespace: string(p.namespace), Replicas: 1,
		CPU: unit.CPU(r.sum.of(resCPU)), Memory: unit.Bytes(r.sum.of(resMemory)),
		QOSClass: p.qosClass(), EphemeralStorage: unit.Bytes(r.sum.of(resDisk)),
		Storage: unit.Bytes(p.ephemeral), HugePages: r.sum.hugePages(), Devices: r.sum.devices(),
		Containers: len(p.containers) + p.sidecars(), Overcommit: "allowed",
		NodeSelector: asMap(p.selector), Bare: p.owner.kind == "" || p.owner.kind == kindNode || p.static || p.terminating,
	}
	if n, ok := p.limit(resCPU); ok {
		c := unit.CPU(n)
		t.CPULimit = &c
	}
	if n, ok := p.limit(resMemory); ok && n < math.MaxInt64 {
		b := unit.Bytes(n)
		t.MemoryLimit = &b
	}
	if p.alone || p.hasHostPort {
		t.MaxPerNode = 1
	}
	t.Tolerations = append(t.Tolerations, p.tolerations...)
	r.fill(&t)
	t.Spec = p.spec(&t, p.terminating)
	return t
}

// spec is what placement needs to know beside the pod type; nil when it is all
// there.
func (p *podSpec) spec(t *v1alpha1.PodType, terminating bool) *v1alpha1.PodSpec {
	s := v1alpha1.PodSpec{NodeSelector: t.NodeSelector, Tolerations: t.Tolerations}
	same := true
	if !slices.Equal(p.own, p.selector) {
		s.NodeSelector, same = asMap(p.own), false
	}
	if len(p.all) > len(p.tolerations) {
		s.Tolerations, same = slices.Clone(p.all), false
	}
	if p.hasLevel() {
		s.Requests, s.Limits, same = p.level.requests.ofPod(), p.level.limits.ofPod(), false
	}
	if len(p.overhead) > 0 {
		s.Overhead, same = p.overhead.asMap(), false
	}
	if len(t.ContainerSpecs) == 0 && len(p.containers) == 1 && p.containers[0].name != "" {
		s.Container, same = p.containers[0].name, false
	}
	if s.NotTried, s.Terminating = p.notTried(), terminating; s.NotTried != "" || terminating {
		same = false
	}
	if same {
		return nil
	}
	return &s
}

// ofPod are the amounts that a pod as a whole can ask for.
func (a amounts) ofPod() map[string]int64 {
	m := a.asMap()
	maps.DeleteFunc(m, func(name string, _ int64) bool { return !podLevel(name) })
	return m
}

// asMap is the amounts by name, nil when there are none.
func (a amounts) asMap() map[string]int64 {
	if len(a) == 0 {
		return nil
	}
	m := make(map[string]int64, len(a))
	for _, x := range a {
		m[x.name] = x.n
	}
	return m
}
