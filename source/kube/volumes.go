package kube

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

// claim is a volume claim.
type claim struct {
	size                      int64
	place                     place
	volume, class             string
	bound, once, gone, leaves bool // to its volume; of one pod; its volume is lost; it is being deleted
}

// volume is a persistent volume.
type volume struct {
	driver, class string
	nodes         *v1alpha1.NodeSelector
	zones         []v1alpha1.Requirement
	free          bool // no claim has it
}

// storageClass says how the claims of a class get their volumes.
type storageClass struct {
	provisioner string
	waits       bool // for the pod
	limited     bool // to some places
}

// storage is what the input says of volumes.
type storage struct {
	volumes map[string]volume
	classes map[string]storageClass
	limits  map[string]map[string]int64 // by node and driver
	tracked map[string]bool             // drivers whose capacity the scheduler asks about
}

func newStorage() storage {
	return storage{map[string]volume{}, map[string]storageClass{}, map[string]map[string]int64{}, map[string]bool{}}
}

func (s *storage) merge(o *storage) {
	maps.Copy(s.volumes, o.volumes)
	maps.Copy(s.classes, o.classes)
	maps.Copy(s.limits, o.limits)
	maps.Copy(s.tracked, o.tracked)
}

// claim records a volume claim.
func (r *reader) claim(o *object) {
	c := claim{size: r.storage(o.value), place: o.place(), volume: o.spec.get("volumeName").text(),
		class: o.spec.get("storageClassName").text(), gone: o.status.get("phase").is("Lost"),
		leaves: o.meta.get("deletionTimestamp").kind() == scalar}
	c.bound = c.volume != "" && o.meta.get("annotations", "pv.kubernetes.io/bind-completed").kind() == scalar
	c.once = slices.Contains(textsOf(o.spec.get("accessModes")), "ReadWriteOncePod")
	if q := o.status.get("capacity", resStorage); q.kind() != nothing {
		if n, err := r.quantity(resStorage, q); err == nil {
			c.size = n
		}
	}
	r.inNamespace(o.namespace())
	r.claims[path(o.namespace(), o.name())] = c
}

// volume records a persistent volume. One with labels of zones can be used there only
// (plugins/volumezone).
func (r *reader) volume(o *object) {
	v := volume{driver: o.spec.get("csi", "driver").text(), class: o.spec.get("storageClassName").text(),
		free: o.spec.get("claimRef").kind() == nothing}
	if terms := o.spec.get("nodeAffinity", "required", "nodeSelectorTerms"); terms.kind() == list {
		v.nodes = &v1alpha1.NodeSelector{}
		for t := range terms.elems() {
			v.nodes.NodeSelectorTerms = append(v.nodes.NodeSelectorTerms, termOf(t))
		}
	}
	for k, f := range o.meta.get("labels").fields() {
		if isZone(string(k)) {
			v.zones = append(v.zones, v1alpha1.Requirement{Key: string(k), Operator: "In", Values: splitZones(f.text())})
		}
	}
	r.disks.volumes[o.name()] = v
}

func (r *reader) storageClass(o *object) {
	r.disks.classes[o.name()] = storageClass{provisioner: o.value.get("provisioner").text(),
		waits:   o.value.get("volumeBindingMode").is("WaitForFirstConsumer"),
		limited: o.value.get("allowedTopologies").kind() == list}
}

func (r *reader) csiDriver(o *object) {
	r.disks.tracked[o.name()] = o.spec.get("storageCapacity").is("true")
}

func (r *reader) csiNode(o *object) {
	limits := map[string]int64{}
	for d := range o.spec.get("drivers").elems() {
		if n, ok := d.get("allocatable", "count").number().(int64); ok {
			limits[d.get("name").text()] = n
		}
	}
	r.disks.limits[o.name()] = limits
}

// mount says what the claims of pods that wait mean to the scheduler. Claims and
// volumes that the input leaves out altogether are told, for nothing is known of them.
func (t *tally) mount(groups []*group) {
	held := t.heldClaims(groups)
	for _, g := range groups {
		if len(g.waiting) == 0 || len(g.claims) == 0 {
			continue
		}
		m := mounting{t: t, g: g, held: held}
		for i, name := range g.claims {
			if !slices.Contains(g.claims[:i], name) {
				m.add(name)
			}
		}
		if m.v.Refused != "" || m.v.InUse || len(m.v.Once)+len(m.v.Nodes)+len(m.v.Zones)+len(m.v.Attached) > 0 {
			g.placing().Volumes = &m.v
		}
	}
}

// left tells of pods that run and could not follow their volumes.
func (t *tally) left(groups []*group, file string) {
	n := 0
	for _, g := range groups {
		for _, m := range g.mounts {
			if v := t.disks.volumes[t.claims[path(g.namespace, m.claim)].volume]; v.nodes != nil || len(v.zones) > 0 {
				n++
			}
		}
	}
	if n > 0 {
		t.skipMany(place{file: file}, "volumes of pods that run",
			"what-ifs move their pods without them, while they can be used on some nodes only", n)
	}
}

