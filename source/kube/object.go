package kube

import (
	"bytes"
	"strings"
)

// Kinds that are named more than once.
const (
	kindPod         = "Pod"
	kindDeployment  = "Deployment"
	kindDaemonSet   = "DaemonSet"
	kindStatefulSet = "StatefulSet"
	kindNode        = "Node"
)

// object is one object of the input, not yet understood.
type object struct {
	value
	kind, version string
	meta          value
	spec          value
	status        value
}

// group is the API group; the core group and OpenShift's old group without a
// name are both empty.
func (o *object) group() string {
	group, _, found := strings.Cut(o.version, "/")
	if !found {
		return ""
	}
	return group
}

func (o *object) name() string {
	if name := o.meta.get("name").text(); name != "" {
		return name
	}
	return strings.TrimRight(o.meta.get("generateName").text(), "-.")
}

func (o *object) namespace() string { return o.meta.get("namespace").text() }

// title names the object for people: "Deployment shop/web".
func (o *object) title() string {
	return o.kind + " " + path(o.namespace(), o.name())
}

func path(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// object reads one object and whatever objects it holds. hint is the kind of
// the list that it is in, whose items may leave theirs out. depth counts lists
// and templates within each other.
func (r *reader) object(v value, hint string, depth int) {
	if v.kind() != mapping {
		r.skip(v.place(), "document of "+v.doc.file, "not a Kubernetes object")
		return
	}
	r.pod.reset()
	o := object{value: v, kind: hint}
	early, held := false, false // the pod's metadata and its status were read in passing
	for k, f := range v.fields() {
		switch {
		case bytes.EqualFold(k, []byte("kind")):
			o.kind = r.word(f.bytes())
		case bytes.EqualFold(k, []byte("apiVersion")):
			o.version = r.word(f.bytes())
		case string(k) == "metadata":
			o.meta = f
			// Affinity is compared with the labels, so the metadata must come first.
			if o.kind == kindPod && o.group() == "" && o.spec.doc == nil && o.status.doc == nil {
				early = true
				r.metadata(f)
			}
		case string(k) == "spec":
			o.spec = f
			if early {
				r.spec(f)
			}
		case string(k) == "status":
			o.status = f
			if early && o.spec.doc != nil {
				r.status(f)
				held = true
			}
		}
	}
	if o.kind != "" && (o.version != "" || depth > 0 || o.value.get("items").kind() == list) {
		r.known++
	}
	r.hand(&o)
	if early && o.kind == kindPod {
		r.readPod(&o, early, held)
		return
	}
	r.dispatch(&o, depth)
}

// hand the object on to whoever asked for each.
func (r *reader) hand(o *object) {
	switch {
	case r.set.Each == nil || o.kind == "" || strings.HasSuffix(o.kind, "List"):
	case o.value.tree != nil:
		r.set.Each(o.kind, nil)
	default:
		r.set.Each(o.kind, o.doc.text[o.value.at:o.doc.end(o.value.at)])
	}
}

// readPod reads what was not read in passing, and counts the pod.
func (r *reader) readPod(o *object, early, held bool) {
	if !early {
		r.pod.reset()
		r.metadata(o.meta)
		r.spec(o.spec)
	}
	if !held {
		r.status(o.status)
	}
	r.addPod(o)
}

// maxNesting bounds lists and templates within each other.
const maxNesting = 8

// dispatch gives the object to the function for its kind.
func (r *reader) dispatch(o *object, depth int) {
	k, known := kinds[o.kind]
	switch {
	case o.kind == "" || o.version == "" && depth == 0:
		r.skip(o.place(), "document of "+o.doc.file, "not a Kubernetes object: it has no kind or no apiVersion")
	case depth > maxNesting:
		r.skip(o.place(), o.kind, "lists and templates stand too deep in each other")
	case strings.HasSuffix(o.kind, "List") && o.value.get("items").kind() != nothing:
		for item := range o.value.get("items").elems() {
			r.object(item, strings.TrimSuffix(o.kind, "List"), depth+1)
		}
	case known && (o.version == "" || k.in(o.group())):
		k.read(r, o, depth)
	default:
		r.unknown(o)
	}
}

// unknown lists a kind that isn't read.
func (r *reader) unknown(o *object) {
	name := o.kind
	if _, known := kinds[o.kind]; known {
		name += " of " + o.version
	}
	switch {
	case reasons[o.kind] != "":
		r.skip(o.place(), name, reasons[o.kind])
	case holdsContainers(o.spec):
		r.skip(o.place(), name, makesPods)
	default:
		r.skip(o.place(), name, "unknown kind: it is not counted, nor are pods that it may make")
	}
}

// holdsContainers reports whether a template of pods stands anywhere in a value.
func holdsContainers(v value) bool {
	for k, f := range v.fields() {
		if string(k) == "containers" && f.kind() == list || holdsContainers(f) {
			return true
		}
	}
	for e := range v.elems() {
		if holdsContainers(e) {
			return true
		}
	}
	return false
}

// uncounted opens the verdict where pods are known only from what makes them, and that is not understood.
func (t *tally) uncounted() {
	for _, s := range t.skipped {
		s.Decides = s.Decides || s.Why == makesPods || s.Why == makesLaunchers
	}
}
