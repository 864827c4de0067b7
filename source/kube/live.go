package kube

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/tune/pool"
	"plimsoll.dev/tune/profile"
)

// Cluster is what settings are judged by, of a cluster that runs.
type Cluster struct {
	// Nodes, Pools and Machines by name.
	Nodes    []openshift.Node
	Pools    []openshift.MachineConfigPool
	Machines []openshift.Machine
	// Pods that are bound to a node, in no order. Equal labels are one map, which
	// must not be changed.
	Pods []profile.Pod
	// Running are the same pods as a drain sees them, Budgets what it asks; of
	// Options.Drains.
	Running []pool.Running
	Budgets []pool.Disruption
	// Profiles are what the Node Tuning Operator reports of nodes, of Options.Profiles. ProfilesSeen says that all there
	// are were seen, be it none.
	Profiles     []openshift.Profile
	ProfilesSeen bool
	// Taken is when a snapshot was written, as RFC 3339; empty where nothing says so.
	Taken string
	// Passed are files of a directory that can't be read, of which nobody can say whether they are of interest, and
	// lists of a snapshot that could not be seen. Nothing, or not all, of them is in the other fields.
	Passed []v1alpha1.Skipped
}

// clusterKinds are what settings are judged by.
const clusterKinds = "nodes,pods,machineconfigpools,machines"

// ReadCluster reads nodes, pods, machine config pools, machines and disruption
// budgets from what "kubectl get nodes,pods,machineconfigpools,machines -A -o json"
// wrote, and passes over everything else. See ReadSnapshot for the forms of the text and
// the errors.
func ReadCluster(in io.Reader, name string, opt Options) (*Cluster, error) {
	out := &Cluster{}
	if err := out.read(in, name, opt); err != nil {
		return nil, err
	}
	return out.complete(name, "write it with 'kubectl get "+clusterKinds+" -A -o json'")
}

// read adds what a text holds.
func (c *Cluster) read(in io.Reader, name string, opt Options) error {
	opt.kinds = clusterKinds
	set := opt.withDefaults()
	p := &pipeline{name: name, set: set, work: make(chan *batch, 4), free: make(chan *batch, 8)}
	var parts []*gatherer
	total, err := p.run(in, func() *reader {
		r := newReader(set, true)
		g := &gatherer{reader: r, sets: map[string]map[string]string{}}
		parts = append(parts, g)
		r.take = g.object
		return r
	})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for _, g := range parts {
		c.add(&g.found)
	}
	return total.bad.err()
}

// add adds what another one holds.
func (c *Cluster) add(o *Cluster) {
	c.Nodes, c.Pools = append(c.Nodes, o.Nodes...), append(c.Pools, o.Pools...)
	c.Machines, c.Pods = append(c.Machines, o.Machines...), append(c.Pods, o.Pods...)
	c.Running, c.Budgets = append(c.Running, o.Running...), append(c.Budgets, o.Budgets...)
	c.Profiles, c.Passed = append(c.Profiles, o.Profiles...), append(c.Passed, o.Passed...)
	c.ProfilesSeen, c.Taken = c.ProfilesSeen || o.ProfilesSeen, cmp.Or(c.Taken, o.Taken)
}

// complete orders the objects by name, each once; a cluster has a node.
func (c *Cluster) complete(name, fix string) (*Cluster, error) {
	if len(c.Nodes) == 0 {
		bad := yamlpos.Problem{File: name, Line: 1, Col: 1, What: "there is no node in it", Fix: fix}
		for _, p := range c.Passed {
			if p.What == listOf+"nodes" {
				bad.What, bad.Fix = p.What+" is missing: "+p.Why, "an account that may read it"
			}
		}
		return nil, yamlpos.Problems{bad}
	}
	c.Running = ordered(c.Running, func(p pool.Running) string { return p.String() })
	c.Budgets = ordered(c.Budgets, func(b pool.Disruption) string { return b.String() })
	slices.SortStableFunc(c.Nodes,
		func(a, b openshift.Node) int { return strings.Compare(a.Metadata.Name, b.Metadata.Name) })
	slices.SortStableFunc(c.Pools,
		func(a, b openshift.MachineConfigPool) int { return strings.Compare(a.Metadata.Name, b.Metadata.Name) })
	slices.SortStableFunc(c.Machines,
		func(a, b openshift.Machine) int { return strings.Compare(a.Metadata.Name, b.Metadata.Name) })
	return c, nil
}

