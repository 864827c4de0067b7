package kube

import (
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

// podSpec is what counts of a pod's specification. The slices are used again
// for the next pod.
type podSpec struct {
	containers, inits  []container
	level              container // spec.resources
	overhead           amounts
	selector           []label               // that a plan goes by, with what affinity comes to
	own                []label               // nodeSelector as it stands
	tolerations        []v1alpha1.Toleration // that a plan goes by
	all                []v1alpha1.Toleration // as they stand
	claims             []string              // names of the claims that are mounted
	ephemeral          int64                 // bytes of volumes that come and go with the pod
	hostNetwork        bool
	ports, hasHostPort bool
	alone              bool // anti-affinity: one per node
	node, runtime      string
	images, pulled     []string // of containers, of image volumes
	gates              []string
	scheduler          string // schedulerName
	os                 string // os.name
	target             string // the node that a DaemonSet's controller made the pod for
	rules              rules
	notes              []note // what could not be counted
	open               string // an open parameter in a number
}

func (p *podSpec) reset() {
	*p = podSpec{
		containers: p.containers[:0], inits: p.inits[:0], overhead: p.overhead[:0],
		level:    container{requests: p.level.requests[:0], limits: p.level.limits[:0]},
		selector: p.selector[:0], own: p.own[:0], tolerations: p.tolerations[:0], all: p.all[:0],
		claims: p.claims[:0], notes: p.notes[:0], images: p.images[:0], pulled: p.pulled[:0], gates: p.gates[:0],
		rules: rules{ports: p.rules.ports[:0], mentioned: p.rules.mentioned[:0]},
	}
}

// note says why something of a pod isn't counted: by a plan alone, or by
// placement neither.
type note struct {
	text     string
	planning bool
}

// note remembers what a plan doesn't count of the pod but placement honours, once.
func (p *podSpec) note(text string) { p.notes = noted(p.notes, note{text, true}) }

// lack remembers what nothing counts of the pod, once.
func (p *podSpec) lack(text string) { p.notes = noted(p.notes, note{text, false}) }

// noted is the list with n in it once.
func noted(list []note, n note) []note {
	if slices.Contains(list, n) {
		return list
	}
	return append(list, n)
}

// spec reads a pod's specification. The metadata is read already: affinity is
// compared with the pod's own labels.
func (r *reader) spec(v value) {
	p := &r.pod.podSpec
	r.strict(v, "pod spec")
	for k, f := range v.fields() {
		switch string(k) {
		case "containers":
			p.containers = r.containers(f, p.containers)
		case "initContainers":
			p.inits = r.initContainers(f, p.inits)
		case "resources":
			r.resources(f, &p.level)
		case "overhead":
			p.overhead = r.amounts(f, p.overhead)
		case "nodeSelector":
			p.own = r.labels(f, p.own)
			p.selector = append(p.selector, p.own...)
		case "tolerations":
			r.tolerations(f)
		case "affinity":
			p.rules.affinity = f
			r.affinity(f)
		case "priority":
			p.rules.priority, p.rules.ranked = int32Of(f), f.kind() == scalar
		case "priorityClassName":
			p.rules.class = r.word(f.bytes())
		case "preemptionPolicy":
			p.rules.never = f.is("Never")
		case "volumes":
			r.volumes(f)
		case "hostNetwork":
			p.hostNetwork = f.is("true")
		case "nodeName":
			p.node = r.word(f.bytes())
		case "runtimeClassName":
			p.runtime = r.word(f.bytes())
		case "schedulerName":
			p.scheduler = r.word(f.bytes())
		case "os":
			p.os = r.word(f.get("name").bytes())
		case "schedulingGates":
			for gate := range f.elems() {
				p.gates = append(p.gates, r.word(gate.get("name").bytes()))
			}
		case "topologySpreadConstraints":
			p.rules.spread = f
			r.spread(f)
		case "resourceClaims":
			for range f.elems() {
				p.lack("resource claims (dynamic resource allocation)")
				break
			}
		}
	}
	r.settle()
}

// settle draws what follows from several fields.
func (r *reader) settle() {
	p := &r.pod.podSpec
	p.setDefaults()
	// The API server gives the containers of such pods host ports.
	p.hasHostPort = p.hasHostPort || p.hostNetwork && p.ports
	if p.node != "" && !r.live {
		p.note("that the pod is bound to node " + p.node)
	}
	kept := p.selector[:0]
	for _, l := range p.selector {
		if l.key == labelHostname || r.live && isZone(l.key) {
			p.note("node selector " + l.key + "=" + l.value)
			continue
		}
		kept = append(kept, l)
	}
	p.selector = kept
}

// containers reads a list of containers onto out, whose old entries' memory is
// used again.
func (r *reader) containers(v value, out []container) []container {
	for item := range v.elems() {
		out = grown(out)
		r.container(item, &out[len(out)-1])
	}
	return out
}

// initContainers reads a list of init containers onto out. Ports of those that
// end before the pod runs are nobody's: the scheduler counts those of sidecars.
func (r *reader) initContainers(v value, out []container) []container {
	for item := range v.elems() {
		out = grown(out)
		c := &out[len(out)-1]
		p := &r.pod
		ports, any, host := len(p.rules.ports), p.ports, p.hasHostPort
		if r.container(item, c); !c.sidecar {
			p.rules.ports, p.ports, p.hasHostPort = p.rules.ports[:ports], any, host
		}
	}
	return out
}

// grown is a list with one more, empty container.
func grown(out []container) []container {
	if len(out) == cap(out) {
		return append(out, container{})
	}
	out = out[:len(out)+1]
	c := &out[len(out)-1]
	*c = container{requests: c.requests[:0], limits: c.limits[:0]}
	return out
}

func (r *reader) container(v value, c *container) {
	r.strict(v, "container")
	for k, f := range v.fields() {
		switch string(k) {
		case "name":
			c.name = r.word(f.bytes())
		case "image":
			r.pod.images = append(r.pod.images, r.image(f))
		case "resources":
			r.resources(f, c)
		case "restartPolicy":
			c.sidecar = f.is("Always")
		case "ports":
			r.ports(f)
		}
	}
}

func (r *reader) resources(v value, c *container) {
	r.strict(v, "resources")
	for k, f := range v.fields() {
		switch string(k) {
		case "requests":
			c.requests = r.amounts(f, c.requests)
		case "limits":
			c.limits = r.amounts(f, c.limits)
		}
	}
}

func (r *reader) ports(v value) {
	for port := range v.elems() {
		r.pod.ports = true
		r.hostPort(port)
		for k, f := range port.fields() {
			if string(k) == "hostPort" && !f.is("0") && f.kind() == scalar {
				r.pod.hasHostPort = true
			}
		}
	}
}

// volumes reads which claims the pod mounts, and the size of volumes that are
// made for each pod.
func (r *reader) volumes(v value) {
	p := &r.pod.podSpec
	for item := range v.elems() {
		for k, f := range item.fields() {
			switch string(k) {
			case "persistentVolumeClaim":
				if claim := f.get("claimName").text(); claim != "" {
					p.claims = append(p.claims, claim)
				}
			case "ephemeral":
				r.ephemeral(f, item.get("name").text())
			case "image":
				p.pulled = append(p.pulled, r.image(f.get("reference")))
			}
		}
	}
}

// ephemeral reads a volume that is made for each pod. In a snapshot its claim is
// there under a name of its own.
func (r *reader) ephemeral(v value, volume string) {
	if r.live {
		r.pod.claims = append(r.pod.claims, string(r.pod.name)+"-"+volume)
		return
	}
	r.pod.ephemeral += r.storage(v.get("volumeClaimTemplate"))
}

// storage is the size that a claim or a template of one requests.
func (r *reader) storage(claim value) int64 {
	q := claim.get("spec", "resources", "requests", resStorage)
	if q.kind() == nothing {
		return 0
	}
	n, err := r.quantity(resStorage, q)
	if err != nil {
		// Reads it once more for the message.
		r.amounts(claim.get("spec", "resources", "requests"), nil)
		return 0
	}
	return n
}

// tolerations reads the tolerations; a plan does without those that every pod
// gets for nodes in trouble.
func (r *reader) tolerations(v value) {
	for item := range v.elems() {
		t := v1alpha1.Toleration{Operator: "Equal"}
		for k, f := range item.fields() {
			switch string(k) {
			case "key":
				t.Key = r.word(f.bytes())
			case "operator":
				t.Operator = r.word(f.bytes())
			case "value":
				t.Value = r.word(f.bytes())
			case "effect":
				t.Effect = r.word(f.bytes())
			}
		}
		if t.Operator != "Equal" && t.Operator != "Exists" && t.Operator != "" {
			r.pod.lack("a toleration with operator " + t.Operator + ", of an alpha feature")
			continue
		}
		r.pod.all = append(r.pod.all, t)
		if !strings.HasPrefix(t.Key, transientTaints) {
			r.pod.tolerations = append(r.pod.tolerations, t)
		}
	}
}

// Labels and taints that Kubernetes itself sets on nodes.
const (
	labelHostname = "kubernetes.io/hostname"
	labelOS       = "kubernetes.io/os"
	// Taints under this prefix come and go with a node's condition.
	transientTaints = "node.kubernetes.io/"
)

// isZone says whether a label names the place of a node.
func isZone(key string) bool {
	return strings.HasPrefix(key, "topology.kubernetes.io/") ||
		strings.HasPrefix(key, "failure-domain.beta.kubernetes.io/")
}