// heldClaims are the claims of pods that run.
func (t *tally) heldClaims(groups []*group) map[string]bool {
	held := map[string]bool{}
	for _, g := range groups {
		for _, m := range g.mounts {
			held[path(g.namespace, m.claim)] = true
		}
	}
	return held
}

// mounting adds up the claims of one group.
type mounting struct {
	t    *tally
	g    *group
	held map[string]bool
	v    v1alpha1.PodVolumes
	rank int // of the reason to refuse
}

// Reasons to refuse a pod, in the order in which the scheduler asks.
const (
	noClaim = iota + 1
	badClaim
	notBound
	noVolume
)

func (m *mounting) add(name string) {
	c, there := m.t.claims[path(m.g.namespace, name)]
	switch {
	case len(m.t.claims) == 0:
		m.doubt("it mounts claims, and the input has none: it may fit nowhere, or on other nodes " +
			"(give pvc,pv,storageclasses,csinodes)")
		return
	case !there:
		m.refuse(noClaim, fmt.Sprintf("persistentvolumeclaim %q not found", name))
		return
	case c.gone:
		m.refuse(badClaim, fmt.Sprintf("persistentvolumeclaim %q bound to non-existent persistentvolume %q", name, c.volume))
	case c.leaves:
		m.refuse(badClaim, fmt.Sprintf("persistentvolumeclaim %q is being deleted", name))
	case c.bound:
		m.bound(c)
	default:
		m.unbound(c)
	}
	if c.once {
		full := path(m.g.namespace, name)
		m.v.InUse, m.v.Once = m.v.InUse || m.held[full], append(m.v.Once, full)
	}
}

// refuse keeps the reason that the scheduler comes to first.
func (m *mounting) refuse(rank int, why string) {
	if m.rank == 0 || rank < m.rank {
		m.rank, m.v.Refused = rank, why
	}
}

func (m *mounting) doubt(why string) {
	m.t.decide(m.g.place, m.g.ownerTitle(), why, len(m.g.waiting))
}

func (m *mounting) bound(c claim) {
	v, there := m.t.disks.volumes[c.volume]
	switch {
	case len(m.t.disks.volumes) == 0:
		m.doubt("the input has no volumes: its own may be in another zone (give pv)")
		return
	case !there:
		m.refuse(noVolume, fmt.Sprintf("persistentvolume %q not found", c.volume))
		return
	}
	if v.nodes != nil {
		m.v.Nodes = append(m.v.Nodes, *v.nodes)
	}
	m.v.Zones = append(m.v.Zones, v.zones...)
	m.attach(v.driver)
}

func (m *mounting) attach(driver string) {
	if driver == "" {
		return
	}
	if m.v.Attached == nil {
		m.v.Attached = map[string]int64{}
	}
	m.v.Attached[driver]++
}

// unbound is a claim whose volume is made, or found, when its pod has a node.
func (m *mounting) unbound(c claim) {
	class, there := m.t.disks.classes[c.class]
	switch {
	case len(m.t.disks.classes) == 0 && c.class != "" && c.volume == "":
		m.doubt("its claim has no volume yet, and the input has no storage classes (give storageclasses)")
	case !there || !class.waits || c.volume != "":
		m.refuse(notBound, "pod has unbound immediate PersistentVolumeClaims")
	case class.limited || class.provisioner == "kubernetes.io/no-provisioner" || m.t.disks.tracked[class.provisioner] ||
		m.t.freeVolume(c.class):
		m.doubt("where its volume can be made or found is not modelled: topologies, capacity and free volumes of class " +
			c.class)
	default:
		m.attach(class.provisioner)
	}
}

// freeVolume reports whether a volume of a class has no claim.
func (t *tally) freeVolume(class string) bool {
	for _, v := range t.disks.volumes {
		if v.free && v.class == class {
			return true
		}
	}
	return false
}

// attached is what volumes leave of the limits on a node, nil where there are none.
func (t *tally) attached(node string, mounts map[string][]string) map[string]int64 {
	limits, ok := t.disks.limits[node]
	if !ok {
		return nil
	}
	left := maps.Clone(limits)
	names := slices.Sorted(slices.Values(mounts[node]))
	for _, name := range slices.Compact(names) {
		c := t.claims[name]
		driver := t.disks.classes[c.class].provisioner
		if v, there := t.disks.volumes[c.volume]; there {
			driver = v.driver
		}
		if _, limited := left[driver]; limited {
			left[driver]--
		}
	}
	return left
}

// mount is a claim of a pod on a node.
type mount struct{ node, claim string }

// byNode are the claims that pods have on each node.
func byNode(groups []*group) map[string][]string {
	out := map[string][]string{}
	for _, g := range groups {
		for _, m := range g.mounts {
			out[m.node] = append(out[m.node], path(g.namespace, m.claim))
		}
	}
	return out
}

// splitZones are the zones of a volume's label: a set is written a__b.
func splitZones(text string) []string { return strings.Split(text, "__") }