// ordered are the first objects of each name, sorted.
func ordered[T any](list []T, name func(T) string) []T {
	list = once(list, name)
	slices.SortFunc(list, func(a, b T) int { return strings.Compare(name(a), name(b)) })
	return list
}

// gatherer keeps the objects of a cluster that one goroutine reads.
type gatherer struct {
	*reader
	found Cluster
	sets  map[string]map[string]string // labels of pods, by what they are
}

// object reads one object, or the items of a list.
func (g *gatherer) object(v value, hint string, depth int) {
	kind := hint
	if k := v.get("kind"); k.kind() != nothing {
		kind = g.word(k.bytes())
	}
	if strings.HasSuffix(kind, "List") && v.get("items").kind() != nothing && depth < maxNesting {
		for item := range v.get("items").elems() {
			g.object(item, strings.TrimSuffix(kind, "List"), depth+1)
		}
		return
	}
	switch kind {
	case kindPod:
		g.runningPod(v)
	case kindNode:
		g.countNode(v)
		g.found.Nodes = append(g.found.Nodes, openshift.Node{Kind: kind, Metadata: g.objectMeta(v.get("metadata")),
			Spec: openshift.NodeSpec{Unschedulable: v.get("spec", "unschedulable").is("true"),
				ProviderID: v.get("spec", "providerID").text()},
			Status: openshift.NodeStatus{Conditions: g.conditions(v), Capacity: g.texts(v.get("status", "capacity"))}})
	case "MachineConfigPool":
		g.found.Pools = append(g.found.Pools, g.machineConfigPool(v))
	case "Machine":
		g.found.Machines = append(g.found.Machines, g.machine(v))
	case v1alpha1.KindSeen:
		g.notSeen(v)
	case "PodDisruptionBudget":
		if g.set.Drains {
			g.found.Budgets = append(g.found.Budgets, g.budget(v))
		}
	case kindProfile:
		if group := v.get("apiVersion").text(); g.set.Profiles && (group == "" || strings.HasPrefix(group, groupTuned)) {
			g.found.Profiles = append(g.found.Profiles, g.profile(v))
		}
	}
}

// listOf is what Cluster.Passed calls a list that could not be seen, with the resource behind it.
const listOf = "the list of "

// groupTuned begins the API versions of the Node Tuning Operator: others have a kind Profile as well.
const groupTuned = "tuned.openshift.io/"

// notSeen keeps which lists of what is asked for could not be seen.
func (g *gatherer) notSeen(v value) {
	g.found.Taken = v.get("taken").text()
	for r := range v.get("read").elems() {
		g.found.ProfilesSeen = g.found.ProfilesSeen || r.is("profiles.tuned.openshift.io")
	}
	for s := range v.get("notSeen").elems() {
		resource, _, _ := strings.Cut(s.get("what").text(), ".")
		asked := slices.ContainsFunc(ClusterKinds, func(kind string) bool {
			return strings.ToLower(kind)+"s" == resource && g.set.Reads(kind)
		})
		if asked {
			g.found.Passed = append(g.found.Passed, v1alpha1.Skipped{What: listOf + resource, Why: s.get("why").text(),
				Place: v.doc.file})
		}
	}
}

// runningPod keeps a pod's node and labels.
func (g *gatherer) runningPod(v value) {
	node := v.get("spec", "nodeName").bytes()
	if len(node) == 0 {
		return
	}
	meta := v.get("metadata")
	labels := meta.get("labels")
	g.key = g.key[:0]
	for k, f := range labels.fields() {
		g.key = append(append(append(append(g.key, k...), 0), f.bytes()...), 0)
	}
	set, ok := g.sets[string(g.key)]
	if !ok {
		set = g.texts(labels)
		g.sets[string(g.key)] = set
	}
	pod := profile.Pod{Namespace: g.word(meta.get("namespace").bytes()), Name: meta.get("name").text(), Node: g.word(node),
		Labels: set}
	g.found.Pods = append(g.found.Pods, pod)
	if g.set.Drains {
		g.found.Running = append(g.found.Running, g.drained(v, pod))
	}
}

// texts is a mapping of texts; nil when there is none.
func (r *reader) texts(v value) map[string]string { return asMap(r.labels(v, nil)) }

func (r *reader) objectMeta(v value) openshift.ObjectMeta {
	out := openshift.ObjectMeta{Name: v.get("name").text(), Namespace: v.get("namespace").text(), UID: v.get("uid").text(),
		Labels: r.texts(v.get("labels")), Annotations: r.texts(v.get("annotations")),
		CreationTimestamp: v.get("creationTimestamp").text(), DeletionTimestamp: v.get("deletionTimestamp").text()}
	for o := range v.get("ownerReferences").elems() {
		out.OwnerReferences = append(out.OwnerReferences,
			openshift.OwnerReference{APIVersion: o.get("apiVersion").text(), Kind: o.get("kind").text(),
				Name: o.get("name").text(), UID: o.get("uid").text(), Controller: o.get("controller").is("true")})
	}
	return out
}

func (r *reader) conditions(v value) []openshift.Condition {
	var out []openshift.Condition
	for c := range v.get("status", "conditions").elems() {
		out = append(out, openshift.Condition{Type: r.word(c.get("type").bytes()), Status: r.word(c.get("status").bytes()),
			Reason: r.word(c.get("reason").bytes()), LastTransitionTime: c.get("lastTransitionTime").text()})
	}
	return out
}

func (r *reader) machineConfigPool(v value) openshift.MachineConfigPool {
	spec, status := v.get("spec"), v.get("status")
	out := openshift.MachineConfigPool{Kind: "MachineConfigPool", Metadata: r.objectMeta(v.get("metadata"))}
	out.Spec.MachineConfigSelector, out.Spec.NodeSelector = r.labelSelector(spec.get("machineConfigSelector")),
		r.labelSelector(spec.get("nodeSelector"))
	out.Spec.Paused, out.Spec.Configuration.Name = spec.get("paused").is("true"), spec.get("configuration", "name").text()
	out.Spec.MaxUnavailable = intOrText(spec.get("maxUnavailable"))
	out.Status = openshift.PoolStatus{MachineCount: r.count(status.get("machineCount"), 0),
		UpdatedMachineCount: r.count(status.get("updatedMachineCount"), 0), Conditions: r.conditions(v)}
	return out
}

func (r *reader) labelSelector(v value) *openshift.LabelSelector {
	if v.kind() != mapping {
		return nil
	}
	return &openshift.LabelSelector{MatchLabels: r.texts(v.get("matchLabels")),
		MatchExpressions: requirementsOf(v.get("matchExpressions"))}
}

func (g *gatherer) machine(v value) openshift.Machine {
	status := v.get("status")
	out := openshift.Machine{Kind: "Machine", Metadata: g.objectMeta(v.get("metadata")),
		Status: openshift.MachineStatus{Phase: status.get("phase").text(), LastUpdated: status.get("lastUpdated").text()}}
	if name := status.get("nodeRef", "name").text(); name != "" {
		out.Status.NodeRef = &openshift.NodeRef{Name: name}
	}
	return out
}

// profile is what the Node Tuning Operator reports of a node.
func (g *gatherer) profile(v value) openshift.Profile {
	out := openshift.Profile{Kind: kindProfile, Metadata: g.objectMeta(v.get("metadata"))}
	out.Spec.Config.TunedProfile = g.word(v.get("spec", "config", "tunedProfile").bytes())
	out.Status = openshift.ProfileStatus{TunedProfile: g.word(v.get("status", "tunedProfile").bytes()),
		Conditions: g.conditions(v)}
	at := 0
	for c := range v.get("status", "conditions").elems() {
		out.Status.Conditions[at].Message = c.get("message").text()
		at++
	}
	return out
}
